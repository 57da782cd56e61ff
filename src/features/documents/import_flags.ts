// Defines the flags of an import of paperwork, which are the same on the command line and in the query of the API.
import * as v from "valibot";
import * as input from "../../core/inputs.ts";
import { describe, oneOf } from "../../core/inputs.ts";
import { encodingOf } from "./encoding_labels.ts";
import { listKinds, scriptKinds } from "./kinds.ts";

const maxMaps = 100;

/** By the names of the query; the command line has them with two hyphens. */
export const flagEntries = {
  as: v.optional(
    describe(
      oneOf([...listKinds, ...scriptKinds]),
      "What CSV files are, where their headings do not tell it, or what a script in a text file is.",
    ),
  ),
  map: v.optional(
    describe(
      input.list(input.text(300), maxMaps),
      'What a header of a CSV file means, such as "Set=slugline", or the name under which such pairs are kept. May be repeated.',
    ),
    [],
  ),
  dates: v.optional(describe(oneOf(["dmy", "mdy", "ymd"]), "The order of dates that are all digits.")),
  episode: v.optional(describe(input.text(50), "The code of the episode of a script or a schedule.")),
  new_episode: v.optional(
    describe(input.flag, "Adds the episode that `episode` names to the series, if the series does not have it."),
    false,
  ),
  color: v.optional(describe(input.text(100), "The revision colour of a script's draft.")),
  pages: v.optional(
    describe(input.flag, "The script has only the revised pages; its other scenes count as unchanged."),
    false,
  ),
  encoding: v.optional(
    describe(
      v.pipe(
        input.text(50),
        v.check(
          (label) => encodingOf(label) !== undefined,
          "must be a label of the WHATWG encoding standard that is not UTF",
        ),
      ),
      "The encoding of those text files that are not UTF-8 or UTF-16, such as windows-1251.",
    ),
  ),
  week: v.optional(describe(input.date, "The week of a cost report.")),
};

export const flagNames = Object.keys(flagEntries) as (keyof typeof flagEntries)[]; // the keys of the object
export const flagSchema = v.object(flagEntries);
export type PaperworkFlags = v.InferOutput<typeof flagSchema>;

/** No flag is given. */
export const noFlags: PaperworkFlags = { map: [], pages: false, new_episode: false };
