// Entries of a list that are known again by the values of their fields, each once.
import { listAt } from "../../sequences/sequences.ts";
import type { Raw } from "../sections/form.ts";

/** The values of fields as one text. What is absent and what is null are the same. */
export const matchedValues = (item: Raw, fields: readonly string[]): string =>
  JSON.stringify(fields.map((field) => item[field] ?? null));

/** The entries of a list, of which each can be claimed once. Their values must be in canonical form. */
export class Claims {
  readonly #entries: readonly Raw[];
  readonly #claimed = new Set<number>();
  /** For each combination of fields: the positions by their values, the first one last. */
  readonly #indexes = new Map<string, Map<string, number[]>>();

  constructor(entries: readonly Raw[]) {
    this.#entries = entries;
  }

  /** The position of the first entry that is not claimed yet and has the values that `given` has in `fields`. */
  claim(given: Raw, fields: readonly string[]): number | undefined {
    const positions = this.#indexOf(fields).get(matchedValues(given, fields));
    for (let at = positions?.pop(); at !== undefined; at = positions?.pop())
      if (!this.#claimed.has(at)) {
        this.#claimed.add(at);
        return at;
      }
    return undefined;
  }

  /** Claims an entry by its position. */
  take(at: number): void {
    this.#claimed.add(at);
  }

  /** How many entries have the values that `given` has in `fields`, before any of them is claimed. */
  count(given: Raw, fields: readonly string[]): number {
    return this.#indexOf(fields).get(matchedValues(given, fields))?.length ?? 0;
  }

  #indexOf(fields: readonly string[]): Map<string, number[]> {
    const name = fields.join();
    let index = this.#indexes.get(name);
    if (index === undefined) {
      index = new Map();
      for (const [at, entry] of [...this.#entries.entries()].reverse())
        listAt(index, matchedValues(entry, fields)).push(at);
      this.#indexes.set(name, index);
    }
    return index;
  }
}
