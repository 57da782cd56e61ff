// docs/architecture.md: the map has what the tree has, and every dependency has a reason.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
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

test("the map has every file and folder at the top of src/, every folder of transports and of test", () => {
  const paths = map.map(([path]) => path);
  const found = ["src/*", "src/transports/*/", "test/*/"]
    .flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
    .map((entry) => join(entry.parentPath, entry.name + (entry.isDirectory() ? "/" : "")).slice(root.length))
    .map((path) => path.replaceAll("\\", "/"));
  const mirrors =
    /^test\/(?:access|admin|agent|cli|document|events|formats|node_modules|operations|paperwork|providers|store|transports)\/$/;
  assert.ok(found.length > 20);
  assert.equal(
    found.filter((path) => !paths.includes(path) && !mirrors.test(path)),
    [],
  );
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
