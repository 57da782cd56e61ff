// The schema of the plan that an import and an undo answer.
import * as v from "valibot";
import * as input from "../../core/inputs.ts";
import { describe } from "../../core/inputs.ts";
import * as out from "../../core/records.ts";
import { sectionNames } from "./sections/sections.ts";

export const wholeNumber = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The input of what answers changes. */
export const changesLimit = v.optional(
  describe(
    input.pageLimit,
    "The maximum number of changes in the answer; values above 500 become 500. Its counts are of all. Without it, the answer has all.",
  ),
);

/** A change of a plan. */
export const plannedChange = v.object({
  section: v.picklist(["production", ...sectionNames]),
  key: describe(out.text, "The key that documents use for the thing."),
  id: describe(v.nullable(out.id), "Null if the thing is not stored yet."),
  action: v.picklist(["add", "change", "remove"]),
  fields: v.record(v.string(), v.object({ from: v.unknown(), to: v.unknown() })),
});

export const planSchema = out.record(
  "Plan",
  v.object({
    production_id: out.id,
    dry_run: v.boolean(),
    revision: describe(
      out.text,
      "The revision that was compared with the documents; if the import was applied, the revision after it.",
    ),
    counts: v.object({ added: wholeNumber, changed: wholeNumber, removed: wholeNumber, unchanged: wholeNumber }),
    changes: v.array(plannedChange),
    warnings: v.array(out.text),
    change_set: v.optional(describe(out.id, "The change set of what was applied, which `undo` takes back.")),
  }),
);

export const dry_run = v.optional(describe(input.flag, "Answers the plan, but writes nothing."), false);
export const if_revision = v.optional(
  describe(input.text(500), "Refuses with 409 if the production is at another revision."),
);
