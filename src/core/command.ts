// Parses command lines and prints help. Both use the same description of a command: its words, positional arguments and flags.

import { parseArgs } from "node:util";

import { bounded, cut } from "./spelling.ts";

/** A word that is none of those that it may be: it may be misspelt. */
export interface Misspelling {
  /** What was written, each with the words that it may be. The first that is near to one of them is the misspelt one. */
  readonly tried: readonly (readonly [word: string, known: readonly string[]])[];
  /** The message, with the word that was probably meant. */
  sentence(likely: string): string;
}

/** The command line is wrong: exit status 2, with a hint where to find help. */
export class UsageError extends Error {
  readonly misspelling: Misspelling | undefined;
  constructor(message: string, misspelling?: Misspelling) {
    super(bounded(message));
    this.misspelling = misspelling;
  }
}

export interface Flag {
  /** The one-letter form of the flag. */
  short?: string;
  /** The placeholder for the value in help, such as ID. Without it, the flag is a boolean. */
  value?: string;
  summary: string;
  required?: true;
  /** May be given several times. */
  many?: true;
  /** The value is an id: a positive integer. */
  id?: true;
  /** The only values. */
  choices?: readonly string[];
}

/** The parsed command line. */
export interface ParsedArgs {
  positionals: string[];
  text(flag: string): string | undefined;
  texts(flag: string): string[];
  id(flag: string): number | undefined;
  has(flag: string): boolean;
  /** What is given of every flag, by its name. */
  values: Readonly<Record<string, unknown>>;
  /** The data directory. */
  data: string;
  json: boolean;
  /** The time of the call, in the format of stored timestamps. */
  now: string;
}

/** The result of a command: `document` is printed with --json, `lines` without it. `notes` go to standard error. */
export interface Output {
  document: unknown;
  lines: readonly string[];
  notes?: readonly string[];
  /** The command found something wrong: exit status 1. */
  failed?: boolean;
}

export interface Command {
  /** The words that call the command, such as "keys mint". */
  words: string;
  /** The line in the list of commands: what the command does, in at most 44 characters. */
  summary: string;
  /** Further sentences of its help, in one text. The help breaks its lines. */
  details?: string;
  /** A command line for its help. */
  example: string;
  /**
   * The names of the positional arguments. Those named ID must be ids. A name
   * in brackets is optional. If the last name ends in …, it may be repeated.
   */
  positionals?: readonly string[];
  flags?: Readonly<Record<string, Flag>>;
  /** The flag --data, if the command has another default than the others. */
  directory?: { data: Flag };
  /** Returns undefined if the command has written its output itself. */
  run(args: ParsedArgs): Promise<Output | undefined> | Output | undefined;
}

/** The flags of every command. */
export const sharedFlags: Readonly<Record<string, Flag>> = {
  data: { value: "DIR", summary: "the data directory; ./data by default" },
  json: { summary: "prints only machine-readable output on standard output" },
  help: { short: "h", summary: "prints this text" },
};

const flagsOf = (command: Command): Readonly<Record<string, Flag>> => ({
  ...command.flags,
  ...sharedFlags,
  ...command.directory,
});

const synopsis = ({ words, positionals = [], flags = {} }: Command): string => {
  const required = Object.entries(flags).flatMap(([name, { value, required }]) =>
    required ? [`--${name} ${value}`] : [],
  );
  return ["tallylight", words, ...positionals, ...required].join(" ");
};

const column = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = rows.reduce((most, [left]) => Math.max(most, left.length), 0);
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

/** Each flag as it is typed, with its meaning. */
export const flagRowsOf = (flags: Readonly<Record<string, Flag>>): [flag: string, meaning: string][] =>
  Object.entries(flags).map(([name, { short, value, summary, required, many }]) => [
    `--${name}${value === undefined ? "" : ` ${value}`}${short === undefined ? "" : `, -${short}`}`,
    `${summary}${required ? " (required)" : ""}${many ? " (may be repeated)" : ""}`,
  ]);

/** The text in lines of at most 100 characters. */
const linesOf = (text: string): string[] => text.match(/\S.{0,98}\S(?!\S)|\S+/g) ?? [];

