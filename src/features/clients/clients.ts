// Makes the clients: what is written by hand in python/ and javascript/, with a method for each operation of the
// description.
import { readFile } from "node:fs/promises";
import type { Addresses } from "../../core/context.ts";
import { release } from "../../core/program.ts";
import { clientPaths } from "../addresses/paths.ts";
import { declarations } from "./declarations.ts";
import { javascriptMethods } from "./javascript_methods.ts";
import { mirroredLists } from "./mirrored.ts";
import { type ClientOperation, clientOperations } from "./operations.ts";
import { pythonMethods } from "./python_methods.ts";

/** The parts of each client, in their order. */
const parts = ["client", "calls", "mirror", "tallylight"] as const;

/** A module as a part of one file: without its imports of other parts, and with the exports of the whole alone. */
const asPart = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !(line.startsWith("import {") && line.includes(' from "./')))
    .map((line) => (line.startsWith("export class Tallylight") ? line : line.replace(/^export /, "")))
    .join("\n")
    .trimStart();

const textOf = async (folder: "python" | "javascript", extension: "py" | "mjs", between: string): Promise<string> => {
  const urls = parts.map((part) => new URL(`./${folder}/${part}.${extension}`, import.meta.url));
  const texts = await Promise.all(urls.map((url) => readFile(url, "utf8")));
  return texts.map(asPart).join(between);
};

/**
 * The table of a client: of each operation its method, its path, the places of its arguments, and what its body may be.
 */
const tableOf = (operations: readonly ClientOperation[]): string => {
  const rows = operations.map(({ name, method, path, fields, forms }) => {
    const places = Object.fromEntries(fields.map((field) => [field.name, field.place]));
    return `    ${JSON.stringify(name)}: ${JSON.stringify([method, path, places, forms])},`;
  });
  return `{\n${rows.join("\n")}\n}`;
};

const listOf = (rows: readonly unknown[]): string =>
  `[\n${rows.map((row) => `    ${JSON.stringify(row)},`).join("\n")}\n]`;

/** Fills in what stands between `"@` and `@"`, and the version. */
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text
    .replace(/"@(OPERATIONS|MIRRORED|METHODS)@";?/g, (_, name) => values[name] ?? "")
    .replaceAll("@VERSION@", release);

/** Returns the text of each client, by its address, of a server with these public addresses. */
export async function clientTexts(addresses: Addresses): Promise<Record<string, string>> {
  const { operations, schemas } = await clientOperations(addresses);
  const [table, lists] = [tableOf(operations), listOf(mirroredLists(operations))];
  const values = (METHODS: string) => ({ OPERATIONS: table, MIRRORED: lists, METHODS });
  const [python, javascript] = await Promise.all([textOf("python", "py", "\n\n"), textOf("javascript", "mjs", "\n")]);
  return {
    [clientPaths.python]: filled(python, values(pythonMethods(operations))),
    [clientPaths.javascript]: filled(javascript, {
      ...values(javascriptMethods(operations)),
      OPERATIONS: `${table};`,
      MIRRORED: `${lists};`,
    }),
    [clientPaths.declarations]: declarations(operations, schemas),
  };
}
