// Returns the shooting schedule: days and their strips.
import * as v from "valibot";
import type { Context } from "../core/context.ts";
import { unprocessable } from "../core/errors.ts";
import type { Id, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { pagedBySentIds } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { many } from "../core/store/statements.ts";

const { describe } = input;

const strip = out.record(
  "Strip",
  v.object({
    node_id: out.id,
    number: out.text,
    slugline: out.text,
    episode_id: describe(v.optional(out.id), "Present only on an episodic production."),
    episode_code: describe(v.optional(out.text), "Present only on an episodic production."),
    matches: describe(
      v.optional(v.boolean()),
      "Whether the strip is of a requested episode. Present only on an episodic production if episode_id is given.",
    ),
  }),
);

/** The unit of a shoot day. */
export const unit = describe(
  v.optional(out.text),
  "The unit of the day, in which its number counts. Absent for the main unit.",
);

const call = out.record(
  "DayCall",
  v.object({
    who: describe(
      out.text,
      "The label of an asset, the name of a person, the slug of a department, or a text that names none.",
    ),
    time: describe(out.text, "Such as 07:30, or words such as O/C."),
    pickup: describe(v.optional(out.text), "When the person is picked up. A time or a word, as `time`."),
    makeup: describe(v.optional(out.text), "When make-up begins. A time or a word, as `time`."),
    costume: describe(v.optional(out.text), "When costume begins. A time or a word, as `time`."),
    on_set: describe(v.optional(out.text), "When the person is needed on set. A time or a word, as `time`."),
    note: v.optional(out.text),
    node_id: describe(v.optional(out.id), "Present if an asset is called."),
    person_id: describe(v.optional(out.id), "Present if a person is called."),
    department_id: describe(v.optional(out.id), "Present if a department is called."),
  }),
);

const banner = out.record(
  "DayBanner",
  v.object({
    before: describe(v.nullable(out.text), "The number of the scene that follows; null after the last scene."),
    node_id: describe(v.nullable(out.id), "The scene that follows; null after the last scene."),
    text: out.text,
    episode_code: describe(v.optional(out.text), "That of the scene, on an episodic production."),
  }),
);

const scenePart = out.record(
  "ScenePart",
  v.object({
    node_id: describe(out.id, "The scene."),
    number: out.text,
    text: describe(out.text, "Which part of it, such as pt 2."),
    pages: describe(v.optional(out.text), "The length of the part, such as 1 3/8."),
    episode_code: describe(v.optional(out.text), "That of the scene, on an episodic production."),
  }),
);

const line = out.record(
  "DayLine",
  v.object({ label: describe(out.text, "Such as Base, Hospital, Weather or Lunch."), text: out.text }),
);

/** What a call sheet says of a day; a field that the day does not have is absent. */
export const dayFields = {
  location: v.optional(out.text),
  notes: v.optional(out.text),
  wrap: describe(v.optional(out.text), "The expected wrap, such as 19:30."),
  time_zone: describe(
    v.optional(out.text),
    "The IANA name of the day's own time zone. Absent if it is the production's.",
  ),
  calls: v.optional(v.array(call)),
  banners: v.optional(v.array(banner)),
  parts: describe(v.optional(v.array(scenePart)), "The scenes of which the day has a part."),
  lines: describe(v.optional(v.array(line)), "What else the call sheet says, in its order."),
};

const shootDay = out.record(
  "ShootDay",
  v.object({
    id: out.id,
    day_number: out.count,
    unit,
    date: out.date,
    general_call: v.nullable(out.text),
    status: out.text,
    scenes: v.array(strip),
    ...dayFields,
  }),
);

/** A shoot day, as scene bundles have it. */
export const shootDayRow = out.record(
  "ShootDayRow",
  v.object({
    ...{ id: out.id, day_number: out.count, unit, date: out.date },
    ...{ status: out.text, general_call: v.nullable(out.text) },
  }),
);

const dayIdsOf = many<{ production_id: ProductionId }, { id: Id<"shoot_day"> }>("list_shoot_day_ids");

/**
 * The first and the last date of a request; null if there is no such limit. Throws 422 if they contradict each other.
 */
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
    days_of_episode_id: v.optional(
      describe(
        input.ids,
        "On an episodic production: return only the days, whole, that have a scene of these episodes. May be repeated.",
      ),
    ),
    date: v.optional(describe(input.date, "Return only the days of this date. Not together with from or to.")),
    from: v.optional(describe(input.date, "The first date to return.")),
    to: v.optional(describe(input.date, "The last date to return.")),
  }),
  output: v.array(shootDay),
  tool: { omit: ["days_of_episode_id", "date", "from", "to"] },
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
