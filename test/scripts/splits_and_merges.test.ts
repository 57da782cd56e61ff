// Whether the comparison of two drafts finds the edit that was made, on random scripts with and without numbers: splits
// and merges of scenes beside the ordinary edits.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { draftOf, laterDraft } from "../../src/features/scripts/compare/drafts.ts";
import { compareDrafts } from "../support/compared_drafts.ts";
import { type Edit, edits, revisedBy } from "../support/edited_drafts.ts";
import { isLong } from "../support/rounds.ts";
import { fountain } from "./scripts.ts";

const test = suite("edits of random drafts");
const rounds = isLong ? 60 : 20;

/** The changes of the later draft, such as "changed 2" and "omitted 5". */
function found(before: readonly string[], after: readonly string[]): string[] {
  const former = draftOf(fountain(...before));
  const { draft, matching } = laterDraft(fountain(...after), former);
  const { changes } = compareDrafts(former, draft, { matching });
  return changes.map(({ kind, before, number }) => `${kind} ${former.scenes[before ?? -1]?.number ?? number}`).sort();
}

function rightOf(edit: Edit, isNumbered: boolean): { right: number; wrong: string[] } {
  const wrong: string[] = [];
  let right = 0;
  for (let seed = 1; seed <= rounds; seed++) {
    const { before, after, expected } = revisedBy(edit, seed, isNumbered);
    const said = found(before, after);
    if (JSON.stringify(said) === JSON.stringify(expected.toSorted())) right++;
    else wrong.push(`${seed}: ${said} and not ${expected}`);
  }
  return { right, wrong };
}

for (const isNumbered of [true, false])
  for (const edit of edits)
    test(`${edit} in a script ${isNumbered ? "with" : "without"} numbers`, () => {
      const { right, wrong } = rightOf(edit, isNumbered);
      const least = !/split|merge/.test(edit) ? 1 : isNumbered ? 0.98 : 0.95;
      if (process.env.FIGURES) console.log(isNumbered, edit, right, rounds);
      assert.ok(
        right >= Math.floor(least * rounds),
        `${right} of ${rounds} are right; ${wrong.slice(0, 4).join("; ")}`,
      );
    });

test.run();
