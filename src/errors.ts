// One error class for every refusal, and the one place that decides what of an error leaves the process.

/** A refusal with its HTTP status and the sentence that the caller reads as `{detail}`. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
  }
}

/** 404: no such thing, or not within the caller's reach. Both are this one answer, to the byte. */
export const notFound = (): HttpError => new HttpError(404, "not found");
/** 422: a named check failed; the sentence names the field. */
export const unprocessable = (detail: string): HttpError => new HttpError(422, detail);
/** 403: known caller, not allowed. */
export const forbidden = (detail: string): HttpError => new HttpError(403, detail);
/** 409: the state does not allow it. */
export const conflict = (detail: string): HttpError => new HttpError(409, detail);
/** 413: larger than a limit that the sentence names. */
export const tooLarge = (detail: string): HttpError => new HttpError(413, detail);

/** How many files one request may bring. */
export const maxFiles = 1000;
/** 413: more files than one request may bring. */
export const tooManyFiles = (): HttpError => tooLarge(`a request must have at most ${maxFiles} files`);
/** One thing that was wrong, for a program that reads it. */
export interface Problem {
  /** The file that it is in, where it is in one. */
  file?: string;
  sentence: string;
}

/** What the command line says and exits with 1. */
export class CliError extends Error {
  /** Further lines, such as every problem of a document. */
  readonly lines: readonly string[];
  /** The single things that were wrong; none where the message says all. */
  readonly problems: readonly Problem[];
  constructor(message: string, lines: readonly string[] = [], problems?: readonly Problem[]) {
    super(message);
    this.name = "CliError";
    this.lines = lines;
    this.problems = problems ?? lines.map((sentence) => ({ sentence }));
  }
}

/** 507: the disk has no room for it. */
export const diskFull = (): HttpError => new HttpError(507, "the server's disk is full; nothing was stored");

/** Whether a disk had no room left. */
export const isDiskFull = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ENOSPC" || code === "EDQUOT" || code === "SQLITE_FULL";
};

/** Whether SQLite found its file damaged. */
export const isDamage = (error: unknown): boolean => {
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
};

/** The refusal that `error` leaves as. What is not a refusal is "internal error" and nothing more: its text is for the log. */
export function httpErrorOf(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isDiskFull(error)) return diskFull();
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  if (isDamage(error))
    return new HttpError(
      500,
      "the server's database is damaged; nothing was changed, and its operator must restore a backup",
    );
  if (code.startsWith("SQLITE_READONLY") || code === "EROFS" || code === "EACCES")
    return new HttpError(503, "the server cannot write at this moment; its operator must look", {
      "retry-after": "60",
    });
  if (code === "SQLITE_BUSY")
    return new HttpError(503, "the database is busy with another writer; try again", { "retry-after": "1" });
  return new HttpError(500, "internal error");
}
