// The errors that end the agent with one sentence for the person who started it and exit status 1.

export class AgentError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = "AgentError";
  }
}

/** A setting that must be given is missing. */
export class MissingSetting extends AgentError {}

/** Whether the operating system reported an error. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";

/** The system's code of an error, such as ENOENT; the error's text if it has none. */
export function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === "string" ? code : String(message ?? error);
}
