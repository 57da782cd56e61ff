// Brings back media whose bytes are missing or damaged: from a folder of backups, or from any other folder that has a
// file with these bytes.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { CliError } from "../../core/errors.ts";
import type { Finding } from "../../core/feature.ts";
import { databaseName } from "../../core/store/database.ts";
import { closing, moveToFoundFolder, sha256OfFile, syncPath } from "../../core/store/files.ts";
import { openReadOnly } from "../../core/store/read_only.ts";
import { mediaName, neededBlobs } from "../soundness/needed_media.ts";

/** The sizes of the media that the findings name, by their SHA-256. */
function lostMedia(folder: string, findings: readonly Finding[]): Map<string, number> {
  const items = findings.filter(({ check, ok }) => !ok && (check === "media_rows" || check === "checksums"));
  const named = items.flatMap((finding) => finding.items).join("\n");
  const blobs = closing(openReadOnly(join(folder, databaseName)), neededBlobs);
  return new Map(blobs.filter(({ sha256 }) => named.includes(sha256)).map(({ sha256, size }) => [sha256, size]));
}

/** Every file in a folder and below. Links are not followed. */
function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/**
 * Copies a file to the place of a medium; what stood there goes to found/. Returns whether the copy has the right
 * bytes.
 */
async function bringBack(folder: string, sha256: string, from: string): Promise<boolean> {
  const place = join(folder, mediaName(sha256));
  const draft = join(folder, "media", "staging", `repair-${sha256}`);
  for (const file of [place, draft]) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  copyFileSync(from, draft);
  if ((await sha256OfFile(draft)) !== sha256) {
    rmSync(draft);
    return false;
  }
  syncPath(draft);
  if (existsSync(place)) moveToFoundFolder(folder, mediaName(sha256).replace(/^media\//, ""));
  renameSync(draft, place);
  syncPath(dirname(place));
  return true;
}

/**
 * Brings back the media that the findings name, by their hashes. A folder of backups has them under their hashes; of
 * any other folder each file of a fitting size is read. Returns what was done, in sentences. Throws CliError if `from`
 * is not a folder.
 */
export async function returnMedia(folder: string, findings: readonly Finding[], from: string): Promise<string[]> {
  if (statSync(from, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(`${from} is not a folder; nothing was repaired`);
  const lost = lostMedia(folder, findings);
  const done: string[] = [];
  const attempt = async (sha256: string, file: string): Promise<void> => {
    if (!(await bringBack(folder, sha256, file))) return;
    lost.delete(sha256);
    done.push(`brought back ${mediaName(sha256)} from ${file}`);
  };
  for (const sha256 of [...lost.keys()]) {
    const file = join(from, mediaName(sha256));
    if (existsSync(file)) await attempt(sha256, file);
  }
  if (lost.size === 0) return done;
  for (const file of filesBelow(from)) {
    const { size } = statSync(file);
    if (![...lost.values()].includes(size)) continue;
    const sha256 = await sha256OfFile(file);
    if (lost.has(sha256)) await attempt(sha256, file);
  }
  return [...done, ...[...lost.keys()].map((sha256) => `${from} has no file with the bytes of ${mediaName(sha256)}`)];
}
