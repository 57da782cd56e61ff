// What stands against the undo of what a change set did to stored scripts and to script changes.
import { many, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { plural } from "../../core/wording.ts";
import { rowsAt } from "../documents/changes/replay.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { Row } from "../documents/changes/rows.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { type Against, isOfScript, laterChanges } from "./conflicts.ts";

const rowOf = (side: RowOperation["from"]): Row => (side === null || Array.isArray(side) ? {} : side);

/** An operation on what a script asks, with the row as it is now. */
export function asIsNow(store: Store, operation: RowOperation): RowOperation {
  const { table, key, from, to } = operation;
  const [row] = isOfScript(operation.section) && from !== null ? rowsAt(store.database, table, key) : [];
  if (row === undefined) return operation;
  const columns = to === null ? Object.keys(row) : Object.keys(rowOf(to));
  return { ...operation, from: Object.fromEntries(columns.map((column) => [column, row[column] ?? null])) };
}

const words: Readonly<Record<string, string>> = {
  scene: "text",
  approved: "text",
  node_id: "scene",
  dismissed: "decision",
  kept: "kept links",
};

const codeOf = value<{ id: number }, string>("find_episode_code");

/** What a sentence calls the row of an operation. */
export function calledInScript(store: Store, { table, id, from, to }: RowOperation, stored?: Row): string {
  if (table === "script_changes") return `script change ${id}`;
  const { file, scene, episode_id } = { ...rowOf(from), ...rowOf(to), ...stored };
  if (table === "script_drafts") return `the draft ${String(file)}`;
  // The text that the change set added was removed since.
  if (typeof scene !== "string") return "the stored text of a scene";
  const code = typeof episode_id === "number" ? codeOf(store, { id: episode_id }) : undefined;
  return `the stored text of scene "${sceneName(String(JSON.parse(scene).number), code)}"`;
}

const laterDrafts = many<{ production_id: number; episode_id: number | null; after: number }, Row>("list_later_drafts");

/** What is pending of a draft that comes back was not compared with a later one, which would have superseded it. */
function* draftsAfter(store: Store, { table, id, from, to }: RowOperation, against: Against): Generator<string> {
  if (table !== "script_drafts" || from !== null) return;
  const { file, episode_id } = rowOf(to);
  const script = { production_id: against.production_id, episode_id: Number(episode_id) || null };
  for (const later of laterDrafts(store, { ...script, after: id })) {
    const since = laterChanges(store, against, "script_drafts", Number(later.id))("") ?? "";
    yield `the draft ${String(file)} cannot come back: ${String(later.file)} was imported since${since}`;
  }
}

/** A later change set that changed a cell stands against the undo of one that did, whatever the cell is now. */
function changedSince(store: Store, operation: RowOperation, against: Against): string | undefined {
  const { section, id, table, key, from, to } = operation;
  if (from === null) return undefined;
  const [row] = rowsAt(store.database, table, key);
  const later = laterChanges(store, against, section, id);
  const columns = to === null || row === undefined ? [...Object.keys(row ?? {}), ""] : Object.keys(rowOf(to));
  const column = columns.find((one) => later(one) !== undefined);
  if (column === undefined) return undefined;
  const what = row === undefined ? " was removed" : `: ${words[column] ?? column} was changed`;
  return `${calledInScript(store, operation, row)}${what} since${later(column)}`;
}

/** What stands against the operations of an undo on what scripts ask. */
export const scriptConflicts = (store: Store, operations: readonly RowOperation[], against: Against): string[] =>
  operations.flatMap((one) => [changedSince(store, one, against) ?? [], [...draftsAfter(store, one, against)]].flat());

/** What an undo does to the stored text, in sentences. */
export function textWarnings(operations: readonly RowOperation[]): string[] {
  const texts = operations.filter(
    ({ table, to }) =>
      table === "script_scenes" &&
      (to === null || ["scene", "approved", "node_id"].some((column) => column in rowOf(to))),
  ).length;
  return texts === 0 ? [] : [`the stored text of ${plural(texts, "scene")} is as it was before`];
}
