// docs/api.md names what the program has.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { constantOf } from "../support/constants.ts";
import { pageAt } from "../support/documentation.ts";

const page = pageAt("docs/api.md");
const test = suite("docs/api.md");

test("names the longest value of a field", () => {
  const longest = constantOf("features/documents/changes/record.ts", "maxValue").toLocaleString("en");
  assert.match(page.text.replaceAll(/\s+/g, " "), `more than ${longest} characters`);
});

test.run();
