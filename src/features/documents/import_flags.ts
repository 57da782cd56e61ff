// Defines the flags of an import of paperwork, which are the same on the command line and in the query of the API.
import * as v from "valibot";
import { date, describe, flag, list, oneOf, text } from "../../core/inputs.ts";
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
      list(text(300), maxMaps),
      'What a header of a CSV file means, such as "Set=slugline", or the name under which such pairs are kept. May be repeated.',
    ),
    [],
  ),
  dates: v.optional(describe(oneOf(["dmy", "mdy", "ymd"]), "The order of dates that are all digits.")),
  episode: v.optional(describe(text(50), "The code of the episode of a script or a schedule.")),
  new_episode: v.optional(
    describe(flag, "Adds the episode that `episode` names to the series, if the series does not have it."),
    false,
  ),
  color: v.optional(describe(text(100), "The revision colour of a script's draft.")),
  pages: v.optional(
    describe(flag, "The script has only the revised pages; its other scenes count as unchanged."),
    false,
  ),
  week: v.optional(describe(date, "The week of a cost report.")),
};

export const flagNames = Object.keys(flagEntries) as (keyof typeof flagEntries)[]; // the keys of the object
export const flagSchema = v.object(flagEntries);
export type PaperworkFlags = v.InferOutput<typeof flagSchema>;

/** No flag is given. */
export const noFlags: PaperworkFlags = { map: [], pages: false, new_episode: false };
