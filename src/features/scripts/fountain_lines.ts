// Splits Fountain text into lines without boneyards and notes; each line keeps the number it has in the file.
import { withCommas } from "../../core/wording.ts";
import { refuse } from "../paperwork/findings.ts";

/** A long feature has 10,000. */
const maxLines = 500_000;
const maxNotes = 20;

export interface Line {
  text: string;
  /** Counted from 1: where the line begins. */
  number: number;
  /** The notes that were taken out of it, where they began and ended on it. */
  notes: readonly string[];
  /** Whether a line that has only notes or boneyards stands directly before it, which is not printed. */
  afterAside: boolean;
}

/** Most lines have none, and share these. */
const noNotes: readonly string[] = [];

/** Where `needle` next occurs at or after a place that only ever moves on: one search over the whole text in all. */
function finder(text: string, needle: string): (at: number) => number {
  let found = -1;
  return (at) => {
    if (found < at) {
      found = text.indexOf(needle, at);
      if (found < 0) found = Number.POSITIVE_INFINITY;
    }
    return found;
  };
}

/**
 * The lines of `source`, and the line on which a boneyard opens that is never closed: its text is kept, so that nothing
 * is lost.
 */
export function splitLines(source: string): { lines: readonly Line[]; unclosed: number | undefined } {
  const text = source.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n");
  const [lineEnd, boneyard, note] = [finder(text, "\n"), finder(text, "/*"), finder(text, "[[")];
  const [boneyardEnd, noteEnd] = [finder(text, "*/"), finder(text, "]]")];
  const [empty, spaced] = [finder(text, "\n\n"), finder(text, "\n \n")];
  const lines: Line[] = [];
  let unclosed: number | undefined;
  let notes = noNotes;
  let [kept, number] = ["", 1];
  /** The number of the line of the file, and the place up to which that is read. */
  let [current, at] = [1, 0];
  /** Whether something without a line break was taken out of the line. */
  let removed = false;
  let notesFrom = 0;
  let afterAside = false;
  const endLine = (end: number): void => {
    kept += text.slice(at, end);
    // A line that has only a note or a boneyard is not blank: it does not end its paragraph.
    const isAside = removed && kept.trim() === "";
    if (!isAside) lines.push({ text: kept, number, notes, afterAside });
    afterAside = isAside;
    if (lines.length > maxLines) refuse(`there are more than ${withCommas(maxLines)} lines in the file`);
    [kept, notes, removed] = ["", noNotes, false];
    number = ++current;
    at = end + 1;
  };
  for (;;) {
    const end = lineEnd(at);
    const bone = unclosed === undefined ? boneyard(at) : Number.POSITIVE_INFINITY;
    const open = Math.min(end, bone, note(Math.max(at, notesFrom)));
    if (open === Number.POSITIVE_INFINITY) break;
    if (open === end) {
      endLine(open);
      continue;
    }
    const close = (open === bone ? boneyardEnd : noteEnd)(open + 2);
    const blank = Math.min(empty(open), spaced(open), text.length);
    // A blank line ends a note that is not closed before it; no note that opens before it is closed either.
    if (open !== bone && close >= blank) notesFrom = blank + 1;
    else if (close === Number.POSITIVE_INFINITY) unclosed = current;
    else {
      const inside = text.slice(open + 2, close);
      const breaks = inside.split("\n").length - 1;
      if (breaks === 0 && open !== bone && notes.length < maxNotes) notes = [...notes, inside.trim()];
      kept += text.slice(at, open);
      current += breaks;
      removed = breaks === 0;
      at = close + 2;
    }
  }
  endLine(text.length);
  return { lines, unclosed };
}
