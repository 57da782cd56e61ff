// Parses command lines by the description of a command: its words, positional arguments and flags.
import { parseArgs } from "node:util";
import type { Command, Flag, ParsedArgs } from "../core/command.ts";
import { choiceOf, errorOf, type Misspelling, UsageError, unknownWord } from "../core/errors.ts";
import { cut } from "../core/wording.ts";

/** The flags of every command. */
export const sharedFlags: Readonly<Record<string, Flag>> = {
  data: { value: "DIR", summary: "the data directory; ./data by default" },
  json: { summary: "prints only machine-readable output on standard output" },
  help: { short: "h", summary: "prints this text" },
};

export const flagsOf = (command: Command): Readonly<Record<string, Flag>> => ({
  ...command.flags,
  ...sharedFlags,
  ...command.directory,
});

/**
 * The words that a command line begins with, three to one of them, each with the commands of so many words; then the
 * first words.
 */
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

/**
 * Returns the command with the most words that `argv` starts with, and the rest of `argv`. Throws UsageError if there
 * is none.
 */
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

/**
 * Throws UsageError if what should name a place is empty, as of a variable that is not set: it would be every address,
 * or this folder.
 */
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
  const [sentence = error.message] = error.message.split(/\. To specify|\.?\n/);
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

/** Throws UsageError if a flag is missing, or if one of the texts that were given for it may not be. */
function checkFlag({ words }: Command, name: string, flag: Flag, texts: readonly string[]): void {
  const { required, value = "", id, choices } = flag;
  if (required && texts.length === 0) throw new UsageError(`${words} needs --${name} ${value}`);
  for (const text of texts) {
    if (id) checkId(`--${name}`, text);
    checkPlace(`--${name}`, value, text);
    if (choices !== undefined) choiceOf(`--${name}`, text, choices);
  }
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
    throw misuseOf(errorOf(error), flags, rest);
  }
  if (values.help === true) return undefined;
  const texts = (flag: string) => [values[flag]].flat().filter((value) => typeof value === "string");
  const text = (flag: string): string | undefined => texts(flag)[0];
  for (const [name, flag] of Object.entries(flags)) checkFlag(command, name, flag, texts(name));
  checkPositionals(command, positionals);
  return {
    positionals,
    values,
    text,
    required(flag) {
      const given = text(flag);
      if (given === undefined) throw new UsageError(`${command.words} needs --${flag}`);
      return given;
    },
    texts,
    id: (flag) => (text(flag) === undefined ? undefined : Number(text(flag))),
    has: (flag) => values[flag] === true,
    data: text("data") ?? "./data",
    json: values.json === true,
    now,
  };
}

/** Throws UsageError if the text is not a positive integer. */
function checkId(place: string, written: string): void {
  if (!/^[1-9]\d{0,15}$/.test(written) || !Number.isSafeInteger(Number(written)))
    throw new UsageError(`${place} takes an id, a positive integer, not ${cut(written)}`);
}
