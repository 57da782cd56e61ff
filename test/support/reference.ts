// Writes the parts of the documentation that the program has: docs/commands.md, and tables of the other guides. `npm
// run reference` writes them, and test/docs/reference.test.ts compares them.
import "../../src/features.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { sharedFlags } from "../../src/cli/command_line.ts";
import { flagRowsOf, type Group } from "../../src/cli/help.ts";
import { groupsOfCommands } from "../../src/cli/main.ts";
import type { Command } from "../../src/core/command.ts";
import { allSettings } from "../../src/core/config.ts";
import { pathsOf } from "../../src/core/operation.ts";
import type { SettingSchemas } from "../../src/core/settings.ts";
import { eventTypes, verbsOf } from "../../src/core/store/event_types.ts";
import { isFurtherTool } from "../../src/features/addresses/tools.ts";
import { templated } from "../../src/features/openapi/operation.ts";
import { formatTables } from "./format_tables.ts";
import { type Limit, limits } from "./limits.ts";
import { type Operation, table as operations } from "./operations.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const code = (text: string): string => `\`${text}\``;
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/[^.]$/, "$&.");
const cell = (text: string): string => text.replaceAll("|", "\\|");

/** A table in Markdown. */
const tableText = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => "---"), ...rows]
    .map((row, at) => (at === 1 ? `|${row.join("|")}|` : `| ${row.map(cell).join(" | ")} |`))
    .join("\n");

/** Lines of at most `width` characters. */
function wrapped(text: string, width = 140): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) as string;
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}

const flagTable = (rows: readonly (readonly [string, string])[]): string =>
  tableText(
    ["flag", "meaning"],
    rows.map(([flag, meaning]) => [flag.split(", ").map(code).join(", "), meaning]),
  );

/** The section of one command, from the same description as its help. */
function commandSection(command: Command): string {
  const { words, positionals = [], summary, details, example, flags = {}, directory = {} } = command;
  const text = [sentence(summary), details].filter((part) => part !== undefined && part !== "").join(" ");
  const own = flagRowsOf({ ...flags, ...directory });
  return [
    `### ${code([words, ...positionals].join(" "))}`,
    wrapped(text),
    ...(own.length === 0 ? [] : [flagTable(own)]),
    `Example: ${code(example)}`,
  ].join("\n\n");
}

const introduction = `# Commands

<!-- \`npm run reference\` writes this file from the help of the program. Change the commands instead. -->

\`tallylight COMMAND\` runs everything: the server, the admin commands and the storage agent. Inside a checkout, type \`npx tallylight COMMAND\`;
anywhere else, give the path, \`/path/to/checkout/bin/tallylight.js COMMAND\`, because npx would ask the public registry. Most commands work on a data directory, also while a server serves it; a change takes effect
with the server's next answer. \`tallylight audit\` lists what admins changed.

The exit status is 0 if the command is done, 1 if it is refused, and 2 if its arguments are wrong or leave a question open. The reason goes to standard error. With \`--json\`, a
refused command also prints \`{"error": "the sentence", "problems": [{"file", "sentence"}]}\`, with one problem for each in the imported files.

An \`ID\` is a positive integer. Where a command takes an id or a name, digits are an id, and anything else is the name that documents use: a
title, a person's name, a department's slug, an asset's label, \`scene 22\`, or \`scene 102/3A\` in a series. Case does not matter. \`tallylight
list\` shows names and ids. If nothing or several things have the name, the command refuses and lists the candidates.

Every command takes these flags:`;

const commandsPage = (groups: readonly Group[]): string =>
  [
    introduction,
    flagTable(flagRowsOf(sharedFlags)),
    ...groups.flatMap(({ title, commands }) => [`## ${title}`, ...commands.map(commandSection)]),
  ].join("\n\n");

/** A row of the table of endpoints. */
function endpointRow(row: Operation): string[] {
  const { name, method, scope, reach, tool, resource } = row;
  const paths = pathsOf(row).map((path) => code(templated(path)));
  const toolName = tool ? `tool ${code(name)}` : isFurtherTool(row) && `all: ${code(name)}`;
  return [
    method,
    paths.join(", "),
    scope === null ? "any" : code(scope),
    reach === "production" ? "no" : "clamped",
    [toolName, resource && `resource ${code(resource)}`].filter(Boolean).join(", "),
  ];
}

