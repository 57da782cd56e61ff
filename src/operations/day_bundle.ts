// The bundle of a shoot day: one statement assembles its scenes, whether they are ready, and what is still pending.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { unprocessable } from "../errors.ts";
import * as input from "../inputs.ts";
import { count, id, record } from "../records.ts";
import { document } from "../store/statements.ts";
import { approvalRow } from "./approvals.ts";
import { assetFields } from "./assets.ts";
import { etag, placedNote, shapeVersion, tagged } from "./bundles.ts";
import { delivery } from "./deliveries.ts";
import { operation } from "./operation.ts";
import { scene } from "./scenes.ts";
import { shootDayRow } from "./schedule.ts";
import { scriptChange } from "./script_changes.ts";
import { newestVersion } from "./versions.ts";

const { describe } = input;

const dayAsset = record(
  "DayAsset",
  v.object({
    ...assetFields,
    ready: describe(v.boolean(), "Whether the asset has a released version."),
    released_versions: describe(count, "The number of released versions."),
    newest: describe(
      v.nullable(newestVersion),
      "The version with the highest number that is not archived, released or not. Null if there is none.",
    ),
  }),
);

const dayBundle = record(
  "DayBundle",
  v.object({
    version: shapeVersion,
    day: shootDayRow,
    scenes: describe(v.array(v.object({ ...scene.entries, assets: v.array(dayAsset) })), "In the order of the day."),
    approvals: describe(
      v.array(v.object({ ...approvalRow.entries, node_id: v.nullable(id), delivery_id: v.nullable(id) })),
      "The pending approvals that gate the day's scenes, their assets or the deliveries below.",
    ),
    deliveries: describe(
      v.array(
        v.object({
          ...delivery.entries,
          node_ids: describe(v.array(id), "The scenes and assets of the day that the delivery is about."),
        }),
      ),
      "The deliveries about the day's scenes and assets that are not accepted.",
    ),
    script_changes: describe(v.array(scriptChange), "The pending changes of the day's scenes."),
    department_notes: v.array(placedNote),
    same_date: describe(v.array(v.object({ id, day_number: count })), "The other shoot days on this date."),
    etag,
  }),
);
type DayBundle = v.InferOutput<typeof dayBundle>;

interface Choice {
  shoot_day_id: number | null;
  date: string | null;
  missing: 0 | 1;
}
const dayBundleOf = document<Reach & Choice, Omit<DayBundle, "etag">>("get_day_bundle");

export const getDayBundle = operation({
  name: "get_day_bundle",
  summary:
    "Returns one shoot day, by id or by date, in one round trip: its scenes, whether each of their assets is released, and the pending approvals, deliveries and script changes in the way. If several days have the date, it is the one with the lowest number.",
  method: "GET",
  path: "/bundles/day/:shoot_day_id",
  path_of_query: "/bundles/day",
  scope: "read",
  reach: "production",
  input: v.object({
    shoot_day_id: v.optional(describe(input.id, "The shoot day's id. Give either this or date.")),
    date: v.optional(describe(input.date, "The date, such as 2026-03-01.")),
    missing: v.optional(describe(input.flag, "Whether to return only assets that are not ready."), false),
  }),
  output: dayBundle,
  errors: [404],
  run: (context, { shoot_day_id = null, date = null, missing }) => {
    if ((shoot_day_id === null) === (date === null))
      throw unprocessable(date === null ? "date is required" : "date must not be given together with shoot_day_id");
    return tagged<DayBundle, Choice>(context, dayBundleOf, { shoot_day_id, date, missing: missing ? 1 : 0 });
  },
});
