// The one command's entry: runs what the words name, writes its answer, and turns what went wrong into an exit status.
import { readFileSync } from "node:fs";
import { CliError, httpErrorOf, type Problem } from "../errors.ts";
import {
  type Answer,
  type Command,
  commandOf,
  helpOf,
  overview,
  type ParsedArgs,
  parseCommandArgs,
  UsageError,
} from "./arguments.ts";
import { commands } from "./commands.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const note = (text: string): void => void process.stderr.write(`${text}\n`);

function write({ document, lines, notes = [] }: Answer, json: boolean): void {
  if (json) say(JSON.stringify(document));
  else for (const line of lines) say(line);
  for (const line of notes) note(line);
}

/** What went wrong, as a sentence and the single problems, and what a person reads of it. */
function failureOf(error: unknown): { sentence: string; problems: readonly Problem[]; lines: readonly string[] } {
  if (error instanceof CliError) {
    const { message, lines, problems } = error;
    return { sentence: message, problems, lines: [message, ...lines] };
  }
  const { message, status } = httpErrorOf(error);
  if (status !== 500) return { sentence: message, problems: [], lines: [message] };
  const { message: cause, stack } = error instanceof Error ? error : new Error(String(error));
  return { sentence: `something went wrong: ${cause}`, problems: [], lines: [`something went wrong: ${stack}`] };
}

/** 2 for what was used wrongly, 1 for everything else that went wrong; standard output has it as JSON where that was asked for. */
function statusOf(error: unknown, json: boolean): number {
  if (error instanceof UsageError) {
    note(`${error.message}; see ${error.hint}`);
    return 2;
  }
  const { sentence, problems, lines } = failureOf(error);
  for (const line of lines) note(line);
  if (json) say(JSON.stringify({ error: sentence, problems }));
  return 1;
}

async function run(command: Command, args: ParsedArgs): Promise<number> {
  const answer = await command.run(args);
  if (answer !== undefined) write(answer, args.json);
  return answer?.failed ? 1 : 0;
}

/** Whoever read the output has enough of it, as `head` does. */
function endWhereNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}

const version = (): string => JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;

/** What is asked of the program and not of a command: help and its version. Undefined where that is not what is asked. */
function ofItself([first = "", ...rest]: readonly string[]): string | undefined {
  if (["--version", "-V", "version"].includes(first)) return version();
  if (!["--help", "-h", "help"].includes(first)) return undefined;
  return rest.length === 0 ? overview(commands) : helpOf(commandOf(commands, rest).command);
}

/** Runs the command line `argv`, without the program's own name. Answers the exit status: 0 done, 1 refused, 2 misused. */
export async function main(argv: readonly string[], now = new Date().toISOString()): Promise<number> {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", endWhereNobodyReads);
  let json = false;
  try {
    if (argv.length === 0) {
      note(overview(commands));
      return 2;
    }
    const text = ofItself(argv);
    if (text !== undefined) {
      say(text);
      return 0;
    }
    const { command, rest } = commandOf(commands, argv);
    const args = parseCommandArgs(command, rest, now);
    if (args === undefined) {
      say(helpOf(command));
      return 0;
    }
    json = args.json;
    return await run(command, args);
  } catch (error) {
    return statusOf(error, json);
  }
}
