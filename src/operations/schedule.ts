// Returns the shooting schedule: days and their strips.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { describe, ids } from "../inputs.ts";
import { count, date, id, record, text } from "../records.ts";
import { document } from "../store/statements.ts";
import { operation } from "./operation.ts";
import { read } from "./read.ts";

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

const shootDay = record(
  "ShootDay",
  v.object({
    id,
    day_number: count,
    date,
    general_call: v.nullable(text),
    status: text,
    scenes: v.array(strip),
  }),
);

export const shootDayRow = record(
  "ShootDayRow",
  v.object({ id, day_number: count, date, status: text, general_call: v.nullable(text) }),
);

const scheduleOf = document<Reach & { episode_ids: string | null }, v.InferOutput<typeof shootDay>[]>("get_schedule");

export const getSchedule = operation({
  name: "get_schedule",
  summary:
    "Lists the shoot days with their strips. On an episodic production, episode_id marks the strips of these episodes.",
  method: "GET",
  path: "/schedule",
  scope: "read",
  reach: "production",
  input: v.object({ episode_id: v.optional(ids) }),
  output: v.array(shootDay),
  errors: [],
  tool: {},
  resource: "service://schedule",
  run: (context, { episode_id }) =>
    read(context, scheduleOf, { episode_ids: episode_id === undefined ? null : JSON.stringify(episode_id) }),
});
