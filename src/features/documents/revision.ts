// The revision of a production for an update: a hash of each table that its plan read. A plan that reads one of them is refused if the rows
// are others than they were.
import { hash } from "node:crypto";
import type Database from "better-sqlite3";
import { composed } from "../../core/store/composed.ts";
import { epoch } from "../../core/store/database_mark.ts";
import { value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { sections } from "./sections/sections.ts";

/** The tables whose rows an export shows, at most 36. A revision names a table by its place here, a digit of base 36. */
export const exportedTables: readonly string[] = [
  ...new Set(["productions", ...Object.values(sections).flatMap(({ table, tables }) => [table, ...tables])]),
];
/** Those that the storage agent's reports change: they make no plan stale that somebody looked at. */
export const agentTables: ReadonlySet<string> = new Set(["activity", "asset_files", "storage_tasks", "media"]);
/** Those that a script is compared with. */
export const scriptTables = exportedTables.filter((table) => !agentTables.has(table));

/** The hash of a production's rows by table. */
export type Hashes = ReadonlyMap<string, string>;

interface Column {
  name: string;
  /** Its place in the key; 0 if it is not in it. */
  pk: number;
}

/** The rows of a production as bytes, in the order of their key: SQLite keeps the order of the inner query in a list. */
function rowsOf(database: Database.Database, table: string, production_id: number): Buffer {
  // the columns of the query
  const columns = composed<Column>(database, "SELECT name, pk FROM pragma_table_info(?)").all(table);
  // When a row was changed says nothing of what it says, and what other rows have changes it, too.
  const compared = columns.filter(({ name }) => name !== "updated_at");
  const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  const owner = table === "productions" ? "id" : "production_id";
  const rows = `SELECT * FROM "${table}" WHERE ${owner} = ? ORDER BY ${key}`;
  const list = `json_group_array(json_array(${compared.map(({ name }) => name)}))`;
  const text = `SELECT CAST(${list} AS BLOB) FROM (${rows})`;
  return composed(database, text).pluck().get(production_id) as Buffer; // CAST AS BLOB gives a buffer
}

/** The hashes of tables. In the transaction in which the plan was made, or is applied. */
export const hashesOf = ({ database }: Store, production_id: number, tables: Iterable<string>): Hashes =>
  new Map([...tables].map((table) => [table, hash("sha256", rowsOf(database, table, production_id)).slice(0, 12)]));

/** The last change of the production, of whatever. */
export const momentOf = value<{ production_id: number }, number>("last_moment");

/** A revision in parts. */
interface Revision {
  epoch: string;
  /** Undefined if the revision is only of what its tables have. */
  moment: number | undefined;
  hashes: Hashes;
}

/** The revision as an opaque text. `moment` is that of `hashes`, if a plan that reads other tables shall be refused after any change. */
export function revisionText(store: Store, hashes: Hashes, moment?: number): string {
  const named = [...hashes].filter(([table]) => !agentTables.has(table));
  const parts = named.map(([table, rows]) => exportedTables.indexOf(table).toString(36) + rows);
  return `${epoch(store)}-${moment?.toString(36) ?? ""}.${parts.join("")}`;
}

function parsed(text: string): Revision | undefined {
  const [, epoch, moment, parts = ""] = /^([0-9a-f]+)-([0-9a-z]*)\.((?:[0-9a-z][0-9a-f]{12})*)$/.exec(text) ?? [];
  if (epoch === undefined || moment === undefined) return undefined;
  const named = parts.match(/.{13}/g) ?? [];
  const hashes = new Map(
    named.map((part) => [String(exportedTables[Number.parseInt(part.slice(0, 1), 36)]), part.slice(1)]),
  );
  return { epoch, moment: moment === "" ? undefined : Number.parseInt(moment, 36), hashes };
}

/**
 * Why a plan of the revision `now` is refused that was looked at in the revision `former`, as the end of a sentence; undefined if it is not.
 * What `former` does not tell of a table counts as changed if the production changed since.
 */
export function staleness(former: string, now: string): string | undefined {
  const [one, other] = [parsed(former), parsed(now) as Revision]; // revisionText made it
  if (one?.epoch !== other.epoch) return "it is no revision of this production any more";
  const isMoved = one.moment !== undefined && one.moment !== other.moment;
  const tables = [...other.hashes.keys()];
  const changed = tables.filter((table) => one.hashes.has(table) && one.hashes.get(table) !== other.hashes.get(table));
  if (changed.length > 0) return `${changed.join(", ")} changed since`;
  const unknown = isMoved ? tables.filter((table) => !one.hashes.has(table)) : [];
  return unknown.length === 0
    ? undefined
    : `it was changed since, and that revision does not tell of ${unknown.join(", ")}`;
}
