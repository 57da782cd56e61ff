// Makes src/core/store/statement_map.ts from sql/: `node test/support/statement_map.ts --write` after a statement changed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/core/store/database.ts";
import { insertedColumns, parametersOf, type StatementName, statementTexts } from "../../src/core/store/statements.ts";
import { temporaryFolder } from "./folder.ts";

export const mapFile = fileURLToPath(new URL("../../src/core/store/statement_map.ts", import.meta.url));

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

/** The names of the fields of the object, or of the objects of the list, that a statement builds as JSON; none if it builds none. */
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

/** The text of the map. */
export function statementMap(): string {
  const store = openStore(join(temporaryFolder(), "empty.db"));
  try {
    const lines = [...statementTexts()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([given, text]) => {
        const name = given as StatementName; // it is in sql/
        const statement = store.statement(name);
        const columns = statement.reader ? statement.columns().map((column) => column.name) : insertedColumns(name);
        const named = columns.filter((column) => /^\w+$/.test(column));
        const isDocument = columns.includes("document") || (columns.length === 1 && named.length === 0);
        const fields = isDocument ? fieldsOf(text) : [];
        return `  ${name}: ${JSON.stringify([parametersOf(name), named, fields])},`;
      });
    return [
      "// The statements of sql/: their parameters, the columns of the rows that they return or insert, and the fields of the JSON that",
      "// they build. Made by `npm run statements`; a test holds it current.",
      "export const statements = {",
      ...lines,
      "} as const;",
      "",
    ].join("\n");
  } finally {
    store.close();
  }
}

if (process.argv.includes("--write")) writeFileSync(mapFile, statementMap());
