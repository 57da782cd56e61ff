// A folder of the filespace that a move writes to. On Linux it is used by its handle, so that a move stays in the
// folder that was checked, whatever another program puts in its place meanwhile. Elsewhere it is used by its path, and
// checked again afterwards.
import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { codeOrTextOf } from "../errors.ts";
import { isAbsence } from "../file_state.ts";

/** What file systems answer that have no such call for folders. */
const unsupported: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Brings a folder's entries to disk, where that can be asked for: on Windows it cannot. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!unsupported.has(codeOrTextOf(error))) throw error;
  } finally {
    closeSync(handle);
  }
}

/** Why a move cannot be made; a sentence for the admin who approved it. */
export class MoveProblem extends Error {}

/** Deno does not let a program read /proc without every permission. */
const hasHandles = process.platform === "linux" && !("Deno" in globalThis);

/** A case-insensitive file system may answer with other letters than those that were asked for. */
const folded = (path: string): string => path.normalize("NFC").toLowerCase();

export class Folder {
  readonly #root: string;
  readonly #below: string;
  #handle: FileHandle | undefined;

  /** `below` is the path below the root; empty for the root. */
  constructor(root: string, below: string) {
    this.#root = root;
    this.#below = below;
  }

  /**
   * The path by which the files of the folder are used. Where there are handles, a folder that `hold` did not find has
   * no files, even if another program makes it or a link meanwhile.
   */
  get path(): string {
    if (!hasHandles) return join(this.#root, this.#below);
    return `/proc/self/fd/${this.#handle === undefined ? "absent" : this.#handle.fd}`;
  }

  /**
   * Opens the folder if it exists, and returns whether it can be used. Throws MoveProblem if a symbolic link leads to
   * it.
   */
  async hold(): Promise<boolean> {
    await this.close();
    try {
      if (hasHandles)
        this.#handle = await open(join(this.#root, this.#below), constants.O_RDONLY | constants.O_DIRECTORY);
    } catch (error) {
      if (!isAbsence(codeOrTextOf(error))) throw error;
    }
    await this.check();
    return !hasHandles || this.#handle !== undefined;
  }

  /** Throws MoveProblem if the folder is not at its path, or if a symbolic link is on the way there. */
  async check(): Promise<void> {
    let real: string;
    try {
      real = await (hasHandles ? readlink : realpath)(this.path);
    } catch (error) {
      if (isAbsence(codeOrTextOf(error))) return;
      throw error;
    }
    const wanted = join(this.#root, this.#below);
    const { length } = this.#root;
    if (real.slice(0, length) !== this.#root || folded(real.slice(length)) !== folded(wanted.slice(length)))
      throw new MoveProblem(
        `the folder ${this.#below || "of the root"} was replaced, or a symbolic link leads to it; nothing was moved`,
      );
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
