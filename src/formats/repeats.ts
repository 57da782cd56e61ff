// Finds rows of a list that describe the same thing.
import type { Findings } from "./findings.ts";
import { quoted } from "./spelling.ts";

/** Reports the second and every further row of one key, with the line of the first. Answers whether the row is the first. */
export class Repeats {
  readonly #first = new Map<string, number>();
  readonly #findings: Findings;
  readonly #advice: string;

  constructor(findings: Findings, advice = "") {
    this.#findings = findings;
    this.#advice = advice;
  }

  isFirst(key: string, name: string, line: number): boolean {
    const first = this.#first.get(key);
    if (first === undefined) {
      this.#first.set(key, line);
      return true;
    }
    this.#findings.problem(`${quoted(name)} appears twice, first on line ${first}${this.#advice}`, { line });
    return false;
  }
}
