// Follows LucidLink's audit trail: .lucid_audit/<node>/<year>/<month>/<begin>.log, one folder for each device, the file being
// written ending in .log.active and renamed to .log after 15 minutes. Starts at the end, because the full pass of each start finds the
// earlier changes.
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Hint } from "../spool.ts";

/** Actions that change neither names nor bytes of files. */
const quietActions: ReadonlySet<string> = new Set([
  "FileRead",
  "PreHydrate",
  "Pin",
  "Unpin",
  "ExtendedAttributeSet",
  "ExtendedAttributeDelete",
]);

/** A path of the trail relative to the root; undefined if it is not a path. */
function relative(path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  const stripped = path.replace(/^\/+|\/+$/g, "");
  const parts = stripped.split("/");
  return parts.some((part) => part === "" || part === "." || part === "..") || stripped.includes("\0")
    ? undefined
    : stripped;
}

/** A name on the disk may have another Unicode form than in the trail. */
const formsOf = (path: string): Set<string> => new Set([path, path.normalize("NFC"), path.normalize("NFD")]);

/** Where to look because of a line, also of an unknown action; undefined if the text is not a line of the trail. */
export function hintsOf(text: string): Hint[] | undefined {
  let line: { operation?: { action?: unknown; entryPath?: unknown; targetPath?: unknown } } | null;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  const operation = line?.operation;
  if (typeof operation !== "object" || operation === null || typeof operation.action !== "string") return undefined;
  const { action } = operation;
  if (quietActions.has(action)) return [];
  const named = action !== "FileWritten";
  return [operation.entryPath, operation.targetPath].flatMap((written) => {
    const path = relative(written);
    if (path === undefined) return [];
    return [...formsOf(path)].map((form) => ({ path: form, source: "audit_tail" as const, named, merged: false }));
  });
}

export const trailName = ".lucid_audit";

/** A device's folders are listed so often, in milliseconds; the file that is being written is read at every poll. */
const listEvery = 10_000;
const readSize = 64 * 1024;
/** So much of one file is read at one poll, and a line has this at the most. */
const mostAtOnce = 4 << 20;
const longestLine = 1 << 20;
const newline = 0x0a;
/** So many files of a device are kept in mind at the most. */
const mostFollowed = 10;

export interface TrailOptions {
  root: string;
  /** Takes each line. */
  line(text: string): void;
  /** Is called with text that is not a line of the trail. */
  broken(reason: string): void;
}

interface Followed {
  /** Year, month and name, without .active. */
  name: string;
  /** What was read of it. */
  offset: number;
  /** Bytes behind the last line end. */
  rest: Buffer;
  /** A line that is too long is passed over to its end. */
  skipping: boolean;
  /** Lines taken. */
  lines: number;
  /** It had the ending .active when it was read last. */
  active: boolean;
}

/** Whether there is a trail that this user may read. */
export const hasTrail = (root: string): Promise<boolean> =>
  readdir(join(root, trailName)).then(
    () => true,
    () => false,
  );

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).then(
    (names) => names.sort(),
    () => [],
  );

const follow = (name: string): Followed => ({
  name,
  offset: 0,
  rest: Buffer.alloc(0),
  skipping: false,
  lines: 0,
  active: true,
});

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The trail of one device. */
class NodeTrail {
  readonly #folder: string;
  readonly #options: TrailOptions;
  /** Oldest first: at least the newest two, so that what is written late is read. */
  #files: Followed[] = [];
  #listed = Number.NEGATIVE_INFINITY;

