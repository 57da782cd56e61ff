// The README holds what the table says, its commands work on the demo in their order, and what it names is in the package.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Operation, table } from "../src/operations.ts";
import { copyCheckout, hasPython } from "./support/checkout.ts";
import { root } from "./support/command.ts";

const textOf = (name: string): string => readFileSync(join(root, name), "utf8");
const readme = textOf("README.md");

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
  const { dependencies, devDependencies } = JSON.parse(textOf("package.json"));
  for (const name of Object.keys({ ...dependencies, ...devDependencies }))
    assert.ok(readme.includes(`\`${name}\``), `${name} has no reason in the README`);
});

/** The commands of each `sh` block: continued lines joined, comments off, `a && b` as two. */
const blocksOf = (markdown: string): string[][] =>
  [...markdown.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) =>
    block
      .replaceAll("\\\n", "")
      .split(/\n| && (?=npm )/)
      .map((line) => line.replace(/ +# .*/, "").trim())
      .filter((line) => line !== ""),
  );

/** The commands that no test runs, and why. */
const notRun: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm ci$/, "installs this checkout's packages; the gate starts with it"],
  [/^npm (test|run (test:deno|types|lint))\b|^bash \.ci\/run$/, "the gate runs it, and it runs this"],
  [/^npm run (bench|soak)$/, "takes minutes to hours"],
  [/^npm run examples$/, "writes into the checkout; a test holds that it would change nothing"],
  [/^npx openapi-typescript /, "asks the package registry; .ci/client runs it in the gate"],
];
const needsMore = (command: string): boolean => command.startsWith("python3 ") && !hasPython;
const isRun = (command: string): boolean => !notRun.some(([pattern]) => pattern.test(command));
const serves = (command: string): boolean => command === "npm start" || /\bserve\b/.test(command);

const checkout = await copyCheckout();
const commands = suite("the commands of README.md, in their order");
const blocks = blocksOf(readme).map((block) => block.filter((command) => isRun(command) && !needsMore(command)));

for (const command of blocks.flat().filter(serves))
  commands(`serves: ${command}`, async () => {
    await (await checkout.serve(command))();
  });

if (!hasPython) console.log("skipped: there is no python3 here to run the README's guides with");
let stop: () => Promise<void>;
commands("the server that the others run beside starts", async () => {
  stop = await checkout.serve("npm start");
});

const others = blocks.map((block) => block.filter((command) => !serves(command)));
for (const block of others.filter(({ length }) => length > 0))
  commands(`work: ${block[0]}, and ${block.length - 1} more`, async () => {
    const { status, output } = await checkout.run(block);
    assert.is(status, 0, output);
  });

commands("all of them are run, or stand on the list of those that are not", () => {
  const written = ["README.md", "CONTRIBUTING.md", "fixtures/README.md"].flatMap((name) =>
    blocksOf(textOf(name)).flat(),
  );
  const unknown = written.filter(
    (command) => isRun(command) && !needsMore(command) && !blocks.flat().includes(command),
  );
  assert.equal(unknown, []);
  for (const [pattern] of notRun)
    assert.ok(
      written.some((command) => pattern.test(command)),
      `${pattern}: no such command`,
    );
});

commands.after(async () => {
  await stop?.();
  rmSync(checkout.folder, { recursive: true });
});

const packed = suite("the packed package");

packed("has every file that the README's commands name or its text links to, where the README says", () => {
  const listing = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    stdio: "pipe",
    encoding: "utf8",
  });
  const files: string[] = JSON.parse(listing)[0].files.map(({ path }: { path: string }) => path);
  const words = blocksOf(readme)
    .flat()
    .filter(isRun)
    .flatMap((command) => command.split(/[\s"]+/));
  const links = [...readme.matchAll(/\]\(([^#)]+)\)/g)].map(([, target]) => target as string);
  const named = [...words, ...links].filter((word) => /[./]/.test(word) && existsSync(join(root, word)));
  assert.ok(named.includes("test/guides/pipeline.py") && named.includes("test/guides/pipeline.ts"));
  for (const name of named.filter((word) => !/^\.?\/?$/.test(word)))
    assert.ok(files.includes(name), `${name} is not in the package`);
});

holds.run();
commands.run();
packed.run();
