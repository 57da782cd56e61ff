// The subject of a comparison: a program in its own process on loopback, on Node or on Deno.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { programOf } from "../support/tools.ts";

export type Runtime = "node" | "deno";

export interface Subject {
  url: string;
  /** Resident memory in MiB. */
  memory(): number;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
export const subjectFile = (name: string): string => join(root, "test/bench/subjects", `${name}.ts`);

export function commandOf(runtime: Runtime, name: string, args: readonly string[]): [string, string[]] {
  const file = subjectFile(name);
  return runtime === "node"
    ? [process.execPath, ["--import", "tsx", file, ...args]]
    : [programOf("deno") ?? "deno", ["run", "-A", "--quiet", file, ...args]];
}

/** Starts a program of subjects/; its standard error, such as a server's log, is appended to `log`. */
export async function startSubject(
  runtime: Runtime,
  name: string,
  args: readonly string[],
  log: string,
): Promise<Subject> {
  const [command, words] = commandOf(runtime, name, args);
  const errors = openSync(log, "a");
  const child = spawn(command, words, { cwd: root, stdio: ["ignore", "pipe", errors] });
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
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}
