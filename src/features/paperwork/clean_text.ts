// Makes texts of other programs fit to be shown and stored.
import { withCommas } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";

/** Gets a sentence about a text. */
type Say = (sentence: string) => void;

/** A text of at most `most` characters. A longer one is cut, and named to `say`. */
export function cutText(text: string, most: number, say: Say): string {
  if (text.length <= most) return text;
  say(`${quoted(text)} has more than ${withCommas(most)} characters and was cut`);
  return text.slice(0, most).toWellFormed().trimEnd();
}

/** On one line, without control characters. */
export const oneLineOf = (text: string): string =>
  // Most texts are one already.
  (/[^ -~]| {2}/.test(text) ? text.toWellFormed().replace(/[\s\p{Cc}]+/gu, " ") : text).trim();
