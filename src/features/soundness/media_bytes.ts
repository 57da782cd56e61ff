// Compares the media that a database needs with the bytes in its data directory.
import { statSync } from "node:fs";
import { join } from "node:path";
import { sha256OfFile } from "../../core/store/files.ts";
import { causeOf } from "../../core/system_errors.ts";
import { mediaName } from "./needed_media.ts";

/** A medium that a database needs. */
export interface Medium {
  sha256: string;
  /** In bytes. */
  size: number;
}

/**
 * What is wrong with the bytes of a medium: a file that is absent or of another size has lost them, another one may be
 * damaged.
 */
export interface BadMedium extends Medium {
  lost: boolean;
  /** Follows the name of the file. */
  sentence: string;
}

/**
 * What is wrong with the file of a medium; undefined if it has its bytes. They are read if `deep`; otherwise their
 * number is enough.
 */
export async function mediumProblem(file: string, medium: Medium, deep: boolean): Promise<BadMedium | undefined> {
  const { sha256, size } = medium;
  const found = statSync(file, { throwIfNoEntry: false })?.size;
  if (found === undefined) return { ...medium, lost: true, sentence: "is missing" };
  if (found !== size) return { ...medium, lost: true, sentence: `has ${found} bytes, not ${size}` };
  if (!deep) return undefined;
  try {
    if ((await sha256OfFile(file)) === sha256) return undefined;
    return { ...medium, lost: false, sentence: "does not match its checksum" };
  } catch (error) {
    return { ...medium, lost: false, sentence: `cannot be read: ${causeOf(error)}` };
  }
}

/** What is wrong with the media of a data directory. */
export async function mediaProblems(
  folder: string,
  media: readonly Medium[],
  deep: boolean,
  progress?: (done: number, total: number) => void,
): Promise<BadMedium[]> {
  const problems: BadMedium[] = [];
  const total = media.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const medium of media) {
    const problem = await mediumProblem(join(folder, mediaName(medium.sha256)), medium, deep);
    if (problem !== undefined) problems.push(problem);
    done += medium.size;
    if (deep) progress?.(done, total);
  }
  return problems;
}
