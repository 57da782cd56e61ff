// Reads the SQL statements of sql/, and declares them with the types of their parameters and rows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonText } from "../answers.ts";
import type { IdOf, IsIdOf, WithIds } from "../ids.ts";
import type { Store } from "./store.ts";

const folder = fileURLToPath(new URL("../../../sql/", import.meta.url));

/**
 * The statements of sql/ with their types. sql/<name>.d.ts adds those of sql/<name>.sql; `npm run statements` makes
 * these files. A statement is { parameters, columns, fields, id }: names of its parameters, of the columns that it
 * returns, and of the fields of its JSON; and what its column `id`, or the row that it inserts, is an id of.
 */
// biome-ignore lint/suspicious/noEmptyInterface: sql/<name>.d.ts fill it
export interface Statements {}

/** A piece of a .sql file: a statement or a fragment. */
export interface Block {
  kind: "name" | "fragment";
  name: string;
  text: string;
  file: string;
  /** The line of the file on which the text begins. */
  line: number;
}

/** The blocks of one .sql file: `-- name: x` begins a statement, `-- fragment: x` a text that replaces `{{x}}`. */
function blocksOf(file: string): Block[] {
  const parts = readFileSync(join(folder, file), "utf8").split(/^-- (name|fragment): (\w+)\r?\n/m);
  const blocks: Block[] = [];
  let line = (parts[0] ?? "").split("\n").length + 1;
  for (let at = 1; at < parts.length; at += 3) {
    const text = parts[at + 2] ?? "";
    blocks.push({ kind: parts[at] === "name" ? "name" : "fragment", name: parts[at + 1] ?? "", text, file, line });
    line += text.split("\n").length;
  }
  return blocks;
}

