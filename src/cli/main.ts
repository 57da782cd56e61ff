// The one command's entry: runs what the words name, writes its answer, and turns what went wrong into an exit status.
import { CommandRefusal, refusalOf } from "../errors.ts";
import { commands } from "./commands.ts";
import { type Answer, type Command, commandOf, type Given, helpOf, Misuse, overview, readGiven } from "./front.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const note = (text: string): void => void process.stderr.write(`${text}\n`);

function write({ document, lines, notes = [] }: Answer, json: boolean): void {
  if (json) say(JSON.stringify(document));
  else for (const line of lines) say(line);
  for (const line of notes) note(line);
}

/** 2 for what was used wrongly, 1 for everything else that went wrong; standard output stays empty. */
function statusOf(error: unknown): number {
  if (error instanceof Misuse) {
    note(`${error.message}; see ${error.hint}`);
    return 2;
  }
  if (error instanceof CommandRefusal) for (const line of [error.message, ...error.lines]) note(line);
  else {
    const { message, status } = refusalOf(error);
    note(status === 500 ? `something went wrong: ${(error as Error)?.stack ?? error}` : message);
  }
  return 1;
}

async function run(command: Command, given: Given): Promise<number> {
  const answer = await command.run(given);
  if (answer !== undefined) write(answer, given.json);
  return answer?.failed ? 1 : 0;
}

/** Whoever read the output has enough of it, as `head` does. */
function endWhereNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}

/** Runs the command line `argv`, without the program's own name. Answers the exit status: 0 done, 1 refused, 2 misused. */
export async function main(argv: readonly string[], now = new Date().toISOString()): Promise<number> {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", endWhereNobodyReads);
  try {
    if (argv.length === 0 || argv[0] === "--help" || argv[0] === "help") {
      (argv.length === 0 ? note : say)(overview(commands));
      return argv.length === 0 ? 2 : 0;
    }
    const { command, rest } = commandOf(commands, argv);
    const given = readGiven(command, rest, now);
    if (given !== undefined) return await run(command, given);
    say(helpOf(command));
    return 0;
  } catch (error) {
    return statusOf(error);
  }
}
