// Puts a document into canonical form: keys in the order of the schema, without null values and without unwritten defaults.
import type * as v from "valibot";
import { type Form, formOf } from "./form.ts";

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
  for (const { key, form, otherwise } of fields) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined || field === null || isDefault(field, otherwise)) continue;
    written[key] = shaped(field, form);
  }
  return written;
}

/** A function that puts values of `schema` into canonical form. */
export function canonical(schema: v.GenericSchema): (value: unknown) => unknown {
  const form = formOf(schema);
  return (value) => shaped(value, form);
}
