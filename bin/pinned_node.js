// The Node that npm installed with this program, in the package of its platform, and how a command line is run on it.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const isWindows = process.platform === "win32";
const platform = `${isWindows ? "win" : process.platform}-${process.arch}`;
/** `node` in a package that contains everything, and where somebody installed that package of npm. */
const names = ["node", `node-${platform}`, `node-bin-${platform}`];

/**
 * Returns the Node in this program's node_modules folder or in one above it; undefined if there is none, as on musl.
 */
export function pinnedNode() {
  for (let folder = fileURLToPath(new URL("..", import.meta.url)); ; folder = dirname(folder)) {
    const nodes = names.map((name) => join(folder, "node_modules", name, "bin", isWindows ? "node.exe" : "node"));
    const node = nodes.find((one) => existsSync(one));
    if (node !== undefined) return node;
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * Calls `end` once the parent of this process is gone, if that is npm or was started by it: what `npm start` began ends
 * with it, also where npm was killed. A program that a shell or a service started stays without it.
 */
export function endWithNpm(end) {
  if (process.env.npm_command === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, 500);
  timer.unref();
}

/**
 * Runs a command line on `node`, passes signals on, and exits with its status. It ends with npm, if npm began it.
 */
export async function runOn(node, words) {
  const { spawn } = await import("node:child_process");
  const { constants } = await import("node:os");
  const child = spawn(node, words, { stdio: "inherit" });
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  endWithNpm(() => child.kill("SIGTERM"));
  child.on("error", (error) => {
    process.stderr.write(`${node} cannot be run: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (status, signal) => process.exit(status ?? 128 + constants.signals[signal]));
}
