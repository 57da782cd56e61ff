// Watches the tree with the system's notifications if there is no audit trail. The passes find the changes that the
// system does not report, such as those of other machines on a network.
import { type FSWatcher, watch as watchFolder } from "node:fs";
import { codeOrTextOf } from "./errors.ts";

export interface WatchOptions {
  root: string;
  /** Something happened at a path; `named` if a name came or went. */
  hint(path: string, named: boolean): void;
  /** Is called once if folders cannot be watched any more. */
  failed(reason: string): void;
  /** So many folders at the most, where each needs a watch of its own. */
  most?: number;
}

/**
 * Node on Linux would need a watch for each file of a tree; there, folders are watched one by one as the walk meets
 * them.
 */
const isWhole = process.platform !== "linux" || "Deno" in globalThis;

export class Watch {
  readonly #options: Required<WatchOptions>;
  readonly #folders = new Map<string, FSWatcher>();
  #full = false;

  constructor(options: WatchOptions) {
    this.#options = { most: 8192, ...options };
    if (isWhole) this.#watch("", true);
  }

  /** Is called with each folder before it is read. */
  entered(folder: string): void {
    if (!isWhole && !this.#folders.has(folder)) this.#watch(folder, false);
  }

  /** Nothing is at a path any more. */
  left(path: string): void {
    if (isWhole) return;
    for (const [folder, watcher] of this.#folders)
      if (folder === path || folder.startsWith(`${path}/`)) {
        watcher.close();
        this.#folders.delete(folder);
        this.#full = false;
      }
  }

  close(): void {
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #watch(folder: string, recursive: boolean): void {
    const { root, most, hint } = this.#options;
    if (this.#full) return;
    if (this.#folders.size >= most) {
      this.#fail(`${most} folders are watched, which is the most`);
      return;
    }
    const prefix = folder === "" ? "" : `${folder}/`;
    try {
      const watcher = watchFolder(folder === "" ? root : `${root}/${folder}`, { recursive, persistent: false });
      watcher.on("change", (type, name) => {
        if (name === null) hint(folder, true);
        else hint(prefix + String(name).replaceAll("\\", "/"), type === "rename");
      });
      watcher.on("error", (error) => {
        watcher.close();
        if (this.#folders.get(folder) === watcher) this.#folders.delete(folder);
        if (codeOrTextOf(error) !== "EPERM" && codeOrTextOf(error) !== "ENOENT") this.#fail(codeOrTextOf(error));
      });
      this.#folders.set(folder, watcher);
    } catch (error) {
      if (codeOrTextOf(error) !== "ENOENT" && codeOrTextOf(error) !== "ENOTDIR") this.#fail(codeOrTextOf(error));
    }
  }

  #fail(reason: string): void {
    if (this.#full) return;
    this.#full = true;
    this.#options.failed(reason);
  }
}
