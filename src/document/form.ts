// What a schema says of the form of a document: the fields of an object, the items of a list. Read from documentSchema, so a
// new field is known at once.
import type * as v from "valibot";
import type { Step } from "./places.ts";

/** Fields of an object, items of a list, or neither. */
export interface Form {
  fields?: [key: string, form: Form, otherwise: string | undefined][];
  item?: Form;
}

/** The properties of valibot's schemas that form depends on. */
type AnySchema = v.GenericSchema & {
  entries?: Record<string, AnySchema>;
  item?: AnySchema;
  wrapped?: AnySchema;
  default?: unknown;
};

/** The form of a schema. A pipe carries the properties of its first schema, and so has its form. */
export function formOf(schema: v.GenericSchema): Form {
  const { wrapped, item, entries } = schema as AnySchema;
  if (wrapped !== undefined) return formOf(wrapped);
  if (item !== undefined) return { item: formOf(item) };
  if (entries === undefined) return {};
  const fields = Object.entries(entries).map(([key, entry]): [string, Form, string | undefined] => [
    key,
    formOf(entry),
    entry.default === undefined ? undefined : JSON.stringify(entry.default),
  ]);
  return { fields };
}

/** A function that reports every field that `schema` does not know, by its place. */
export function unknownFields(
  schema: v.GenericSchema,
): (value: unknown, report: (steps: readonly Step[]) => void) => void {
  interface Known {
    fields?: Map<string, Known>;
    item?: Known;
  }
  const knownBy = ({ fields, item }: Form): Known => ({
    ...(fields && { fields: new Map(fields.map(([key, form]) => [key, knownBy(form)])) }),
    ...(item && { item: knownBy(item) }),
  });
  const known = knownBy(formOf(schema));
  return (value, report) => {
    const steps: Step[] = [];
    const into = (step: Step, value: unknown, form: Known): void => {
      steps.push(step);
      walk(value, form);
      steps.pop();
    };
    const walk = (value: unknown, { fields, item }: Known): void => {
      if (item !== undefined && Array.isArray(value))
        for (let at = 0; at < value.length; at++) into(at, value[at], item);
      if (fields === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return;
      for (const key of Object.keys(value)) {
        const form = fields.get(key);
        if (form === undefined) report([...steps, key]);
        else into(key, (value as Record<string, unknown>)[key], form);
      }
    };
    walk(value, known);
  };
}
