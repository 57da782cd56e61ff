// What follows written operations: activity without what went, the times of what lists show, and the status of
// versions.
import type { ProductionId } from "../../../core/ids.ts";
import { composed } from "../../../core/store/composed.ts";
import { change } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import { settleVersion } from "../../../graph/versions.ts";
import type { Raw } from "../sections/form.ts";
import type { Listed } from "./plan.ts";
import type { Prepared } from "./prepare.ts";
import { rowsAt } from "./replay.ts";
import type { RowOperation } from "./row_operation.ts";
import type { Cell, Row } from "./rows.ts";
import type { Update } from "./update.ts";

const touchNodes = change("touch_shown_nodes");
const forgetInActivity = change("forget_node_in_activity");
/** Without their engagement, sessions would show everything. */
const endSessions = change("delete_sessions_as");

const rowsIn = (side: RowOperation["from"]): Row[] => (side === null ? [] : [side].flat());

/**
 * What is done before a thing is removed: activity stays without it, and sessions that looked through an engagement
 * end.
 */
export function leave(store: Store, production_id: ProductionId, operations: readonly RowOperation[]): void {
  for (const { table, to, id } of operations)
    if (to === null && table === "nodes") forgetInActivity(store, { production_id, id });
    else if (to === null && table === "engagements") endSessions(store, { production_id, id });
}

/** The scenes and assets that changed notes are on, and were on. */
function annotated({ items }: Listed): unknown[] {
  const notes = items.filter(({ item: { section } }) => section === "department_notes" || section === "notes");
  return notes.flatMap(({ item: { before, next } }) => [before, next].map((note) => note?.scene ?? note?.asset));
}

/** The scenes whose text is shown differently: as it was approved last. */
function rewritten(store: Store, operations: readonly RowOperation[]): Cell[] {
  const shown = (row: Row): string => {
    const { text, shape, draft } = JSON.parse(String(row.approved ?? row.scene ?? "{}")) as Raw; // a scene is an object
    return JSON.stringify([text, shape, draft]);
  };
  return operations.flatMap(({ table, key, from, to }) => {
    if (table !== "script_scenes" || Array.isArray(from)) return [];
    const [now = {}] = to === null ? [] : rowsAt(store.database, table, key);
    const was = from === null ? {} : { ...now, ...from };
    const isSame = was.node_id === now.node_id && shown(was) === shown(now);
    return isSame ? [] : [was.node_id ?? null, now.node_id ?? null].filter((id) => id !== null);
  });
}

/** The tables whose rows show in the lists of scenes and assets. */
export const shownInLists: ReadonlySet<string> = new Set([
  "department_notes",
  "notes",
  "script_scenes",
  "strips",
  "departments",
  "episodes",
]);

/** Moves the time of the last change of scenes and assets whose row in a list is another because of other things. */
export function touchOthers(
  store: Store,
  { listed, operations }: Prepared,
  production_id: ProductionId,
  now: string,
): void {
  const nodes = new Set<unknown>([...annotated(listed), ...rewritten(store, operations)]);
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
 * The versions that approvals are about have the status that these decide; one whose approval is pending again, as an
 * undo makes it, has its former one.
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
