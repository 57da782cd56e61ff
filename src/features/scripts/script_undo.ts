// Records what a change set did to the rows of the stored script (drafts, scenes and changes), and takes it back.
import { change, many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { plural } from "../../core/wording.ts";
import type { UpdateInput } from "../documents/apply/apply.ts";
import { changeOf, type ScriptEntry, type ScriptTable, type Since } from "../documents/difference.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { PlannedChange } from "../documents/plan/plan.ts";
import { dismissedOf } from "./compare/compared.ts";
import { deleteScene, insertDraft, putScene } from "./script_store.ts";

type Cells = ScriptEntry["from"] & object;
interface StateRow {
  table: ScriptTable;
  id: number;
  cells: Cells;
}
const scriptRows = many<{ production_id: number }, Omit<StateRow, "cells"> & { cells: string }>("list_script_rows");

/** The rows by table and id, in the order in which they refer to one another. The scenes of a script are in its order. */
type ScriptState = ReadonlyMap<string, StateRow>;

/** How a row is called in a ScriptState. */
const rowKey = ({ table, id }: Pick<StateRow, "table" | "id">): string => `${table} ${id}`;

export const scriptState = (store: Store, production_id: number): ScriptState =>
  new Map(scriptRows(store, { production_id }).map((row) => [rowKey(row), { ...row, cells: JSON.parse(row.cells) }]));

/** What the rows were that are not as before: those that were there, and then those that were added, in the order of their tables. */
function scriptRecord(before: ScriptState, after: ScriptState): ScriptEntry[] {
  return [...new Map([...before, ...after])].flatMap(([key, { table, id }]): ScriptEntry[] => {
    const [was, now] = [before.get(key)?.cells, after.get(key)?.cells];
    if (was === undefined) return [{ table, id, from: null }];
    const changed = Object.entries(was).filter(([name, cell]) => now?.[name] !== cell);
    return changed.length === 0 ? [] : [{ table, id, from: Object.fromEntries(changed) }];
  });
}

type ExtraWrites = NonNullable<UpdateInput["beside"]>;

/** What is written beside the documents of an update, with a record of what becomes of the stored script. */
export function withStateRecord(
  store: Store,
  production_id: number,
  write: ExtraWrites["write"],
  before = scriptState(store, production_id),
): ExtraWrites {
  const beside: ExtraWrites = {
    write(planned, writer) {
      write(planned, writer);
      beside.script = scriptRecord(before, scriptState(store, production_id));
    },
  };
  return beside;
}

type Write = (store: Store, cells: Readonly<Record<string, string | number | null>>) => unknown;
/** Each writes a row with every column of its list; the document gives script changes back that were removed. */
const write = {
  script_drafts: insertDraft,
  script_scenes: putScene,
  script_changes: change("restore_script_change"),
} as Readonly<Record<ScriptTable, Write>>; // safe: the cells of a row are those of its list
const remove = { script_drafts: change("delete_script_draft"), script_scenes: deleteScene, script_changes: undefined };
/** What older records do not have. */
const defaults = {
  script_drafts: { dismissed: "[]" },
  script_scenes: { kept: "[]", dismissed: 0 },
  script_changes: {},
};

/** What a sentence calls a row. */
function thingOf({ table, id, from }: ScriptEntry, state: ScriptState): string {
  if (table === "script_changes") return `script change ${id}`;
  const { file, scene } = { ...from, ...state.get(rowKey({ table, id }))?.cells };
  if (table === "script_drafts") return `the draft ${file}`;
  // The text that the change set added was removed since.
  return `the stored text of ${scene === undefined ? "a scene" : `scene "${JSON.parse(String(scene)).number}"`}`;
}

const words: Readonly<Record<string, string>> = {
  scene: "text",
  approved: "text",
  node_id: "scene",
  dismissed: "decision",
  kept: "kept links",
};

/** What became of a row since, as the end of a sentence; undefined if it is as the change set left it. */
function changeSince(entry: ScriptEntry, state: ScriptState, since: Since): string | undefined {
  const { table, id, from } = entry;
  const now = state.get(rowKey(entry))?.cells;
  for (const name of from === null ? [...Object.keys(now ?? {}), null] : Object.keys(from)) {
    const later = since(table, id, name);
    if (later !== undefined)
      return now === undefined
        ? ` was removed since${later}`
        : `: ${words[name ?? ""] ?? name} was changed since${later}`;
  }
  return undefined;
}

/** The cells of a record, also of one by a version that kept which change of a scene was decided last, and whether the scene stood where it was. */
function asRecordedNow(cells: Cells, from: Cells): Cells {
  const { stands, decided, ...own } = cells;
  if (decided === undefined || "dismissed" in from) return own;
  const isDecided = decided !== null;
  const [content, place] = [isDecided && (own.approved !== null || own.node_id === null), isDecided && stands === 0];
  return { ...own, dismissed: dismissedOf(content, place) };
}

/** The rows as they will be. */
function stateAfter(entries: readonly ScriptEntry[], state: ScriptState): ScriptState {
  const rows = new Map(state);
  for (const { table, id, from } of entries) {
    const key = rowKey({ table, id });
    if (from === null) rows.delete(key);
    else
      rows.set(key, {
        table,
        id,
        cells: asRecordedNow({ ...defaults[table], ...rows.get(key)?.cells, ...from }, from),
      });
  }
  return rows;
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
  return entries.flatMap(({ table, id, from }) => {
    const raw = stored.rawOf("script_changes", id);
    if (table !== "script_changes" || from === null || raw === undefined || known.has(id)) return [];
    const was = { ...raw, ...from, ...(from.node_id === null && { scene: null }) };
    const changed = changeOf("script_changes", id, was, raw);
    return Object.keys(changed.fields).length === 0 ? [] : [changed];
  });
}

/** Writes the rows as they were; entries are in the order in which rows refer to one another. Inside a write transaction. */
function restore(store: Store, production_id: number, entries: readonly ScriptEntry[], rows: ScriptState): void {
  for (const { table, id } of entries) {
    const cells = rows.get(rowKey({ table, id }))?.cells;
    if (cells !== undefined) write[table](store, { ...cells, id, production_id });
  }
  for (const { table, id, from } of entries.toReversed())
    if (from === null) remove[table]?.(store, { production_id, id });
}

/** What the undo of a change set does to the script, and what stands against it. In the transaction of `stored`. */
export function undoScript(
  store: Store,
  stored: StoredProduction,
  entries: readonly ScriptEntry[],
  changes: readonly PlannedChange[],
  since: Since,
) {
  const { production_id } = stored;
  const state = scriptState(store, production_id);
  const conflicts = entries.flatMap((entry) => {
    const sentence = changeSince(entry, state, since);
    return sentence === undefined ? [] : [`${thingOf(entry, state)}${sentence}`];
  });
  const rows = stateAfter(entries, state);
  if (entries.some(({ table }) => !(table in write)))
    conflicts.push("the script was stored in another form then; import the draft again that it had");
  for (const { table, id, from } of entries) {
    if (table !== "script_drafts" || from === null || state.has(rowKey({ table, id }))) continue;
    // What is pending of it was not compared with the later draft, which would have superseded it.
    for (const { table: of, id: later, cells } of rows.values())
      if (of === table && later > id && cells.episode_id === from.episode_id)
        conflicts.push(
          `the draft ${from.file} cannot come back: ${cells.file} was imported since${since(table, later, null) ?? ""}`,
        );
  }
  const known = new Set(changes.flatMap(({ section, id }) => (section === "script_changes" ? [id] : [])));
  const texts = entries.filter(
    ({ table, from }) =>
      table === "script_scenes" && (from === null || ["scene", "approved", "node_id"].some((cell) => cell in from)),
  ).length;
  return {
    conflicts,
    changes: conflicts.length > 0 ? [] : statusChanges(entries, stored, known),
    warnings: texts === 0 ? [] : [`the stored text of ${plural(texts, "scene")} is as it was before`],
    beside: Object.assign(
      withStateRecord(store, production_id, () => restore(store, production_id, entries, rows), state),
      { frees: bound(state).difference(bound(rows)) },
    ),
  };
}
