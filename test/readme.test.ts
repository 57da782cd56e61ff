// README.md is short enough to read, and leads to every guide.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linksOf, pageAt, pages, tableOf } from "./support/documentation.ts";

const page = pageAt("README.md");
const test = suite("README.md");

test("has at most 200 lines", () => {
  assert.ok(page.text.split("\n").length - 1 <= 200);
});

test("lists every guide", () => {
  const listed = linksOf({ path: "README.md", text: tableOf(page, "Where to go next").rows.flat().join("\n") });
  const guides = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
  assert.equal(
    guides.filter((path) => !listed.includes(path)),
    [],
  );
});

test.run();
