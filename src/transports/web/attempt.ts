// Tries what a form asks for, so that a refusal can be shown beside its field.
import { HttpError } from "../../errors.ts";
import { sentence } from "./send.ts";

/** The statuses of refusals that a person can correct in the form. */
const correctable: ReadonlySet<number> = new Set([403, 409, 413, 422]);

/** Returns undefined if the work succeeds, and the sentence if it is refused. Throws every other error. */
export async function attempt(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof HttpError && correctable.has(error.status)) return sentence(error.message);
    throw error;
  }
}
