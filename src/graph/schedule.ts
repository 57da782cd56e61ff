// Returns the shooting schedule: days and their strips, and on which of them the cast works.

import * as v from "valibot";
import type { Context } from "../core/context.ts";
import { unprocessable } from "../core/errors.ts";
import type { ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { pagedBySentIds } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import { count, date, id, record, text } from "../core/records.ts";
import { withCommas } from "../core/spelling.ts";
import { many, value } from "../core/store/statements.ts";

const { describe } = input;

const strip = record(
  "Strip",
  v.object({
    node_id: id,
    number: text,
    slugline: text,
    matches: describe(
      v.optional(v.boolean()),
      "Whether the strip is of a requested episode. Present only on an episodic production if episode_id is given.",
    ),
  }),
);

const call = record(
  "DayCall",
  v.object({
    who: describe(
      text,
      "The label of an asset, the name of a person, the slug of a department, or a text that names none.",
    ),
    time: describe(text, "Such as 07:30, or words such as O/C."),
    note: v.optional(text),
    node_id: describe(v.optional(id), "Present if an asset is called."),
    person_id: describe(v.optional(id), "Present if a person is called."),
    department_id: describe(v.optional(id), "Present if a department is called."),
  }),
);

const banner = record(
  "DayBanner",
  v.object({
    before: describe(v.nullable(text), "The number of the scene that follows; null after the last scene."),
    node_id: describe(v.nullable(id), "The scene that follows; null after the last scene."),
    text,
  }),
);

/** What a call sheet says of a day; a field that the day does not have is absent. */
export const dayFields = {
  location: v.optional(text),
  notes: v.optional(text),
  wrap: describe(v.optional(text), "The expected wrap, such as 19:30."),
  calls: v.optional(v.array(call)),
  banners: v.optional(v.array(banner)),
};

const shootDay = record(
  "ShootDay",
  v.object({
    id,
    day_number: count,
    date,
    general_call: v.nullable(text),
    status: text,
    scenes: v.array(strip),
    ...dayFields,
  }),
);

/** A shoot day, as scene bundles have it. */
export const shootDayRow = record(
  "ShootDayRow",
  v.object({ id, day_number: count, date, status: text, general_call: v.nullable(text) }),
);

const dayIdsOf = many<{ production_id: ProductionId }, { id: number }>("list_shoot_day_ids");

/** The first and the last date of a request; null if there is no such limit. Throws 422 if they contradict each other. */
function datesOf(
  _: Context,
  { date, from, to }: Readonly<Partial<Record<"date" | "from" | "to", string | undefined>>>,
) {
  if (date !== undefined && (from !== undefined || to !== undefined))
    throw unprocessable("date must not be given together with from or to");
  if (from !== undefined && to !== undefined && from > to) throw unprocessable("from must not be after to");
  return { first: date ?? from ?? null, last: date ?? to ?? null };
}

export const getSchedule = reading({
  name: "get_schedule",
  summary:
    "Lists the shoot days with their strips: all of them, those of one date, or those from one date to another. On an episodic production, episode_id marks the strips of these episodes.",
  path: "/schedule",
  scope: "read",
  input: v.object({
    episode_id: v.optional(input.ids),
    date: v.optional(describe(input.date, "Return only the days of this date. Not together with from or to.")),
    from: v.optional(describe(input.date, "The first date to return.")),
    to: v.optional(describe(input.date, "The last date to return.")),
  }),
  output: v.array(shootDay),
  tool: { omit: ["date", "from", "to"] },
  resource: "service://schedule",
  list: pagedBySentIds(dayIdsOf),
  parameters: datesOf,
});

export const getShootDay = reading({
  name: "get_shoot_day",
  summary: "Returns one shoot day with its strips, as the schedule has it.",
  path: "/schedule/:shoot_day_id",
  scope: "read",
  output: shootDay,
  parameters: () => ({ episode_id: null }),
});

const meanings =
  "SW: the first day of work (start), W: work, WF: the last day of work (finish), SWF: the only day of work";

/** The fields that name a character in every list of the cast. */
const calledFields = {
  node_id: id,
  label: text,
  cast_number: v.nullable(text),
  performer: v.nullable(text),
};

/** A character who works on a shoot day. */
export const castMember = record(
  "CastMember",
  v.object({
    ...calledFields,
    call: describe(v.nullable(text), "The character's own call. Null if there is none; the general call applies then."),
    scenes: describe(v.array(v.object({ node_id: id, number: text })), "Those of the day, without omitted ones."),
    work: describe(v.picklist(["SW", "W", "WF", "SWF"]), `${meanings}.`),
  }),
);

const castDays = record(
  "CastDays",
  v.object({
    ...calledFields,
    days: describe(
      v.array(
        v.object({
          shoot_day_id: id,
          day_number: count,
          date,
          work: describe(
            v.picklist(["SW", "W", "H", "WF", "SWF"]),
            `${meanings}, H: a shoot day without work between the first and the last (hold). An omitted scene is no work.`,
          ),
        }),
      ),
      "From the first day of work to the last, by date.",
    ),
    totals: describe(v.object({ work: count, hold: count, total: count }), "How many of the days are work and hold."),
  }),
);
/** The shoot days of one character. */
export type CastDays = v.InferOutput<typeof castDays>;

/** The shoot days in the order of the calendar. */
export const shootDatesOf = many<{ production_id: ProductionId }, { id: number; day_number: number; date: string }>(
  "list_shoot_dates",
);

/** The most days of the day out of days, of all characters together: it is a product of what is stored, and thus has no other bound. */
const maxCastDays = 100_000;
const castDaysOf = value<{ production_id: ProductionId }, number>("count_cast_days");

export const listCastDays = reading({
  name: "list_cast_days",
  summary:
    "Lists the day out of days: for each character the shoot days of its work, with where it starts, finishes and holds, and their numbers.",
  path: "/cast/days",
  scope: "read",
  output: v.array(castDays),
  parameters({ app, caller }) {
    if ((castDaysOf(app.store, caller) ?? 0) > maxCastDays)
      throw unprocessable(`the day out of days has more than ${withCommas(maxCastDays)} days of characters`);
    return {};
  },
});
