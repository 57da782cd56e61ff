// The errors that end the agent with one sentence for the person who started it and exit status 1.

export class AgentError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = "AgentError";
  }
}

/** A setting that must be given is missing, or the root is where no agent may look. The exit status is 2. */
export class AgentMisuse extends AgentError {}

/** Whether the operating system reported an error, also to the database. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error &&
  (("syscall" in error && typeof error.syscall === "string") ||
    /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN)/.test(codeOrTextOf(error)));

/** Whether an error says that the state is damaged. */
export const isStateDamage = (error: unknown): error is Error =>
  error instanceof Error && /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOrTextOf(error));

/** Why a file or a folder cannot be read or written. */
export function reasonOf(error: unknown): string {
  const code = codeOrTextOf(error);
  if (code === "ENOENT") return "it, or a folder above it, does not exist";
  if (code === "EACCES" || code === "EPERM") return "this user has no permission for it";
  return code === "EISDIR" ? "it is a folder" : code;
}

/** The system's code of an error, such as ENOENT; the error's text if it has none. */
export function codeOrTextOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
