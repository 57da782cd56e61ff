// Runs the programs that copy: sqlite3_rsync for the database, rsync for the media.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { CliError } from "../../core/errors.ts";
import { freeBytes } from "../../core/store/disk_space.ts";

/** The paths of the programs, and how they reach another machine. */
export interface Programs {
  sqlite3_rsync: string;
  /** sqlite3_rsync on the other machine. */
  remote_sqlite3_rsync: string | undefined;
  rsync: string;
  /** The port of ssh on the other machine. */
  ssh_port: string | undefined;
}

export interface RunOptions {
  /** The folder that the program writes to: the program is ended before it fills the disk, because what it takes may have no end. */
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

/** Throws CliError if a program is not installed, so that following does not retry for ever. */
export function requirePrograms({ sqlite3_rsync, rsync }: Programs): void {
  for (const program of [sqlite3_rsync, rsync]) {
    const folders = program.includes("/") ? [""] : (process.env.PATH ?? "").split(delimiter);
    if (!folders.some((folder) => existsSync(join(folder, program)))) throw notInstalled(program);
  }
}

const notInstalled = (program: string): CliError =>
  new CliError(`${program} is not installed, or not in the PATH; see docs/replication.md`);

/** The most characters of a program's output that are kept. What ssh passes on of another machine may have no end. */
const kept = 4_000;

/** The beginning of what a stream contains. The rest is read and forgotten, so that the program does not wait. */
async function beginningOf(stream: Readable): Promise<string> {
  let text = "";
  for await (const part of stream.setEncoding("utf8")) text = (text + part).slice(0, kept);
  return text;
}

/** What a program wrote, on one line of at most 500 characters without control characters: the reason why it failed. */
const reasonOf = (output: string): string =>
  output
    .trim()
    .replaceAll(/\s*\n\s*/g, "; ")
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, 500) || "it said nothing";

/** How often the free space is looked at, in milliseconds, and the most that stays free by default, in bytes. */
const lookInterval = 200;
const mostReserve = 256 << 20;

/** Runs a program to its end. Throws CliError if it is not installed, fails or fills the disk, and the signal's reason if it is aborted. */
export async function run(
  program: string,
  args: readonly string[],
  { folder, reserve = Math.min(mostReserve, freeBytes(folder) / 2), input = "", signal, started }: RunOptions,
): Promise<void> {
  signal.throwIfAborted();
  let isFull = false;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  const kill = () => void child.kill();
  signal.addEventListener("abort", kill);
  const timer = setInterval(() => {
    isFull ||= freeBytes(folder) < reserve;
    if (isFull) kill();
  }, lookInterval);
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, name) => resolve(status ?? name ?? 0));
  });
  try {
    if (child.pid !== undefined) started?.(child.pid);
    child.stdin.on("error", () => {}); // the program ended before it read everything: its status says why
    child.stdin.end(input);
    const [status, out, err] = await Promise.all([ended, beginningOf(child.stdout), beginningOf(child.stderr)]);
    signal.throwIfAborted();
    if (isFull) throw new CliError(`${program} was ended, because it nearly filled the disk of ${folder}`);
    if (status !== 0) throw new CliError(`${program} failed (${status}): ${reasonOf(err + out)}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw notInstalled(program);
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", kill);
  }
}
