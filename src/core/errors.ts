// The error classes, what an error of the system or of JSON text means in words, and httpErrorOf, which decides what of an error a client sees.
// docs/reference.md, "Errors", lists the statuses.
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

/** The maximum number of files in one request. */
export const maxFiles = 1000;
/** 413: the request has too many files. */
export const tooManyFiles = (): HttpError => tooLarge(`a request must have at most ${maxFiles} files`);

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

const noPermission = "this user has no permission for it, or may not enter a folder above it";

/** What the codes of the system say of a file or a folder. */
const causes: Readonly<Record<string, string>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EBUSY: "another program uses it",
  EEXIST: "a file of this name exists",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  EMFILE: "this program has too many files open",
  ENAMETOOLONG: "its name is too long",
  ENFILE: "this machine has too many files open",
  ENODEV: "its disk is gone",
  ENOENT: "it, or a folder above it, does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a folder",
  ENOTEMPTY: "the folder is not empty",
  EDQUOT: "the disk quota of this user is used up",
  EIO: "the disk reports an error",
  EROFS: "the disk is read-only",
  ETXTBSY: "it is a program that runs",
};

/** Why the system refused a file or a folder, in words; what the error says otherwise. */
export function causeOf(error: unknown): string {
  const { message } = errorOf(error);
  const code = codeOf(error);
  return (Object.hasOwn(causes, code) && causes[code]) || message;
}

// Matches up to a character that a string must escape: a quote, a backslash, a control character.
const plainCharacters = new RegExp(`[^"\\\\${String.raw`\u0000-\u001f`}]*`, "y");
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const token = /([[{\]},:])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const blank = /[ \t\r\n]*/y;

/** The end of the string at `at`; undefined if it has an error. In steps: one expression would overflow on a long string. */
function endOfString(text: string, at: number): number | undefined {
  for (let end = at + 1; ; end = escaped.lastIndex) {
    plainCharacters.lastIndex = end;
    plainCharacters.exec(text);
    end = plainCharacters.lastIndex;
    if (text[end] === '"') return end + 1;
    escaped.lastIndex = end;
    if (!escaped.test(text)) return undefined;
  }
}

/** The token at `at` and its end; a punctuation mark is returned as itself. Undefined if there is no token of JSON. */
function tokenAt(text: string, at: number): { kind: string; end: number } | undefined {
  if (text[at] === '"') {
    const end = endOfString(text, at);
    return end === undefined ? undefined : { kind: "string", end };
  }
  token.lastIndex = at;
  const found = token.exec(text);
  return found === null ? undefined : { kind: found[1] ?? "scalar", end: token.lastIndex };
}

/** The index of the first error in a text that is not JSON. */
function faultIn(text: string): number {
  const open: string[] = []; // the marks that must close what is open
  let expected = "value";
  for (let end = 0; ; ) {
    blank.lastIndex = end;
    blank.exec(text);
    const at = blank.lastIndex;
    const found = tokenAt(text, at);
    if (found === undefined) return at;
    const { kind } = found;
    end = found.end;
    if (kind === open.at(-1) && /end|comma/.test(expected)) {
      open.pop();
      expected = "comma";
    } else if (kind === "string" && /key/.test(expected)) expected = "colon";
    else if (kind === ":" && expected === "colon") expected = "value";
    else if (kind === "," && expected === "comma" && open.length > 0) expected = open.at(-1) === "}" ? "key" : "value";
    else if (!expected.startsWith("value")) return at;
    else if (kind === "{" || kind === "[") {
      open.push(kind === "{" ? "}" : "]");
      expected = kind === "{" ? "key or end" : "value or end";
    } else if (kind === "string" || kind === "scalar") expected = "comma";
    else return at;
  }
}

/**
 * The message for a text that is not JSON, which the message calls `noun`: it names the place of the first error, and repeats nothing of the text,
 * which may be a secret. JavaScript's own message gives no place for a long text, and quotes a short one.
 */
export function invalidJson(noun: string, text: string): string {
  const before = text.slice(0, faultIn(text)).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `${noun} is not valid JSON: the error is at line ${before.length}, column ${column}`;
}

/** The error for a file that the system does not let this program read. */
export const cannotRead = (file: string, error: unknown): CliError =>
  new CliError(`${file} cannot be read: ${causeOf(error)}`);

/** 507: the disk is full. */
export const diskFull = (): HttpError => new HttpError(507, "the server's disk is full; nothing was stored");

/** 503: the folder of the media is not there, or a file that the database names is not in it. */
export const mediaAbsent = (): HttpError =>
  new HttpError(503, "the server's media are not where they should be; contact the administrator", {
    "retry-after": "60",
  });

/** Whether an error means that a file below media/ is absent. */
const isMediaAbsent = (error: unknown): boolean =>
  codeOf(error) === "ENOENT" && /[\\/]media(?:[\\/](?:staging|[0-9a-f]{2})\b|$)/.test(errorOf(error).path ?? "");

/** Whether an error means that a disk is full. The last code is that of the shared memory beside a database, which cannot grow. */
export const isDiskFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"].includes(codeOf(error));

/** Whether a code means that the disk itself failed. SQLite says so too if a disk became read-only while it was in use. */
export const isDiskError = (code: string): boolean =>
  ["EIO", "EFBIG"].includes(code) || code.startsWith("SQLITE_IOERR");

/** Whether an error means that the database file is damaged. */
export const isDamage = (error: unknown): boolean => {
  const code = codeOf(error);
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
};

/**
 * Converts an error to the HttpError that the client gets. Unexpected errors become "internal error"; their text is only
 * logged.
 */
export function httpErrorOf(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isDiskFull(error)) return diskFull();
  const code = codeOf(error);
  if (code === "SQLITE_CONSTRAINT_TRIGGER" && errorOf(error).message === "the production is frozen") return frozen();
  if (isDamage(error))
    return new HttpError(
      500,
      "the server's database is damaged; nothing was changed; contact the administrator: `tallylight restore --damaged` brings back what can be read",
    );
  if (code.startsWith("SQLITE_READONLY") || code === "EROFS" || code === "EACCES")
    return new HttpError(503, "the server's storage is read-only; contact the administrator", {
      "retry-after": "60",
    });
  if (isMediaAbsent(error)) return mediaAbsent();
  if (isDiskError(code))
    return new HttpError(503, "the server's disk reports an error; contact the administrator", { "retry-after": "60" });
  if (code === "SQLITE_BUSY")
    return new HttpError(503, "another process is writing to the database; try again", { "retry-after": "1" });
  return new HttpError(500, "internal error");
}
