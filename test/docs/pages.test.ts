// docs/pages.md names the pages that people find in the menu and among the settings.
import "../../src/features.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { features } from "../../src/core/features.ts";
import { codeWordsOf, pageAt } from "../support/documentation.ts";

const test = suite("docs/pages.md");

test("names every page of the menu and of the settings", () => {
  const named = new Set(codeWordsOf(pageAt("docs/pages.md").text).map((word) => word.replace(/\?.*/, "")));
  const found = features().flatMap(({ pages = [] }) => pages.filter(({ menu, setting }) => menu ?? setting));
  assert.ok(found.length > 10, "the pages are found");
  const missing = found.map(({ path }) => path).filter((path) => !named.has(path));
  assert.equal(missing, [], "give each a row in a table of docs/pages.md");
});

test.run();
