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

/** A row. A scene of a script has its position, and the row before it: 0 if it is the first. */
export interface StateRow {
  table: ScriptTable;
  id: number;
  cells: ScriptCells;
  after?: number | undefined;
  position?: number;
}
/** The rows by table and id. The scenes of a script are in its order. */
export type ScriptState = ReadonlyMap<string, StateRow>;

/** How a row is called in a ScriptState. */
export const rowKey = ({ table, id }: Pick<StateRow, "table" | "id">): string => `${table} ${id}`;

/** The rows by their keys, with the places that scenes have in this order. */
export function placed(rows: Iterable<StateRow>): ScriptState {
  const last = new Map<unknown, StateRow>();
  const state = new Map<string, StateRow>();
  for (const { table, id, cells } of rows) {
    const row: StateRow = { table, id, cells };
    state.set(rowKey(row), row);
    if (table !== "script_scenes") continue;
    const before = last.get(cells.episode_id);
    Object.assign(row, { after: before?.id ?? 0, position: (before?.position ?? -1) + 1 });
    last.set(cells.episode_id, row);
  }
  return state;
}

export const scriptState = (store: Store, production_id: number): ScriptState =>
  placed(
    scriptTables.flatMap((table) =>
      rowsOf[table](store, { production_id }).map(({ id, ...cells }) => ({ table, id, cells })),
    ),
  );

/** The cells whose text can be long. What else people wrote stays readable, because the erasure of a person changes it everywhere. */
const long: ReadonlySet<string> = new Set(["scene", "approved", "seen", "fields"]);
const maxShort = 40;
/** What is enough to see that a cell is still the same. */
export const markOf = (name: string, cell: string | number | null | undefined): string | number | null =>
  typeof cell === "string" && long.has(name) && cell.length > maxShort
    ? `#${hash("sha256", cell).slice(0, 24)}`
    : (cell ?? null);

const marked = (cells: ScriptCells | null): ScriptCells | null =>
  cells && Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, markOf(name, cell)]));

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
  return [...new Map([...before, ...after])].flatMap(([key, { table, id }]): ScriptEntry[] => {
    const [was, now] = [before.get(key), after.get(key)];
    const names = Object.keys({ ...was?.cells, ...now?.cells }).filter(
      (name) => was === undefined || now === undefined || was.cells[name] !== now.cells[name],
    );
    if (names.length === 0 && !moved.has(key)) return [];
    const cellsOf = (row: StateRow | undefined) =>
      row === undefined ? null : Object.fromEntries(names.map((name) => [name, row.cells[name] ?? null]));
    const place = now === undefined || moved.has(key) ? was?.after : undefined;
    const entry = { table, id, from: cellsOf(was), to: marked(cellsOf(now)) };
    return [place === undefined ? entry : { ...entry, after: place }];
  });
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
