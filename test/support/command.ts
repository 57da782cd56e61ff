// Runs the command line for tests: in this process if the command ends, in its own process if it serves.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../../src/cli/main.ts";
import { serverRuntime } from "./runtime.ts";
import { until } from "./until.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const launcher = join(root, "bin/tallylight.js");

export interface Outcome {
  status: number;
  out: string;
  err: string;
}

/** Runs a command in this process; returns what it wrote and its exit status. */
export async function tallylight(...argv: string[]): Promise<Outcome> {
  const written = { out: "", err: "" };
  const [out, err] = [process.stdout.write, process.stderr.write];
  const into = (stream: "out" | "err") => (text: string) => {
    written[stream] += text;
    return true;
  };
  process.stdout.write = into("out") as typeof out;
  process.stderr.write = into("err") as typeof err;
  try {
    const status = await main(argv);
    return { status, ...written };
  } finally {
    process.stdout.write = out;
    process.stderr.write = err;
  }
}

/** Runs a command that must succeed and returns its --json document. */
export async function answerOf(...argv: string[]): Promise<any> {
  const { status, out, err } = await tallylight(...argv, "--json");
  if (status !== 0) throw new Error(err);
  return JSON.parse(out);
}

export interface Running {
  child: ChildProcess;
  /** Sends a signal. child.kill would make Deno report the signal as the result, whatever the exit status is. */
  signal(name: "SIGTERM" | "SIGINT"): void;
  /** Standard output until now. */
  out(): string;
  err(): string;
  /** The exit status, or the name of the signal that ended the process. */
  ended: Promise<number | string>;
}

/**
 * Starts the launcher in its own process, on this runtime or on the Node at `node`. `program` is the launcher of this
 * checkout.
 */
export function launch(argv: readonly string[], node?: string, program = launcher, environment = {}): Running {
  const onDeno = process.versions.deno !== undefined && node === undefined;
  const args = [...(onDeno ? serverRuntime : []), program, ...argv];
  const env = { ...process.env, ...environment };
  const child = spawn(node ?? process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => {
    out += text;
  });
  child.stderr.on("data", (text) => {
    err += text;
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve(status ?? signal ?? 0));
  });
  const signal = (name: "SIGTERM" | "SIGINT") => void process.kill(child.pid as number, name);
  return { child, signal, out: () => out, err: () => err, ended };
}

/** Waits until the process has printed its address. */
export async function addressOf({ out, err, child }: Running): Promise<string> {
  await until(() => {
    if (child.exitCode !== null) throw new Error(`it ended: ${err()}`);
    return out().includes("\n");
  }, 10);
  return out().split("\n")[0] as string;
}
