// The bundle of a shoot day: one statement assembles its scenes, whether they are ready, and what is still pending.
import * as v from "valibot";
import { type JsonText, type TaggedDocument, withEtag } from "../../core/answers.ts";
import type { Context, Reach } from "../../core/context.ts";
import { HttpError, notFound, unprocessable } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { operation, reachOf, read } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { document, one, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { gatingApproval } from "../../graph/approvals.ts";
import { assetFields } from "../../graph/assets.ts";
import { etag, shapeVersion } from "../../graph/bundles.ts";
import { delivery } from "../../graph/deliveries.ts";
import { zoneOf } from "../../graph/production.ts";
import { departmentNote, scene } from "../../graph/scenes.ts";
import { dayFields, shootDayRow, unit } from "../../graph/schedule.ts";
import { scriptChange } from "../../graph/script_changes.ts";
import { dayText, unitOf } from "../../graph/units.ts";
import { newestVersion } from "../../graph/versions.ts";
import { castMember } from "../cast/cast_days.ts";
import type { DaySheet } from "../clashes/clashes.ts";

const { describe } = input;

const dayAsset = out.record(
  "DayAsset",
  v.object({
    ...assetFields,
    ready: describe(v.boolean(), "Whether the asset has a released version."),
    released_versions: describe(out.count, "The number of released versions."),
    newest: describe(
      v.nullable(newestVersion),
      "The version with the highest number that is not archived, released or not. Null if there is none.",
    ),
  }),
);

/** The bundle of a shoot day. */
export const dayBundle = out.record(
  "DayBundle",
  v.object({
    version: shapeVersion,
    day: v.object({ ...shootDayRow.entries, ...dayFields }),
    cast: describe(
      v.array(castMember),
      "The characters of the day's scenes that are not omitted. Who only holds is not in it.",
    ),
    scenes: describe(v.array(v.object({ ...scene.entries, assets: v.array(dayAsset) })), "In the order of the day."),
    approvals: describe(
      v.array(gatingApproval),
      "The pending approvals that gate the day's scenes, their assets or the deliveries below.",
    ),
    deliveries: describe(
      v.array(
        v.object({
          ...delivery.entries,
          node_ids: describe(v.array(out.id), "The scenes and assets of the day that the delivery is about."),
        }),
      ),
      "The deliveries about the day's scenes and assets that are not accepted.",
    ),
    script_changes: describe(v.array(scriptChange), "The pending changes of the day's scenes."),
    department_notes: v.array(departmentNote),
    clashes: describe(
      v.array(out.text),
      "Sentences about what does not fit together: calls within the turnaround, characters and scenes that are on another day too, and a missing location.",
    ),
    same_date: describe(
      v.array(v.object({ id: out.id, day_number: out.count, unit })),
      "The other shoot days on this date.",
    ),
    etag,
  }),
);
export type DayBundle = v.InferOutput<typeof dayBundle>;

interface Choice {
  shoot_day_id: number | null;
  date: string | null;
  /** "" for the main unit; null for any. */
  unit: string | null;
  missing: 0 | 1;
}
const dayBundleOf = document<Reach & Choice, Omit<DayBundle, "etag" | "clashes">>("get_day_bundle");
const relatedDaysOf = document<Reach & Choice & { earlier: string; most: number }, DaySheet[]>("list_related_days");
const nearDayOf = one<
  { production_id: ProductionId; date: string; unit: string | null },
  { unit: string; day_number: number; date: string; is_next: 0 | 1 }
>("get_near_shoot_day");
const hasLocations = value<{ production_id: ProductionId }, 0 | 1>("has_locations");

type Finder = typeof import("../clashes/clashes.ts");
/** Finds what clashes. Loaded with the first bundle of a day, because the start needs no documents. */
let finder: Finder | undefined;

/** What does not fit together on a day. */
function clashesOf(context: Context, choice: Choice, find: Finder): string[] {
  const { store, config } = context.app;
  const related: DaySheet[] = JSON.parse(
    read(context, relatedDaysOf, { ...choice, earlier: `-${find.earlierDates} days`, most: find.maxNearDays }),
  );
  const [day, ...others] = related as [DaySheet, ...DaySheet[]]; // safe: the day itself comes first
  const isMissing = !day.location && hasLocations(store, { production_id: context.caller.production_id }) === 1;
  return [
    ...find.castClashes(day, others, config.turnaround, zoneOf(store, context.caller)),
    ...find.sharedScenes(day, others),
    ...(isMissing ? [find.noLocation] : []),
  ];
}

/** 404 for a date without a shoot day, or without one of a unit, with the day to ask for instead. */
function noDayOn(store: Store, asked: { production_id: ProductionId; date: string; unit: string | null }): HttpError {
  const { date, unit } = asked;
  const near = nearDayOf(store, asked);
  const what = `no shoot day${unit === null ? "" : ` of ${unit === "" ? "the main unit" : unit}`} on ${date}`;
  if (near === undefined) return new HttpError(404, `${what}; the production has none`);
  return new HttpError(
    404,
    `${what}; the ${near.is_next === 1 ? "next" : "last"} one is ${dayText(near)}, ${near.date}`,
  );
}

/** The bundle of a day, as of one moment. */
const dayBundleIn = (context: Context, choice: Choice, find: Finder): TaggedDocument<DayBundle> =>
  context.app.store.database.transaction(() => {
    const { app, caller } = context;
    const bundle = dayBundleOf(app.store, { ...reachOf(context), ...choice });
    if (bundle === undefined)
      throw choice.date === null
        ? notFound()
        : noDayOn(app.store, { ...choice, date: choice.date, production_id: caller.production_id });
    const whole = `${bundle.slice(0, -1)},"clashes":${JSON.stringify(clashesOf(context, choice, find))}}`;
    // safe: the statement's object and the field that it lacks
    return withEtag<DayBundle>(whole as JsonText<Omit<DayBundle, "etag">>);
  })();

/** Reads the bundle of a day, as of one moment. */
export async function dayBundleReader(): Promise<
  (context: Context, shoot_day_id: number) => TaggedDocument<DayBundle>
> {
  finder ??= await import("../clashes/clashes.ts");
  const find = finder;
  return (context, shoot_day_id) => dayBundleIn(context, { shoot_day_id, date: null, unit: null, missing: 0 }, find);
}

export const getDayBundle = operation({
  name: "get_day_bundle",
  summary:
    "Returns one shoot day, by id or by date, in one round trip: its cast with calls, its scenes, whether each of their assets is released, the pending approvals, deliveries and script changes in the way, and what clashes.",
  path: "/bundles/day/:shoot_day_id",
  path_of_query: "/bundles/day",
  named_by: "date",
  scope: "read",
  input: v.object({
    shoot_day_id: v.optional(describe(input.id, "The shoot day's id. Give either this or date.")),
    date: v.optional(describe(input.date, "The date, such as 2026-03-01.")),
    unit: v.optional(describe(input.text(40), "With a date: the unit, such as 2nd Unit or Main.")),
    missing: v.optional(describe(input.flag, "Whether to return only assets that are not ready."), false),
  }),
  output: dayBundle,
  run: (context, { shoot_day_id = null, date = null, unit: name, missing }) => {
    if ((shoot_day_id === null) === (date === null))
      throw unprocessable(date === null ? "date is required" : "date must not be given together with shoot_day_id");
    if (name !== undefined && date === null) throw unprocessable("unit must be given together with date");
    const unit = name === undefined ? null : unitOf(name);
    const choice = { shoot_day_id, date, unit, missing: missing ? 1 : 0 } as const;
    if (finder !== undefined) return dayBundleIn(context, choice, finder);
    return import("../clashes/clashes.ts").then((loaded) => {
      finder = loaded;
      return dayBundleIn(context, choice, loaded);
    });
  },
});
