// Random texts with what causes problems in CSV files and spreadsheets.
import fc from "fast-check";
import * as v from "valibot";
import * as input from "../../src/core/inputs.ts";
import { sameName } from "../../src/core/wording.ts";

const pieces = [..."=+-@'\",;|\t\n\r []{}#&/é7Z\ufeff😀", "\r\n", "pt", " and ", "12", "TBC", "NULL", "Yes"];
/** Texts of at most `most` characters that a document may have. */
export const texts = (most: number) =>
  fc
    .array(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "grapheme", maxLength: 3 })),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => parts.join(""))
    .filter((value) => v.is(input.text(most), value));

/** Two names of one form are one name. */
export const foldedText = sameName;
