// The ids that other programs have for assets, versions and submissions: a POST with one that is stored answers what is
// stored, if it says the same. docs/api.md, "Writing".
import * as v from "valibot";
import type { JsonText } from "../core/answers.ts";
import { conflict, type HttpError } from "../core/errors.ts";
import * as input from "../core/inputs.ts";
import * as out from "../core/records.ts";
import { cut } from "../core/wording.ts";

const { describe } = input;

/** The field of a POST. */
export const givenExternalId = v.optional(
  describe(
    input.externalId,
    "The id that another program has for it, 1 to 200 characters. The same request again answers what is stored, with repeated; another one is 409.",
  ),
);

/** The filter of a list. */
export const externalIdFilter = v.optional(
  describe(
    v.pipe(
      input.text(1_000),
      v.transform((written) => written.normalize("NFC")),
    ),
    "Return only what has this id of another program.",
  ),
);

/** The fields of a row and of the answer to a POST. */
export const externalIdFields = {
  external_id: describe(v.optional(out.text), "The id that another program has for it. Present if there is one."),
};
export const repeatedField = {
  repeated: describe(v.optional(v.literal(true)), "Present if it was stored before, by its external_id."),
};

/** The answer to a POST that repeats an earlier one. */
// safe: the row has the field
export const asRepeated = <T>(row: JsonText<T>): JsonText<T> => `${row.slice(0, -1)},"repeated":true}` as JsonText<T>;

/** 409: the id is that of something else, or what has it differs in `what`. */
export const takenBy = (external_id: string, holder: string, what: string): HttpError =>
  conflict(
    `external_id ${JSON.stringify(cut(external_id))} is that of ${holder}, which has ${what}; nothing was stored`,
  );
