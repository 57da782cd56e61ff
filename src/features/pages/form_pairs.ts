// Parses urlencoded forms.
import { tooLarge } from "../../core/errors.ts";
import { withCommas } from "../../core/wording.ts";

/** The most fields of a urlencoded form: enough for the one that applies an import of 1,000 files. */
const maxPairs = 4_000;

/**
 * Parses a urlencoded form. Throws 413 for more than 4,000 fields, before it parses them: the time of URLSearchParams is quadratic
 * in the number of fields without a value.
 */
export function formPairsOf(text: string): URLSearchParams {
  let pairs = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1))
    if (++pairs > maxPairs) throw tooLarge(`a form must have at most ${withCommas(maxPairs)} fields`);
  return new URLSearchParams(text);
}
