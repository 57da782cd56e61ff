// Parses urlencoded forms.
import { tooLarge } from "../../core/errors.ts";
import { withCommas } from "../../core/wording.ts";

/** The most fields of a urlencoded form: enough for the one that applies an import of 1,000 files. */
const maxPairs = 4_000;

/**
 * The fields of a urlencoded form, in their order. Throws 413 for more than 4,000, before it parses them. A field
 * without an escape is taken as it is: a form may keep megabytes of files in one.
 */
export function formPairsOf(text: string): [name: string, value: string][] {
  let pairs = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1))
    if (++pairs > maxPairs) throw tooLarge(`a form must have at most ${withCommas(maxPairs)} fields`);
  return text.split("&").flatMap((pair): [string, string][] => {
    if (pair === "") return [];
    // URLSearchParams leaves out a question mark at the beginning.
    if (/[%+]/.test(pair)) return [...new URLSearchParams(`&${pair}`)];
    const end = pair.indexOf("=");
    return end < 0 ? [[pair, ""]] : [[pair.slice(0, end), pair.slice(end + 1)]];
  });
}
