// Prepares every statement of sql/ and of the program's text with the schema of this version, and compares
// sql/<name>.d.ts, the types of the statements of sql/<name>.sql, with what it finds. Compares the schema that a new
// database gets with what the migrations make. With --write it makes these files: `npm run statements`.
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { openStore } from "../../src/core/store/database.ts";
import { migrate, migrations, schemaFile } from "../../src/core/store/migrations.ts";
import {
  allBlocks,
  type Block,
  parametersOf,
  type StatementName,
  statementTexts,
} from "../../src/core/store/statements.ts";
import type { Store } from "../../src/core/store/store.ts";
import { temporaryFolder } from "./folder.ts";

const folder = fileURLToPath(new URL("../../sql/", import.meta.url));

/** The text of a statement, in which each quoted text and comment is gone or replaced by a quoted number of a list. */
function withoutTexts(statement: string): { text: string; texts: string[] } {
  const texts: string[] = [];
  const text = statement.replace(/'(?:[^']|'')*'|--.*/g, (part) =>
    part.startsWith("--") ? "" : `'${texts.push(part.slice(1, -1)) - 1}'`,
  );
  return { text, texts };
}

/** The arguments of the call whose opening parenthesis stands at `open`. */
function argumentsAt(text: string, open: number): string[] {
  const found: string[] = [];
  let [depth, start] = [0, open + 1];
  for (let at = open; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")") depth--;
    if ((text[at] === "," && depth === 1) || depth === 0) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
    if (depth === 0) return found;
  }
  throw new Error(`a parenthesis is not closed: ${text.slice(open, open + 40)}`);
}

/** The calls of functions that make or change JSON objects, each with the number of parentheses around it. */
function* jsonCalls(text: string): Generator<{ name: string; depth: number; open: number }> {
  let depth = 0;
  for (const { 0: part, 1: name, index } of text.matchAll(/\b(jsonb?_(?:object|insert|set))\(|[()]/g)) {
    if (name !== undefined) yield { name, depth, open: index + part.length - 1 };
    depth += part === ")" ? -1 : 1;
  }
}

/**
 * The names of the fields of the object, or of the objects of the list, that a statement builds as JSON; none if it
 * builds none.
 */
function fieldsOf(statement: string): string[] {
  const { text, texts } = withoutTexts(statement);
  const calls = [...jsonCalls(text)];
  const least = Math.min(...calls.map(({ depth }) => depth));
  const outer = calls.find(({ depth }) => depth === least);
  if (outer === undefined) return [];
  const named = (argument: string): string => texts[Number(/^'(\d+)'$/.exec(argument)?.[1])] ?? "?";
  const fields = (open: number, name: string): string[] => {
    const given = argumentsAt(text, open);
    if (name.endsWith("object")) return given.filter((_, at) => at % 2 === 0).map(named);
    const inner = calls.find((call) => call.open > open) as (typeof calls)[number];
    return [
      ...fields(inner.open, inner.name),
      ...given.filter((_, at) => at % 2 === 1).map((path) => named(path).replace("$.", "")),
    ];
  };
  return fields(outer.open, outer.name);
}

/** Something wrong in a .sql file. */
interface Mistake {
  file: string;
  line: number;
  message: string;
}

/**
 * Where SQLite's message about a statement points to: the line of the statement, or of a fragment in it, that has the
 * name that is wrong.
 */
export function mistakeIn(name: string, message: string, blocks: readonly Block[]): Mistake {
  const at = (block: Block): Mistake => ({
    file: `sql/${block.file}`,
    line: block.line,
    message: `${name}: ${message}`,
  });
  const statement = blocks.find((block) => block.kind === "name" && block.name === name) as Block; // prepared from it
  const wrong = /(?:no such \w+|ambiguous column name|has no column named|near)[: ]+"?([\w.]+)/.exec(message)?.[1];
  if (wrong === undefined) return at(statement);
  const word = new RegExp(`(?<![\\w.:])${wrong.replaceAll(".", "\\.")}(?!\\w)`);
  const parts = [statement];
  for (const part of parts) {
    const own = part.text.split("\n").findIndex((line) => word.test(line.replace(/--.*/, "")));
    if (own >= 0) return { ...at(part), line: part.line + own };
    const within = [...part.text.matchAll(/\{\{(\w+)\}\}/g)].map(([, fragment]) => fragment);
    parts.push(
      ...blocks.filter((block) => block.kind === "fragment" && within.includes(block.name) && !parts.includes(block)),
    );
  }
  return at(statement);
}

/** A type of texts: those of a list. */
const union = (names: readonly string[]): string =>
  names.length === 0 ? "never" : names.map((name) => JSON.stringify(name)).join(" | ");

/** The tables whose ids have a type of their own in src/core/ids.ts, with the name of that type. */
const kinds: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "production",
      "node",
      "department",
      "vendor",
      "engagement",
      "grant",
      "episode",
      "submission",
      "approval",
      "version",
    ].map((kind) => [`${kind}s`, kind]),
  ),
  ...Object.fromEntries(
    ["ingredient", "asset_file", "shoot_day", "webhook", "change_set"].map((kind) => [`${kind}s`, kind]),
  ),
  activity: "activity",
  api_keys: "key",
  deliveries: "delivery",
  media: "media",
  people: "person",
  script_drafts: "draft",
  storage_installs: "install",
  storage_tasks: "task",
};

