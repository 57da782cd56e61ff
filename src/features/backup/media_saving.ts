// Saves the media of a backup: into a folder of backups, where each is stored once. Media never change, so a file that
// has the size and the time of the copy there is usually not read again; but a disk may lose bytes without a trace, so
// each backup reads a part of the copies, and writes again what is damaged.
import { linkSync, mkdirSync, renameSync, rmSync, type Stats, statSync, utimesSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { closing, hashBytes, readBytes, syncPath } from "../../core/store/files.ts";
import { type Medium, mediumProblem } from "../soundness/media_bytes.ts";
import { mediaName } from "../soundness/needed_media.ts";

/** What became of a medium. */
export interface Saved {
  /** Whether the backup has it. */
  listed: boolean;
  /** Whether the data directory has it. */
  sound: boolean;
  /** Whether the folder had other bytes in its place. */
  renewed?: boolean;
}

/** The media of a backup. */
export interface MediaPlace {
  /** How many bytes saving all of them will write. */
  open(media: readonly Medium[]): number;
  save(medium: Medium, report: (bytes: number) => void): Promise<Saved>;
  /** Syncs what was saved to disk. */
  end(): void;
}

const sizeOf = (media: readonly Medium[]): number => media.reduce((sum, { size }) => sum + size, 0);

const statsOf = (file: string, size: number): Stats | undefined => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.size === size ? found : undefined;
};

const isSound = async (file: string, medium: Medium): Promise<boolean> =>
  (await mediumProblem(file, medium, true)) === undefined;

/**
 * The media stay in the data directory, from which an archive takes them. With `reads`, each is read and compared with
 * its hash.
 */
export const mediaInPlace = (data: string, reads: boolean): MediaPlace => ({
  open: sizeOf,
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

/**
 * A source that a disk does not give back any more counts as one without bytes; every other error, such as that of a
 * full disk, is thrown.
 */
const unreadable = (source: string) => (error: NodeJS.ErrnoException) => {
  if (error.syscall !== "read" && error.path !== source) throw error;
  return { sha256: "", size: -1 };
};

export interface FolderMedia {
  /** The data directory. */
  data: string;
  folder: string;
  /** The folder in which the backup is written. */
  draft: string;
  /** Whether a link is enough: both are on one disk, and it lasts as long as they. */
  links: boolean;
  /** The number of the backup in its folder. */
  number: number;
  /** How many bytes of the copies are read again, another part of them in each backup. */
  readAgain: number;
  /** The SHA-256 of the copies that were found to be damaged. */
  suspects: readonly string[];
}

/** Saves media in FOLDER/media, by way of the draft. */
export class MediaInFolder implements MediaPlace {
  readonly #of: FolderMedia;
  /** The file of a medium until it is whole. */
  readonly #part: string;
  /** The folders that got an entry. */
  readonly #changed = new Set<string>();
  readonly #suspects: ReadonlySet<string>;
  /** In how many backups every copy is read again. */
  #parts = 1;

  constructor(of: FolderMedia) {
    this.#of = of;
    this.#part = join(of.draft, "part");
    this.#suspects = new Set(of.suspects);
  }

  open(media: readonly Medium[]): number {
    const { folder, links, readAgain } = this.#of;
    const added = media.filter(({ sha256, size }) => statsOf(join(folder, mediaName(sha256)), size) === undefined);
    this.#parts = Math.ceil((sizeOf(media) - sizeOf(added)) / readAgain) || 1;
    return links ? 0 : sizeOf(added);
  }

  /** Whether this backup reads a copy that has the size and the time of its source. */
  #reads(sha256: string): boolean {
    const { links, number } = this.#of;
    if (links) return false; // they are the same bytes
    return this.#suspects.has(sha256) || (Number.parseInt(sha256.slice(0, 8), 16) - number) % this.#parts === 0;
  }

  async save(medium: Medium, report: (bytes: number) => void): Promise<Saved> {
    const { sha256, size } = medium;
    const { data, folder } = this.#of;
    const [source, copy] = [join(data, mediaName(sha256)), join(folder, mediaName(sha256))];
    const [present, saved] = [statsOf(source, size), statsOf(copy, size)];
    const isSame = present !== undefined && saved !== undefined && sameTime(present, saved);
    const isKept = saved !== undefined && ((isSame && !this.#reads(sha256)) || (await isSound(copy, medium)));
    if (present === undefined) return { listed: isKept, sound: false };
    if (!isKept) {
      const written = await this.#write(source, copy, medium, saved === undefined ? report : () => {});
      return { listed: written, sound: written, renewed: written && saved !== undefined };
    }
    const sound = isSame || (await isSound(source, medium));
    if (sound && !isSame) takeTime(copy, source);
    return { listed: true, sound };
  }

  end(): void {
    for (const path of this.#changed) syncPath(path);
  }

  async #write(source: string, copy: string, medium: Medium, report: (bytes: number) => void): Promise<boolean> {
    if (!(this.#of.links && this.#link(source)) && !(await this.#copy(source, medium, report))) return false;
    const parent = dirname(copy);
    if (mkdirSync(parent, { recursive: true, mode: 0o700 })) this.#changed.add(dirname(parent)).add(this.#of.folder);
    renameSync(this.#part, copy);
    this.#changed.add(parent);
    return true;
  }

  /** Returns false on a file system without links. */
  #link(source: string): boolean {
    try {
      linkSync(source, this.#part);
      return true;
    } catch {
      return false;
    }
  }

  /** Copies a file to the part. Returns whether it could be read and had the right bytes. */
  async #copy(source: string, { sha256, size }: Medium, report: (bytes: number) => void): Promise<boolean> {
    const found = await closing(await open(this.#part, "w", 0o600), async (file) => {
      const written = await hashBytes(readBytes(source, size), file, report).catch(unreadable(source));
      await file.sync();
      return written;
    });
    if (found.size === size && found.sha256 === sha256) {
      takeTime(this.#part, source);
      return true;
    }
    rmSync(this.#part);
    return false;
  }
}
