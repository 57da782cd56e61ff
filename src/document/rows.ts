// Declares the statements that write a document's rows.
import { deleteMedia } from "../store/media.ts";
import { statements } from "../store/statement_map.ts";
import { change, type StatementName } from "../store/statements.ts";
import type { Change, Entry, SectionName } from "./changes.ts";
import { type Columns, refuseUnknown, type Writer } from "./writer.ts";

/** Declares an UPDATE of one row of a production by its id. Throws an Error for a column that it does not have. */
export function updateOf(name: StatementName): (writer: Writer, id: number, columns?: Columns) => void {
  const run = change<Columns>(name);
  const parameters: readonly string[] = statements[name][0];
  return (writer, id, columns = {}) => {
    for (const column in columns) if (!parameters.includes(column)) refuseUnknown(name, parameters, columns);
    writer.flush();
    run(writer.store, { ...columns, production_id: writer.production_id, id });
  };
}

/** Declares a DELETE of rows of a production by an id: their own, or that of the thing they belong to. */
export const deleteOf = (name: StatementName): ((writer: Writer, id: number) => void) => updateOf(name);

/** Removes the row of a collected medium, if there is one. Its bytes go once nothing else needs them. */
export function removeMedia(writer: Writer, media: unknown): void {
  if (media === undefined || media === null) return;
  const { id: media_id } = media as { id: number }; // a collected medium has its id
  deleteMedia(writer.store, { production_id: writer.production_id, media_id });
}

/**
 * Updates the rows of changed things. Those whose unique columns change are parked first, so that two things can exchange them.
 * `unique` are the fields whose columns must be unique in a production.
 */
export function updateAll<S extends SectionName>(
  writer: Writer,
  changed: readonly Change<S>[],
  {
    unique = [],
    park,
    update,
  }: { unique?: readonly string[]; park?: (writer: Writer, id: number) => void; update: (change: Change<S>) => void },
): void {
  if (park !== undefined)
    for (const { id, fields } of changed) if (unique.some((field) => fields.has(field))) park(writer, id);
  for (const change of changed) update(change);
}

/** Removes things, and remembers the highest id so that it is not given again. */
export function removeAll<S extends SectionName>(
  writer: Writer,
  removed: readonly Entry<S>[],
  table: string,
  remove: (entry: Entry<S>) => void,
): void {
  if (removed.length === 0) return;
  for (const entry of removed) remove(entry);
  writer.keepLastId(table, Math.max(...removed.map(({ id }) => id)));
}
