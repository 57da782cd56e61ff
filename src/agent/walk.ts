// Walks a tree in the order of the journal: folder by folder, with sorted names, without following links. Memory holds only the
// names in the folders from the root to the current one; files are looked at in chunks, as fast as the pace allows.
import { readdirSync } from "node:fs";
import { readdir, statfs } from "node:fs/promises";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./errors.ts";
import type { Ignore } from "./ignore.ts";
import { type Found, type Look, lookAtAll, lookAtEach } from "./look.ts";
import { orderOf } from "./report.ts";

const chunkSize = 256;

/** What the walk meets, in order. */
export type WalkStep =
  | { kind: "files"; files: Found[]; unreadable: string[] }
  /** A folder that was not entered, or could not be read: nothing is known of what is below it. */
  | { kind: "closed"; folder: string; code?: string };

export interface WalkOptions {
  /** Absolute, without a slash at its end. */
  root: string;
  ignore: Ignore;
  throttle: Throttle;
  signal: AbortSignal;
  /** The folder to start in, relative to the root; "" for all. */
  folder?: string;
  /** Whether to enter a folder. */
  enters?(folder: string): boolean;
  /** Is called with each folder before it is read. */
  entered?(folder: string): void;
}

/** A wait that is worth a timer, and the time after which others have their turn, in milliseconds. */
const shortest = 20;
const turn = 10;

/** Holds a walk to a number of files a second. */
export class Throttle {
  readonly #rate: number;
  /** Whether looks may wait for the disk one after the other. */
  readonly local: boolean;
  #next = 0;
  #yielded = 0;

  /** `rate` 0 is no limit. */
  constructor(rate: number, local: boolean) {
    this.#rate = rate;
    this.local = local;
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
  const type =
    process.platform === "linux"
      ? await statfs(root).then(
          ({ type }) => type,
          () => 0,
        )
      : 0;
  const local = localTypes.has(type);
  return new Throttle(rate ?? (local ? 0 : gentleRate), local);
}

interface Level {
  folder: string;
  entries: { name: string; isFolder: boolean }[];
  at: number;
}

async function readLevel(folder: string, { root, ignore, entered, throttle }: WalkOptions): Promise<Level> {
  entered?.(folder);
  const prefix = folder === "" ? "" : `${folder}/`;
  const place = folder === "" ? root : `${root}/${folder}`;
  const all = throttle.local
    ? readdirSync(place, { withFileTypes: true })
    : await readdir(place, { withFileTypes: true });
  const entries = all
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && !ignore.takes(entry.name, prefix + entry.name))
    .map((entry) => ({ name: entry.name, order: orderOf(entry.name), isFolder: entry.isDirectory() }))
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  return { folder, entries, at: 0 };
}

/** The files from where a level stands up to the next folder or a chunk's end; the level moves on behind them. */
function nextNames(level: Level): string[] {
  const names: string[] = [];
  for (let entry = level.entries[level.at]; entry !== undefined && names.length < chunkSize; ) {
    if (entry.isFolder) break;
    names.push(entry.name);
    entry = level.entries[++level.at];
  }
  return names;
}

function stepOf(folder: string, names: readonly string[], looks: readonly Look[]): WalkStep {
  const files: Found[] = [];
  const unreadable: string[] = [];
  const prefix = folder === "" ? "" : `${folder}/`;
  for (const [at, look] of looks.entries()) {
    const path = prefix + (names[at] as string);
    if (look.kind === "file") files.push({ path, ...look.facts });
    else if (look.kind === "unknown") unreadable.push(path);
  }
  return { kind: "files", files, unreadable };
}

/** Walks; a folder that cannot be read is a step of its own and ends nothing. */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkStep, void> {
  const { root, throttle, signal, enters = () => true } = options;
  const levels: Level[] = [];
  const enter = async (folder: string): Promise<WalkStep | undefined> => {
    try {
      levels.push(await readLevel(folder, options));
      return undefined;
    } catch (error) {
      return { kind: "closed", folder, code: codeOf(error) };
    }
  };
  const closed = await enter(options.folder ?? "");
  if (closed !== undefined) yield closed;
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    signal.throwIfAborted();
    const { folder } = level;
    const names = nextNames(level);
    if (names.length > 0) {
      const place = folder === "" ? root : `${root}/${folder}`;
      yield stepOf(folder, names, throttle.local ? lookAtEach(place, names) : await lookAtAll(place, names));
      await throttle.take(names.length);
      continue;
    }
    const next = level.entries[level.at++];
    if (next === undefined) {
      levels.pop();
      continue;
    }
    const path = folder === "" ? next.name : `${folder}/${next.name}`;
    const step = enters(path) ? await enter(path) : ({ kind: "closed", folder: path } as const);
    if (step !== undefined) yield step;
  }
}
