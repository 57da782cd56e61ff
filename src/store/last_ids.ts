// Remembers the highest ids of removed rows, because no id is given twice.
import { change } from "./statements.ts";

/** Must run in the transaction that removes the row. `part` is its table. */
export const keepLastId = change<{ part: string; id: number }>("keep_last_id");
