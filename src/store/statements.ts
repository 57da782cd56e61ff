// Reads the SQL statements of sql/, and declares them with the types of their parameters and rows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonText } from "../json_text.ts";
import type { Store } from "./database.ts";

const folder = fileURLToPath(new URL("../../sql/", import.meta.url));

interface Block {
  kind: "name" | "fragment";
  name: string;
  text: string;
  file: string;
}

/** The blocks of one .sql file: `-- name: x` begins a statement, `-- fragment: x` a text that replaces `{{x}}`. */
function blocksOf(file: string): Block[] {
  const parts = readFileSync(join(folder, file), "utf8").split(/^-- (name|fragment): (\w+)[^\n]*\n/m);
  const blocks: Block[] = [];
  for (let at = 1; at < parts.length; at += 3)
    blocks.push({ kind: parts[at] as Block["kind"], name: parts[at + 1] ?? "", text: parts[at + 2] ?? "", file });
  return blocks;
}

/** Every statement of sql/ by name, with its fragments inserted. Throws an Error for a duplicate name. */
export function statementTexts(): Map<string, string> {
  const blocks = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .flatMap(blocksOf);
  const fragments = new Map(
    blocks.filter(({ kind }) => kind === "fragment").map(({ name, text }) => [name, text.trim()] as const),
  );
  const fill = (text: string): string =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const fragment = fragments.get(name);
      if (fragment === undefined) throw new Error(`sql: there is no fragment ${name}`);
      return fill(fragment);
    });
  const texts = new Map<string, string>();
  for (const { kind, name, text, file } of blocks) {
    if (kind !== "name") continue;
    if (texts.has(name)) throw new Error(`sql/${file}: the statement ${name} is defined twice`);
    texts.set(name, fill(text).trim().replace(/;$/, ""));
  }
  return texts;
}

/** The tables whose rows an export of a production shows: a commit that changes one of them moves the production's revision. */
export const exportedParts: readonly string[] = [
  ...["productions", "episodes", "departments", "people", "vendors"],
  ...["nodes", "scenes", "node_links", "versions", "ingredients", "version_ingredients", "media"],
  ...["shoot_days", "strips", "deliveries", "delivery_nodes", "submissions", "engagements", "grants"],
  ...["approvals", "approval_steps", "former_steps", "department_notes", "notes", "purchase_orders"],
  ...["cost_reports", "cost_report_lines", "script_changes", "jobs", "activity"],
  ...["storage_installs", "asset_files", "storage_tasks"],
];
const parts: ReadonlySet<string> = new Set(exportedParts);

const written = /^\s*(?:--[^\n]*\n\s*)*(?:INSERT (?:OR \w+ )?INTO|UPDATE(?: OR \w+)?|DELETE FROM)\s+(\w+)/i;
const partsByText = new Map<string, string | undefined>();

/** The part of a production that a statement's text writes; undefined if an export does not show it. */
export function partOf(text: string): string | undefined {
  if (!partsByText.has(text)) {
    const table = written.exec(text)?.[1];
    partsByText.set(text, table !== undefined && parts.has(table) ? table : undefined);
  }
  return partsByText.get(text);
}

const declared = new Set<string>();

function declare(name: string): void {
  if (declared.has(name)) throw new Error(`sql: the statement ${name} is declared twice`);
  declared.add(name);
}

/**
 * Compares the declarations with the blocks of sql/, once every module is loaded. Throws an Error for a declaration without a
 * block and for a block without a declaration.
 */
export function checkDeclarations(): void {
  const texts = statementTexts();
  for (const name of declared)
    if (!texts.has(name)) throw new Error(`sql: the declared statement ${name} has no block`);
  for (const name of texts.keys())
    if (!declared.has(name)) throw new Error(`sql: no code declares the statement ${name}`);
}

/** The parameters of a statement: an object with names, or an array for question marks. */
type Parameters = object;

/** Declares a statement that returns one row. */
export function one<P extends Parameters, R>(name: string): (store: Store, parameters: P) => R | undefined {
  declare(name);
  return (store, parameters) => store.statement(name).get(parameters) as R | undefined;
}

/** Declares a statement that returns a list of rows. */
export function many<P extends Parameters, R>(name: string): (store: Store, parameters: P) => R[] {
  declare(name);
  return (store, parameters) => store.statement(name).all(parameters) as R[];
}

/** Declares a statement that returns one value: the first column of the first row; undefined if there is no row. */
export function value<P extends Parameters, T>(name: string): (store: Store, parameters: P) => T | undefined {
  declare(name);
  return (store, parameters) => store.plucked(name).get(parameters) as T | undefined;
}

/** Declares a statement that returns a document as JSON text of a T; undefined if there is no row. */
export const document = <P extends Parameters, T>(name: string) => value<P, JsonText<T>>(name);

export interface Changed {
  /** The id of the row that was inserted last. */
  id: number;
  /** How many rows were inserted, updated or deleted. */
  changes: number;
}

/** The production of a write: a parameter of that name, or the first one by position. */
const productionOf = (parameters: object): unknown =>
  Array.isArray(parameters) ? parameters[0] : (parameters as { production_id?: unknown }).production_id;

/**
 * Declares a statement that writes. It runs within a write transaction only. It counts as a change of its table, or of `part`, in
 * the production that its parameters name.
 */
export function change<P extends Parameters>(name: string, part?: string): (store: Store, parameters: P) => Changed {
  declare(name);
  return (store, parameters) => {
    if (!store.database.inTransaction) throw new Error(`${name} must be run in a write transaction`);
    const { lastInsertRowid, changes } = store.statement(name).run(parameters);
    const changed = part ?? partOf(store.statement(name).source);
    if (changed !== undefined && changes > 0) store.touch(productionOf(parameters), changed);
    return { id: Number(lastInsertRowid), changes };
  };
}

/** The rows of one statement. With more, SQLite gains little; the fewer, the more calls. */
const together = 25;

/**
 * Declares an INSERT with positional values, the first of which is the production, for many rows: it writes several with each
 * statement, which takes two thirds of the time. It counts as a change like that of `change`. Returns the number of rows written.
 */
export function changeMany(name: string): (store: Store, rows: readonly (readonly unknown[])[]) => number {
  declare(name);
  const prepared = new WeakMap<Store["database"], ReturnType<Store["statement"]>>();
  const severalOf = (
    { database }: Store,
    { source }: ReturnType<Store["statement"]>,
  ): ReturnType<Store["statement"]> => {
    const text = source.replace(/\(\?(?:, \?)*\)/, (marks) => Array(together).fill(marks).join(", "));
    const several = prepared.get(database) ?? database.prepare(text);
    prepared.set(database, several);
    return several;
  };
  return (store, rows) => {
    if (!store.database.inTransaction) throw new Error(`${name} must be run in a write transaction`);
    const one = store.statement(name);
    const rest = rows.length % together;
    let changes = 0;
    for (let at = 0; at < rows.length - rest; at += together)
      changes += severalOf(store, one).run(rows.slice(at, at + together).flat()).changes;
    for (const row of rows.slice(rows.length - rest)) changes += one.run(row).changes;
    const changed = partOf(one.source);
    if (changed !== undefined && changes > 0) store.touch(productionOf(rows[0] as readonly unknown[]), changed);
    return changes;
  };
}

/** Declares an INSERT with positional values, which bulk imports run by its name. Returns the name. */
export function bulkInsert(name: string): string {
  declare(name);
  return name;
}
