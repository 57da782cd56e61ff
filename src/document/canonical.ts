// The one form of a document: keys in the schema's order, what is null or equal to its default left out. The form is
// read from documentSchema, so a new field has its place at once.
import type * as v from "valibot";

/** What a schema says about form: fields of an object, items of a list, or neither. */
interface Form {
  fields?: [key: string, form: Form, otherwise: string | undefined][];
  item?: Form;
}

/** The properties of valibot's schemas that form depends on. A pipe carries those of its first schema. */
type AnySchema = v.GenericSchema & {
  entries?: Record<string, AnySchema>;
  item?: AnySchema;
  wrapped?: AnySchema;
  default?: unknown;
};

function formOf(schema: AnySchema): Form {
  if (schema.wrapped !== undefined) return formOf(schema.wrapped);
  if (schema.item !== undefined) return { item: formOf(schema.item) };
  if (schema.entries === undefined) return {};
  const fields = Object.entries(schema.entries).map(([key, entry]): [string, Form, string | undefined] => [
    key,
    formOf(entry),
    entry.default === undefined ? undefined : JSON.stringify(entry.default),
  ]);
  return { fields };
}

/** Whether a value is written as its default: defaults are false, [] and {}, so only such values are compared. */
function isDefault(value: unknown, otherwise: string | undefined): boolean {
  if (otherwise === undefined) return false;
  if (typeof value !== "object") return String(value) === otherwise;
  for (const _ in value) return false;
  return true;
}

function shaped(value: unknown, { fields, item }: Form): unknown {
  if (item !== undefined) return (value as unknown[]).map((one) => shaped(one, item));
  if (fields === undefined) return value;
  const written: Record<string, unknown> = {};
  for (const [key, form, otherwise] of fields) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined || field === null || isDefault(field, otherwise)) continue;
    written[key] = shaped(field, form);
  }
  return written;
}

/** A function that puts values of `schema` into canonical form. */
export function canonical(schema: v.GenericSchema): (value: unknown) => unknown {
  const form = formOf(schema as AnySchema);
  return (value) => shaped(value, form);
}
