// Input fields that several operations of the admin API share.
import * as v from "valibot";
import { describe, id, text } from "../../inputs.ts";

/** The input of a row that acts on one thing. */
export const thing = v.object({ id });

export const expires = v.optional(
  describe(text(40), "The expiry: a date, which is valid until its end in UTC, or an ISO timestamp."),
);
