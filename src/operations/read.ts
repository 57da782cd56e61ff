// Reading a document: most operations are one statement that assembles their answer.
import { type Context, type Reach, reachOf } from "../context.ts";
import { notFound } from "../errors.ts";
import type { JsonText } from "../json_text.ts";
import type { Store } from "../store/database.ts";

/** The document that a statement assembles within the caller's reach. Throws 404 if it has no row. */
export function read<P extends object, T>(
  context: Context,
  statement: (store: Store, parameters: Reach & P) => JsonText<T> | undefined,
  parameters: P,
): JsonText<T> {
  const document = statement(context.app.store, { ...reachOf(context), ...parameters });
  if (document === undefined) throw notFound();
  return document;
}
