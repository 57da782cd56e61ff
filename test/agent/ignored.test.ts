// Which paths the agent ignores: one by patterns with several wildcards, and one by an expression, take the same.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Ignore } from "../../src/agent/ignore.ts";
import { assertProperty, sampling } from "../support/sampling.ts";

const ignore = suite("patterns that the agent ignores");

/** What a pattern means, as an expression that tries every division of a text. */
const meaningOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern.replaceAll(/\*\*\/|\*\*|\*|\?|./gs, (part) =>
      part === "**/" ? "(?:.*/)?" : part === "**" ? ".*" : part === "*" ? "[^/]*" : part === "?" ? "[^/]" : `\\${part}`,
    )}$`,
    "s",
  );

ignore("takes by any pattern what the pattern means", () => {
  const text = (characters: string, maxLength: number) =>
    fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength }).map((all) => all.join(""));
  const pattern = fc
    .array(fc.constantFrom("a", ".", "/", "*", "**", "**/", "?"), { minLength: 1, maxLength: 9 })
    .map((all) => `/${all.join("")}x`);
  assertProperty(
    fc.property(pattern, text("a./x", 9), (given, path) => {
      const expected = meaningOf(given.replace(/^\/+/, "")).test(path);
      assert.is(new Ignore([given]).takes("-", path), expected, `${given} ${path}`);
    }),
    sampling(500, 1),
  );
});

ignore("ends for a long path and a pattern with many wildcards", () => {
  const ignored = new Ignore(["/**a**a**a**a**a**a**b/x", "*a*a*a*a*a*a*b"]);
  assert.not.ok(ignored.takes("a".repeat(255), `${"a".repeat(4_000)}/y`));
  assert.ok(ignored.takes("y", `${"a".repeat(4_000)}b/x`));
  assert.ok(ignored.takes(`${"a".repeat(254)}b`, "y"));
});

ignore.run();
