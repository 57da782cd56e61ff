// The guides are short enough to be read. What the program writes itself, or a test compares with it field by field, is looked up and not read: docs/commands.md,
// docs/reference.md and docs/format.md have no bound.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pages } from "../support/documentation.ts";

/** The most words of each guide; any other page has one screen. */
const bounds: Readonly<Record<string, number>> = {
  "README.md": 900,
  "CONTRIBUTING.md": 1_200,
  "docs/agent.md": 1_500,
  "docs/api.md": 4_500,
  "docs/architecture.md": 1_200,
  "docs/documents.md": 2_200,
  "docs/events.md": 1_500,
  "docs/network.md": 900,
  "docs/operating.md": 2_000,
  "docs/pages.md": 1_200,
  "docs/paperwork.md": 1_800,
  "docs/performance.md": 900,
  "docs/replication.md": 1_200,
};
const screen = 500;
const total = 20_000;
const lookedUp = ["docs/commands.md", "docs/format.md", "docs/reference.md"];

const guides = pages.filter(
  ({ path }) =>
    path === "README.md" || path === "CONTRIBUTING.md" || (path.startsWith("docs/") && !lookedUp.includes(path)),
);
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
const test = suite("the length of the guides");

for (const { path, text } of guides)
  test(path, () => {
    const most = bounds[path] ?? screen;
    assert.ok(wordsOf(text) <= most, `${path} has ${wordsOf(text)} words, and ${most} at most`);
  });

test("all of docs/ together", () => {
  const words = guides.filter(({ path }) => path.startsWith("docs/")).reduce((sum, { text }) => sum + wordsOf(text), 0);
  assert.ok(words <= total, `${words} words, and ${total} at most`);
});

test("each bound is of a guide", () => {
  for (const path of Object.keys(bounds))
    assert.ok(
      guides.some((guide) => guide.path === path),
      path,
    );
});

test.run();
