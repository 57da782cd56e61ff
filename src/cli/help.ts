// The help of the commands, made of the same descriptions by which their command lines are parsed. It is loaded once
// somebody asks for it.
import type { Command, Flag } from "../core/command.ts";
import { commandText, commandWords } from "../core/program.ts";
import { aligned } from "../core/tables.ts";
import { flagsOf } from "./command_line.ts";

const synopsis = ({ words, positionals = [], flags = {} }: Command): string => {
  const required = Object.entries(flags).flatMap(([name, { value, required }]) =>
    required ? [`--${name} ${value}`] : [],
  );
  return commandWords([words, ...positionals, ...required].join(" "));
};

const column = (rows: readonly (readonly [string, string])[]): string[] => aligned(rows).map((line) => `  ${line}`);

/** Each flag as it is typed, with its meaning. */
export const flagRowsOf = (flags: Readonly<Record<string, Flag>>): [flag: string, meaning: string][] =>
  Object.entries(flags).map(([name, { short, value, summary, required, many }]) => [
    `--${name}${value === undefined ? "" : ` ${value}`}${short === undefined ? "" : `, -${short}`}`,
    `${summary}${required ? " (required)" : ""}${many ? " (may be repeated)" : ""}`,
  ]);

/** The text in lines of at most 100 characters. */
const linesOf = (text: string): string[] => text.match(/\S.{0,98}\S(?!\S)|\S+/g) ?? [];

/** An example of the reference as a person types it here. */
const asCalled = (example: string): string => example.replace(/^tallylight /, commandWords(""));

/** Returns the help text of one command. */
export function helpOf(command: Command): string {
  const { summary, details = "", example } = command;
  const text = [summary, ...linesOf(details)].map((line) => `  ${line}`);
  const rows = column(flagRowsOf(flagsOf(command)));
  return [`${synopsis(command)} [flags]`, "", ...text, "", ...rows, "", "Example:", `  ${asCalled(example)}`].join(
    "\n",
  );
}

/** Commands under one heading of the help. */
export interface Group {
  title: string;
  commands: readonly Command[];
}

/** Returns the help text that lists all commands. */
export function overview(groups: readonly Group[]): string {
  const rows = groups.flatMap(({ commands }) => commands.map(({ words, summary }) => [words, summary] as const));
  const lines = column(rows);
  const grouped = groups.flatMap(({ title, commands }) => ["", title, ...lines.splice(0, commands.length)]);
  return [
    `${commandWords("COMMAND [flags]")}: one production's graph`,
    ...grouped,
    "",
    `${commandText("help COMMAND")} shows its flags and an example.`,
    "Every command takes --data DIR (./data by default), --json and --help.",
    `${commandText("--version")} prints the version.`,
    "Exit status: 0 success, 1 error, 2 wrong usage.",
  ].join("\n");
}
