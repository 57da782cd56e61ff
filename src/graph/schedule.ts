// Returns the shooting schedule: days and their strips.
import * as v from "valibot";
import type { Context } from "../core/context.ts";
import { unprocessable } from "../core/errors.ts";
import type { Id, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { pagedBySentIds } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import { count, date, id, record, text } from "../core/records.ts";
import { many } from "../core/store/statements.ts";

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

const dayIdsOf = many<{ production_id: ProductionId }, { id: Id<"shoot_day"> }>("list_shoot_day_ids");

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
