// The agent's log: one line of JSON for each batch, refusal, pass, move and change of state. Never a key.

export type LogFields = Readonly<Record<string, unknown>>;
export type Log = (event: string, fields?: LogFields) => void;

/** A log that writes lines of `{time, event, …}`. A log that cannot be written ends nothing. */
export const openLog =
  (write: (line: string) => void): Log =>
  (event, fields = {}) => {
    try {
      write(`${JSON.stringify({ time: new Date().toISOString(), event, ...fields })}\n`);
    } catch {
      // a full disk: the log has a gap, and the agent goes on
    }
  };
