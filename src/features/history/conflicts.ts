// Finds what stands against an undo: what is not as the change set left it, with the later change set that changed it.
import type { ProductionId } from "../../core/ids.ts";
import { composed } from "../../core/store/composed.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { otherThan } from "../documents/changes/replay.ts";
import {
  isScriptTable,
  type RowOperation,
  type ScriptTable,
  type SectionOperation,
} from "../documents/changes/row_operation.ts";
import type { Row } from "../documents/changes/rows.ts";
import { placeColumn } from "../documents/changes/update.ts";
import { layoutOf } from "../documents/sections/form.ts";
import { type AnySection, sections } from "../documents/sections/sections.ts";

const laterSets = many<
  { production_id: ProductionId; after: number; section: string; thing: number },
  { field: string; after_text: string; set_id: number; actor: string }
>("list_later_operations");

/** The places of scenes that a set or a later one changed, as they were before; null for one that was added since. */
export const formerPlaces = many<{ production_id: ProductionId; id: number }, { scene: number; place: number | null }>(
  "list_former_places",
);

/** What is undone, and what can stand against that. */
export interface Against {
  production_id: ProductionId;
  /** The change set that is undone. */
  id: number;
  /** Whether a set that gave a scene another place moved it, and did not only number it again. */
  movedIn(set_id: number, scene: number): boolean;
  /** Whether the bytes of a hash are stored. */
  isKept(sha256: string): boolean;
}

/** Whether rows are of what a script asks: updates change these, too, which no change set has. */
export const isOfScript = (section: RowOperation["section"]): section is ScriptTable | "script_changes" =>
  isScriptTable(section) || section === "script_changes";

/** The field of things that a column of their row has. */
export function fieldOfColumn(section: AnySection, column: string | undefined): string | undefined {
  if (column === undefined) return undefined;
  if (column === (section === "production" ? undefined : placeColumn(section))) return "order";
  const { fields } = layoutOf(section);
  return (
    fields.find(({ name }) => name === column || column === `${name}_id` || column.startsWith(`${name}_`))?.name ??
    column
  );
}

/**
 * The later sets that changed a thing and are not undone, by field, of what a script asks by column: each as the end of
 * a sentence.
 */
export function laterChanges(
  store: Store,
  { production_id, id: after, movedIn }: Against,
  section: RowOperation["section"],
  thing: number,
) {
  let last: Map<string, string> | undefined;
  const read = (): Map<string, string> => {
    const found = new Map<string, string>();
    for (const { field, after_text, set_id, actor } of laterSets(store, { production_id, after, section, thing })) {
      const cells: unknown = JSON.parse(after_text);
      // an object
      const columns = field === "" && cells !== null && !Array.isArray(cells) ? Object.keys(cells as Row) : [];
      const named = isOfScript(section) ? columns : columns.map((column) => fieldOfColumn(section, column));
      const isSaid = (name: string | undefined) => section !== "scenes" || name !== "order" || movedIn(set_id, thing);
      const fields = (field === "" ? named : [field]).filter(isSaid);
      for (const name of [...fields, ""]) found.set(name ?? "", ` by change set ${set_id} of ${actor}`);
    }
    return found;
  };
  return (field: string): string | undefined => {
    last ??= read();
    return last.get(field);
  };
}

/** What its last change set, or else the one that is undone, calls a thing that is not stored. */
export function recordedKeys({ database }: Store, { id: undone }: Against) {
  const bySet = new Map<number, ReadonlyMap<string, string>>();
  const keysIn = (set_id: number): ReadonlyMap<string, string> => {
    const sql = `SELECT c.value ->> '$.section' || ' ' || (c.value ->> '$.id') AS thing, c.value ->> '$.key' AS key
      FROM change_sets s, json_each(s.changes) c WHERE s.id = ?`;
    const read = () => composed<{ thing: string; key: string }>(database, sql).all(set_id);
    const keys = bySet.get(set_id) ?? new Map(read().map(({ thing, key }) => [thing, key]));
    bySet.set(set_id, keys);
    return keys;
  };
  return (section: AnySection, id: number): string => {
    const sql = "SELECT ifnull(max(set_id), 0) AS last FROM change_operations WHERE section = ? AND thing = ?";
    const [{ last } = { last: 0 }] = composed<{ last: number }>(database, sql).all(section, id);
    const thing = `${section} ${id}`;
    return keysIn(last).get(thing) ?? keysIn(undone).get(thing) ?? String(id);
  };
}

type Later = ReturnType<typeof laterChanges>;

/** Whether an operation is on a pair of a set, which a later set may have removed and added again. */
function isPair({ section, field, table }: SectionOperation): boolean {
  if (section === "production" || field === "") return false;
  const part = layoutOf(section).fields.find(({ name }) => name === field)?.part;
  return part?.kind === "set" && part.table === table && !sections[section].recorded.includes(field);
}

/** Whether cells of a scene have its place. */
export const hasPlace = (cells: RowOperation["from"]): boolean =>
  cells !== null && !Array.isArray(cells) && "script_order" in cells;

/** Whether a scene that the operation gives another place got one again since. Moves of other scenes move it, too. */
const isMovedSince = ({ from, to }: RowOperation, later: Later): boolean =>
  from !== null && hasPlace(to) && later("order") !== undefined;

function conflictOf(store: Store, operation: SectionOperation, later: Later): string | undefined {
  const { section, field, from } = operation;
  const other = otherThan(store.database, operation);
  const isMoved = isMovedSince(operation, later);
  if (other === undefined && !isMoved && !(isPair(operation) && later(field) !== undefined)) return undefined;
  const name = field || (other === undefined ? "order" : fieldOfColumn(section, other.column)) || "";
  if (name === "" && from === null) return ` is there again${later("") ?? ""}`;
  return `${name === "" ? "" : `: ${name}`} was changed since${later(name) ?? ""}`;
}

/** Whether an operation gives a medium back whose bytes are gone. */
const isLost = ({ table, from, to }: RowOperation, { isKept }: Against): boolean =>
  table === "media" && from === null && to !== null && !Array.isArray(to) && !isKept(String(to.sha256));

/** What stands against operations on one thing, each as the end of a sentence that begins with the thing. */
export function conflictsOf(store: Store, operations: readonly SectionOperation[], against: Against): string[] {
  const [first] = operations;
  if (first === undefined) return [];
  const later = laterChanges(store, against, first.section, first.id);
  const lost = operations.some((one) => isLost(one, against));
  return [
    ...operations.flatMap((one) => conflictOf(store, one, later) ?? []),
    ...(lost ? [" cannot be undone: the bytes of its former media are gone, so import the file again instead"] : []),
  ];
}
