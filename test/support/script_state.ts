// What is stored of the scripts of a production and of the decisions about their changes, as the undo of both must give
// it back.
import type { Store } from "../../src/core/store/store.ts";

export interface StateRow {
  table: string;
  id: number;
  cells: Readonly<Record<string, string | number | null>>;
}

const orderOf: Readonly<Record<string, string>> = {
  script_drafts: "id",
  script_scenes: "episode_id, place, id",
  script_changes: "id",
};

/** The rows of the drafts, of the scenes in the order of their scripts, and of the changes. */
export const scriptState = (store: Store, production_id: number): StateRow[] =>
  Object.entries(orderOf).flatMap(([table, order]) =>
    store.database
      .prepare<[number], StateRow["cells"]>(`SELECT * FROM ${table} WHERE production_id = ? ORDER BY ${order}`)
      .all(production_id)
      .map((cells) => ({ table, id: Number(cells.id), cells })),
  );
