// Copies a primary's database and media, with sqlite3_rsync and rsync. What comes waits beside the copy until it is
// checked, and then replaces it in one transaction: a source that was set up anew, is another one, or is broken does
// not overwrite the only other copy.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../../core/errors.ts";
import { databaseName } from "../../core/store/database.ts";
import { epochsOf } from "../../core/store/database_mark.ts";
import { freeBytes } from "../../core/store/disk_space.ts";
import { closing, sha256OfFile } from "../../core/store/files.ts";
import { openReadOnly } from "../../core/store/read_only.ts";
import { shellWord, withoutEnd } from "../../core/wording.ts";
import { greatest } from "../sequences/sequences.ts";
import { mediaName, neededBlobs } from "../soundness/needed_media.ts";

/** What is copied, and with which programs. rsync and ssh are those of the PATH. */
export interface Copying {
  /** As sourceOf returns it. */
  source: string;
  /** The directory of the replica. */
  data: string;
  /** The paths of the program sqlite3_rsync, here and on the other machine. */
  copier: string;
  remoteCopier?: string | undefined;
}

/** As in rsync: a colon before the first slash separates a host from its directory. */
const isRemote = (source: string): boolean => /^[^/:]+:./.test(source);

/**
 * Parses SOURCE: DIR or [USER@]HOST:DIR, as rsync and sqlite3_rsync take it. Throws CliError if it is no primary's
 * directory, or `data` itself.
 */
export function sourceOf(written: string, data: string): string {
  const source = withoutEnd(written, /\//) || written.slice(0, 1);
  if (source.startsWith("-")) throw new CliError(`${written} is not a directory or HOST:DIR`);
  if (isRemote(source)) return source;
  if (!existsSync(join(source, databaseName)))
    throw new CliError(`${written} contains no Tallylight data: there is no ${databaseName} in it`);
  if (existsSync(data) && realpathSync(source) === realpathSync(data))
    throw new CliError(`${written} and ${data} are the same directory; a replica needs one of its own`);
  return resolve(source);
}

export interface RunOptions {
  /**
   * The folder that the program writes to: the program is ended before it fills the disk, because what it takes may
   * have no end.
   */
  folder: string;
  /** The bytes of the disk that stay free: 256 MiB, or half of what is free, by default. */
  reserve?: number;
  /** Written to the program's standard input. */
  input?: string;
  /** Ends the program when it is aborted. */
  signal: AbortSignal;
  /** Called with the process id once the program runs. */
  started?: (pid: number) => void;
}

/** A program is not installed: following ends, instead of trying again for ever. */
export class MissingProgram extends CliError {}

/** What a program wrote, on one line of at most 500 characters without control characters: the reason why it failed. */
const reasonOf = (output: string): string =>
  output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("; ")
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, 500) || "it said nothing";

/**
 * Runs a program to its end. Throws CliError if it is not installed, fails or fills the disk, and the signal's reason
 * if it is aborted.
 */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<void> {
  const { folder, reserve = Math.min(256 << 20, freeBytes(folder) / 2), input, signal, started } = options;
  signal.throwIfAborted();
  const child = spawn(program, args);
  const kill = () => void child.kill();
  let isFull = false;
  const timer = setInterval(() => {
    isFull ||= freeBytes(folder) < reserve;
    if (isFull) kill();
  }, 200);
  let problems = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      problems = (problems + part).slice(0, 4_000); // what ssh passes on of another machine may have no end
    });
  signal.addEventListener("abort", kill);
  if (child.pid !== undefined) started?.(child.pid);
  child.stdin.on("error", () => {}).end(input); // it may end before it read everything: its status says why
  const status = await new Promise((settle) => {
    child.on("error", settle).on("close", (code, name) => settle(code ?? name));
    // what was ended leaves its ssh behind, which may hold the pipes for hours
    child.on("exit", (_, name) => name !== null && settle(name));
  });
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  clearInterval(timer);
  signal.removeEventListener("abort", kill);
  signal.throwIfAborted();
  if (isFull) throw new CliError(`${program} was ended, because it nearly filled the disk of ${folder}`);
  if (status instanceof Error)
    throw new MissingProgram(`${program} is not installed, or not in the PATH; see docs/replication.md`);
  if (status !== 0) throw new CliError(`${program} failed (${status}): ${reasonOf(problems)}`);
}

/** What comes, until it is checked. */
export const arrivedName = `${databaseName}.arrived`;

/**
 * What a follower knows: the media that are complete, when those are asked for again whose bytes were wrong, and when
 * the database came that it took last.
 */
export const nothingKnown = (): { complete: Set<string>; wrong: Map<string, number>; taken?: number } => ({
  complete: new Set(),
  wrong: new Map(),
});

/** Contains the process id of the program that writes to the copy, also if the follower that started it was killed. */
export const copyingFile = (data: string): string => join(data, "copying");

/** Which database a file is; undefined if it is none of Tallylight's. */
const identityOf = (file: string): string | undefined =>
  statSync(file, { throwIfNoEntry: false })?.size
    ? closing(openReadOnly(file), (found) => epochsOf(found)[0])
    : undefined;

