// Says which files of a data directory belong to another user than its server, and the command that gives them back. A command that was run as
// root leaves such files.
import { readdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { shellWord } from "../spelling.ts";

/** Undefined if there is no such file, or if this user may not enter its folder. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

/** The nearest of a path and the folders above it that this user can look at. */
const visible = (path: string): string =>
  ownerOf(path) !== undefined || dirname(path) === path ? path : visible(dirname(path));

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the owner of the folder itself says why
  }
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "USER"); // a user without a name, or Deno without the permission for it
  }
}

/** What to do about a file that this user may not use: the command that gives it back if it belongs to somebody else. */
export function ownerAdvice(path: string): string {
  const file = visible(path);
  const [owner, own] = [ownerOf(file), process.getuid?.()];
  if (owner === undefined || own === undefined || owner === own) return "check its owner and permissions";
  const whose = owner === 0 ? "root" : `the user ${owner}`;
  return `it belongs to ${whose}, and \`sudo chown -R ${ownName()}: ${shellWord(dirname(file))}\` gives it back`;
}

/** The files and folders right inside a data directory, and in its folders of media, that do not belong to the user of the directory. */
export function foreignFiles(folder: string): string[] {
  const owner = ownerOf(folder);
  const isForeign = (name: string): boolean => (ownerOf(join(folder, name)) ?? owner) !== owner;
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
