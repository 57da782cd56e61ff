// Reading a document: most operations are one statement that assembles their whole answer.
import { type Context, reach } from "../context.ts";
import { notFound } from "../errors.ts";

/** The JSON text that the named statement assembles. Throws 404 where it has no row. */
export function read(context: Context, statement: string, parameters: object = {}): string {
  const document = context.app.store.json(statement, { ...reach(context), ...parameters });
  if (document === undefined) throw notFound();
  return document;
}