/**
 * Copies the database. A reader of the copy sees all of it or nothing. Throws CliError if it cannot be copied, or is
 * another one than before.
 */
export async function receiveDatabase(
  { source, data, copier, remoteCopier }: Copying,
  signal: AbortSignal,
  known = nothingKnown(),
): Promise<void> {
  const [file, arrived] = [resolve(data, databaseName), resolve(data, arrivedName)];
  // SQLite gives its journals the same permissions
  for (const one of [file, arrived]) closeSync(openSync(one, "a", 0o600));
  const from = `${source}/${databaseName}`;
  if (!isRemote(source) && statSync(from, { throwIfNoEntry: false })?.size === 0)
    throw new CliError(`${from} has no bytes`); // sqlite3_rsync would copy nothing and say that all went well
  // The program passes what follows the host to the other machine's shell as it is.
  const behindHost = from.indexOf(":") + 1;
  const origin = isRemote(source) ? from.slice(0, behindHost) + shellWord(from.slice(behindHost)) : from;
  const options = isRemote(source) && remoteCopier !== undefined ? ["--exe", shellWord(remoteCopier)] : [];
  await run(copier, [origin, arrived, ...options], { folder: data, signal });
  const [now, before] = [identityOf(arrived), identityOf(file)];
  if (before !== undefined && now !== before)
    throw new CliError(
      `${source} has ${now === undefined ? "no database of Tallylight" : `another database (${now})`}, and the copy is of ${before}, so the former copy stays; to follow the other one, choose another directory`,
    );
  if (now === undefined) throw new CliError(`${source} has no database of Tallylight`);
  const { mtimeMs } = statSync(arrived);
  if (known.taken === mtimeMs) return; // nothing came
  const started = (pid: number) => writeFileSync(copyingFile(data), String(pid));
  await run(copier, [arrived, file], { folder: data, signal, started }).finally(() =>
    rmSync(copyingFile(data), { force: true }),
  );
  // where a server reads, its log would grow
  closing(new Database(file, { timeout: 5000 }), (copy) => copy.pragma("wal_checkpoint(PASSIVE)"));
  known.taken = mtimeMs;
}

type Blobs = ReturnType<typeof neededBlobs>;

/** The media that the copied database names and whose bytes are absent or not complete. */
export const missingMedia = (data: string, { complete } = nothingKnown()): Blobs =>
  closing(openReadOnly(join(data, databaseName)), neededBlobs).filter(({ sha256, size }) => {
    if (complete.has(sha256)) return false;
    // rsync writes where the name says: with .. in it, over the replica's secrets.json.
    if (!/^[0-9a-f]{64}$/.test(sha256))
      throw new CliError(`the copy names the medium ${JSON.stringify(sha256)}, which is no SHA-256`);
    const isThere = statSync(join(data, mediaName(sha256)), { throwIfNoEntry: false })?.size === size;
    if (isThere) complete.add(sha256);
    return !isThere;
  });

/**
 * Copies the bytes of some media, none of which may be larger than the largest of them. What the source does not have
 * is skipped.
 */
async function fetchMedia({ source, data }: Copying, blobs: Blobs, signal: AbortSignal): Promise<void> {
  const folder = "media/"; // the follower's key may read this folder alone
  if (blobs.length === 0 || (!isRemote(source) && !existsSync(join(source, folder)))) return;
  const args = ["--times", "--files-from=-", "--no-dirs", "--ignore-missing-args", "--chmod=D700,F600"];
  args.push("--timeout=60", `--max-size=${greatest(blobs.map(({ size }) => size))}`, "-e", "ssh -o ConnectTimeout=10");
  const input = blobs.map(({ sha256 }) => `${mediaName(sha256).slice(folder.length)}\n`).join("");
  mkdirSync(join(data, folder), { recursive: true, mode: 0o700 });
  await run("rsync", [...args, `${source}/${folder}`, join(data, folder)], { folder: data, input, signal });
}

/**
 * Copies the media that are missing. Bytes that are not those of their name are removed, and asked for again after a
 * minute. Returns what is still missing, and why.
 */
export async function copyMedia(copying: Copying, signal: AbortSignal, known = nothingKnown()) {
  const { source, data } = copying;
  const absent = missingMedia(data, known);
  const wanted = absent.filter(({ sha256 }) => (known.wrong.get(sha256) ?? 0) <= performance.now());
  const [fetched] = await Promise.allSettled([fetchMedia(copying, wanted, signal)]);
  for (const { sha256 } of wanted) {
    const file = join(data, mediaName(sha256));
    if (!existsSync(file) || (await sha256OfFile(file)) === sha256) continue;
    rmSync(file);
    known.wrong.set(sha256, performance.now() + 60_000);
  }
  const missing = absent.length === 0 ? [] : missingMedia(data, known);
  const wrong = missing.find(({ sha256 }) => known.wrong.has(sha256));
  const names = wrong && `${source} has other bytes than the name says for ${mediaName(wrong.sha256)}`;
  if (fetched.status === "rejected" && !(fetched.reason instanceof CliError)) throw fetched.reason;
  return {
    copied: absent.length - missing.length,
    missing,
    problem: fetched.status === "rejected" ? fetched.reason.message : names,
  };
}
