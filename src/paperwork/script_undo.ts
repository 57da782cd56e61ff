// Takes back what a change set did to the stored script: drafts, the scenes that the next draft is compared with, and pending changes.
import { isDeepStrictEqual } from "node:util";
import type { Conflict, ScriptEntry, ScriptTable } from "../document/apply/undo.ts";
import type { StoredProduction } from "../document/nouns/stored.ts";
import type { PlannedChange } from "../document/plan/plan.ts";
import { withReturned } from "../sequences.ts";
import type { Store } from "../store/database.ts";
import { change } from "../store/statements.ts";
import {
  markOf,
  type Own,
  placed,
  recordedBeside,
  rowKey,
  type ScriptCells,
  type ScriptState,
  type StateRow,
  scriptState,
  scriptTables,
} from "./script_record.ts";
import { deleteProposal, deleteScene, insertDraft, insertProposal, putScene } from "./script_store.ts";

type Write = (store: Store, row: Own & ScriptCells) => unknown;
/** Each writes a row with every column of its list; the document gives script changes back that were removed. */
const write: Readonly<Record<ScriptTable, Write>> = {
  script_drafts: insertDraft as unknown as Write,
  script_scenes: putScene as unknown as Write,
  script_changes: change<Own & ScriptCells>("restore_script_change"),
  script_proposals: (store, { id, ...row }) =>
    (insertProposal as unknown as Write)(store, { ...row, change_id: id ?? null }),
};
type Remove = (store: Store, row: Own & { id: number }) => unknown;
const remove: Readonly<Partial<Record<ScriptTable, Remove>>> = {
  script_drafts: change<Own & { id: number }>("delete_script_draft"),
  script_scenes: deleteScene,
  script_proposals: (store, { production_id, id }) => deleteProposal(store, { production_id, change_id: id }),
};

/** What a sentence calls a row. */
function thingOf({ table, id, from }: ScriptEntry, state: ScriptState): string {
  if (table === "script_changes" || table === "script_proposals") return `script change ${id}`;
  const { file, scene } = { ...from, ...state.get(rowKey({ table, id }))?.cells };
  return table === "script_drafts"
    ? `the draft ${file}`
    : `the stored text of scene "${JSON.parse(String(scene ?? "{}")).number}"`;
}

const words: Readonly<Record<string, string>> = { scene: "text", node_id: "scene" };

function conflictOf(entry: ScriptEntry, state: ScriptState): string | undefined {
  const now = state.get(rowKey(entry))?.cells;
  if (entry.to === null) return now === undefined ? undefined : "is there again";
  if (now === undefined) return "was removed since";
  const other = Object.entries(entry.to).find(([name, mark]) => markOf(name, now[name]) !== mark)?.[0];
  return other === undefined ? undefined : `${words[other] ?? other} was changed since`;
}

/** The rows as they will be. */
function stateAfter(entries: readonly ScriptEntry[], state: ScriptState): ScriptState {
  const staying = new Map(state);
  const returned: StateRow[] = [];
  for (const { table, id, from, after } of entries) {
    const key = rowKey({ table, id });
    const row = { table, id, cells: { ...state.get(key)?.cells, ...from }, after };
    if (from !== null && after === undefined && state.has(key)) staying.set(key, row);
    else staying.delete(key);
    if (from !== null && !staying.has(key)) returned.push(row);
  }
  const start = ({ table, cells: { episode_id } }: StateRow) => `${table} of ${episode_id}`;
  const after = (row: StateRow) =>
    row.after === 0 ? start(row) : row.after && rowKey({ table: row.table, id: row.after });
  return placed(withReturned<StateRow>([...staying.values()], returned, { own: rowKey, start, after }));
}

/** What the rows refer to. */
const bound = (rows: ScriptState): Set<string> =>
  new Set(
    [...rows.values()].flatMap(({ table, cells: { node_id, episode_id } }) => [
      ...(table === "script_scenes" && node_id !== null ? [`scene ${node_id}`] : []),
      ...(episode_id !== undefined && episode_id !== null ? [`episode ${episode_id}`] : []),
    ]),
  );

/** Script changes that become another status, as changes of a plan; `known` are those that the change set lists itself. */
function statusChanges(
  entries: readonly ScriptEntry[],
  stored: StoredProduction,
  known: ReadonlySet<unknown>,
): PlannedChange[] {
  const items = new Map(stored.items("script_changes").map((item) => [item.id, item]));
  return entries.flatMap(({ table, id, from, to }) => {
    const raw = items.get(id)?.raw;
    if (table !== "script_changes" || from === null || to === null || raw === undefined || known.has(id)) return [];
    const fields: PlannedChange["fields"] = {};
    if ("status" in from) fields.status = { from: from.status, to: raw.status };
    if ("decided_at" in from) fields.decided_at = { from: from.decided_at, to: raw.decided_at ?? null };
    if (from.node_id === null) fields.scene = { from: null, to: raw.scene ?? null };
    const key = [raw.scene_number, raw.kind, raw.detected_at].join(" / ");
    return Object.keys(fields).length === 0 ? [] : [{ section: "script_changes", key, id, action: "change", fields }];
  });
}

/** Writes the rows as they were. Inside a write transaction whose references are checked at its end. */
function restore(store: Store, production_id: number, before: ScriptState, after: ScriptState): void {
  for (const table of scriptTables)
    for (const [key, { id, cells, position, ...row }] of after) {
      const former = before.get(key);
      const isSame = position === former?.position && isDeepStrictEqual(cells, former?.cells);
      if (row.table === table && !isSame) write[table](store, { ...cells, position: position ?? 0, id, production_id });
    }
  for (const table of scriptTables.toReversed())
    for (const [key, row] of before)
      if (row.table === table && !after.has(key)) remove[table]?.(store, { production_id, id: row.id });
}

/** What the undo of a change set does to the script, and what stands against it. In the transaction of `stored`. */
export function undoScript(
  store: Store,
  stored: StoredProduction,
  entries: readonly ScriptEntry[],
  changes: readonly PlannedChange[],
) {
  const { production_id } = stored;
  const state = scriptState(store, production_id);
  const conflicts: Conflict[] = [];
  const add = (entry: ScriptEntry, sentence: string) => {
    const { table: part, id } = entry;
    conflicts.push({ sentence: `${thingOf(entry, state)}${sentence}`, since: { part, id, field: null } });
  };
  for (const entry of entries) {
    const sentence = conflictOf(entry, state);
    if (sentence !== undefined) add(entry, `: ${sentence}`);
  }
  const rows = stateAfter(entries, state);
  const gone = new Map(entries.flatMap((entry) => (rows.has(rowKey(entry)) ? [] : [[rowKey(entry), entry] as const])));
  for (const { id, cells } of rows.values()) {
    const entry = gone.get(`script_scenes ${cells.script_scene_id}`);
    if (entry !== undefined) add(entry, ` is named by script change ${id}`);
  }
  const known = new Set(changes.flatMap(({ section, id }) => (section === "script_changes" ? [id] : [])));
  const texts = entries.filter(
    ({ table, from, to }) => table === "script_scenes" && (from === null || to === null || "scene" in from),
  ).length;
  return {
    conflicts,
    changes: conflicts.length > 0 ? [] : statusChanges(entries, stored, known),
    warnings: texts === 0 ? [] : [`the stored text of ${texts} scene${texts === 1 ? "" : "s"} is as it was before`],
    beside: Object.assign(
      recordedBeside(store, production_id, () => restore(store, production_id, state, rows), state),
      { frees: bound(state).difference(bound(rows)) },
    ),
  };
}
