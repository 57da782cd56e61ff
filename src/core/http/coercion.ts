// Converts the text of paths, queries and form fields to the values that an operation's input schema expects. Text that
// cannot be converted stays text, so that the schema refuses it with its own message.
import type * as v from "valibot";
import { unprocessable } from "../errors.ts";
import type { separated } from "../inputs.ts";

/** A schema: an optional one has `wrapped`, a pipe has `pipe`, a picklist has its values in `options`. */
type Schema = v.GenericSchema & { wrapped?: Schema; pipe?: readonly unknown[]; options?: readonly unknown[] };

/** The type of a schema, or of what an optional one wraps; one of several numbers is a number. */
function baseType({ wrapped, type, options = [] }: Schema): string {
  if (wrapped !== undefined) return baseType(wrapped);
  return type === "picklist" && typeof options[0] === "number" ? "number" : type;
}

/** Whether a field is a list. */
// every schema is one
export const takesSeveral = (schema: v.ObjectEntries[string]): boolean => baseType(schema as Schema) === "array";

type Separated = ReturnType<typeof separated>;
const isMark = (part: unknown): part is Separated =>
  typeof part === "object" && part !== null && "type" in part && part.type === "separated";

/**
 * The mark of a schema, what an optional one wraps, or a part of its pipe that takes a list with commas; undefined if
 * there is none.
 */
export function separatedIn({ wrapped, pipe = [] }: Schema): Separated | undefined {
  if (wrapped !== undefined) return separatedIn(wrapped);
  for (const part of pipe) {
    const mark = isMark(part) ? part : separatedIn(part as Schema); // safe: the other parts of a pipe have no pipe
    if (mark !== undefined) return mark;
  }
  return undefined;
}

const number = (text: string): number | string => (/^-?\d{1,400}$/.test(text) ? Number(text) : text);
const flags: Readonly<Record<string, boolean>> = { "1": true, true: true, "0": false, false: false };

/** Converts a field that was given once or several times. A list takes all values, any other field the last one. */
function fieldValue(schema: Schema, given: readonly string[]): unknown {
  if (separatedIn(schema) !== undefined) return given.join(",");
  const last = given.at(-1) ?? "";
  switch (baseType(schema)) {
    case "number":
      return number(last);
    case "boolean":
      return Object.hasOwn(flags, last) ? flags[last] : last;
    case "union":
      return given.flatMap((text) => text.split(",")).map((part) => number(part.trim()));
    case "array":
      return given.map(number);
    default:
      return last;
  }
}

/** Returns the schema's fields from pairs of name and text. Ignores names that the schema does not have. */
export function fieldsOf(
  schema: v.ObjectSchema<v.ObjectEntries, undefined>,
  given: Iterable<readonly [name: string, text: string]>,
): Record<string, unknown> {
  const texts = new Map<string, string[]>();
  for (const [name, text] of given) {
    if (!Object.hasOwn(schema.entries, name)) continue;
    const former = texts.get(name);
    if (former === undefined) texts.set(name, [text]);
    else former.push(text);
  }
  const fields: Record<string, unknown> = {};
  for (const [name, list] of texts) fields[name] = fieldValue(schema.entries[name] as Schema, list); // it has the name
  return fields;
}

/** Decodes the percent-encoding of a path segment. Throws 422 if it is malformed. */
export function decodePart(part: string, name: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw unprocessable(`${name} has malformed percent-encoding`);
  }
}
