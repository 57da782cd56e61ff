// Moves files that no row of the database names to found/, so that nothing is lost that could be missed.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder in the data directory that files without a row are moved to. */
export const foundName = "found";

/** The first of `name`-1, `name`-2, … that does not exist. */
export function freeName(name: string): string {
  let number = 1;
  while (existsSync(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

/** `path`, or the first free name of that kind if it exists. */
export const freePath = (path: string): string => (existsSync(path) ? freeName(path) : path);

/** Moves a file below media/ of the data directory `folder` to found/. `name` is its path in media/. */
export function moveToFound(folder: string, name: string): void {
  const from = join(folder, "media", name);
  const to = freePath(join(folder, foundName, name));
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error; // media/ is on another disk
    copyFileSync(from, to);
    rmSync(from);
  }
}

/** How many files are in found/. */
export const countFound = (folder: string): number =>
  existsSync(join(folder, foundName))
    ? readdirSync(join(folder, foundName), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        .length
    : 0;