/**
 * What the column `id` of a statement is an id of, or the row that it inserts; undefined if that is not a table of
 * `kinds`.
 */
function kindOf(store: Store, name: StatementName, text: string): string | undefined {
  const statement = store.statement(name);
  const { text: plain } = withoutTexts(text);
  if (!statement.reader) return kinds[/\bINSERT (?:OR \w+ )?INTO (\w+)/.exec(plain)?.[1] ?? ""];
  let outer = plain;
  for (let before = ""; before !== outer; ) {
    before = outer;
    outer = outer.replace(/\([^()]*\)/g, "");
  }
  const id = statement.columns().find((column) => column.name === "id");
  if (id === undefined || /\bUNION\b/.test(outer)) return undefined; // SQLite names the table of the first part only
  return id.column === "node_id" ? "node" : id.column === "id" ? kinds[id.table ?? ""] : undefined;
}

/** The entry of a statement in the map of its file. Throws what SQLite says if the statement cannot be prepared. */
function entryOf(store: Store, name: StatementName, text: string): string {
  const statement = store.statement(name);
  const columns = statement.reader ? statement.columns().map((column) => column.name) : [];
  const named = columns.filter((column) => /^\w+$/.test(column));
  const isDocument = columns.includes("document") || (columns.length === 1 && named.length === 0);
  const fields = isDocument ? fieldsOf(text) : [];
  const kind = kindOf(store, name, text);
  return `    ${name}: { parameters: ${union(parametersOf(name))}; columns: ${union(named)}; fields: ${union(fields)}; id: ${union(kind === undefined ? [] : [kind])} };`;
}

const mapText = (file: string, entries: readonly string[]): string =>
  [
    `// The statements of ${file}: their parameters, the columns that they return or insert, the fields of the JSON that they build,\n// and what the column id, or the row that they insert, is an id of.`,
    "// Made by `npm run statements`; `npm run types` holds it current.",
    "export {};",
    'declare module "../src/core/store/statements.ts" {',
    "  interface Statements {",
    ...entries,
    "  }",
    "}",
    "",
  ].join("\n");

/**
 * The maps of the .sql files by their names in sql/, and the statements that SQLite does not prepare with the schema of
 * this version.
 */
export function statementMaps(): { maps: Map<string, string>; mistakes: Mistake[] } {
  const store = openStore(join(temporaryFolder(), "empty.db"));
  const mistakes: Mistake[] = [];
  const blocks = allBlocks();
  const texts = statementTexts();
  const maps = new Map<string, string>();
  try {
    for (const [file, own] of Map.groupBy(blocks, (block) => block.file)) {
      // each is in sql/
      const names = own.filter(({ kind }) => kind === "name").map((block) => block.name as StatementName);
      const entries = names.flatMap((name) => {
        try {
          return [entryOf(store, name, texts.get(name) ?? "")];
        } catch (error) {
          mistakes.push(mistakeIn(name, (error as Error).message, blocks));
          return [];
        }
      });
      if (names.length > 0) maps.set(file.replace(/\.sql$/, ".d.ts"), mapText(file, entries));
    }
    return { maps, mistakes };
  } finally {
    store.close();
  }
}

