// The error classes, their statuses, and httpErrorOf, which decides what of an error a client sees.
// docs/reference.md, "Errors", lists the statuses.
import { commandText } from "./program.ts";
import { bounded, boundedWords, cut } from "./wording.ts";

/** One problem of a refused file, as a client gets it in `problems` of the error. Made from a Problem. */
export interface FileProblem {
  file: string | null;
  /** The place in the file: "scenes[3].status", "line 12, column Set". */
  place: string | null;
  /** The name of the thing there. */
  name: string | null;
  message: string;
  /** Why a thing cannot be removed. */
  reason?: string;
  /** The answers, where the problem is a question. */
  choices?: readonly string[];
  /** How often the same was found in this file, if that is more than once; `place` is the first. */
  count?: number;
  /** The first three of these places. */
  places?: readonly string[];
}

/** An error with an HTTP status. The message is sent to the client as `{detail}`. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The problems of refused files, beside the detail. */
  readonly problems: readonly FileProblem[] | undefined;
  constructor(
    status: number,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    problems?: readonly FileProblem[],
  ) {
    super(boundedWords(detail));
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
    this.problems = problems;
  }
}

/** 404: the object does not exist, or is not within the caller's reach. Both responses are byte-identical. */
export const notFound = (): HttpError => new HttpError(404, "not found");
/** 404 of a look-up by a label, which no bound key may make: it says what to ask instead. */
export class NothingLabelled extends HttpError {
  /** The detail for a caller of tools. */
  readonly forTools: string;
  constructor(label: string) {
    const [name, finds] = [cut(label), "finds what is like it"];
    const said = `nothing is labelled ${name};`;
    super(404, `${said} GET /search?q=${encodeURIComponent(name)} ${finds}`);
    this.forTools = `${said} the tool search with q ${name} ${finds}`;
  }
}
/** 422: the input is invalid; `detail` names the field. */
export const unprocessable = (detail: string): HttpError => new HttpError(422, detail);
/** 403: the caller is authenticated, but is not allowed to do this. */
export const forbidden = (detail: string): HttpError => new HttpError(403, detail);
/** 409: the current state does not allow the operation. */
export const conflict = (detail: string): HttpError => new HttpError(409, detail);
/** 409: the production is frozen. A client such as the storage agent may try again later. */
export const frozen = (): HttpError =>
  new HttpError(409, "the production is frozen: it can be read and not changed", { "retry-after": "60" });
/** 413: the input exceeds a limit; `detail` names the limit. */
export const tooLarge = (detail: string): HttpError => new HttpError(413, detail);

/** 503: the server is busy; `detail` says with what. */
export const busy = (detail: string): HttpError =>
  new HttpError(503, `${detail}; try again in 5 s`, { "retry-after": "5" });

/** One problem of a file, as readers report it, and as commands print it with --json. */
export interface Problem {
  /** The file that contains the problem, if there is one. */
  file?: string;
  /** Where in the file it is, if that is a line. Counted from 1. */
  line?: number;
  /** The name of the column, in a file that has columns. */
  column?: string;
  /** Where it is, if that is a place of a document. The sentence begins with it. */
  place?: string;
  /** The name of the thing at that place. */
  name?: string | undefined;
  /** The sentence without the place. */
  message?: string;
  /** Why a thing cannot be removed. */
  reason?: string;
  /** The answers, where the problem is a question of how a file is to be read. */
  choices?: readonly string[];
  /** How often the same was found after that, and not kept. */
  again?: number;
  sentence: string;
}

/** An error that the command line prints before it exits with status 1. */
export class CliError extends Error {
  /** Further lines to print, such as every problem of a document. */
  readonly lines: readonly string[];
  /** The individual problems; empty if the message describes the only one. */
  readonly problems: readonly Problem[];
  /** How many problems there are beyond those. */
  readonly more: number;
  constructor(message: string, lines: readonly string[] = [], problems?: readonly Problem[], more = 0) {
    super(bounded(message));
    this.name = "CliError";
    const printed = lines.map(bounded);
    this.lines = more > 0 ? [...printed, `and ${more} more problems`] : printed;
    this.more = more;
    this.problems = problems ?? lines.map((sentence) => ({ sentence }));
  }
}

