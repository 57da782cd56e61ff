// Lists the day out of days, and says what the answers about a day name of its cast.
import * as v from "valibot";
import { unprocessable } from "../../core/errors.ts";
import type { Id, ProductionId } from "../../core/ids.ts";
import { describe, ids } from "../../core/inputs.ts";
import { reading } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { many, value } from "../../core/store/statements.ts";
import { withCommas } from "../../core/wording.ts";
import { unit } from "../../graph/schedule.ts";

const meanings =
  "SW: the first day of work (start), W: work, WF: the last day of work (finish), SWF: the only day of work";

/** The fields that name a character in every list of the cast. */
const calledFields = {
  node_id: out.id,
  label: out.text,
  cast_number: v.nullable(out.text),
  performer: v.nullable(out.text),
};

/** A character who works on a shoot day. */
export const castMember = out.record(
  "CastMember",
  v.object({
    ...calledFields,
    call: describe(
      v.nullable(out.text),
      "The character's own call. Null if there is none; the crew call applies then.",
    ),
    scenes: describe(
      v.array(
        v.object({
          ...{ node_id: out.id, number: out.text },
          ...{ episode_id: v.optional(out.id), episode_code: v.optional(out.text) },
        }),
      ),
      "Those of the day, without omitted ones. With their episodes on an episodic production.",
    ),
    work: describe(v.picklist(["SW", "W", "WF", "SWF"]), `${meanings}.`),
  }),
);

const castDays = out.record(
  "CastDays",
  v.object({
    ...calledFields,
    days: describe(
      v.array(
        v.object({
          shoot_day_id: out.id,
          day_number: out.count,
          unit,
          date: out.date,
          work: describe(
            v.picklist(["SW", "W", "H", "WF", "SWF"]),
            `${meanings}, H: a date without work between the first and the last (hold); its entry is its first shoot day, of any unit. All entries of a date have one code. An omitted scene is no work.`,
          ),
        }),
      ),
      "From the first day of work to the last, by date.",
    ),
    totals: describe(
      v.object({ work: out.count, hold: out.count, total: out.count }),
      "How many dates are work and hold.",
    ),
  }),
);
/** The shoot days of one character. */
export type CastDays = v.InferOutput<typeof castDays>;

/** The shoot days in the order of the calendar. */
export const shootDatesOf = many<
  { production_id: ProductionId },
  { id: Id<"shoot_day">; unit: string; day_number: number; date: string }
>("list_shoot_dates");

/**
 * The most days of the day out of days, of all characters together: it is a product of what is stored, and thus has no
 * other bound.
 */
const maxCastDays = 100_000;
const castDaysOf = value<{ production_id: ProductionId }, number>("count_cast_days");

export const listCastDays = reading({
  name: "list_cast_days",
  summary:
    "Lists the day out of days: for each character the shoot days of its work, with where it starts, finishes and holds, and how many dates these are.",
  path: "/cast/days",
  scope: "read",
  input: v.object({
    episode_id: v.optional(
      describe(
        ids,
        "Count only work in scenes of these episodes, and list only the characters that these need. May be repeated.",
      ),
    ),
  }),
  output: v.array(castDays),
  parameters({ app, caller }) {
    if ((castDaysOf(app.store, caller) ?? 0) > maxCastDays)
      throw unprocessable(`the day out of days has more than ${withCommas(maxCastDays)} days of characters`);
    return {};
  },
});
