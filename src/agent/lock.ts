// Lets only one agent at a time use a state, by a file that names the process and is touched while the process runs. Another agent may
// take the lock if the process does not exist, or if it has not touched the file for a while, as after a restart of the machine.
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "./disk.ts";
import { AgentError, codeOf } from "./errors.ts";

const touchEvery = 10_000;
/** Older than this, the lock's process is not the one that took it. */
const stale = 60_000;

const lockOf = (state: string): string => join(state, "agent.lock");

/** Tokens of the locks that this process has: a former process may have had the same number, as in a container. */
const ours = new Set<string>();

interface Holder {
  pid: number;
  token: string;
  /** Milliseconds since it was touched. */
  age: number;
}

function read(file: string): Holder | undefined {
  try {
    const { pid, token } = JSON.parse(readFileSync(file, "utf8"));
    return { pid: Number(pid), token: String(token), age: Date.now() - statSync(file).mtimeMs };
  } catch {
    return undefined;
  }
}

function isAlive({ pid, token, age }: Holder): boolean {
  if (age >= stale) return false;
  if (pid === process.pid) return ours.has(token);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH"; // not ours to ask: it lives until its lock is stale
  }
}

/** Whether an agent is running on a state at this moment. */
export function isRunning(state: string): boolean {
  const holder = read(lockOf(state));
  return holder !== undefined && isAlive(holder);
}

export class Lock {
  readonly #file: string;
  readonly #token = randomBytes(12).toString("hex");
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Throws AgentError while another agent has the state. */
  constructor(state: string) {
    this.#file = lockOf(state);
    try {
      mkdirSync(state, { recursive: true, mode: 0o700 });
      if (!this.#take()) {
        this.#removeStale(state);
        if (!this.#take()) throw new AgentError(`another agent has just started on ${state}`);
      }
    } catch (error) {
      if (error instanceof AgentError) throw error;
      throw new AgentError(`${state} cannot be written: ${codeOf(error)}`);
    }
    this.#timer = setInterval(() => this.#touch(), touchEvery);
    this.#timer.unref?.();
  }

  /** Throws AgentError if another agent has taken the state meanwhile. */
  check(): void {
    if (read(this.#file)?.token !== this.#token)
      throw new AgentError("another agent has taken this state; this one stops");
  }

  release(): void {
    clearInterval(this.#timer);
    ours.delete(this.#token);
    if (read(this.#file)?.token === this.#token) rmSync(this.#file, { force: true });
  }

  #take(): boolean {
    let handle: number;
    try {
      handle = openSync(this.#file, "wx", 0o600);
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
    writeWhole(handle, Buffer.from(JSON.stringify({ pid: process.pid, token: this.#token })));
    closeSync(handle);
    ours.add(this.#token);
    return true;
  }

  /** Removes the lock of a dead process; if two agents try, one of them finds it already removed. */
  #removeStale(state: string): void {
    const holder = read(this.#file);
    if (holder !== undefined && isAlive(holder))
      throw new AgentError(`an agent (process ${holder.pid}) is running on ${state}; stop it, or give another --state`);
    const aside = `${this.#file}.${this.#token}`;
    try {
      renameSync(this.#file, aside);
    } catch {
      return; // the other one was first
    }
    if (read(aside)?.token !== holder?.token)
      renameSync(aside, this.#file); // that was a new one
    else rmSync(aside, { force: true });
  }

  #touch(): void {
    try {
      const now = Date.now() / 1000;
      if (read(this.#file)?.token === this.#token) utimesSync(this.#file, now, now);
    } catch {
      // the next touch may do
    }
  }
}
