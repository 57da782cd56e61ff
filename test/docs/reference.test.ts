// The parts of the documentation that `npm run reference` writes are those of the program.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pageAt } from "../support/documentation.ts";
import { referencePages } from "../support/reference.ts";

const test = suite("npm run reference");

for (const [path, text] of Object.entries(await referencePages()))
  test(`${path} is as it writes it`, () => {
    assert.is(pageAt(path).text, text, `run \`npm run reference\`, and read the difference of ${path}`);
  });

test.run();
