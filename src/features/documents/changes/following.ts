// What follows written operations: activity without what went, the times of what lists show, and the status of versions.
import type { ProductionId } from "../../../core/ids.ts";
import { composed } from "../../../core/store/composed.ts";
import type { Store } from "../../../core/store/store.ts";
import { settleVersion } from "../../../graph/version_status.ts";
import { touchNodes } from "../apply/apply.ts";
import { endSessions, forgetInActivity } from "../nouns/changes.ts";
import type { Prepared } from "./prepare.ts";
import type { RowOperation } from "./row_operation.ts";
import type { Row } from "./rows.ts";
import type { Update } from "./update.ts";

const rowsIn = (side: RowOperation["from"]): Row[] => (side === null ? [] : [side].flat());

/** What is done before a thing is removed: activity stays without it, and sessions that looked through an engagement end. */
export function leave(store: Store, production_id: ProductionId, operations: readonly RowOperation[]): void {
  for (const { table, to, id } of operations)
    if (to === null && table === "nodes") forgetInActivity(store, { production_id, id });
    else if (to === null && table === "engagements") endSessions(store, { production_id, id });
}

/** The scenes and assets that notes are on, and were on. */
function annotated(update: Update): unknown[] {
  const notes = (["department_notes", "notes"] as const).flatMap((section) => [...update.items(section).values()]);
  const changed = notes.filter(({ before, next }) => before !== next);
  return changed.flatMap(({ before, next }) => [before, next].map((note) => note?.scene ?? note?.asset));
}

/** Moves the time of the last change of scenes and assets whose row in a list is another because of other things. */
export function touchOthers(
  store: Store,
  { update, operations }: Prepared,
  production_id: ProductionId,
  now: string,
): void {
  const nodes = new Set<unknown>(annotated(update));
  for (const { table, from, to } of operations) {
    if (table !== "strips") continue;
    const sides = [from, to].map((side) => new Set(rowsIn(side).map(({ node_id }) => node_id)));
    const [was = new Set(), is = new Set()] = sides;
    for (const id of was.symmetricDifference(is)) nodes.add(id);
  }
  const renamed = (table: string, column: string) =>
    operations.flatMap(({ table: own, from, to, id }) =>
      own === table && from !== null && to !== null && column in to ? [id] : [],
    );
  const [departments, episodes] = [renamed("departments", "slug"), renamed("episodes", "code")];
  nodes.delete(undefined);
  if (nodes.size + departments.length + episodes.length === 0) return;
  const [ids, of_departments, of_episodes] = [[...nodes], departments, episodes].map((one) => JSON.stringify(one));
  const given = { nodes: String(ids), departments: String(of_departments), episodes: String(of_episodes) };
  touchNodes(store, { production_id, now, ...given });
}

/**
 * The versions that approvals are about have the status that these decide; one whose approval is pending again, as an undo makes it, has its
 * former one.
 */
export function settleVersions(store: Store, production_id: ProductionId, update: Update, now: string): void {
  for (const { id, before, next } of update.items("approvals").values()) {
    if (before === next || next?.version === undefined) continue;
    const isDecidedNow = before !== undefined && before.status !== next.status;
    if (next.version_status !== undefined && !isDecidedNow) continue;
    const isSame = before?.asset === next.asset && before?.version === next.version;
    const former = isSame && next.version_status === undefined ? before?.version_status : undefined;
    const key = { production_id, approval_id: update.operations.id("approval", id) };
    if (typeof former === "string")
      composed(store.database, "UPDATE approvals SET version_status = ? WHERE id = ?").run([former, key.approval_id]);
    settleVersion(store, { ...key, now }, former !== undefined);
  }
}