/** The maps in sql/ as they are. */
export const writtenMaps = (): Map<string, string> =>
  new Map(globSync("*.d.ts", { cwd: folder }).map((file) => [file, readFileSync(join(folder, file), "utf8")]));

/** The names of the maps that are not as statementMaps makes them. */
export function outdatedMaps(maps: ReadonlyMap<string, string>): string[] {
  const written = writtenMaps();
  return [...new Set([...maps.keys(), ...written.keys()])]
    .filter((file) => maps.get(file) !== written.get(file))
    .sort();
}

/**
 * The text of `schemaFile`: every table, index, view and trigger as the migrations leave it, and the row that they
 * insert.
 */
export function schemaText(): string {
  const database = new Database(":memory:");
  migrate(database, [...migrations()]);
  const texts = database
    .prepare<[], string>(
      `SELECT sql FROM sqlite_schema AS made
       WHERE sql IS NOT NULL AND name <> 'migrations' AND name NOT LIKE 'sqlite^_%' ESCAPE '^' AND NOT EXISTS (
         SELECT 1 FROM pragma_table_list AS shadow WHERE shadow.name = made.tbl_name AND shadow.type = 'shadow')
       ORDER BY rowid`,
    )
    .pluck()
    .all();
  database.close();
  return [
    "-- The schema of a new database: what the migrations make of an empty one. Made from them by `npm run statements`.",
    ...texts.map((text) => `${text};`),
    "INSERT INTO epochs (epoch, started_at) VALUES (lower(hex(randomblob(4))), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));",
    "",
  ].join("\n");
}

/** Whether `schemaFile` has this text. */
export const isSchemaCurrent = (text = schemaText()): boolean =>
  existsSync(schemaFile) && readFileSync(schemaFile, "utf8") === text;

/** A statement that is written where it is prepared, without parts that are put in. */
const writtenStatement = /\.prepare(?:<[^()]*>)?\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`$\\]*)`)/g;

/**
 * The statements in src/ that SQLite does not prepare with the schema of this version. The agent has a database of its
 * own.
 */
export function mistakesInSource(): Mistake[] {
  const store = openStore(join(temporaryFolder(), "empty.db"));
  const root = join(folder, "..");
  const mistakeOf = (statement: string): string | undefined => {
    try {
      store.database.prepare(statement);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  try {
    return globSync("src/**/*.ts", { cwd: root, exclude: ["src/agent/**"] }).flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...text.matchAll(writtenStatement)].flatMap(({ 1: quoted, 2: long, index }) => {
        const message = mistakeOf(quoted === undefined ? String(long) : JSON.parse(`"${quoted}"`));
        return message === undefined ? [] : [{ file, line: text.slice(0, index).split("\n").length, message }];
      });
    });
  } finally {
    store.close();
  }
}

function main(): void {
  const isWriting = process.argv.includes("--write");
  const schema = schemaText();
  if (isWriting) writeFileSync(schemaFile, schema); // the statements are prepared with it
  const { maps, mistakes: inFiles } = statementMaps();
  const mistakes = [...inFiles, ...mistakesInSource()];
  const outdated = outdatedMaps(maps);
  if (!isSchemaCurrent(schema)) outdated.push("migrations/schema.sql");
  for (const { file, line, message } of mistakes) console.error(`${file}:${line}: ${message}`);
  if (mistakes.length > 0) process.exitCode = 1;
  else if (isWriting)
    for (const file of outdated) {
      const text = maps.get(file);
      if (text === undefined) rmSync(join(folder, file));
      else writeFileSync(join(folder, file), text);
    }
  if (!isWriting && outdated.length > 0) {
    console.error(
      `not current: ${outdated.map((file) => `sql/${file}`).join(", ")}; \`npm run statements\` makes them`,
    );
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
