// Follows LucidLink's audit trail: .lucid_audit/<node>/<year>/<month>/<begin>.log, one folder for each device, the file
// being written ending in .log.active and renamed to .log after 15 minutes. Starts at the end, because the full pass of
// each start finds the earlier changes.
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { withoutLastSlashes } from "../ignore.ts";
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
  const stripped = withoutLastSlashes(path).replace(/^\/+/, "");
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
    return [...formsOf(path)].map((form) => ({ path: form, source: "audit_tail" as const, named }));
  });
}

export const trailName = ".lucid_audit";

/** A device's folders are listed so often, in milliseconds; the file that is being written is read at every poll. */
const listEvery = 10_000;
const readSize = 64 * 1024;
/** So much of a device's trail is read at one poll, and a line has this at the most. */
const mostAtOnce = 4 << 20;
const longestLine = 1 << 20;
const newline = 0x0a;

export interface TrailOptions {
  root: string;
  /** Takes each line. */
  line(text: string): void;
  /** Is called with text that is not a line of the trail. */
  broken(reason: string): void;
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

/**
 * The trail of one device: its files one after the other are one text, because a line may begin in one file and end in
 * the next.
 */
class DeviceTrail {
  readonly #folder: string;
  readonly #options: TrailOptions;
  /** The file that is read, and those that are newer: year, month and name, without .active. */
  #name: string | undefined;
  #newer: string[] = [];
  /** Whether the file had the ending .active when it was read last. */
  #active = true;
  /** What was read of the file. */
  #offset = 0;
  /** Bytes behind the last line end. */
  #rest: Buffer = Buffer.alloc(0);
  /** A line that is too long is passed over to its end. */
  #skipping = false;
  #listed = Number.NEGATIVE_INFINITY;

  constructor(folder: string, options: TrailOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Goes to the end of what there is. */
  async skip(): Promise<void> {
    await this.#list();
    this.#name = this.#newer.pop();
    this.#newer = [];
    const handle = await this.#open();
    if (handle === undefined) return;
    try {
      const { size } = await handle.stat();
      const start = Math.max(0, size - readSize);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
      const end = buffer.subarray(0, bytesRead).lastIndexOf(newline);
      this.#offset = start + end + 1; // a line that is being written is read from its beginning
      this.#skipping = end === -1 && start > 0;
    } finally {
      await handle.close();
    }
  }

  /** Reads what was added: to the file that was read last, and then to those that are newer. */
  async poll(): Promise<void> {
    const isDue = performance.now() - this.#listed >= listEvery;
    if (isDue) await this.#list();
    else if (!this.#active) return;
    for (let left = mostAtOnce; left > 0; ) {
      left -= await this.#read(left);
      if (left <= 0) return; // there may be more in this file
      if (!this.#active) await this.#list(); // it was renamed, so there may be a newer one
      if (this.#newer.length === 0) return;
      [this.#name, this.#offset] = [this.#newer.shift(), 0];
    }
  }

  /** Finds the files that are newer than the one that is read; the first time the newest two. */
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
    const names = [...found].sort();
    const last = this.#name;
    this.#newer = last === undefined ? names.slice(-2) : names.filter((name) => name > last);
  }

  /** Opens the file under the name that it has at the moment; undefined if it has none. */
  async #open(): Promise<FileHandle | undefined> {
    for (const ending of [".active", ""]) {
      this.#active = ending !== "";
      const handle = await open(join(this.#folder, `${this.#name}${ending}`), "r").catch(() => undefined);
      if (handle !== undefined) return handle;
    }
    return undefined;
  }

  /** Reads at most about so many bytes of what was added to the file; returns how many it read. */
  async #read(most: number): Promise<number> {
    const handle = this.#name === undefined ? undefined : await this.#open();
    if (handle === undefined) return 0;
    let total = 0;
    try {
      const buffer = Buffer.alloc(readSize);
      while (total < most) {
        const { bytesRead } = await handle.read(buffer, 0, readSize, this.#offset);
        if (bytesRead === 0) break;
        this.#offset += bytesRead;
        total += bytesRead;
        this.#take(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
    return total;
  }

  #take(bytes: Buffer): void {
    let rest = Buffer.concat([this.#rest, bytes]);
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      const text = rest.toString("utf8", 0, end).trim();
      if (!this.#skipping && text !== "") this.#options.line(text);
      this.#skipping = false;
      rest = rest.subarray(end + 1);
    }
    if (rest.length > longestLine) {
      this.#skipping = true;
      rest = Buffer.alloc(0);
      this.#options.broken("a line is too long");
    }
    this.#rest = Buffer.from(rest);
  }
}

export class Trail {
  readonly #options: TrailOptions;
  readonly #devices = new Map<string, DeviceTrail>();

  constructor(options: TrailOptions) {
    this.#options = options;
  }

  /** Goes to the end of what there is; to be called before the pass that covers it. */
  async begin(): Promise<void> {
    for (const device of await this.#newDevices()) await device.skip();
  }

  /** Reads what was added. */
  async poll(): Promise<void> {
    await this.#newDevices();
    for (const device of this.#devices.values()) await device.poll();
  }

  async #newDevices(): Promise<DeviceTrail[]> {
    const folder = join(this.#options.root, trailName);
    const added: DeviceTrail[] = [];
    for (const name of await namesIn(folder)) {
      if (this.#devices.has(name)) continue;
      const device = new DeviceTrail(join(folder, name), this.#options);
      this.#devices.set(name, device);
      added.push(device);
    }
    return added;
  }
}
