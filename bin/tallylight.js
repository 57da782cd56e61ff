#!/usr/bin/env node
// Finds a runtime that can load the database engine, then runs src/cli. On a Node that is too old, the engine ends the process
// without a message, so the runtime is checked before anything of the program is loaded.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pinnedNode, runOn } from "./pinned_node.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const oldest = 22;

/** The folder of the program: in a checkout TypeScript, in a package JavaScript, because Node strips no types below node_modules. */
const code = existsSync(join(root, "src/cli/main.ts")) ? "src/cli/main.ts" : "lib/cli/main.mjs";

async function prepareNode() {
  const { enableCompileCache } = await import("./compile_cache.js");
  enableCompileCache();
  if (process.features.typescript || code.endsWith(".mjs")) return;
  const { register } = await import("tsx/esm/api"); // in a checkout, for a Node that strips no types
  register({ tsconfig: join(root, "tsconfig.json") });
}

async function run() {
  if (globalThis.Deno === undefined) await prepareNode();
  // The reader of the output, such as `head`, may close it early.
  process.stdout.on("error", ({ code, message }) => {
    if (code !== "EPIPE") process.stderr.write(`standard output cannot be written: ${message}\n`);
    process.exit(code === "EPIPE" ? 0 : 1);
  });
  const { main } = await import(new URL(`../${code}`, import.meta.url).href);
  process.exitCode = await main(process.argv.slice(2));
}

if (globalThis.Deno !== undefined || Number.parseInt(process.versions.node, 10) >= oldest) await run();
else {
  const node = pinnedNode();
  if (node !== undefined) await runOn(node, process.argv.slice(1));
  else {
    process.stderr.write(
      `tallylight needs Node ${oldest} or newer, or Deno 2; this is Node ${process.versions.node} (\`npm install node@24\` in the same folder is enough)\n`,
    );
    process.exitCode = 1;
  }
}
