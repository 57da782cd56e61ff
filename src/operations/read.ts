// Runs a statement that assembles a whole document. Most read operations consist of one such statement.
import { type Context, type Reach, reachOf } from "../context.ts";
import { notFound } from "../errors.ts";
import type { JsonText } from "../json.ts";
import type { Store } from "../store/database.ts";

/** The document of a statement, within the caller's reach. Throws 404 if the statement has no row. */
export function read<P extends object, T>(
  context: Context,
  statement: (store: Store, parameters: Reach & P) => JsonText<T> | undefined,
  parameters: P,
): JsonText<T> {
  const document = statement(context.app.store, { ...reachOf(context), ...parameters });
  if (document === undefined) throw notFound();
  return document;
}
