// A command of the command line, as data. Types only.

/** A flag of a command: a boolean, or one with a value. */
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
  /** The value of a flag that is required. */
  required(flag: string): string;
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

/** A command: how it is called, what its help says, and what it does. */
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
  /**
   * Returns undefined if the command has written its output itself. Throws UsageError (exit 2), or CliError or
   * HttpError (exit 1).
   */
  run(args: ParsedArgs): Promise<Output | undefined> | Output | undefined;
}
