// docs/events.md: the table of event types is that of the program.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventTypes } from "../../src/core/store/event_types.ts";
import { constantOf } from "../support/constants.ts";
import { pageAt, tableOf } from "../support/documentation.ts";

const page = pageAt("docs/events.md");
const test = suite("docs/events.md");

test("has a line for every event type, with its subject and its data, and no other", () => {
  const code = (word: string): string => `\`${word}\``;
  assert.equal(
    tableOf(page, "Event types").rows,
    [...eventTypes].map(([type, { subject, data, when }]) => [
      ...[code(type), code(subject), data.map(code).join(", "), when],
    ]),
  );
});

test("names the longest value of a field", () => {
  const longest = constantOf("core/store/events.ts", "maxValue").toLocaleString("en");
  assert.match(page.text, `more than ${longest} characters`);
});

test.run();
