#!/usr/bin/env node
// Finds a runtime that can load the database engine, then runs src/cli. On a Node that is too old, the engine ends the
// process without a message, so the runtime is checked before anything of the program is loaded.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const oldest = 22;

/** Returns the path of a file of an npm package, in this package's node_modules folder or in one above it. */
function installed(...file) {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", ...file);
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * The folder of the program: in a checkout TypeScript, in a package JavaScript, because Node strips no types below
 * node_modules.
 */
const code = existsSync(join(root, "src/cli/main.ts")) ? "src/cli/main.ts" : "lib/cli/main.mjs";

const isCheckout = code.endsWith(".ts");

/** Returns the names of the packages that this program needs on Node, and that are not installed. */
function missingPackages() {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const needed = Object.keys(dependencies);
  if (isCheckout && !process.features.typescript) needed.push("tsx");
  return needed.filter((name) => installed(name, "package.json") === undefined);
}

/** Says what is needed, and what to do. */
function refuse(need) {
  const advice = isCheckout
    ? `run \`npm ci\` in ${root} first, which installs it`
    : "run `npm install` again where tallylight is installed, or unpack its package again";
  process.stderr.write(`tallylight needs ${need}; ${advice}\n`);
  process.exitCode = 1;
}

async function prepareNode() {
  const { enableCompileCache } = await import("./compile_cache.js");
  enableCompileCache();
  if (process.features.typescript || !isCheckout) return;
  const { register } = await import("tsx/esm/api"); // in a checkout, for a Node that strips no types
  register({ tsconfig: join(root, "tsconfig.json") });
}

async function run() {
  if (globalThis.Deno === undefined) {
    await prepareNode();
    if (process.env.npm_command !== undefined) {
      const { endWithNpm } = await import("./pinned_node.js");
      endWithNpm(() => process.kill(process.pid, "SIGTERM"));
    }
  }
  // The reader of the output, such as `head`, may close it early.
  process.stdout.on("error", ({ code, message }) => {
    if (code !== "EPIPE") process.stderr.write(`standard output cannot be written: ${message}\n`);
    process.exit(code === "EPIPE" ? 0 : 1);
  });
  const { main } = await import(new URL(`../${code}`, import.meta.url).href);
  process.exitCode = await main(process.argv.slice(2));
}

if (globalThis.Deno !== undefined) await run();
else if (Number.parseInt(process.versions.node, 10) >= oldest) {
  const [missing] = missingPackages();
  if (missing === undefined) await run();
  else refuse(`the package ${missing}, which is not installed`);
} else {
  const { pinnedNode, runOn } = await import("./pinned_node.js");
  const node = pinnedNode();
  if (node !== undefined) await runOn(node, process.argv.slice(1));
  else refuse(`Node ${oldest} or newer, or Deno 2, and this is Node ${process.versions.node}`);
}
