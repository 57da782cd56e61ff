// README.md is short enough to read, and leads to every guide.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linksOf, pageAt, pages, tableOf } from "./support/documentation.ts";

const page = pageAt("README.md");
const test = suite("README.md");

test("has at most 200 lines", () => {
  assert.ok(page.text.split("\n").length - 1 <= 200);
});

test("lists every guide", () => {
  const listed = linksOf({ path: "README.md", text: tableOf(page, "Read on").rows.flat().join("\n") });
  const guides = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
  assert.equal(
    guides.filter((path) => !listed.includes(path)),
    [],
  );
});

test("the package has a scoped name, and the pages say where the short form of the command works", () => {
  const { name, private: isPrivate } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.match(name, /^@[a-z]+\/[a-z]+$/);
  assert.is(isPrivate, undefined);
  for (const { path, text } of ["README.md", "docs/commands.md"].map(pageAt))
    assert.ok(
      /inside (?:a|the)\s+checkout/i.test(text) && /bin\/tallylight\.js/.test(text),
      `${path} says that the short form works inside the checkout alone`,
    );
});

test.run();