/** The blocks of all .sql files. */
export const allBlocks = (): Block[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .flatMap(blocksOf);

function readStatements(): ReadonlyMap<string, string> {
  const blocks = allBlocks();
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

let known: ReadonlyMap<string, string> | undefined;
/** Every statement of sql/ by name, with its fragments inserted. Throws an Error for a duplicate name. */
export function statementTexts(): ReadonlyMap<string, string> {
  known ??= readStatements();
  return known;
}

/** Returns `read` of the text of a statement, and remembers the result by its name. */
const readOnce = (read: (text: string) => readonly string[]): ((name: StatementName) => readonly string[]) => {
  const lists = new Map<StatementName, readonly string[]>();
  return (name) => {
    const list = lists.get(name) ?? read(statementTexts().get(name) ?? "");
    lists.set(name, list);
    return list;
  };
};

/** The parameters with names that a statement has. */
export const parametersOf = readOnce((text) => {
  const plain = text.replace(/'(?:[^']|'')*'|--.*/g, "");
  return [...new Set([...plain.matchAll(/:([a-z]\w*)/g)].map(([, name = ""]) => name))].sort();
});

const declared = new Set<StatementName>();
/** The statements that the loaded modules declare. */
export const declaredStatements: ReadonlySet<StatementName> = declared;

const isStatement = (name: string): name is StatementName => statementTexts().has(name);

/**
 * Records that a module declares a statement. Throws an Error if there is none of that name, or if another one does
 * too.
 */
export function declare(name: string): StatementName {
  if (!isStatement(name)) throw new Error(`sql: there is no block ${name}`);
  if (declared.has(name)) throw new Error(`sql: the statement ${name} is declared twice`);
  declared.add(name);
  return name;
}

/** The name of a block of sql/. */
export type StatementName = keyof Statements;

/** The parameters of a statement: an object with names, or an array for question marks. */
type Parameters = object;

/** The names that fit. If none does, the compiler says why a name is refused, in place of `never`. */
export type Found<Names> = [Names] extends [never]
  ? "no block of sql/ has these parameters, and these columns or fields; after a change of sql/: npm run statements"
  : Names;

/** The names of the blocks whose parameters P has. A name that does not fit is a compile error. */
export type Taking<P> = {
  [K in StatementName]: [Statements[K]["parameters"]] extends [keyof P] ? K : never;
}[StatementName];
/** Those of them whose rows have the columns of R, and whose `id` is of the kind that R says. */
type Returning<P, R> = {
  [K in Taking<P>]: [KeysOf<R>] extends [Statements[K]["columns"]]
    ? HasIdOf<R, Statements[K]["id"]> extends true
      ? K
      : never
    : never;
}[Taking<P>];
type HasIdOf<R, K> = R extends { id: infer I } ? ([K] extends [never] ? true : IsIdOf<NonNullable<I>, K>) : true;
/** Those of them that build JSON with the fields of T, or a list of such objects. */
export type Building<P, T> = {
  [K in Taking<P>]: [KeysOf<ItemOf<T>>, Statements[K]["fields"]] extends [Statements[K]["fields"], KeysOf<ItemOf<T>>]
    ? K
    : never;
}[Taking<P>];
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : T;
/** The keys of each type of a union; none for a type with any key. */
type KeysOf<T> = T extends unknown ? (string extends keyof T ? never : keyof T) : never;

/** The parameters of a statement from fields: one that is absent is null, a boolean is 0 or 1, and a list is JSON. */
export const valuesOf = <P extends Parameters>(name: StatementName, given: P): WithIds<P> =>
  Object.fromEntries(
    parametersOf(name).map((parameter) => {
      const value: unknown = Reflect.get(given, parameter);
      if (typeof value === "boolean") return [parameter, Number(value)];
      return [parameter, Array.isArray(value) ? JSON.stringify(value) : (value ?? null)];
    }),
  ) as WithIds<P>; // safe for a statement: it has no other parameters

/** Declares a statement that returns one row. */
export function one<P extends Parameters, R>(
  name: Found<Returning<P, R>>,
): (store: Store, parameters: WithIds<P>) => WithIds<R> | undefined {
  const statement = declare(name);
  return (store, parameters) => store.statement<WithIds<R>>(statement).get(parameters);
}

/** The rows of a statement that have a value in a column. */
export interface Only {
  column: string;
  value: unknown;
}

/** Declares a statement that returns a list of rows, or `only` some of them: SQLite then looks them up. */
export function many<P extends Parameters, R>(
  name: Found<Returning<P, R>>,
): (store: Store, parameters: WithIds<P>, only?: Only) => WithIds<R>[] {
  const statement = declare(name);
  return (store, parameters, only) => {
    if (only === undefined) return store.statement<WithIds<R>>(statement).all(parameters);
    const { column, value: wanted } = only;
    return store.statement<WithIds<R>>(statement, column).all({ ...parameters, wanted });
  };
}

/**
 * Declares a statement whose rows R, each with a document of T, are read one after the other, as far as the caller
 * needs them.
 */
export function each<P extends Parameters, R, T>(
  name: Building<P, T>,
): (store: Pick<Store, "statement">, parameters: WithIds<P>) => IterableIterator<R> {
  declare(name);
  return (store, parameters) => store.statement<R>(name).iterate(parameters);
}

/** A statement that returns one value: the first column of the first row; undefined if there is no row. */
type Value<P, T> = (store: Store, parameters: WithIds<P>) => T | undefined;

function firstValue<P extends Parameters, T>(name: string): Value<P, T> {
  const statement = declare(name);
  return (store, parameters) => store.plucked<T>(statement).get(parameters);
}

/** Declares a statement that returns one value. */
export const value = <P extends Parameters, T>(name: Found<Taking<P>>): Value<P, T> => firstValue(name);

/** Declares a statement that returns a document as JSON text of a T. */
export const document = <P extends Parameters, T>(name: Found<Building<P, T>>): Value<P, JsonText<T>> =>
  firstValue(name);

/** What a statement that writes has done. */
export interface Changed<N extends StatementName = StatementName> {
  /** The id of the row that was inserted last. */
  id: StatementName extends N ? number : IdOf<Statements[N]["id"]>;
  /** How many rows were inserted, updated or deleted. */
  changes: number;
}

/** Values for the parameters of a statement that writes; by any name if it is not known which statement it is. */
type Written<N extends StatementName> = Readonly<
  WithIds<Record<StatementName extends N ? string : Statements[N]["parameters"], string | number | bigint | null>>
>;

/** Declares a statement that writes. It runs within a write transaction only. */
export function change<const N extends StatementName>(name: N): (store: Store, parameters: Written<N>) => Changed<N> {
  declare(name);
  return (store, parameters) => {
    if (!store.database.inTransaction) throw new Error(`${name} must be run in a write transaction`);
    const { lastInsertRowid, changes } = store.statement(name).run(parameters);
    return { id: Number(lastInsertRowid) as Changed<N>["id"], changes }; // it is the id of the row that N inserts
  };
}

/** Prepares statements that a transaction will run, also those of one value, so that it holds the lock less long. */
export function prepareStatements(
  store: Store,
  names: readonly StatementName[],
  ofValues: readonly StatementName[] = [],
): void {
  for (const name of names) store.statement(name);
  for (const name of ofValues) store.plucked(name);
}
