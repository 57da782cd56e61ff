// Splits Fountain text into lines without boneyards and notes; each line keeps the number it has in the file.
import { withCommas } from "../spelling.ts";
import { refuse } from "./findings.ts";

/** A long feature has 10,000. */
const maxLines = 500_000;
const maxNotes = 20;

export interface Line {
  text: string;
  /** Counted from 1: where the line begins. */
  number: number;
  /** The notes that were taken out of it, where they began and ended on it. */
  notes: readonly string[];
}

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

class LineSplitter {
  readonly #text: string;
  readonly lines: Line[] = [];
  /** The line of a boneyard that is never closed; its text is kept, so that nothing is lost. */
  unclosed: number | undefined;
  #kept = "";
  #notes: string[] = [];
  /** Whether something without a line break was taken out of the line. */
  #removed = false;
  #number = 1;
  #current = 1;
  #from = 0;

  readonly #nextBreak: Find;

  constructor(text: string) {
    this.#text = text;
    this.#nextBreak = finder(text, "\n");
  }

  split(): void {
    const [boneyard, note, boneyardEnd, noteEnd, empty, spaced] = (
      ["/*", "[[", "*/", "]]", "\n\n", "\n \n"] as const
    ).map((needle) => finder(this.#text, needle)) as [Find, Find, Find, Find, Find, Find];
    let notesFrom = 0;
    let at = 0;
    while (at < this.#text.length) {
      const end = this.#nextBreak(at);
      const bone = this.unclosed === undefined ? boneyard(at) : Number.POSITIVE_INFINITY;
      const opening = note(Math.max(at, notesFrom));
      const open = Math.min(end, bone, opening);
      if (open === Number.POSITIVE_INFINITY) break;
      if (open === end) at = this.#endLine(open);
      else if (open === bone) {
        const close = boneyardEnd(open + 2);
        if (close === Number.POSITIVE_INFINITY) this.unclosed = this.#current;
        else at = this.#remove(open, close);
      } else {
        // A blank line ends a note that is not closed before it; no note that opens before it is closed either.
        const [close, blank] = [noteEnd(open + 2), Math.min(empty(open), spaced(open))];
        if (close < blank) at = this.#remove(open, close);
        else notesFrom = Math.min(blank, this.#text.length) + 1;
      }
    }
    this.#endLine(this.#text.length);
  }

  #endLine(end: number): number {
    this.#kept += this.#text.slice(this.#from, end);
    // A line that held nothing but a note or a boneyard is no blank line: what it stands in goes on.
    if (!this.#removed || this.#kept.trim() !== "")
      this.lines.push({ text: this.#kept, number: this.#number, notes: this.#notes });
    if (this.lines.length > maxLines) refuse(`there are more than ${withCommas(maxLines)} lines in the file`);
    [this.#kept, this.#notes, this.#removed] = ["", [], false];
    this.#number = ++this.#current;
    this.#from = end + 1;
    return this.#from;
  }

  #remove(open: number, close: number): number {
    let breaks = 0;
    for (let at = this.#nextBreak(open); at < close; at = this.#nextBreak(at + 1)) breaks++;
    this.#kept += this.#text.slice(this.#from, open);
    this.#current += breaks;
    this.#removed = breaks === 0;
    const isNote = breaks === 0 && this.#text[open] === "[";
    if (isNote && this.#notes.length < maxNotes) this.#notes.push(this.#text.slice(open + 2, close).trim());
    this.#from = close + 2;
    return this.#from;
  }
}

type Find = ReturnType<typeof finder>;

/** The lines of `source`, and the line on which a boneyard opens that is never closed. */
export function splitLines(source: string): { lines: readonly Line[]; unclosed: number | undefined } {
  const splitter = new LineSplitter(source.replace(/\r\n?/g, "\n"));
  splitter.split();
  return splitter;
}
