// Takes back what a change set did to the stored script: drafts, the scenes that the next draft is compared with, and pending changes.
import type { ScriptEntry } from "../document/change_set.ts";
import type { PlannedChange } from "../document/plan.ts";
import type { StoredProduction } from "../document/stored.ts";
import type { DraftScene } from "../formats/drafts.ts";
import type { Store } from "../store/database.ts";
import { change, keepLastId } from "../store/statements.ts";
import {
  type ChangeCells,
  type DraftCells,
  markOf,
  type ProposalCells,
  recordedBeside,
  type SceneCells,
  type ScriptState,
  type StateRow,
  scriptState,
} from "./script_record.ts";
import { deleteProposal, insertDraft, insertProposal, scriptRows, writeScriptRows } from "./script_store.ts";

type Own = { production_id: number };
const restoreChange = change<Own & ChangeCells>("restore_script_change");
const deleteDraft = change<Own & { id: number }>("delete_script_draft");

/** Something of the script that was changed again since, or that something else needs. */
export interface ScriptConflict {
  entry: ScriptEntry;
  sentence: string;
}

/** What a sentence calls a row. */
function thingOf({ table, id, from }: ScriptEntry, state: ScriptState): string {
  if (table === "script_changes" || table === "script_proposals") return `script change ${id}`;
  const { file, scene } = { ...from, ...state.get(`${table} ${id}`)?.cells };
  return table === "script_drafts"
    ? `the draft ${file}`
    : `the stored text of scene "${JSON.parse(String(scene ?? "{}")).number}"`;
}

const words: Readonly<Record<string, string>> = { scene: "text", node_id: "scene" };

function conflictOf(entry: ScriptEntry, state: ScriptState): string | undefined {
  const now = state.get(`${entry.table} ${entry.id}`)?.cells;
  if (entry.to === null) return now === undefined ? undefined : "is there again";
  if (now === undefined) return "was removed since";
  const other = Object.entries(entry.to).find(([name, mark]) => markOf(now[name]) !== mark)?.[0];
  return other === undefined ? undefined : `${words[other] ?? other} was changed since`;
}

/** The rows as they will be, those of scripts in their order. */
function stateAfter(entries: readonly ScriptEntry[], state: ScriptState): StateRow[] {
  const touched = new Map(entries.map((entry) => [`${entry.table} ${entry.id}`, entry]));
  const rows: StateRow[] = [];
  for (const [key, row] of state) {
    const entry = touched.get(key);
    if (entry !== undefined && (entry.from === null || entry.after !== undefined)) continue;
    rows.push(entry === undefined ? row : { ...row, cells: { ...row.cells, ...entry.from } });
  }
  for (const { table, id, from, after } of entries) {
    if (from === null || (after === undefined && state.has(`${table} ${id}`))) continue;
    const row = { table, id, cells: { ...state.get(`${table} ${id}`)?.cells, ...from } };
    if (after === undefined) rows.push(row);
    else {
      const first = rows.findIndex((one) => one.table === table && one.cells.episode_id === row.cells.episode_id);
      const previous = rows.findIndex((one) => one.table === table && one.id === after);
      rows.splice(previous !== -1 ? previous + 1 : first === -1 || after !== 0 ? rows.length : first, 0, row);
    }
  }
  return rows;
}

const bound = (rows: Iterable<StateRow>): Set<string> =>
  new Set(
    [...rows].flatMap(({ table, cells: { node_id, episode_id } }) => [
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
function restore(
  store: Store,
  production_id: number,
  entries: readonly ScriptEntry[],
  { state, rows }: { state: ScriptState; rows: readonly StateRow[] },
): void {
  const after = new Map(rows.map((row) => [`${row.table} ${row.id}`, row.cells]));
  const touched = (table: ScriptEntry["table"]) => entries.filter((entry) => entry.table === table);
  const cellsOf = <T>({ table, id }: ScriptEntry) => {
    const cells = after.get(`${table} ${id}`);
    return cells && ({ ...cells, id } as T); // the record has every column of a row
  };
  const gone: number[] = [];
  for (const entry of touched("script_drafts")) {
    const draft = cellsOf<DraftCells>(entry);
    if (draft !== undefined) insertDraft(store, { ...draft, production_id });
    else gone.push(entry.id);
  }
  for (const entry of touched("script_proposals")) deleteProposal(store, { production_id, change_id: entry.id });
  const scenes = rows.filter(({ table }) => table === "script_scenes");
  const ids = new Set(touched("script_scenes").map(({ id }) => id));
  const parts = [...state.values(), ...rows].filter(({ table, id }) => table === "script_scenes" && ids.has(id));
  const episodes = new Set(parts.map(({ cells }) => cells.episode_id));
  for (const episode_id of episodes) {
    const part = { production_id, episode_id: (episode_id ?? null) as number | null };
    const own = scenes.filter(({ cells }) => cells.episode_id === episode_id);
    const next = own.map(({ id, cells }) => {
      const { node_id, place, scene, approved } = cells as unknown as SceneCells; // as it was read or recorded
      return {
        id,
        node_id,
        place,
        scene: JSON.parse(scene) as DraftScene,
        approved: approved === null ? null : (JSON.parse(approved) as DraftScene),
      };
    });
    writeScriptRows(store, part, scriptRows(store, part), next);
  }
  for (const entry of touched("script_changes")) {
    const cells = cellsOf<ChangeCells>(entry);
    if (cells !== undefined) restoreChange(store, { ...cells, production_id });
  }
  for (const entry of touched("script_proposals")) {
    const proposal = cellsOf<ProposalCells>(entry);
    if (proposal === undefined) continue;
    const { id: change_id, ...cells } = proposal;
    insertProposal(store, { ...cells, change_id, production_id });
  }
  for (const id of gone) {
    deleteDraft(store, { production_id, id }); // after the changes that name it
    keepLastId(store, { part: "script_drafts", id });
  }
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
  const conflicts: ScriptConflict[] = [];
  for (const entry of entries) {
    const sentence = conflictOf(entry, state);
    if (sentence !== undefined) conflicts.push({ entry, sentence: `${thingOf(entry, state)}: ${sentence}` });
  }
  const rows = stateAfter(entries, state);
  const scenes = new Set(rows.flatMap(({ table, id }) => (table === "script_scenes" ? [id] : [])));
  for (const { table, id, cells } of rows)
    if (
      table === "script_proposals" &&
      cells.script_scene_id !== null &&
      !scenes.has(cells.script_scene_id as number)
    ) {
      const entry = entries.find((one) => one.table === "script_scenes" && one.id === cells.script_scene_id);
      if (entry !== undefined)
        conflicts.push({ entry, sentence: `${thingOf(entry, state)} is named by script change ${id}` });
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
      recordedBeside(store, production_id, () => restore(store, production_id, entries, { state, rows }), state),
      {
        frees: bound(state.values()).difference(bound(rows)),
      },
    ),
  };
}
