// Counts the submitted work on deliveries that nobody has looked at. The operation is not one of the API, so its file
// has no other.
import * as v from "valibot";
import type { EngagementId, ProductionId } from "../../core/ids.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { many } from "../../core/store/statements.ts";
import type { Visit } from "./visit.ts";

const waitingOf = many<
  { production_id: ProductionId; engagement_id: EngagementId | null },
  { delivery_id: number; count: number }
>("count_waiting_work");

const countWaitingWork = operation({
  name: "count_waiting_work",
  summary: "Counts the submitted work on each delivery that nobody has looked at; for a vendor, its own.",
  path: "/waiting-work",
  scope: "read",
  reach: "engagement",
  output: v.array(v.object({ delivery_id: out.count, count: out.count })),
  run: ({ app, caller: { production_id, engagement_id } }) => waitingOf(app.store, { production_id, engagement_id }),
});

/** How much work on each delivery nobody has looked at; those without any are not in it. */
export type WaitingCounts = ReadonlyMap<number, number>;

export const waitingCounts = async (visit: Visit): Promise<WaitingCounts> =>
  new Map(
    visit.holds("read")
      ? (await visit.ask(countWaitingWork, {})).map(({ delivery_id, count }) => [delivery_id, count])
      : [],
  );
