// Makes of the rows of a thing, as they were read, what operations make of them: nothing is written.
import type { SectionOperation } from "../documents/changes/row_operation.ts";
import type { Row, StoredRows } from "../documents/changes/rows.ts";
import { type Field, type KeptPart, layoutOf } from "../documents/sections/form.ts";

const sameKey = (row: Row, key: Row): boolean => Object.entries(key).every(([column, value]) => row[column] === value);
const bare = (row: Row): StoredRows => ({ row: { ...row }, lists: {}, media: [] });

/** The rows of a list after an operation on them. */
function patchedList(
  rows: readonly StoredRows[],
  operation: SectionOperation,
  { kind, to: target }: KeptPart,
): StoredRows[] {
  const list = patchedRows(rows, operation);
  // A set is in the order in which it is read.
  return kind === "set" ? list.sort((one, other) => Number(one.row[target]) - Number(other.row[target])) : list;
}

function patchedRows(rows: readonly StoredRows[], { key, from, to }: SectionOperation): StoredRows[] {
  if (Array.isArray(from) || Array.isArray(to)) return (Array.isArray(to) ? to : []).map(bare);
  if (from === null) return to === null ? [...rows] : [...rows, bare(to)];
  if (to === null) return rows.filter(({ row }) => !sameKey(row, key));
  return rows.map((one) => (sameKey(one.row, key) ? { ...one, row: { ...one.row, ...to } } : one));
}

function patchMedia(media: readonly Row[], { key, from, to }: SectionOperation): Row[] {
  if (from === null) return to === null || Array.isArray(to) ? [...media] : [...media, to];
  return media.filter((row) => !sameKey(row, key));
}

/** Makes of stored rows what an operation makes of them; undefined if the thing goes. */
export function patch(stored: StoredRows | undefined, operation: SectionOperation): StoredRows | undefined {
  const { section, table, field, from, to } = operation;
  const { tables, fields } = layoutOf(section);
  if (field === "" && (table === tables.table || table === tables.rest?.table)) {
    if (to === null || Array.isArray(to)) return table === tables.table ? undefined : stored;
    const known = stored ?? { row: {}, lists: {}, media: [] };
    return { ...known, row: { ...known.row, ...to } };
  }
  if (stored === undefined) return undefined;
  const kept = fields.find(({ name }) => name === field);
  if (table === "media" && kept?.part === undefined) return { ...stored, media: patchMedia(stored.media, operation) };
  const rows = stored.lists[field] ?? [];
  if (kept?.part?.table === table)
    return { ...stored, lists: { ...stored.lists, [field]: patchedList(rows, operation, kept.part) } };
  // A row of an item of the list: of its media or of a list of its own.
  const inner = kept?.item?.fields?.find(({ part }) => part?.table === table);
  const column = inner?.part?.of ?? kept?.part?.media ?? "";
  const [some] = [from, to].flatMap((side) => (side === null ? [] : [side].flat()));
  const owner = some?.[column] ?? operation.key[column];
  const list = rows.map((one) => (one.row.id === owner ? patchItem(one, operation, inner) : one));
  return { ...stored, lists: { ...stored.lists, [field]: list } };
}

/** An item of a list after an operation on the rows of one of its lists, or on its media. */
function patchItem(item: StoredRows, operation: SectionOperation, list: Field | undefined): StoredRows {
  if (list?.part === undefined) return { ...item, media: patchMedia(item.media, operation) };
  const rows = patchedList(item.lists[list.name] ?? [], operation, list.part);
  return { ...item, lists: { ...item.lists, [list.name]: rows } };
}
