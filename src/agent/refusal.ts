// What ends the agent: one sentence for the person who started it, and exit status 1.

export class AgentRefusal extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = "AgentRefusal";
  }
}

/** Something that must be given is not. */
export class Missing extends AgentRefusal {}

/** The system's code of an error, such as ENOENT; the error's text if it has none. */
export function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === "string" ? code : String(message ?? error);
}
