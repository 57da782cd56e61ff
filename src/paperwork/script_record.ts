// What a change set did to the stored script: the rows of drafts, scenes, proposals and script changes before it, and marks of
// what it made of them.
import { hash } from "node:crypto";
import type { Reading } from "../document/apply/apply.ts";
import type { ScriptEntry, ScriptTable } from "../document/apply/undo.ts";
import { movedPositions } from "../sequences.ts";
import type { Store } from "../store/database.ts";
import { many, value } from "../store/statements.ts";

export type ScriptCells = ScriptEntry["from"] & object;
export type Own = { production_id: number };
type Row = { id: number } & ScriptCells;
/** In the order in which they refer to one another. */
const rowsOf = {
  script_drafts: many<Own, Row>("list_script_drafts"),
  script_scenes: many<Own, Row>("list_stored_script"),
  script_changes: many<Own, Row>("list_decided_changes"),
  script_proposals: many<Own, Row>("list_stored_proposals"),
};
export const scriptTables = Object.keys(rowsOf) as ScriptTable[];
const moment = value<Own, string>("script_moment");

/** A row, with the row before it if it is a scene of a script: 0 if it is the first. */
export interface StateRow {
  table: ScriptTable;
  id: number;
  cells: ScriptCells;
  after?: number;
}
/** The rows by table and id. The scenes of a script are in its order. */
export type ScriptState = ReadonlyMap<string, StateRow>;

/** How a row is called in a ScriptState. */
export const rowKey = ({ table, id }: { table: ScriptTable; id: number }): string => `${table} ${id}`;

export function scriptState(store: Store, production_id: number): ScriptState {
  const state = new Map<string, StateRow>();
  const last = new Map<unknown, number>();
  for (const table of scriptTables)
    for (const { id, ...cells } of rowsOf[table](store, { production_id })) {
      const { episode_id } = cells;
      const after = table === "script_scenes" ? (last.get(episode_id) ?? 0) : undefined;
      if (after !== undefined) last.set(episode_id, id);
      state.set(rowKey({ table, id }), { table, id, cells, ...(after !== undefined && { after }) });
    }
  return state;
}

const maxShort = 40;
/** What is enough to see that a value is still the same. */
export const markOf = (cell: string | number | null | undefined): string | number | null =>
  typeof cell === "string" && cell.length > maxShort ? `#${hash("sha256", cell).slice(0, 24)}` : (cell ?? null);

const marked = (cells: ScriptCells): ScriptCells =>
  Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, markOf(cell)]));

/** The scenes that have another place among the others. */
function movedRows(before: ScriptState, after: ScriptState): Set<string> {
  const positions = new Map([...before.keys()].map((key, at) => [key, at]));
  const common = [...after].filter(([key, { table }]) => table === "script_scenes" && positions.has(key));
  const moved = movedPositions(common.map(([key]) => positions.get(key)));
  return new Set(common.flatMap(([key], at) => (moved.has(at) ? [key] : [])));
}

/** What became of the rows. */
function scriptRecord(before: ScriptState, after: ScriptState): ScriptEntry[] {
  const moved = movedRows(before, after);
  const entries: ScriptEntry[] = [];
  for (const [key, { table, id, cells, after: previous }] of before) {
    const now = after.get(key)?.cells;
    const names = Object.keys(cells).filter((name) => now === undefined || cells[name] !== now[name]);
    if (names.length === 0 && !moved.has(key)) continue;
    const from = Object.fromEntries(names.map((name) => [name, cells[name] ?? null]));
    const to = now && marked(Object.fromEntries(names.map((name) => [name, now[name] ?? null])));
    const isPlaced = previous !== undefined && (now === undefined || moved.has(key));
    entries.push({ table, id, from, to: to ?? null, ...(isPlaced && { after: previous }) });
  }
  for (const [key, { table, id, cells }] of after)
    if (!before.has(key)) entries.push({ table, id, from: null, to: marked(cells) });
  return entries;
}

type Beside = NonNullable<Reading["beside"]>;

/** What is written beside the documents of an update, with a record of what becomes of the stored script. */
export function recordedBeside(
  store: Store,
  production_id: number,
  write: Beside["write"],
  before = scriptState(store, production_id),
): Beside {
  const now = moment(store, { production_id });
  const beside: Beside = {
    isStale: () => moment(store, { production_id }) !== now,
    write(planned, writer) {
      write(planned, writer);
      beside.script = scriptRecord(before, scriptState(store, production_id));
    },
  };
  return beside;
}