  constructor(folder: string, options: TrailOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Goes to the end of what there is. */
  async skip(): Promise<void> {
    await this.#list();
    for (const file of this.#files) await this.#skipFile(file);
  }

  async poll(): Promise<void> {
    const isDue = performance.now() - this.#listed >= listEvery;
    if (isDue) await this.#list();
    for (const file of [...this.#files]) {
      const wasActive = file.active;
      if (isDue || wasActive) await this.#read(file);
      if (wasActive && !file.active) await this.#list(); // it was renamed: there may be a newer one
    }
    const whole = this.#files.findLastIndex(({ lines }) => lines > 0);
    this.#files = this.#files.slice(
      Math.max(0, Math.min(whole, this.#files.length - 2), this.#files.length - mostFollowed),
    );
  }

  /** Adds files that are newer than those followed: all of them, the first time the newest two. */
  async #list(): Promise<void> {
    this.#listed = performance.now();
    const months: string[] = [];
    for (const year of (await namesIn(this.#folder)).reverse()) {
      for (const month of (await namesIn(join(this.#folder, year))).reverse()) months.push(join(year, month));
      if (months.length >= 2) break;
    }
    const found = new Set<string>();
    for (const month of months.slice(0, 2).reverse())
      for (const name of await namesIn(join(this.#folder, month)))
        if (/\.log(?:\.active)?$/.test(name)) found.add(join(month, name.replace(/\.active$/, "")));
    const last = this.#files.at(-1)?.name;
    const names = [...found].sort();
    const added = last === undefined ? names.slice(-2) : names.filter((name) => name > last);
    this.#files = [...this.#files, ...added.map(follow)];
  }

  /** Opens a file under the name that it has at the moment; undefined if it has none. */
  async #open(name: string): Promise<{ handle: FileHandle; active: boolean } | undefined> {
    for (const ending of [".active", ""]) {
      const handle = await open(join(this.#folder, name + ending), "r").catch(() => undefined);
      if (handle !== undefined) return { handle, active: ending !== "" };
    }
    return undefined;
  }

  async #skipFile(file: Followed): Promise<void> {
    const opened = await this.#open(file.name);
    if (opened === undefined) return;
    const { handle } = opened;
    try {
      const { size } = await handle.stat();
      const start = Math.max(0, size - readSize);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
      const end = buffer.subarray(0, bytesRead).lastIndexOf(newline);
      file.offset = start + end + 1; // a line that is being written is read from its beginning
      file.skipping = end === -1 && start > 0;
      file.lines = 1;
    } finally {
      await handle.close();
    }
  }

  /** Reads what was added to a file. */
  async #read(file: Followed): Promise<void> {
    const opened = await this.#open(file.name);
    file.active = opened?.active === true;
    if (opened === undefined) return;
    const { handle } = opened;
    try {
      const buffer = Buffer.alloc(readSize);
      for (let total = 0; total < mostAtOnce; ) {
        const { bytesRead } = await handle.read(buffer, 0, readSize, file.offset);
        if (bytesRead === 0) break;
        file.offset += bytesRead;
        total += bytesRead;
        this.#take(file, buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  }

  #take(file: Followed, bytes: Buffer): void {
    let rest = Buffer.concat([file.rest, bytes]);
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      if (file.skipping) file.skipping = false;
      else this.#line(file, rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > longestLine) {
      file.skipping = true;
      rest = Buffer.alloc(0);
      this.#options.broken("a line is too long");
    }
    file.rest = Buffer.from(rest);
  }

  /** Takes a line; the first one of a file may be the end of one that began in the files before it. */
  #line(file: Followed, bytes: Buffer): void {
    const begun = file.lines++ === 0 ? this.#begunBefore(file) : Buffer.alloc(0);
    const whole = Buffer.concat([begun, bytes]).toString().trim();
    const text = bytes.toString().trim();
    if (begun.length === 0 || (!isJson(text) && isJson(whole))) {
      if (whole !== "") this.#options.line(whole);
      return;
    }
    for (const part of [begun.toString().trim(), text]) if (part !== "") this.#options.line(part);
  }

  /** What the files before one end with, behind their last line. It is taken from them. */
  #begunBefore(file: Followed): Buffer {
    const parts: Buffer[] = [];
    for (let at = this.#files.indexOf(file) - 1; at >= 0; at--) {
      const former = this.#files[at];
      if (former === undefined) break;
      parts.unshift(former.rest);
      former.rest = Buffer.alloc(0);
      if (former.lines > 0) break;
    }
    return Buffer.concat(parts);
  }
}

export class Trail {
  readonly #options: TrailOptions;
  readonly #nodes = new Map<string, NodeTrail>();

  constructor(options: TrailOptions) {
    this.#options = options;
  }

  /** Goes to the end of what there is; to be called before the pass that covers it. */
  async begin(): Promise<void> {
    for (const node of await this.#newNodes()) await node.skip();
  }

  /** Reads what was added. */
  async poll(): Promise<void> {
    await this.#newNodes();
    for (const node of this.#nodes.values()) await node.poll();
  }

  async #newNodes(): Promise<NodeTrail[]> {
    const folder = join(this.#options.root, trailName);
    const added: NodeTrail[] = [];
    for (const name of await namesIn(folder)) {
      if (this.#nodes.has(name)) continue;
      const node = new NodeTrail(join(folder, name), this.#options);
      this.#nodes.set(name, node);
      added.push(node);
    }
    return added;
  }
}
