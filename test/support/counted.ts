// Asserts that a reader took or named whatever it saw.
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/errors.ts";
import type { Counts } from "../../src/features/paperwork/tally.ts";

/**
 * Asserts, for each kind, that what was seen is what was taken and what was named, and that there is a warning about
 * what was named.
 */
export function assertCounted({ counts, warnings }: { counts: Counts; warnings: readonly Problem[] }, file = ""): void {
  for (const [kind, { seen, taken, named }] of Object.entries(counts)) {
    assert.is(taken + named, seen, `${file} ${kind}: ${taken} taken and ${named} named of ${seen} seen`);
    assert.ok(named === 0 || warnings.length > 0, `${file} ${kind}: ${named} were named in no warning`);
  }
}

/** With FIGURES=1, prints what was seen, taken and named in a file of another program. */
export function showCounts({ counts, warnings }: { counts: Counts; warnings: readonly Problem[] }, file: string): void {
  if (process.env.FIGURES === undefined) return;
  const kinds = Object.entries(counts).map(
    ([kind, { seen, taken, named }]) => `${kind} ${seen} = ${taken} taken + ${named} named`,
  );
  console.log(`${file}: ${kinds.join(", ")}; ${warnings.length} warnings`);
}
