// Finds what refers to things that go, by the foreign keys of the schema, once everything else is written.
import type Database from "better-sqlite3";
import { composed } from "../../../core/store/composed.ts";
import { type Field, layoutOf } from "../sections/form.ts";
import { hasMoney, kindOf, type SectionName, sectionNames } from "../sections/sections.ts";
import { boundBy } from "./check.ts";
import { Names } from "./names.ts";
import { type Row, Rows } from "./rows.ts";
import type { Item, Update } from "./update.ts";

interface Reference {
  table: string;
  column: string;
}

const referencesByTable = new WeakMap<Database.Database, Map<string, Reference[]>>();

/** The columns that refer to rows of a table and keep them from being removed. */
function referencesTo(database: Database.Database, table: string): readonly Reference[] {
  const known = referencesByTable.get(database);
  if (known !== undefined) return known.get(table) ?? [];
  const sql = `SELECT t.name AS "table", f."from" AS "column", f."table" AS "to" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f
    WHERE t.type = 'table' AND f."from" <> 'production_id' AND ifnull(f."to", '') <> 'production_id' AND f.on_delete = 'NO ACTION'`;
  const all = composed<Reference & { to: string }>(database, sql).all();
  const found = Map.groupBy(all, ({ to }) => to);
  referencesByTable.set(database, found);
  return found.get(table) ?? [];
}

/** The column of a table with the thing, or with the item of a list of it, to which a row belongs. */
interface Owner {
  section: SectionName;
  column: string;
  /** The table of the item. */
  under?: Owner & { table: string };
}

const owners = new Map<string, Owner>();
function addParts(
  section: SectionName,
  fields: readonly Field[],
  under: (Owner & { table: string }) | undefined,
): void {
  for (const { part, item } of fields) {
    if (part === undefined) continue;
    const owner: Owner = { section, column: part.of, ...(under && { under }) };
    if (!owners.has(part.table)) owners.set(part.table, owner);
    addParts(section, item?.fields ?? [], { ...owner, table: part.table });
  }
}
function ownerOf(table: string): Owner | undefined {
  if (owners.size === 0)
    for (const section of sectionNames) {
      const { tables, fields } = layoutOf(section);
      if (!owners.has(tables.table)) owners.set(tables.table, { section, column: "id" });
      if (tables.rest !== undefined) owners.set(tables.rest.table, { section, column: tables.rest.key });
      addParts(section, fields, undefined);
    }
  return owners.get(table);
}

/** What a sentence calls the thing to which a row belongs. */
function called(rows: Rows, names: Names, table: string, row: Row): string {
  if (table === "productions") return "the production";
  const owner = ownerOf(table);
  if (owner === undefined) return `a row of ${table}`;
  let id = row[owner.column];
  if (owner.under !== undefined) {
    const { table: of, column } = owner.under;
    id = rows.all<{ id: number }>(`SELECT ${column} AS id FROM ${of} WHERE id = ?`, id)[0]?.id ?? null;
  }
  const isNode = owner.section === "scenes" || owner.section === "assets";
  const section = isNode ? (rows.isScene(id) ? "scenes" : "assets") : owner.section;
  if (hasMoney(section)) return `a ${kindOf(section)}`;
  const stored = rows.load(section, [id as number]).get(id as number); // the row belongs to it
  const key = stored && names.keyOf(section, names.thingOf(section, stored));
  return `${kindOf(section)} "${key ?? String(id)}"`;
}

/** Why a thing that is gone cannot go; undefined if nothing refers to it any more. */
export function referrerTo(
  { rows, names: former }: Update,
  { section, id }: Pick<Item, "section" | "id">,
): string | undefined {
  const { store, production_id } = rows;
  if (store === undefined) return undefined;
  for (const { table, column } of referencesTo(store.database, layoutOf(section).tables.table)) {
    const [row] = rows.all<Row>(`SELECT * FROM ${table} WHERE ${column} = ? LIMIT 1`, id);
    if (row === undefined) continue;
    const now = new Rows(store, production_id);
    return boundBy(table) ?? `is named by ${called(now, new Names(now, former), table, row)}`;
  }
  return undefined;
}
