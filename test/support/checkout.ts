// A folder that shows this checkout, to run commands in it as a new user would: its own ./data, npx, node and npm, and
// a free port.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";
import { folderOnDisk } from "./folder.ts";
import { freePort } from "./free_port.ts";
import { programOf } from "./tools.ts";
import { until } from "./until.ts";

const parts = [
  ".ci",
  "bin",
  "src",
  "sql",
  "fixtures",
  "test",
  "node_modules",
  "package.json",
  "tsconfig.json",
  "README.md",
];
const deno = programOf("deno");
const [checkout, modules] = [realpathSync(root), realpathSync(join(root, "node_modules"))];

export const hasDeno = deno !== undefined;
export const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** An npx that never asks a registry: it runs this checkout's command. */
const npx = (folder: string) => `#!/bin/sh
program=$1
shift
case "$program" in
  tallylight) exec node "${folder}/bin/tallylight.js" "$@" ;;
esac
echo "npx $program: not in this checkout" >&2
exit 1
`;

export interface Outcome {
  status: number | null;
  /** Standard output and standard error together; each command is printed before its output. */
  output: string;
}

export interface Checkout {
  folder: string;
  url: string;
  /** Runs commands in one shell, until one of them fails. */
  run(commands: readonly string[]): Promise<Outcome>;
  /** Runs a command that serves, waits until it responds, and returns the function that stops it. */
  serve(command: string): Promise<() => Promise<void>>;
}

/**
 * Links the parts of the checkout, so that Node finds what it has compiled before. Changes two things in the commands:
 * port 8787, which may be in use, and Deno's permission to read what is linked.
 */
export async function linkCheckout(): Promise<Checkout> {
  const folder = folderOnDisk(); // Deno may read and write nothing below /dev
  // Deno makes no links without all permissions
  execFileSync("ln", ["-s", ...parts.map((part) => join(checkout, part)), folder]);
  mkdirSync(join(folder, ".shims"));
  writeFileSync(join(folder, ".shims/npx"), npx(folder));
  chmodSync(join(folder, ".shims/npx"), 0o755);
  if (deno !== undefined) execFileSync("ln", ["-s", deno, join(folder, ".shims/deno")]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PATH: `${folder}/.shims:${modules}/.bin:${process.env.PATH}`, TMPDIR: folder };
  const typed = (command: string): string =>
    command
      .replaceAll("8787", String(port))
      .replace("--allow-read=.", `--allow-read=.,${checkout},${modules}`)
      .replace("--allow-ffi=node_modules", `--allow-ffi=${modules}`);

  /** Runs in its own process group, because npm does not stop its children when it is terminated. */
  const open = (script: string, flags: readonly string[]): { child: ChildProcess; ended: Promise<Outcome> } => {
    const child = spawn("sh", [...flags, "-c", script], { cwd: folder, env, detached: true });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    return { child, ended: new Promise((resolve) => child.on("close", (status) => resolve({ status, output }))) };
  };

  return {
    folder,
    url,
    run: (commands) => open(commands.map(typed).join("\n"), ["-eux"]).ended,
    async serve(command) {
      const flag = command.includes("--port") ? "" : ` ${command.startsWith("npm ") ? "-- " : ""}--port ${port}`;
      const { child, ended } = open(`exec ${typed(command)}${flag}`, []);
      const stop = async (): Promise<Outcome> => {
        process.kill(-(child.pid as number), "SIGTERM");
        return ended;
      };
      let isUp = false;
      const answers = async (): Promise<boolean> => {
        const answer = await fetch(`${url}/healthz`).catch(() => undefined);
        await answer?.body?.cancel();
        isUp = answer?.status === 200;
        return isUp || child.exitCode !== null;
      };
      await until(answers, 25).catch(() => {});
      if (isUp) return async () => void (await stop());
      const { output } = child.exitCode === null ? await stop() : await ended;
      throw new Error(`${command} did not answer: ${output}`);
    },
  };
}
