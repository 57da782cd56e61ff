// What the operations below /batch share.
import * as v from "valibot";
import { HttpError } from "../core/errors.ts";
import { describe } from "../core/inputs.ts";

/** How many items a batch has at most. */
export const maxBatch = 500;

/** Runs the work of an item of a batch. A refusal names the item, and its field where it begins with one. */
export function inItem<T>(place: string, fields: object, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const [, field = ""] = /^(\w+)[ :]/.exec(error.message) ?? [];
    const at = Object.hasOwn(fields, field) ? `${place}.` : `${place}: `;
    throw new HttpError(error.status, at + error.message, error.headers);
  }
}

/** A row of the answer to a batch. */
export const inBatch = { repeated: describe(v.boolean(), "Whether it was stored before, by its external_id.") };