/** A word that is none of those that it may be: it may be misspelt. */
export interface Misspelling {
  /**
   * What was written, each with the words that it may be. The first that is near to one of them is the misspelt one.
   */
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

/** The error of a word that is not known; `prefix` stands before the word that was probably meant. */
export const unknownWord = (message: string, tried: Misspelling["tried"], prefix = ""): UsageError =>
  new UsageError(message, { tried, sentence: (likely) => `${message}; did you mean ${prefix}${likely}?` });

/** Returns the choice that a value is. Throws UsageError if it is none. */
export function choiceOf<C extends string>(place: string, given: string, choices: readonly C[]): C {
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  throw unknownWord(`${place} must be one of ${choices.join(", ")}, not ${cut(given)}`, [[given, choices]]);
}

/** What was thrown, as an error: of the system, with its code and path, if it comes from there. */
export const errorOf = (thrown: unknown): NodeJS.ErrnoException =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** The code of an error of the system or of SQLite; empty if it has none. */
export const codeOf = (thrown: unknown): string => {
  const code: unknown = errorOf(thrown).code; // a library may put anything there
  return typeof code === "string" ? code : "";
};

/**
 * The disk, the database or the media cannot be used as they should be. A client reads the `message`, which says whose
 * they are and whom to ask; `here` is the sentence for who runs a command on the machine.
 */
export class MachineError extends HttpError {
  readonly here: string;
  constructor(status: number, here: string, message = `the server's ${here}`, headers?: Record<string, string>) {
    super(status, message, headers);
    this.here = `the ${here}`;
  }
}

/** 503 of what the administrator must mend. */
const toBeMended = (here: string): MachineError =>
  new MachineError(503, here, `the server's ${here}; contact the administrator`, { "retry-after": "60" });

/** 507: the disk is full. */
export const diskFull = (): MachineError => new MachineError(507, "disk is full; nothing was stored");

/** 503: the folder of the media is not there, or a file that the database names is not in it. */
export const mediaAbsent = (): MachineError => toBeMended("media are not where they should be");

/** Whether an error means that a file below media/ is absent. */
const isMediaAbsent = (error: unknown): boolean =>
  codeOf(error) === "ENOENT" && /[\\/]media(?:[\\/](?:staging|[0-9a-f]{2})\b|$)/.test(errorOf(error).path ?? "");

/**
 * Whether an error means that a disk is full. The last code is that of the shared memory beside a database, which
 * cannot grow.
 */
export const isDiskFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"].includes(codeOf(error));

/**
 * Whether a code means that the disk itself failed. SQLite says so too if a disk became read-only while it was in use.
 */
export const isDiskError = (code: string): boolean =>
  ["EIO", "EFBIG"].includes(code) || code.startsWith("SQLITE_IOERR");

/** Whether an error means that the database file is damaged. */
export const isDamage = (error: unknown): boolean => {
  const code = codeOf(error);
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
};

/**
 * Converts an error to the HttpError that the client gets. Unexpected errors become "internal error"; their text is
 * only logged.
 */
export function httpErrorOf(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isDiskFull(error)) return diskFull();
  const code = codeOf(error);
  if (code === "SQLITE_CONSTRAINT_TRIGGER" && errorOf(error).message === "the production is frozen") return frozen();
  if (isDamage(error)) {
    const [here, help] = ["database is damaged; nothing was changed", commandText("restore --damaged")];
    const brings = `${help} brings back what can be read`;
    return new MachineError(500, `${here}; ${brings}`, `the server's ${here}; contact the administrator: ${brings}`);
  }
  if (code.startsWith("SQLITE_READONLY") || code === "EROFS" || code === "EACCES")
    return toBeMended("storage is read-only");
  if (isMediaAbsent(error)) return mediaAbsent();
  if (isDiskError(code)) return toBeMended("disk reports an error");
  if (code === "SQLITE_BUSY")
    return new HttpError(503, "another process is writing to the database; try again", { "retry-after": "1" });
  return new HttpError(500, "internal error");
}
