// What a schema says of the form of a document: the fields of an object, the items of a list, what a text refers to. Read from
// the schema, so a new field is known at once.
import * as v from "valibot";
import type { Noun } from "./names.ts";
import type { Step } from "./places.ts";

export interface Field {
  key: string;
  form: Form;
  /** Whether the field may be absent. */
  optional: boolean;
  /** The fixed default as JSON text; undefined if there is none. */
  otherwise: string | undefined;
}

/** Fields of an object, items of a list, a reference by name, or any other value. */
export interface Form {
  fields?: readonly Field[];
  item?: Form;
  /** What a text refers to. */
  noun?: Noun;
  /** Whether there is a reference in it, at any depth. */
  refers?: true;
}

/** The properties of valibot's schemas that form depends on. */
type AnySchema = v.GenericSchema & {
  entries?: Record<string, AnySchema>;
  item?: AnySchema;
  wrapped?: AnySchema;
  pipe?: readonly unknown[];
  default?: unknown;
};

/** The form of a schema. A pipe carries the properties of its first schema, and so has its form. */
export function formOf(schema: v.GenericSchema): Form {
  const { wrapped, item, entries, pipe } = schema as AnySchema;
  if (wrapped !== undefined) return formOf(wrapped);
  if (item !== undefined) {
    const inner = formOf(item);
    return { item: inner, ...(inner.refers && { refers: true }) };
  }
  if (entries === undefined) {
    const { noun } = (pipe === undefined ? {} : v.getMetadata(schema)) as { noun?: Noun };
    return noun === undefined ? {} : { noun, refers: true };
  }
  const fields = Object.entries(entries).map(([key, entry]) => ({
    key,
    form: formOf(entry),
    optional: entry.type === "optional",
    // A default that is a function is a usual value for reading, and written all the same.
    otherwise: typeof entry.default === "function" ? undefined : JSON.stringify(entry.default),
  }));
  return { fields, ...(fields.some(({ form }) => form.refers) && { refers: true }) };
}

/** A field that any object of a document may have, and that is ignored. */
const comment = "$comment";

/** A function that reports every field that `schema` does not know, by its place. */
export function unknownFields(
  schema: v.GenericSchema,
): (value: unknown, report: (steps: readonly Step[]) => void) => void {
  interface Known {
    fields?: Map<string, Known>;
    item?: Known;
  }
  const knownBy = ({ fields, item }: Form): Known => ({
    ...(fields && { fields: new Map(fields.map(({ key, form }) => [key, knownBy(form)])) }),
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
        if (form !== undefined) into(key, (value as Record<string, unknown>)[key], form);
        else if (key !== comment) report([...steps, key]);
      }
    };
    walk(value, known);
  };
}

/** Visits every reference in a value of a form: what it refers to, its text and its place; lists of references as a whole. */
export function eachReference(
  value: unknown,
  { fields, item, noun, refers }: Form,
  place: string,
  visit: (noun: Noun, reference: string | readonly string[], place: string) => void,
): void {
  if (!refers || value === undefined || value === null) return;
  if (noun !== undefined) visit(noun, value as string, place);
  else if (item?.noun !== undefined) visit(item.noun, value as readonly string[], place);
  else if (item !== undefined && Array.isArray(value))
    for (const [at, one] of value.entries()) eachReference(one, item, `${place}[${at}]`, visit);
  else if (fields !== undefined && typeof value === "object")
    for (const { key, form } of fields)
      eachReference((value as Record<string, unknown>)[key], form, place === "" ? key : `${place}.${key}`, visit);
}
