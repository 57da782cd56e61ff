// Collects the fields in which a file says something that is not read.
import { firstOf } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";

const maxNamed = 20;

/** What a file says in fields that are not read, by the field and what has it. */
export class UnreadFields {
  readonly #fields = new Map<string, { first: string; count: number }>();

  /** `field`: "scriptPage of breakdowns". A blank text says nothing. */
  saw(field: string, text: string): void {
    if (!/\S/.test(text)) return;
    const { first, count } = this.#fields.get(field) ?? { first: text, count: 0 };
    this.#fields.set(field, { first, count: count + 1 });
  }

  /** A sentence about the fields, each with what it says first. Undefined if there is none. */
  get sentence(): string | undefined {
    if (this.#fields.size === 0) return undefined;
    const fields = [...this.#fields].map(
      ([field, { first, count }]) => `${field} (${quoted(first)}${count === 1 ? "" : ` and ${count - 1} more`})`,
    );
    return `what the file says in these fields was not read: ${firstOf(fields, maxNamed)}`;
  }
}
