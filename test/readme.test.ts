// The README holds what the table says: every row's line, and no line that is no row's.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Operation, table } from "../src/operations.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** The README's line for a row. */
export const lineOf = ({ name, method, path, scope, reach, tool, resource }: Operation): string => {
  const address = path.replace(/:(\w+)/g, "{$1}");
  const mcp = [tool && `tool \`${name}\``, resource && `resource \`${resource}\``].filter(Boolean).join(", ");
  return `| ${method} | \`${address}\` | \`${scope}\` | ${reach === "engagement" ? "clamped" : "no"} | ${mcp} |`;
};

const holds = suite("README.md");

holds("has a line for every row of the table", () => {
  for (const row of table) assert.ok(readme.includes(lineOf(row)), `missing: ${lineOf(row)}`);
});

holds("has no line for what is no row", () => {
  const lines = readme.split("\n").filter((line) => /^\| (GET|POST) \|/.test(line));
  assert.equal(lines, table.map(lineOf));
});

holds("names every dependency with its reason", () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  for (const name of Object.keys({ ...dependencies, ...devDependencies }))
    assert.ok(readme.includes(`\`${name}\``), `${name} has no reason in the README`);
});

holds.run();
