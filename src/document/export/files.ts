// Writes an exported document and its media into a folder. Files with other content are not overwritten without --force. A file gets
// its name only when it is complete.
import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, createWriteStream, lstatSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { CliError } from "../../errors.ts";
import type { Blobs } from "../../store/blobs.ts";
import { sha256OfFile } from "../../store/checksum.ts";

const minCharacters = 1 << 16;

/** The same text in pieces of at least 65,536 characters, the last one excepted. */
export async function* larger(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = "";
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < minCharacters) continue;
    yield waiting;
    waiting = "";
  }
  yield waiting;
}

/** A document in pieces of text, which can be read several times, and the media next to it: their SHA-256 by their path. */
export interface Beside {
  lines: Iterable<string>;
  media: ReadonlyMap<string, string>;
}

interface Target {
  file: string;
  size: number;
  sha256: string;
  write(to: string): Promise<void>;
}

const untouched = "nothing was written";

async function documentTarget(file: string, lines: Iterable<string>): Promise<Target> {
  let size = 0;
  const hash = createHash("sha256");
  for await (const piece of larger(lines)) {
    size += Buffer.byteLength(piece);
    hash.update(piece);
  }
  return { file, size, sha256: hash.digest("hex"), write: (to) => pipeline(larger(lines), createWriteStream(to)) };
}

function mediaTarget(file: string, blobs: Blobs, sha256: string): Target {
  const size = blobs.sizeOf(sha256);
  if (size === undefined) throw new CliError(`the bytes ${sha256} are missing from the media folder; ${untouched}`);
  return { file, size, sha256, write: async (to) => copyFileSync(blobs.fileOf(sha256), to) };
}

/** What exists at the path of a target: nothing, the same bytes, or something else. Throws CliError for a folder. */
async function stateOf({ file, size, sha256 }: Target): Promise<"absent" | "same" | "other"> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return "absent";
  const found = statSync(file, { throwIfNoEntry: false }); // follows a link, which may lead nowhere
  if (found?.isDirectory()) throw new CliError(`${file} is a folder; ${untouched}`);
  if (!found?.isFile() || found.size !== size) return "other";
  return (await sha256OfFile(file)) === sha256 ? "same" : "other";
}

async function place({ file, write }: Target): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    await write(draft);
    renameSync(draft, file); // takes the place of a link, and does not go through it
  } catch (error) {
    rmSync(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(`${file} cannot be written: ${code ?? (error as Error).message}`);
  }
}

/**
 * Writes `name`.json and its media into `folder`. Files that already have the same bytes stay. Throws CliError and writes nothing if a
 * file has other content and `force` is not given, or if the bytes of a medium are missing. The document is written last, so all media
 * that it names exist.
 */
export async function writeBeside(
  blobs: Blobs,
  { lines, media }: Beside,
  { folder, name, force }: { folder: string; name: string; force: boolean },
): Promise<{ file: string }> {
  const file = join(folder, `${name}.json`);
  const targets = [...media].map(([path, sha256]) => mediaTarget(join(folder, path), blobs, sha256));
  targets.push(await documentTarget(file, lines));
  const states: Awaited<ReturnType<typeof stateOf>>[] = [];
  for (const target of targets) states.push(await stateOf(target));
  const others = targets.filter((_, at) => states[at] === "other").map((target) => target.file);
  if (others.length > 0 && !force)
    throw new CliError(`${folder} has files with other content; --force overwrites them, ${untouched}`, others);
  for (const [at, target] of targets.entries()) if (states[at] !== "same") await place(target);
  return { file };
}
