// The subject of a comparison: a program in its own process on loopback, on Node or on Deno.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { programOf } from "../../test/support/tools.ts";

export type Runtime = "node" | "deno";

export interface Subject {
  url: string;
  /** Resident memory in MiB. */
  memory(): number;
  /**
   * The seconds of a processor that all its threads have used; where the system does not tell, those that have passed.
   */
  processorTime(): number;
  /** Sends SIGUSR2, at which some programs print a line; resolves with that line. */
  report(): Promise<string>;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
export const subjectFile = (name: string): string => join(root, ".ci/bench/subjects", `${name}.ts`);

/** What is not a TypeScript program of subjects/: the command as users start it, and the smallest server. */
const scripts: Record<string, string> = { launcher: "bin/tallylight.js", plain: ".ci/bench/subjects/plain.js" };

export function commandOf(
  runtime: Runtime,
  name: string,
  args: readonly string[],
  checkout = root,
): [string, string[]] {
  const file = name in scripts ? join(checkout, scripts[name] as string) : subjectFile(name);
  return runtime === "node"
    ? [process.execPath, ["--disable-warning=ExperimentalWarning", file, ...args]]
    : [programOf("deno") ?? "deno", ["run", "-A", "--quiet", file, ...args]];
}

function processorTimeOf(pid: number | undefined): number {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return performance.now() / 1000;
  const used = (thread: string) => Number(readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ")[0]);
  return readdirSync(folder).reduce((sum, thread) => sum + used(thread) / 1e9, 0);
}

/**
 * Starts a program of subjects/, or the launcher of a checkout; its standard error, such as a server's log, is appended
 * to `log`.
 */
export async function startSubject(
  runtime: Runtime,
  name: string,
  args: readonly string[],
  log: string,
  checkout = root,
): Promise<Subject> {
  const [command, words] = commandOf(runtime, name, args, checkout);
  const errors = openSync(log, "a");
  const child = spawn(command, words, { cwd: checkout, stdio: ["ignore", "pipe", errors] });
  closeSync(errors);
  const ended = once(child, "exit");
  const output = child.stdout as Readable;
  const url = await Promise.race([
    once(output, "data").then(([line]) => String(line).trim().split("\n").at(-1) ?? ""),
    ended.then(() => Promise.reject(new Error(`${name} on ${runtime} ended before it served; see ${log}`))),
  ]);
  return {
    url,
    memory: () => Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)]).toString()) / 1024,
    processorTime: () => processorTimeOf(child.pid),
    async report() {
      child.kill("SIGUSR2");
      const [line] = await once(output, "data");
      return String(line).trim();
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A program of subjects/ that does a piece of work for each line on its input. */
export interface Assistant {
  /** Sends a line; resolves with the program's answer. Rejects if it ends instead. */
  ask(line: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a program of subjects/ on Node that prints "ready", and then a line of JSON for each line on its input. */
export async function startAssistant(name: string, args: readonly string[]): Promise<Assistant> {
  const [command, words] = commandOf("node", name, args);
  const child = spawn(command, words, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${name} ended early`);
    return value;
  };
  if ((await next()) !== "ready") throw new Error(`${name} did not start`);
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      return JSON.parse(await next());
    },
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
