// One of the runner's lanes: runs test files one after the other, most of them in one process, which saves each of them
// the time in which a process starts and loads the program.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { endMark } from "./file_runner.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const runner = fileURLToPath(new URL("./file_runner.ts", import.meta.url));
/** The mark of each process: a text in its environment, which all that it starts inherits. */
const marks = new Map<ChildProcess, string>();

/** Where the tests run: what somebody made in the checkout, such as ./data, is not found from there. */
function emptyFolder(): string {
  const folder = join(tmpdir(), "empty");
  mkdirSync(folder, { recursive: true });
  return folder;
}

function killOne(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false; // it has ended
  }
}

/** The processes that have a mark, in whatever group. Only Linux shows them. */
function marked(mark: string): number[] {
  const hasMark = (name: string): boolean => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "latin1").includes(mark);
    } catch {
      return false; // it has ended, or is somebody else's
    }
  };
  return process.platform === "linux" ? readdirSync("/proc").filter(hasMark).map(Number) : [];
}

/** Ends a process and what it started, which may still run after it. */
function kill(child: ChildProcess): void {
  killOne(-(child.pid as number)); // the process leads a group
  const mark = marks.get(child);
  if (mark === undefined) return;
  // one may have started another meanwhile
  for (let round = 0; round < 100 && marked(mark).filter(killOne).length > 0; round++);
}

/** Ends the processes of every lane, for a runner that was stopped. */
export const killAll = (): void => [...marks.keys()].forEach(kill);

export interface FileResult {
  /** null if a signal ended the process. */
  status: number | null;
  output: string;
  milliseconds: number;
  /** Milliseconds that the file and what it started and waited for used of a processor, where that is known. */
  processor?: number;
}

/**
 * The milliseconds of a processor that a process and its former children have used. Only Linux shows them, in
 * hundredths of a second.
 */
function processorTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return 10 * fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return Number.NaN; // it has ended, or this is not Linux
  }
}

/**
 * The arguments of the process of several files: with more room for what is young, garbage is collected less often,
 * which is a tenth of the processor time.
 */
function moreRoom(program: string): string[] {
  const flag = "--max-semi-space-size=64";
  return [basename(program).startsWith("deno") ? `--v8-flags=${flag}` : flag];
}

/** A file that changes or measures its process gets its own. */
const needsOwnProcess = (file: string): boolean =>
  /process\.env\.\w+ =|memoryUsage|recordExamples|support\/ssh\.ts|openSsh/.test(
    readFileSync(`${root}${file}`, "utf8"),
  );

export class Lane {
  /** The runtime and its arguments. */
  readonly #command: readonly [string, ...string[]];
  /** In milliseconds, for a file since it last printed something in its first `most`. */
  readonly #limit: number;
  readonly #most: number;
  #shared: ChildProcess | undefined;

  constructor(command: readonly [string, ...string[]], limit: number, most = 4 * limit) {
    this.#command = command;
    this.#limit = limit;
    this.#most = most;
  }

  #start(file: string, more: (program: string) => readonly string[] = () => []): ChildProcess {
    const [program, ...args] = this.#command;
    const mark = randomUUID();
    const env = { ...process.env, TEST_LANE: `${process.env.TEST_LANE ?? ""} ${mark}` };
    const cwd = emptyFolder();
    const child = spawn(program, [...args, ...more(program), file], {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    marks.set(child, mark);
    child.once("exit", () => {
      kill(child);
      marks.delete(child);
    });
    child.stdin.on("error", () => {}); // the process may end first; its end is reported
    return child;
  }

  /**
   * Collects what a process prints until `isDone` says so or until the process ends. What it started in another group
   * may keep its output open.
   */
  #until(child: ChildProcess, isDone: (output: string) => number | undefined): Promise<FileResult> {
    return new Promise((resolve) => {
      const started = performance.now();
      let output = "";
      const end = (status: number | null) => {
        clearTimeout(timer);
        for (const stream of [child.stdout, child.stderr]) stream?.off("data", hear);
        child.off("close", end).off("exit", exited).off("error", fail);
        resolve({ status, output, milliseconds: performance.now() - started });
      };
      const fail = (error: Error) => {
        output += error.message;
        end(null);
      };
      const exited = (status: number | null) => {
        clearTimeout(timer);
        // what it printed is read before an immediate, however late this is
        timer = setTimeout(() => setImmediate(end, status), 2000);
      };
      const hear = (chunk: Buffer) => {
        output += chunk;
        if (performance.now() - started < this.#most) timer.refresh(); // slow, as on a busy machine, is not stuck
        const status = isDone(output);
        if (status !== undefined) end(status);
      };
      let timer = setTimeout(() => {
        output += `\nit had not ended after ${Math.round((performance.now() - started) / 1000)} s`;
        kill(child);
      }, this.#limit);
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", hear);
      child.on("close", end).on("exit", exited).on("error", fail);
    });
  }

  async run(file: string): Promise<FileResult> {
    if (needsOwnProcess(file)) return this.#until(this.#start(join(root, file)), () => undefined);
    const child = this.#shared ?? this.#start(runner, moreRoom);
    if (this.#shared === undefined)
      child.once("exit", () => {
        if (this.#shared === child) this.#shared = undefined; // also if it ends between two files
      });
    this.#shared = child;
    const ended = this.#until(child, (output) => {
      const status = new RegExp(`^${endMark} (\\d+)\\n`, "m").exec(output)?.[1];
      return status === undefined ? undefined : Number(status);
    });
    const before = processorTime(child.pid as number);
    child.stdin?.write(`${pathToFileURL(root + file)}\n`);
    const result = await ended;
    const processor = processorTime(child.pid as number) - before;
    if (Number.isFinite(processor)) result.processor = processor;
    if (result.status !== 0) {
      kill(child); // it may have what the failed file left behind
      this.#shared = undefined;
    }
    return result;
  }

  /** Ends the shared process. Returns what it says if something that a file left open keeps it from ending. */
  async close(): Promise<FileResult | undefined> {
    const child = this.#shared;
    this.#shared = undefined;
    if (child === undefined) return undefined;
    const ended = this.#until(child, () => undefined);
    child.stdin?.end();
    const result = await ended;
    return result.status === 0 ? undefined : result;
  }
}
