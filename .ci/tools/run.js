// Runs a program of the tools: `node .ci/tools/run.js PROGRAM [ARGUMENT…]`. If the tools are not installed, it says
// what installs them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const [program, ...rest] = process.argv.slice(2);
const places = ["node_modules/.bin/", "../../node_modules/.bin/"];
const found = places.map((place) => fileURLToPath(new URL(place + program, import.meta.url))).find(existsSync);
if (found === undefined) {
  process.stderr.write(
    `${program} is not installed: \`npm run tools\` installs what only the gate and contributors need\n`,
  );
  process.exit(1);
}
// oxlint looks there for the program that knows the types
const PATH = [dirname(found), process.env.PATH].join(delimiter);
const { status, error } = spawnSync(found, rest, { stdio: "inherit", env: { ...process.env, PATH } });
if (error !== undefined) process.stderr.write(`${found} cannot be run: ${error.message}\n`);
process.exit(status ?? 1);
