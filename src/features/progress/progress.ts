// How the show stands: the scenes that are planned and shot, by shoot day, and what is late.
import * as v from "valibot";
import type { Context } from "../../core/context.ts";
import type { ProductionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { many } from "../../core/store/statements.ts";
import { dateAt } from "../../core/zones.ts";
import { gatingApproval } from "../../graph/approvals.ts";
import { zoneOf } from "../../graph/production.ts";
import { unit } from "../../graph/schedule.ts";
import { parseEighths } from "../names/page_lengths.ts";

const { describe } = input;

const sum = out.record(
  "SceneSum",
  v.object({
    scenes: out.count,
    eighths: describe(
      out.count,
      "The lengths of the scenes, in eighths of a page. A scene whose length cannot be read has 0.",
    ),
  }),
);
type Sum = v.InferOutput<typeof sum>;

const shotDay = out.record(
  "ProgressDay",
  v.object({
    shoot_day_id: out.id,
    day_number: out.count,
    unit,
    date: out.date,
    status: out.text,
    planned: describe(sum, "The scenes for which this is the last day."),
    shot: describe(sum, "The shot scenes that count on this day."),
    part_shot: describe(sum, "Those of the planned scenes that are part shot."),
    not_ready: describe(
      v.nullable(out.count),
      "How many things the day waits for: assets that are not ready, and approvals about anything else. Null before `on`.",
    ),
  }),
);
type ShotDay = v.InferOutput<typeof shotDay>;

const lateThing = out.record(
  "LateThing",
  v.object({
    kind: v.picklist(["approval", "delivery"]),
    id: out.id,
    title: out.text,
    due: out.date,
    days: describe(out.count, "How many days before `on` it was due."),
    awaiting: describe(gatingApproval.entries.awaiting, "Whom an approval waits for. Empty for a delivery."),
  }),
);

const progress = out.record(
  "Progress",
  v.object({
    on: out.date,
    total: describe(sum, "All scenes that are not omitted."),
    shot: describe(sum, "Those whose status is done."),
    part_shot: describe(sum, "Those whose status is active."),
    held: describe(sum, "Those whose status is blocked."),
    without_day: describe(sum, "Those that are on no shoot day, shot ones included."),
    shot_without_day: describe(
      sum,
      "The shot scenes that are on no shoot day up to `on`. They do not count in `behind`.",
    ),
    without_length: describe(out.count, "How many scenes have no length that can be read."),
    measured_to: describe(
      v.nullable(v.object({ shoot_day_id: out.id, day_number: out.count, unit, date: out.date })),
      "The last day up to `on` on which a shot scene counts. Null if there is none.",
    ),
    behind: describe(
      v.nullable(v.pipe(v.number(), v.integer())),
      "The eighths planned up to that day less those shot up to it; negative if the show is ahead. Null without such a day.",
    ),
    days: describe(
      v.array(shotDay),
      "Every shoot day by date. A scene counts on the last of its days; a shot one on the last that is not after `on`.",
    ),
    late: describe(
      v.array(lateThing),
      "What was due before `on`, the longest overdue first: pending approvals, and deliveries that are neither sent nor accepted and for which no submission waits.",
    ),
  }),
);
/** How the show stands on a date. */
export type Standing = v.InferOutput<typeof progress>;

interface Asked {
  production_id: ProductionId;
  on: string;
}
type PlannedDay = Omit<ShotDay, "unit" | "planned" | "shot" | "part_shot"> & { unit: string };
const plannedDays = many<Asked, PlannedDay>("list_planned_days");
const countedScenes = many<
  { production_id: ProductionId; episode_id: string | null },
  { status: string; pages: unknown; days: string }
>("list_counted_scenes");
const lateThings = many<Asked, Omit<Standing["late"][number], "awaiting"> & { awaiting: string }>("list_late");

const none = (): Sum => ({ scenes: 0, eighths: 0 });

function add(to: Sum, eighths: number): void {
  to.scenes++;
  to.eighths += eighths;
}

/** The field that counts the scenes of a status; a scene that is only planned has none. */
const sumOfStatus = new Map<string, "shot" | "part_shot" | "held">([
  ["done", "shot"],
  ["active", "part_shot"],
  ["blocked", "held"],
]);

type Counted = Pick<
  Standing,
  "total" | "shot" | "part_shot" | "held" | "without_day" | "shot_without_day" | "without_length"
>;

/** Counts the scenes, in all and by their days. `days` are in the order of the calendar, and get their sums. */
function countScenes(
  scenes: readonly { status: string; pages: unknown; days: string }[],
  days: readonly ShotDay[],
  on: string,
) {
  const places = new Map(days.map(({ shoot_day_id }, place) => [shoot_day_id, place]));
  const ended = days.filter((day) => day.date <= on).length;
  const sums: Counted = {
    total: none(),
    shot: none(),
    part_shot: none(),
    held: none(),
    without_day: none(),
    shot_without_day: none(),
    without_length: 0,
  };
  for (const scene of scenes) {
    const length = parseEighths(String(scene.pages ?? ""));
    const eighths = length ?? 0;
    if (length === undefined) sums.without_length++;
    add(sums.total, eighths);
    const status = sumOfStatus.get(scene.status);
    if (status !== undefined) add(sums[status], eighths);
    // Every day of the production has a place.
    const reached = (JSON.parse(scene.days) as number[]).map((day) => places.get(day) as number).sort((a, b) => a - b);
    const last = days[reached.at(-1) ?? -1];
    if (last === undefined) add(sums.without_day, eighths);
    else {
      add(last.planned, eighths);
      if (status === "part_shot") add(last.part_shot, eighths);
    }
    if (status !== "shot") continue;
    const shot = days[reached.findLast((place) => place < ended) ?? -1];
    add(shot?.shot ?? sums.shot_without_day, eighths);
  }
  return sums;
}

/** How much is behind, up to the last day up to `on` on which a shot scene counts. */
function behindOf(days: readonly ShotDay[]): Pick<Standing, "measured_to" | "behind"> {
  const last = days.findLastIndex(({ shot }) => shot.scenes > 0);
  const day = days[last];
  if (day === undefined) return { measured_to: null, behind: null };
  const { shoot_day_id, day_number, unit, date } = day;
  const behind = days.slice(0, last + 1).reduce((sum, { planned, shot }) => sum + planned.eighths - shot.eighths, 0);
  return { measured_to: { shoot_day_id, day_number, ...(unit !== undefined && { unit }), date }, behind };
}

function progressOf(
  { app: { store }, caller: { production_id } }: Context,
  on: string,
  episode_id: string | null,
): Standing {
  return store.database.transaction(() => {
    const asked = { production_id, on };
    const days = plannedDays(store, asked).map(
      ({ shoot_day_id, unit, day_number, not_ready, ...day }): ShotDay => ({
        ...{ shoot_day_id, day_number, ...(unit !== "" && { unit }), ...day },
        ...{ planned: none(), shot: none(), part_shot: none(), not_ready },
      }),
    );
    const sums = countScenes(countedScenes(store, { production_id, episode_id }), days, on);
    const late = lateThings(store, asked).map(({ awaiting, ...thing }) => ({
      ...thing,
      awaiting: JSON.parse(awaiting),
    }));
    return { on, ...sums, ...behindOf(days), days, late };
  })();
}

export const getProgress = operation({
  name: "get_progress",
  summary:
    "Returns how the show stands: the scenes and pages that are planned and shot, by shoot day, how much the show is behind, what is not ready for the days to come, and what is late.",
  path: "/progress",
  scope: "read",
  input: v.object({
    on: v.optional(
      describe(input.date, "The date as of which it is counted; by default today in the production's time zone."),
    ),
    episode_id: v.optional(
      describe(input.ids, "Count only scenes of these episodes. Days and what is late stay those of the production."),
    ),
  }),
  output: progress,
  run: (context, { on = dateAt(zoneOf(context.app.store, context.caller), context.app.clock()), episode_id }) =>
    progressOf(context, on, episode_id === undefined ? null : JSON.stringify(episode_id)),
});
