// Lists the submitted work on deliveries that nobody has looked at. The operation is not one of the API, so its file
// has no other.
import * as v from "valibot";
import type { EngagementId, ProductionId } from "../../core/ids.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { document } from "../../core/store/statements.ts";
import type { Visit } from "./visit.ts";

const work = v.object({
  id: out.count,
  delivery_id: out.count,
  title: out.text,
  vendor: out.text,
  created_at: v.nullable(out.text),
});
const waitingWork = v.object({
  counts: v.array(v.object({ delivery_id: out.count, count: out.count })),
  oldest: v.array(work),
});

const waitingWorkOf = document<
  { production_id: ProductionId; engagement_id: EngagementId | null; most: number },
  v.InferOutput<typeof waitingWork>
>("list_waiting_work");

/** How much of the work is listed. */
const listed = 50;

const listWaitingWork = operation({
  name: "list_waiting_work",
  summary:
    "Counts the submitted work on each delivery that nobody has looked at, and lists the oldest of it; for a vendor, its own.",
  path: "/waiting-work",
  scope: "read",
  reach: "engagement",
  output: waitingWork,
  run: ({ app, caller: { production_id, engagement_id } }) =>
    waitingWorkOf(app.store, { production_id, engagement_id, most: listed }) ?? { counts: [], oldest: [] },
});

export interface WaitingWork {
  /** How much work on each delivery nobody has looked at; those without any are not in it. */
  counts: ReadonlyMap<number, number>;
  /** How much that is on all deliveries. */
  total: number;
  /** At most 50 of it, oldest first. */
  oldest: readonly v.InferOutput<typeof work>[];
}

/** The submitted work that nobody has looked at, of a vendor its own; none for who may not read. */
export async function waitingWorkIn(visit: Visit): Promise<WaitingWork> {
  const { counts, oldest } = visit.holds("read") ? await visit.ask(listWaitingWork, {}) : { counts: [], oldest: [] };
  return {
    counts: new Map(counts.map(({ delivery_id, count }) => [delivery_id, count])),
    total: counts.reduce((sum, { count }) => sum + count, 0),
    oldest,
  };
}
