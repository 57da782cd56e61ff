// Media bytes on disk, named by their sha256. Bytes are staged and synced first; they take their place, and get their
// row, inside one write transaction. So a file without a row is a stray of a cut, and sweep() may remove it.
import { createHash, type Hash, hash, randomBytes } from "node:crypto";
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { refusalOf, tooLarge } from "../errors.ts";
import type { Store } from "./database.ts";
import { sniff } from "./sniff.ts";

/** Bytes that are synced to disk but not yet placed. */
export interface Staged {
  file: string;
  sha256: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

/** Takes bytes as they come, hashing them; `staged()` answers once the stream has finished and the bytes are synced. */
export class Staging extends Writable {
  readonly file: string;
  readonly #ceiling: number;
  readonly #hash: Hash = createHash("sha256");
  #head: Buffer = Buffer.alloc(0);
  #handle: FileHandle | undefined;
  #size = 0;
  #result: Staged | undefined;

  constructor(file: string, ceiling: number) {
    super({ highWaterMark: 1 << 20 });
    this.file = file;
    this.#ceiling = ceiling;
  }

  override _construct(done: (error?: Error | null) => void): void {
    open(this.file, "wx", 0o600).then((handle) => {
      this.#handle = handle;
      done();
    }, done);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#take([chunk]).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#take(chunks.map(({ chunk }) => chunk)).then(() => done(), done);
  }

  async #take(chunks: Buffer[]): Promise<void> {
    for (const chunk of chunks) {
      this.#size += chunk.length;
      if (this.#size > this.#ceiling)
        throw tooLarge(`a file must have at most ${this.#ceiling.toLocaleString("en")} bytes`);
      if (this.#head.length < 512) this.#head = Buffer.concat([this.#head, chunk.subarray(0, 512)]);
    }
    const writing = this.#handle?.writev(chunks);
    for (const chunk of chunks) this.#hash.update(chunk); // on this thread, while the disk works
    await writing;
  }

  override _final(done: (error?: Error | null) => void): void {
    const handle = this.#handle as FileHandle;
    handle.sync().then(() => {
      this.#result = {
        file: this.file,
        sha256: this.#hash.digest("hex"),
        size: this.#size,
        content_type: sniff(this.#head),
      };
      done();
    }, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const finish = () => {
      if (this.#result === undefined) rmSync(this.file, { force: true });
      done(error);
    };
    if (this.#handle === undefined) finish();
    else this.#handle.close().then(finish, finish);
  }

  /** The staged bytes; throws where the stream has not finished. */
  staged(): Staged {
    if (this.#result === undefined) throw refusalOf(this.errored ?? new Error("the upload did not finish"));
    return this.#result;
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const day = 86_400_000;

export type Blobs = ReturnType<typeof openBlobs>;

/** The media folder of a data directory: `media/ab/<sha256>` for what is kept, `media/staging/` for what is under way. */
export function openBlobs(folder: string, store: Store, options: { ceiling: number; role: "server" | "command" }) {
  const staging = join(folder, "staging");
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  const fileOf = (sha256: string): string => join(folder, sha256.slice(0, 2), sha256);
  // The name says whose it is: the one server of a directory sweeps its own at boot and leaves a running import's alone.
  const stagingFile = (): string => join(staging, `${options.role}-${randomBytes(12).toString("hex")}`);

  return {
    fileOf,

    /** A stream to pipe an upload into. The ceiling is the configured one where none is given. In bytes. */
    stage: (ceiling: number = options.ceiling): Staging => new Staging(stagingFile(), ceiling),

    /** Stages bytes that are in memory already. */
    stageBytes(bytes: Uint8Array): Staged {
      const file = stagingFile();
      try {
        const handle = openSync(file, "wx", 0o600);
        try {
          for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
          fsyncSync(handle);
        } finally {
          closeSync(handle);
        }
      } catch (error) {
        rmSync(file, { force: true });
        throw error;
      }
      return { file, sha256: hash("sha256", bytes), size: bytes.length, content_type: sniff(bytes.subarray(0, 512)) };
    },

    /** Puts staged bytes in their place and writes their row. Only inside store.write: a crash leaves both or a stray. */
    place(staged: Staged, now: string): void {
      if (!store.database.inTransaction) throw new Error("blobs.place outside a write transaction");
      const file = fileOf(staged.sha256);
      if (store.get("get_blob", { sha256: staged.sha256 }) !== undefined && existsSync(file)) {
        rmSync(staged.file, { force: true });
        return;
      }
      mkdirSync(join(folder, staged.sha256.slice(0, 2)), { recursive: true, mode: 0o700 });
      renameSync(staged.file, file);
      syncFolder(join(folder, staged.sha256.slice(0, 2)));
      syncFolder(folder);
      store.run("put_blob", {
        sha256: staged.sha256,
        size: staged.size,
        content_type: staged.content_type,
        created_at: now,
      });
    },

    /** Forgets staged bytes that were refused. */
    discard(staged: Pick<Staged, "file">): void {
      rmSync(staged.file, { force: true });
    },

    /** Whole bytes of a small blob. */
    read: (sha256: string): Buffer => readFileSync(fileOf(sha256)),

    /** A stream of the bytes from `start` to `end`, both included. */
    stream: (sha256: string, start: number, end: number) =>
      createReadStream(fileOf(sha256), { start, end, highWaterMark: 1 << 18 }),

    /** Removes what a cut left behind: staged bytes, files without a row, rows that nothing needs. For the server's boot. */
    sweep(): { files: number; rows: number } {
      let files = 0;
      for (const name of readdirSync(staging)) {
        const file = join(staging, name);
        if (!name.startsWith(options.role) && Date.now() - statSync(file).mtimeMs < day) continue;
        rmSync(file, { force: true });
        files++;
      }
      // Placing happens inside write transactions only, so within one nothing is between its file and its row.
      const rows = store.write(() => {
        const { changes } = store.run("delete_unneeded_blobs", {});
        for (const part of readdirSync(folder)) {
          if (!/^[0-9a-f]{2}$/.test(part)) continue;
          for (const sha256 of readdirSync(join(folder, part))) {
            if (store.get("get_blob", { sha256 }) !== undefined) continue;
            rmSync(join(folder, part, sha256), { force: true });
            files++;
          }
        }
        return changes;
      });
      return { files, rows };
    },

    /** The size on disk of one kept file in bytes; undefined where it is missing. */
    sizeOf: (sha256: string): number | undefined => statSync(fileOf(sha256), { throwIfNoEntry: false })?.size,
  };
}
