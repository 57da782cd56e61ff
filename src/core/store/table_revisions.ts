// Reads how often the rows of each table changed, by production. With it the server keeps an answer until a commit changes a table
// that the answer was read from. The triggers of the schema count, so the commits of every process and program are included.

import type Database from "better-sqlite3";
import type { ProductionId } from "../ids.ts";
import { statementTexts } from "./statements.ts";

/** The statements that an answer was made with. */
export class Reads {
  /** The names of the statements. */
  readonly statements = new Set<string>();
  /** False if some of the work was asynchronous, so that its statements are not known. */
  complete = true;
}

/** The revisions at one time. Immutable. */
export interface TableRevisions {
  /** Differs from that of every other time. */
  readonly number: number;
  /** The sum of the revisions of some parts of a production. It grows with each change of one of them. */
  sumOf(parts: readonly string[], production_id: ProductionId): number;
}

/** Rows as lists: they are read after every commit, and objects would take twice the time. */
type Row = readonly [production_id: ProductionId, part: string, revision: number];

/** The production of the rows of tables that do not name one. */
const anyProduction = 0;

function revisionsOf(rows: readonly Row[], number: number): TableRevisions {
  const productions = new Map<number, Map<string, number>>();
  let last: number | undefined;
  let parts = new Map<string, number>();
  for (const [production_id, part, revision] of rows) {
    if (production_id !== last) {
      parts = productions.get(production_id) ?? new Map<string, number>();
      productions.set(production_id, parts);
      last = production_id;
    }
    parts.set(part, revision);
  }
  const common = productions.get(anyProduction);
  return {
    number,
    sumOf(parts, production_id) {
      const own = productions.get(production_id);
      let sum = 0;
      for (const part of parts) sum += (own?.get(part) ?? 0) + (common?.get(part) ?? 0);
      return sum;
    },
  };
}

/** A statement's text without string literals and comments, in which a word may be the name of a table or column. */
const bare = (text: string): string => text.replace(/'[^']*'|--.*/g, " ");

/** The tables of the schema, and the parts that triggers count: a table, or a column as table.column. */
function countedParts(database: Database.Database): { tables: Set<string>; counted: Map<string, Set<string>> } {
  const names = (type: string, field: string): string[] =>
    database.prepare(`SELECT ${field} FROM sqlite_schema WHERE type = ?`).pluck().all(type) as string[];
  const counted = new Map<string, Set<string>>();
  for (const text of names("trigger", "sql")) {
    const [, table = ""] = /^CREATE TRIGGER count_\w+ AFTER [\w ,]+? ON (\w+) BEGIN/.exec(text) ?? [];
    const [, part = ""] = /INSERT INTO table_revisions VALUES \([\w.]+, '([\w.]+)', 1\)/.exec(text) ?? [];
    if (table !== "" && part !== "") counted.set(table, (counted.get(table) ?? new Set()).add(part));
  }
  return { tables: new Set(names("table", "name")), counted };
}

/** Whether a statement reads a part of a table that its text names: the table, or the column. */
const readsPart = (part: string, words: ReadonlySet<string>, text: string): boolean => {
  const [, column] = part.split(".");
  return column === undefined || words.has(column) || text.includes("*");
};

/** The parts that a statement may read; undefined if it names a table that is not counted. */
function partsOfText(text: string, { tables, counted }: ReturnType<typeof countedParts>): string[] | undefined {
  const code = bare(text);
  const words = new Set(code.match(/\w+/g));
  const named = [...words].filter((word) => tables.has(word));
  if (!named.every((table) => counted.has(table))) return undefined;
  return named.flatMap((table) =>
    [...(counted.get(table) as Set<string>)].filter((part) => readsPart(part, words, code)),
  );
}

/** Returns the functions by which the store reads revisions, and finds out which parts an answer depends on. */
export function openTableRevisions(database: Database.Database) {
  const list = database.prepare("SELECT production_id, part, revision FROM table_revisions").raw();
  const schema = countedParts(database);
  const texts = statementTexts();
  const byStatement = new Map<string, string[] | undefined>();
  const byReads = new Map<string, readonly string[] | undefined>();

  function partsOfStatement(name: string): string[] | undefined {
    if (!byStatement.has(name)) byStatement.set(name, partsOfText(texts.get(name) ?? "", schema));
    return byStatement.get(name);
  }

  return {
    /** Reads the revisions; `number` must differ from that of every other time. */
    load: (number: number): TableRevisions => revisionsOf(list.all() as Row[], number),

    /** The parts that the statements may read, sorted; undefined if one of them may read what is not counted. */
    partsOf({ statements, complete }: Reads): readonly string[] | undefined {
      if (!complete) return undefined;
      const name = [...statements].join(" ");
      if (!byReads.has(name)) {
        const each = [...statements].map(partsOfStatement);
        const known = each.every((parts) => parts !== undefined);
        byReads.set(name, known ? [...new Set(each.flat() as string[])].sort() : undefined);
      }
      return byReads.get(name);
    },
  };
}
