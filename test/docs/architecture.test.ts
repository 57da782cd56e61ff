// docs/architecture.md: the map has what the tree has, and every dependency has a reason.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import "../../src/features.ts";
import { features } from "../../src/core/features.ts";
import { root } from "../support/command.ts";
import { codeWordsOf, pageAt, tablesOf } from "../support/documentation.ts";

const page = pageAt("docs/architecture.md");
const [, block = ""] = /^## A map of the code\n\n```\n(.*?)^```/ms.exec(page.text) ?? [];
const map = block
  .trim()
  .split("\n")
  .map((line) => line.split(/ {2,}/));
const test = suite("docs/architecture.md");

test("every file and folder of the map exists, and has a description", () => {
  for (const [path = "", description = ""] of map) {
    assert.ok(existsSync(join(root, path)), path);
    assert.ok(description.length > 3, path);
  }
});

test("the map has every file and folder at the top of src/, and every folder of test/ that is not named after one of src/", () => {
  const paths = map.map(([path]) => path);
  const found = ["src/*", "test/*/"]
    .flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
    .map((entry) => join(entry.parentPath, entry.name + (entry.isDirectory() ? "/" : "")).slice(root.length))
    .map((path) => path.replaceAll("\\", "/"));
  const isMirror = (path: string): boolean =>
    path === "test/node_modules/" ||
    ["src", "src/features"].some((above) => existsSync(join(root, path.replace(/^test/, above))));
  assert.ok(found.length > 20);
  assert.equal(
    found.filter((path) => !paths.includes(path) && !(path.startsWith("test/") && isMirror(path))),
    [],
  );
});

test("every field of a feature.ts is in the table, or in the contributions.ts of the feature that asks for it", () => {
  const [table] = tablesOf(page, "Core, graph, features");
  const named = table?.rows.flatMap(([cell = ""]) => codeWordsOf(cell)) ?? [];
  const asked = globSync("src/features/*/contributions.ts", { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/^ {4}readonly (\w+)\?:/gm)].map(([, field = ""]) => field),
  );
  const fields = new Set(features().flatMap((feature) => Object.keys(feature)));
  const missing = [...fields].filter((field) => ![...named, ...asked, "name", "url"].includes(field));
  assert.equal(missing, []);
  assert.equal(
    named.filter((field) => !fields.has(field)),
    [],
  );
});

test("names the features without a feature.ts", () => {
  const [, named = ""] =
    /`contributions\.ts` what they may add\. ([^:]*) add nothing by themselves/.exec(page.text) ?? [];
  const without = features().filter(({ url }) => url.endsWith("/src/features.ts"));
  assert.equal(codeWordsOf(named.replaceAll("\n", " ")), without.map(({ name }) => name).sort());
});

test("every dependency has a reason, and no other package has one", () => {
  const packageAt = (folder: string) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const { dependencies, devDependencies, optionalDependencies } = packageAt(".");
  const { devDependencies: tools } = packageAt(".ci/tools");
  const [running, testing, checking] = tablesOf(page, "Dependencies").map(({ rows }) =>
    rows.flatMap(([cell = "", reason = ""]) => (reason.length > 3 ? codeWordsOf(cell) : [])).sort(),
  );
  assert.equal(running, Object.keys(dependencies).sort());
  assert.equal(testing, Object.keys({ ...devDependencies, ...optionalDependencies }).sort());
  assert.equal(checking, Object.keys(tools).sort());
});

test.run();
