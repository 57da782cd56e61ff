// The entry of the command line: finds a command among its own and those of the features, runs it, writes its result,
// and turns errors into messages and an exit status. The module of a command is loaded only when it is needed, because
// most modules load the database engine.
import "../features.ts";
import type { Command, Output, ParsedArgs } from "../core/command.ts";
import { CliError, errorOf, httpErrorOf, MachineError, type Problem, UsageError } from "../core/errors.ts";
import type { FeatureCommands } from "../core/feature.ts";
import { contribution, features } from "../core/features.ts";
import { commandWords, release } from "../core/program.ts";
import { causeOf } from "../core/system_errors.ts";
import { commandOf, parseCommandArgs } from "./command_line.ts";
import type { Group } from "./help.ts";

/** The commands that every program has. */
const own: readonly FeatureCommands[] = [
  { group: "Start", words: ["serve"], load: () => import("../core/serve_command.ts") },
  { group: "Access", words: ["keys"], load: () => import("./keys.ts") },
  { group: "Access", words: ["engagements", "grants"], load: () => import("./engagements.ts") },
];

/** The groups in the order of the help. */
const groups = ["Start", "Production", "Access", "Storage", "Running"] as const satisfies FeatureCommands["group"][];

const listedCommands = (): FeatureCommands[] => [...own, ...features().flatMap(({ commands = [] }) => commands)];

const firstWord = ({ words }: Command): string => words.split(" ", 1)[0] ?? "";

async function loadCommands({ words: first, load }: FeatureCommands): Promise<readonly Command[]> {
  const { commands } = await load();
  return commands.filter((command) => first.includes(firstWord(command)));
}

/** Loads every command, in its group; those with the same first word stand together. */
export const groupsOfCommands = (): Promise<readonly Group[]> =>
  Promise.all(
    groups.map(async (title) => {
      const loaded = await Promise.all(
        listedCommands().flatMap((file) => (file.group === title ? [loadCommands(file)] : [])),
      );
      const byWord = Map.groupBy(loaded.flat(), firstWord);
      return { title, commands: [...byWord.values()].flat() };
    }),
  );

/** Loads every command. */
export const allCommands = async (): Promise<readonly Command[]> =>
  (await groupsOfCommands()).flatMap(({ commands }) => commands);

/** Loads the files whose commands begin with `word`; every command if there is no such file. */
export async function commandsOf(word = ""): Promise<readonly Command[]> {
  const found = listedCommands().filter(({ words }) => words.includes(word));
  return found.length === 0 ? allCommands() : (await Promise.all(found.map(loadCommands))).flat();
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const note = (text: string): void => void process.stderr.write(`${text}\n`);

function write({ document, lines, notes = [] }: Output, json: boolean): void {
  if (json) say(JSON.stringify(document));
  else for (const line of lines) say(line);
  for (const line of notes) note(line);
}

/** Why a file or folder cannot be used, if the error names it. */
function fileProblemOf(error: unknown): string | undefined {
  const { path, syscall } = errorOf(error);
  if (typeof path !== "string" || path === "" || syscall === undefined) return undefined;
  return `${path} cannot be used: ${causeOf(error)}`;
}

/** What an error that the program knows says on the machine itself. */
function knownProblemOf(error: unknown): string | undefined {
  const known = httpErrorOf(error);
  if (known instanceof MachineError) return known.here;
  return known.status === 500 ? undefined : known.message;
}

/** Describes an error: `sentence` and `problems` for --json, `lines` for standard error. */
function failureOf(error: unknown): { sentence: string; problems: readonly Problem[]; lines: readonly string[] } {
  if (error instanceof CliError) {
    const { message, lines, problems } = error;
    return { sentence: message, problems, lines: [message, ...lines] };
  }
  const said = fileProblemOf(error) ?? knownProblemOf(error);
  if (said !== undefined) return { sentence: said, problems: [], lines: [said] };
  const { message: cause, stack } = error instanceof Error ? error : new Error(String(error));
  return { sentence: `unexpected error: ${cause}`, problems: [], lines: [`unexpected error: ${stack}`] };
}

/**
 * Writes an error, with --json also to standard output. Returns the exit status: 2 if the command line left a question
 * open, otherwise 1.
 */
function reportError(error: unknown, json: boolean): 1 | 2 {
  const { sentence, problems, lines } = failureOf(error);
  for (const line of lines) note(line);
  if (json) say(JSON.stringify({ error: sentence, problems }));
  return problems.length > 0 && problems.every(({ choices }) => choices !== undefined) ? 2 : 1;
}

async function run(command: Command, args: ParsedArgs): Promise<number> {
  const answer = await command.run(args);
  if (answer !== undefined) write(answer, args.json);
  return answer?.failed ? 1 : 0;
}

/** Exits without an error if the reader of standard output, such as `head`, has closed it. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}

/** Returns the text for --help, --version, `help` and `version`, or undefined if `argv` is something else. */
async function helpOrVersion([first = "", ...rest]: readonly string[]): Promise<string | undefined> {
  if (["--version", "-V", "-v", "version"].includes(first)) return release;
  if (!["--help", "-h", "help"].includes(first)) return undefined;
  const { helpOf, overview } = await import("./help.ts");
  return rest.length === 0
    ? overview(await groupsOfCommands())
    : helpOf(commandOf(await commandsOf(rest[0]), rest).command);
}

/** What an error of usage says, with the word that was probably meant if a feature finds one. */
async function misuseText({ message, misspelling }: UsageError): Promise<string> {
  const spelling = misspelling && (await contribution("spelling")?.());
  for (const [word, known] of (spelling && misspelling?.tried) ?? []) {
    const likely = spelling?.closestWord(word, known);
    if (likely !== undefined) return misspelling?.sentence(likely) ?? message;
  }
  return message;
}

/**
 * Runs the command line `argv`, without the program's name. Returns the exit status: 0 success, 1 error, 2 wrong usage.
 */
export async function main(argv: readonly string[], now = new Date().toISOString()): Promise<number> {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", exitOnClosedPipe);
  let json = false;
  let help = commandWords("--help");
  try {
    if (argv.length === 0) {
      const { overview } = await import("./help.ts");
      note(overview(await groupsOfCommands()));
      return 2;
    }
    const text = await helpOrVersion(argv);
    if (text !== undefined) {
      say(text);
      return 0;
    }
    const { command, rest } = commandOf(await commandsOf(argv[0]), argv);
    help = commandWords(`${command.words} --help`);
    const args = parseCommandArgs(command, rest, now);
    if (args === undefined) {
      const { helpOf } = await import("./help.ts");
      say(helpOf(command));
      return 0;
    }
    json = args.json;
    return await run(command, args);
  } catch (error) {
    if (!(error instanceof UsageError)) return reportError(error, json);
    note(`${await misuseText(error)}; see ${help}`);
    return 2;
  }
}
