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
export function mediaInFolder(data: string, folder: string, draft: string, links: boolean): MediaPlace {
  const changed = new Set<string>();
  const part = join(draft, "part");

  function place(copy: string): void {
    const parent = dirname(copy);
    if (mkdirSync(parent, { recursive: true, mode: 0o700 })) changed.add(dirname(parent)).add(folder);
    renameSync(part, copy);
    changed.add(parent);
  }

  function linked(source: string, copy: string): boolean {
    try {
      linkSync(source, part);
    } catch {
      return false; // a file system without links
    }
    place(copy);
    return true;
  }

  /** Copies a file. Returns whether it had the right bytes; if not, nothing is added. */
  async function copied(source: string, copy: string, { sha256, size }: Medium, report: (bytes: number) => void) {
    // A larger buffer than a small file needs costs more than its reading. A file that has grown is not read to its end.
    const bytes = createReadStream(source, { highWaterMark: Math.min(1 << 20, size + 1), end: size });
    const found = await closing(await open(part, "w", 0o600), async (file) => {
      const written = await hashBytes(bytes, file, report);
      await file.sync();
      return written;
    });
    const right = found.size === size && found.sha256 === sha256;
    if (right) {
      takeTime(part, source);
      place(copy);
    } else rmSync(part);
    return right;
  }

  return {
    needs: ({ sha256, size }) => (links || statsOf(join(folder, mediaName(sha256)), size) !== undefined ? 0 : size),

    async save(medium, report) {
      const { sha256, size } = medium;
      const [source, copy] = [join(data, mediaName(sha256)), join(folder, mediaName(sha256))];
      const [own, held] = [statsOf(source, size), statsOf(copy, size)];
      if (own === undefined) return { listed: held !== undefined, sound: false };
      if (held === undefined) {
        const listed = (links && linked(source, copy)) || (await copied(source, copy, medium, report));
        return { listed, sound: listed };
      }
      if (sameTime(own, held)) return { listed: true, sound: true };
      if (!(await isSound(source, medium))) return { listed: true, sound: false };
      if (await isSound(copy, medium)) takeTime(copy, source);
      else await copied(source, copy, medium, () => {});
      return { listed: true, sound: true };
    },

    end() {
      for (const path of changed) syncPath(path);
    },
  };
}
