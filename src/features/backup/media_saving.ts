// Saves the media of a backup: into a folder of backups, where each is stored once. Media never change, so a file that has the size and the
// time of the copy there is not read again.

import { createReadStream, linkSync, mkdirSync, renameSync, rmSync, type Stats, statSync, utimesSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { closing, hashBytes, syncPath } from "../../core/store/files.ts";
import { type Medium, mediumProblem } from "../soundness/media_bytes.ts";
import { mediaName } from "../soundness/needed_media.ts";

/** What became of a medium. */
export interface Saved {
  /** Whether the backup has it. */
  listed: boolean;
  /** Whether the data directory has it. */
  sound: boolean;
}

/** The media of a backup. */
export interface MediaPlace {
  /** How many bytes saving it would write. */
  needs(medium: Medium): number;
  save(medium: Medium, report: (bytes: number) => void): Promise<Saved>;
  /** Syncs what was saved to disk. */
  end(): void;
}

const statsOf = (file: string, size: number): Stats | undefined => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.size === size ? found : undefined;
};

const isSound = async (file: string, medium: Medium): Promise<boolean> =>
  (await mediumProblem(file, medium, true)) === undefined;

/** The media stay in the data directory, from which an archive takes them. With `reads`, each is read and compared with its hash. */
export const mediaInPlace = (data: string, reads: boolean): MediaPlace => ({
  needs: ({ size }) => size,
  async save(medium) {
    const sound = (await mediumProblem(join(data, mediaName(medium.sha256)), medium, reads)) === undefined;
    return { listed: sound, sound };
  },
  end() {},
});

/** A file system may round times to milliseconds. */
const sameTime = (one: Stats, other: Stats): boolean => Math.abs(one.mtimeMs - other.mtimeMs) <= 2;

/** Gives a copy the time of its source: as long as both have it, neither was written to. */
function takeTime(copy: string, source: string): void {
  const { atimeMs, mtimeMs } = statSync(source);
  utimesSync(copy, atimeMs / 1000, mtimeMs / 1000);
}

/** Saves media in FOLDER/media, by way of `draft`. With `links`, a link is enough: both are on one disk, and it lasts as long as they. */
export class MediaInFolder implements MediaPlace {
  readonly #data: string;
  readonly #folder: string;
  readonly #links: boolean;
  /** The file of a medium until it is whole. */
  readonly #part: string;
  /** The folders that got an entry. */
  readonly #changed = new Set<string>();

  constructor(data: string, folder: string, draft: string, links: boolean) {
    this.#data = data;
    this.#folder = folder;
    this.#links = links;
    this.#part = join(draft, "part");
  }

  needs({ sha256, size }: Medium): number {
    return this.#links || statsOf(join(this.#folder, mediaName(sha256)), size) !== undefined ? 0 : size;
  }

  async save(medium: Medium, report: (bytes: number) => void): Promise<Saved> {
    const { sha256, size } = medium;
    const [source, copy] = [join(this.#data, mediaName(sha256)), join(this.#folder, mediaName(sha256))];
    const [present, saved] = [statsOf(source, size), statsOf(copy, size)];
    if (present === undefined) return { listed: saved !== undefined, sound: false };
    if (saved === undefined) {
      const listed = (this.#links && this.#link(source, copy)) || (await this.#copy(source, copy, medium, report));
      return { listed, sound: listed };
    }
    if (sameTime(present, saved)) return { listed: true, sound: true };
    if (!(await isSound(source, medium))) return { listed: true, sound: false };
    if (await isSound(copy, medium)) takeTime(copy, source);
    else await this.#copy(source, copy, medium, () => {});
    return { listed: true, sound: true };
  }

  end(): void {
    for (const path of this.#changed) syncPath(path);
  }

  /** Gives the part its name. */
  #place(copy: string): void {
    const parent = dirname(copy);
    if (mkdirSync(parent, { recursive: true, mode: 0o700 })) this.#changed.add(dirname(parent)).add(this.#folder);
    renameSync(this.#part, copy);
    this.#changed.add(parent);
  }

  /** Returns false on a file system without links. */
  #link(source: string, copy: string): boolean {
    try {
      linkSync(source, this.#part);
    } catch {
      return false;
    }
    this.#place(copy);
    return true;
  }

  /** Copies a file. Returns whether it had the right bytes; if not, nothing is added. */
  async #copy(
    source: string,
    copy: string,
    { sha256, size }: Medium,
    report: (bytes: number) => void,
  ): Promise<boolean> {
    // A larger buffer than a small file needs costs more than its reading. A file that has grown is not read to its end.
    const bytes = createReadStream(source, { highWaterMark: Math.min(1 << 20, size + 1), end: size });
    const found = await closing(await open(this.#part, "w", 0o600), async (file) => {
      const written = await hashBytes(bytes, file, report);
      await file.sync();
      return written;
    });
    const right = found.size === size && found.sha256 === sha256;
    if (right) {
      takeTime(this.#part, source);
      this.#place(copy);
    } else rmSync(this.#part);
    return right;
  }
}
