// The parts of the documentation that `npm run reference` writes are those of the program.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pageAt } from "../support/documentation.ts";
import { referencePages } from "../support/reference.ts";

const test = suite("npm run reference");

for (const [path, text] of Object.entries(await referencePages()))
  test(`${path} is as it writes it`, () => {
    const [lines, written] = [text.split("\n"), pageAt(path).text.split("\n")];
    const changed = lines.filter((line) => !written.includes(line));
    assert.equal(changed, [], `run \`npm run reference\`: these lines of ${path} are missing`);
    assert.is(written.length, lines.length, `run \`npm run reference\`: ${path} has lines that go`);
    assert.ok(pageAt(path).text === text, `run \`npm run reference\`: ${path} has another order`);
  });

test.run();