/**
 * The page with another text of the first table below a heading, and of those that follow it with nothing but a line
 * such as "In `steps`:" between. Throws an Error if there is no such table.
 */
function withTable(page: string, heading: string, table: string): string {
  const at = page.search(new RegExp(`^#+ ${heading}$`, "m"));
  const found = at === -1 ? null : /(?:^\|.*\n)+(?:\nIn `.*`:\n\n(?:^\|.*\n)+)*/m.exec(page.slice(at));
  if (found === null) throw new Error(`there is no table below "${heading}"`);
  const start = at + found.index;
  return `${page.slice(0, start)}${table}\n${page.slice(start + found[0].length)}`;
}

const limitTable = (rows: readonly Limit[]): string =>
  tableText(
    ["limit", "value", "beyond it", "setting"],
    rows.map(({ limit, value, beyond = "", setting }) => [
      limit,
      value,
      beyond,
      setting === undefined ? "" : code(setting),
    ]),
  );

/** docs/reference.md with its generated tables. */
function referencePage(page: string): string {
  const endpoints = tableText(["method", "path", "scope", "bound key", "MCP"], operations.map(endpointRow));
  const events = tableText(
    ["type", "`verb` of the activity", "`subject.kind`", "`data`", "recorded when"],
    [...eventTypes()].map(([type, { subject, data, when }]) => [
      code(type),
      verbsOf(type).map(code).join(", "),
      code(subject),
      data.map(code).join(", "),
      when,
    ]),
  );
  const tables = [
    ["Endpoints", endpoints],
    ["Event types", events],
    [
      "Settings",
      tableText(["setting", "default", "values", "what it does"], Object.entries(allSettings()).map(settingRow)),
    ],
    ...Object.entries(limits).map(([heading, rows]) => [heading, limitTable(rows)]),
  ] as const;
  return tables.reduce((text, [heading = "", table = ""]) => withTable(text, heading, table), page);
}

/** docs/format.md with its generated tables. */
const formatPage = (page: string): string =>
  formatTables().reduce((text, [heading, tables]) => withTable(text, heading, tables), page);

const sizes = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** A number as a table shows it; bytes in the largest unit that divides them. */
function numberText(value: number, unit: string | undefined): string {
  if (unit !== "bytes") return value.toLocaleString("en");
  const power = value === 0 ? 0 : Math.max(...sizes.keys().filter((at) => value % 1024 ** at === 0));
  return `${value / 1024 ** power} ${value === 1 ? "byte" : sizes[power]}`;
}

/** A row of the table of settings: the values are what the message of a wrong one asks for. */
function settingRow([name, schema]: [string, SettingSchemas[string]]): string[] {
  const message = String((schema.wrapped as { message?: unknown }).message).replace(/^must be /, "");
  const [, unit, least, most] = /^a whole number of (.+) from (\d+) to (\d+)$/.exec(message) ?? [];
  const values =
    unit === undefined
      ? message.replace(/\{.*\}/, code)
      : [least, most].map((end) => numberText(Number(end), unit)).join(" to ");
  const fallback: unknown = v.getDefault(schema);
  const isNone =
    fallback === undefined || (typeof fallback === "object" && Object.keys(fallback as object).length === 0);
  const text =
    typeof fallback === "number"
      ? numberText(fallback, unit)
      : typeof fallback === "string"
        ? code(fallback)
        : `${fallback}`;
  return [code(name), isNone ? "none" : text, values, schema.what];
}

/** Each generated page as it should be, by its path. */
export const referencePages = async (): Promise<Readonly<Record<string, string>>> => ({
  "docs/commands.md": `${commandsPage(await groupsOfCommands())}\n`,
  "docs/format.md": formatPage(readFileSync(join(root, "docs/format.md"), "utf8")),
  "docs/reference.md": referencePage(readFileSync(join(root, "docs/reference.md"), "utf8")),
});

if (process.argv.includes("--write"))
  for (const [path, text] of Object.entries(await referencePages())) writeFileSync(join(root, path), text);
