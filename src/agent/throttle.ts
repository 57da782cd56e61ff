// Looks at folders and files as fast as the pace allows, without following links.
import { lstatSync, readdirSync } from "node:fs";
import { readdir, statfs } from "node:fs/promises";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { type FileState, failedFileState, fileStateOf, readFileState } from "./file_state.ts";

/** A wait that is worth a timer, and the time after which others have their turn, in milliseconds. */
const shortest = 20;
const turn = 10;

/** Holds a walk to a number of files a second. */
export class Throttle {
  readonly #rate: number;
  readonly #local: boolean;
  #next = 0;
  #yielded = 0;

  /**
   * `rate` 0 is no limit. On a local disk, looks block the process until it has answered: twice as fast there, and for
   * nothing else.
   */
  constructor(rate: number, local: boolean) {
    this.#rate = rate;
    this.#local = local;
  }

  /** The files and folders in a folder, by name. */
  async list(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
    const all = this.#local
      ? readdirSync(folder, { withFileTypes: true })
      : await readdir(folder, { withFileTypes: true });
    return all
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** What is at the names in a folder, in their order. */
  async look(folder: string, names: readonly string[]): Promise<FileState[]> {
    if (!this.#local) return Promise.all(names.map((name) => readFileState(`${folder}/${name}`)));
    return names.map((name) => {
      try {
        return fileStateOf(lstatSync(`${folder}/${name}`, { bigint: true }));
      } catch (error) {
        return failedFileState(error);
      }
    });
  }

  /** Waits where so many files at once would be too fast, and lets others have their turn now and then. */
  async take(files: number): Promise<void> {
    const now = performance.now();
    if (this.#rate > 0) this.#next = Math.max(this.#next, now) + (files / this.#rate) * 1000;
    const wait = this.#next - now;
    if (wait <= shortest && now - this.#yielded < turn) return;
    await (wait > shortest ? sleep(wait) : setImmediate());
    this.#yielded = performance.now();
  }
}

/** Files a second on a file system behind a network, where nothing else is set. */
const gentleRate = 5000;
/** File systems of local disks by their magic numbers on Linux: ext, xfs, btrfs, tmpfs, zfs, f2fs, overlay. */
const localTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x2fc12fc1, 0xf2f52010, 0x794c7630,
]);

/** A throttle for a tree: `rate` files a second; undefined is gentle unless the tree is on a local disk. */
export async function throttleOf(root: string, rate: number | undefined): Promise<Throttle> {
  const type = await statfs(root).then(
    ({ type }) => type,
    () => 0,
  );
  const local = process.platform === "linux" && localTypes.has(type);
  return new Throttle(rate ?? (local ? 0 : gentleRate), local);
}