/** Returns the help text of one command. */
export function helpOf(command: Command): string {
  const { summary, details = "", example } = command;
  const text = [summary, ...linesOf(details)].map((line) => `  ${line}`);
  const rows = column(flagRowsOf(flagsOf(command)));
  return [`${synopsis(command)} [flags]`, "", ...text, "", ...rows, "", "Example:", `  ${example}`].join("\n");
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
    "tallylight COMMAND [flags]: one production's graph",
    ...grouped,
    "",
    "`tallylight help COMMAND` shows its flags and an example.",
    "Every command takes --data DIR (./data by default), --json and --help.",
    "`tallylight --version` prints the version.",
    "Exit status: 0 success, 1 error, 2 wrong usage.",
  ].join("\n");
}

/** The error of a word that is not known; `prefix` stands before the word that was probably meant. */
const unknownWord = (message: string, tried: Misspelling["tried"], prefix = ""): UsageError =>
  new UsageError(message, { tried, sentence: (likely) => `${message}; did you mean ${prefix}${likely}?` });

/** Returns the choice that a value is. Throws UsageError if it is none. */
export function choiceOf<C extends string>(place: string, given: string, choices: readonly C[]): C {
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  throw unknownWord(`${place} must be one of ${choices.join(", ")}, not ${cut(given)}`, [[given, choices]]);
}

/** The words that a command line begins with, three to one of them, each with the commands of so many words; then the first words. */
function triedWords(known: readonly string[], argv: readonly string[]): Misspelling["tried"] {
  const flag = argv.findIndex((word) => word.startsWith("-"));
  const given = flag === -1 ? argv : argv.slice(0, flag);
  const lengths = [3, 2, 1].filter((length) => given.length >= length);
  return [
    ...lengths.map(
      (length) => [given.slice(0, length).join(" "), known.filter((one) => one.split(" ").length === length)] as const,
    ),
    [given[0] ?? "", [...new Set(known.map((words) => words.replace(/ .*/, "")))]],
  ];
}

/** Says why a command line begins with no command. */
function noCommand(commands: readonly Command[], argv: readonly string[]): UsageError {
  const [first = "", second = ""] = argv;
  if (first === "") return new UsageError("a command is missing");
  if (first.startsWith("-")) return new UsageError(`the command comes before its flags, such as ${cut(first)}`);
  const known = commands.map(({ words }) => words);
  const group = known.filter((words) => words.startsWith(`${first} `));
  if (group.length === 0)
    return unknownWord(`there is no command ${cut(first)}`, triedWords([...known, "help", "version"], argv));
  return new UsageError(`${first} needs one of: ${group.join(", ")}`, {
    tried: triedWords(group, argv),
    sentence: (likely) => `there is no command ${cut(`${first} ${second}`)}; did you mean ${likely}?`,
  });
}

/** Returns the command with the most words that `argv` starts with, and the rest of `argv`. Throws UsageError if there is none. */
export function commandOf(commands: readonly Command[], argv: readonly string[]): { command: Command; rest: string[] } {
  for (const length of [3, 2, 1]) {
    const words = argv.slice(0, length).join(" ");
    const command = commands.find((known) => known.words === words);
    if (command !== undefined) return { command, rest: argv.slice(length) };
  }
  throw noCommand(commands, argv);
}

/** The placeholders of values that name a file, a folder, a machine or an account. */
const namesPlace = /^\[?(DIR|FILE|FOLDER|HOST|PACKAGE|PATH|SOURCE|USER)\b/;

/** Throws UsageError if what should name a place is empty, as of a variable that is not set: it would be every address, or this folder. */
function checkPlace(name: string, placeholder: string, given: unknown): void {
  if (given === "" && namesPlace.test(placeholder)) throw new UsageError(`${name} must not be empty`);
}

function checkPositionals({ words, positionals = [] }: Command, args: readonly string[]): void {
  const several = /…\]?$/.test(positionals.at(-1) ?? "");
  const missing = positionals.filter((name) => !name.startsWith("["))[args.length];
  if (missing !== undefined) throw new UsageError(`${words} needs ${missing.replace("…", "")}`);
  if (args.length > positionals.length && !several)
    throw new UsageError(`${words} does not take ${cut(args[positionals.length] ?? "")}`);
  for (const [at, given] of args.entries()) {
    const name = positionals[at] ?? positionals.at(-1) ?? "";
    if (/^\[?ID…?\]?$/.test(name)) checkId("ID", given);
    checkPlace(name.replace(/[[\]…]/g, ""), name, given);
  }
}

