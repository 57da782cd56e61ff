// Tries what a form asks for, so that a refusal can be shown beside its field.
import { HttpError } from "../../errors.ts";
import { sentence } from "./send.ts";

/** The statuses of refusals that a person can correct in the form. */
const correctable: ReadonlySet<number> = new Set([403, 409, 410, 413, 422]);

/** The result of the work, or the sentence of its refusal. Throws errors that a person cannot correct in the form. */
export async function attempted<T>(work: Promise<T>): Promise<{ value: T } | { problem: string }> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof HttpError && correctable.has(error.status)) return { problem: sentence(error.message) };
    throw error;
  }
}

/** Returns undefined if the work succeeds, and the sentence if it is refused. */
export async function attempt(work: Promise<unknown>): Promise<string | undefined> {
  const result = await attempted(work);
  return "problem" in result ? result.problem : undefined;
}
