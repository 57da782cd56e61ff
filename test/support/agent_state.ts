// Opens the state of an agent for tests: its journal, and its moves under way.
import { Journal } from "../../src/agent/journal/journal.ts";
import { type Intent, Intents } from "../../src/agent/moves/move.ts";
import { openState, readState } from "../../src/agent/state.ts";

export type OpenJournal = Journal & { close(): void };

/** The journal of the state in a folder, with its connection to close. */
export function openJournal(folder: string, filespace = "f", mostGone?: number): OpenJournal {
  const database = openState(folder, filespace);
  return Object.assign(new Journal(database, mostGone), { close: () => void database.close() });
}

/** The intents of the moves that are under way. */
export function intentsOf({ state, filespace }: { state: string; filespace: string }): Intent[] {
  const database = readState(state, filespace);
  try {
    return new Intents(database).all();
  } finally {
    database.close();
  }
}