/** The sentence for what parseArgs refuses. */
function misuseOf(error: Error, flags: Readonly<Record<string, Flag>>, rest: readonly string[]): UsageError {
  const sentence = error.message.split(/\. To specify|\.?\n/)[0] as string;
  const [, unknown] = /^Unknown option '(-[^']+)'/.exec(sentence) ?? [];
  if (unknown === undefined) return new UsageError(sentence);
  // Of a word with one hyphen, parseArgs names the first letter alone.
  const word = unknown.startsWith("--") ? unknown : (rest.find((one) => one.startsWith(unknown)) ?? unknown);
  return unknownWord(
    `there is no flag ${cut(word)}`,
    word.length < 3 ? [] : [[word.replace(/=.*/s, ""), Object.keys(flags)]],
    "--",
  );
}

/** Parses the arguments after a command's words. Returns undefined for --help. Throws UsageError if they are wrong. */
export function parseCommandArgs(command: Command, rest: string[], now: string): ParsedArgs | undefined {
  const flags = flagsOf(command);
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { short, value, many }]) => [
      name,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        multiple: many === true,
        ...(short !== undefined && { short }),
      },
    ]),
  );
  let values: Record<string, unknown>;
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({ args: rest, options, allowPositionals: true, strict: true }));
  } catch (error) {
    throw misuseOf(error as Error, flags, rest);
  }
  if (values.help === true) return undefined;
  for (const [name, { required, value = "", id, choices }] of Object.entries(flags)) {
    if (required && values[name] === undefined) throw new UsageError(`${command.words} needs --${name} ${value}`);
    if (id && values[name] !== undefined) checkId(`--${name}`, values[name] as string);
    checkPlace(`--${name}`, value, values[name]);
    if (choices !== undefined && values[name] !== undefined)
      for (const given of [values[name]].flat()) choiceOf(`--${name}`, given as string, choices);
  }
  checkPositionals(command, positionals);
  const text = (flag: string) => values[flag] as string | undefined;
  return {
    positionals,
    values,
    text,
    texts: (flag) => (values[flag] as string[] | undefined) ?? [],
    id: (flag) => (text(flag) === undefined ? undefined : Number(text(flag))),
    has: (flag) => values[flag] === true,
    data: text("data") ?? "data",
    json: values.json === true,
    now,
  };
}

/** Throws UsageError if the text is not a positive integer. */
function checkId(place: string, written: string): void {
  if (!/^[1-9]\d{0,15}$/.test(written) || !Number.isSafeInteger(Number(written)))
    throw new UsageError(`${place} takes an id, a positive integer, not ${cut(written)}`);
}

/** Formats rows as a table with a header line. Each column is as wide as its longest value. */
export function tabled<R extends object>(rows: readonly R[], columns: readonly (keyof R & string)[]): string[] {
  const texts: (readonly string[])[] = [columns, ...rows.map((row) => columns.map((name) => cell(row[name])))];
  const widths = columns.map((_, at) => texts.reduce((most, line) => Math.max(most, line[at]?.length ?? 0), 0));
  return texts.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at] as number))
      .join("  ")
      .trimEnd(),
  );
}

/** The output of rows: all of them, and a table of some columns. `shown` makes what is printed of a row, if that is not the row itself. */
export function rowsOutput<R extends object>(rows: readonly R[], columns: readonly (keyof R & string)[]): Output;
export function rowsOutput<R, S extends object>(
  rows: readonly R[],
  columns: readonly (keyof S & string)[],
  shown: (row: R) => S,
): Output;
export function rowsOutput<R extends object>(
  rows: readonly R[],
  columns: readonly (keyof R & string)[],
  shown = (row: R) => row,
): Output {
  return { document: rows, lines: tabled(rows.map(shown), columns) };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.join(" ") : String(value).replace(/\s*\n\s*/g, " "); // a row is one line
}
