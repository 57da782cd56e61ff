// Bounds how often a file names scenes and elements: ranges and references name many things with few bytes.
import { type FindingPlace, refuse } from "./findings.ts";

/** More than any production needs: a script of 500 scenes with 50 elements each names 25,000. */
const maxMentions = 200_000;

/** Counts what one file names, each time that it names it. */
export class Mentions {
  #count = 0;

  /** Throws FormatError if the file names too much. */
  add(count = 1, place: FindingPlace = {}): void {
    this.#count += count;
    if (this.#count > maxMentions)
      refuse(
        `the file names scenes and elements more than ${maxMentions.toLocaleString("en")} times, the maximum`,
        place,
      );
  }
}
