// Copies the database and the media of a source into a replica's directory. The database is copied in one transaction, so a reader
// sees the former state or the new one; a file of media appears under its name when it is complete.

import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../../core/errors.ts";
import { shellWord } from "../../core/spelling.ts";
import { databaseName, openReadOnly } from "../../core/store/database.ts";
import { mediaName, neededBlobs } from "../../core/store/file_placing.ts";
import { closing, sha256OfFile } from "../../core/store/files.ts";
import { greatest } from "../sequences/sequences.ts";
import { type Programs, run } from "./programs.ts";
import { isRemote } from "./source.ts";

type Blobs = ReturnType<typeof neededBlobs>;

/** Contains the process id of a program that is copying into the directory, also if the follower that started it was killed. */
export const copyingFile = (data: string): string => join(data, "copying");

/** The source's database as sqlite3_rsync takes it, which passes the part after the host to the other machine's shell as it is. */
function databaseOf(source: string): string {
  const file = `${source}/${databaseName}`;
  if (!isRemote(source)) return file;
  const host = file.slice(0, file.indexOf(":") + 1);
  return host + shellWord(file.slice(host.length));
}

/** Copies the database. A reader of the copy sees all of it or nothing. Throws CliError if it cannot be copied. */
export async function copyPrimaryDatabase(
  source: string,
  data: string,
  programs: Programs,
  signal: AbortSignal,
): Promise<void> {
  const copy = join(data, databaseName);
  if (!isRemote(source) && statSync(databaseOf(source), { throwIfNoEntry: false })?.size === 0)
    throw new CliError(`${databaseOf(source)} has no bytes`); // sqlite3_rsync would copy nothing and say that all went well
  closeSync(openSync(copy, "a", 0o600)); // SQLite gives its journals the same permissions
  const { remote_sqlite3_rsync, ssh_port } = programs;
  const args = [databaseOf(source), copy];
  if (isRemote(source) && remote_sqlite3_rsync !== undefined) args.push("--exe", shellWord(remote_sqlite3_rsync));
  if (isRemote(source) && ssh_port !== undefined) args.push("--port", ssh_port);
  const started = (pid: number) => writeFileSync(copyingFile(data), String(pid));
  try {
    await run(programs.sqlite3_rsync, args, { folder: data, signal, started });
  } finally {
    rmSync(copyingFile(data), { force: true });
  }
}

/**
 * The media that the copied database names and whose bytes are absent or not complete. `complete` holds the SHA-256 of those that
 * were found before, so that a cycle looks at new media only.
 */
export const missingMedia = (data: string, complete = new Set<string>()): Blobs =>
  closing(openReadOnly(join(data, databaseName)), neededBlobs).filter(({ sha256, size }) => {
    if (complete.has(sha256)) return false;
    // rsync writes where the name says: with .. in it, over the replica's secrets.json.
    if (!/^[0-9a-f]{64}$/.test(sha256))
      throw new CliError(`the copy names the medium ${JSON.stringify(sha256)}, which is no SHA-256`);
    const found = statSync(join(data, mediaName(sha256)), { throwIfNoEntry: false })?.size === size;
    if (found) complete.add(sha256);
    return !found;
  });

/** Removes the bytes of media that are not those of their names. Returns their SHA-256. */
async function removeWrong(data: string, blobs: Blobs): Promise<string[]> {
  const wrong: string[] = [];
  for (const { sha256 } of blobs) {
    const file = join(data, mediaName(sha256));
    if (!existsSync(file) || (await sha256OfFile(file)) === sha256) continue;
    rmSync(file);
    wrong.push(sha256);
  }
  return wrong;
}

/** After so many seconds without a byte of media the source counts as gone. */
const mediaSilence = 60;

/**
 * Copies the bytes of some media, none of which may be larger than the largest that the database names. Bytes that do not have the hash
 * of their name are removed again, and are missing then. Media that the source does not have are skipped. Returns the SHA-256
 * of those that were removed. Throws CliError if rsync fails.
 */
export async function copyMedia(
  source: string,
  data: string,
  blobs: Blobs,
  programs: Programs,
  signal: AbortSignal,
): Promise<string[]> {
  if (blobs.length === 0) return [];
  if (!isRemote(source) && !existsSync(join(source, "media"))) return [];
  const ssh = `ssh -o ConnectTimeout=10${programs.ssh_port === undefined ? "" : ` -p ${programs.ssh_port}`}`;
  const args = ["--times", "--files-from=-", "--no-dirs", "--ignore-missing-args", "--chmod=D700,F600"];
  args.push(`--timeout=${mediaSilence}`, `--max-size=${greatest(blobs.map(({ size }) => size))}`);
  if (isRemote(source)) args.push("-e", ssh);
  const input = blobs.map(({ sha256 }) => `${mediaName(sha256)}\n`).join("");
  const copying = run(programs.rsync, [...args, `${source}/`, `${data}/`], { folder: data, input, signal });
  const [copied] = await Promise.allSettled([copying]);
  const wrong = await removeWrong(data, blobs);
  if (copied.status === "rejected") throw copied.reason;
  return wrong;
}
