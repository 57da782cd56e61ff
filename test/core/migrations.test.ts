// A migration that was released never changes, and none is put before it: a database records the names and the hashes
// of those that made it, and with others it is refused as changed by hand.
import { hash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { release } from "../../src/core/program.ts";
import { migrations } from "../../src/core/store/migrations.ts";

/** How many migrations a version has, and the hash of their names and hashes. A release adds its row. */
const released = [
  { version: "1.1.0", count: 11, sha256: "b376374eb8390a7f26b6d7bd90d0c89f9cc843361787facf779e10efbfb3e755" },
  { version: "1.3.0", count: 51, sha256: "860d6d6ff2990b333e6691009ca2a63e8866ddb70b3c8c7eaad9fc5994d3fe0c" },
  { version: "1.4.0", count: 73, sha256: "75cc3c12d6f05baba7cb5887222d36af09db3f3099948a26ecc527d47ef2b8dc" },
];

const hashOfFirst = (count: number): string =>
  hash(
    "sha256",
    migrations()
      .slice(0, count)
      .map(({ name, sha256 }) => `${name} ${sha256}`)
      .join("\n"),
  );

const test = suite("released migrations");

for (const { version, count, sha256 } of released)
  test(`those of ${version} are the first ${count}, as they were`, () => {
    assert.is(
      hashOfFirst(count),
      sha256,
      "one of them has changed, or a new one has a lower number: add a new file behind them",
    );
  });

test("the last row is of this version", () => {
  assert.is(released.at(-1)?.version, release, "add the row of this version");
});

test.run();
