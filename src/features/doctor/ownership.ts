// The files of a data directory that belong to another user than the directory. A command that was run as root leaves
// such files.
import { closeSync, lstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { checkWritable, ownerOf } from "../../core/store/disk_space.ts";
import { shellWord } from "../../core/wording.ts";

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the owner of the folder itself says why
  }
}

/**
 * Whether a file is a link, as the settings of the package are: it leads to a file of root, which the user of the
 * directory may read.
 */
export const isLink = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/**
 * The files and folders right inside a data directory, and in its folders of media, that do not belong to the user of
 * the directory.
 */
export function foreignFiles(folder: string): string[] {
  const owner = ownerOf(folder);
  const isForeign = (name: string): boolean =>
    (ownerOf(join(folder, name)) ?? owner) !== owner && !isLink(join(folder, name));
  const found = namesIn(folder).filter(isForeign);
  if (found.includes("media")) return found;
  return [
    ...found,
    ...namesIn(join(folder, "media"))
      .map((name) => join("media", name))
      .filter(isForeign),
  ];
}

/** The command that gives every file of a data directory to the user of the directory. */
export const giveBack = (folder: string): string =>
  `sudo chown -R --reference=${shellWord(folder)} ${shellWord(folder)}`;

/** Whether this user may not read or may not write a file. */
export function isClosed(file: string): boolean {
  try {
    checkWritable(file);
    closeSync(openSync(file, "r"));
    return false;
  } catch (error) {
    return codeOf(error) === "EACCES";
  }
}
