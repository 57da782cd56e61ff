// Converts the valibot schemas of inputs and records to JSON Schema 2020-12: the named records as components, and an operation's
// input in the form in which a client sends it.
import { type ConversionConfig, type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { separatedIn } from "../../core/http/coercion.ts";
import { recordsByName } from "../../core/records.ts";

export type Json = Record<string, unknown>;

/** A part of a description as an object; empty if it is none. */
export const objectOf = (part: unknown): Json => (typeof part === "object" && part !== null ? { ...part } : {});

/** The parts of an object that are objects themselves, by their names. */
export const objectsOf = (part: unknown): Record<string, Json> =>
  Object.fromEntries(Object.entries(objectOf(part)).map(([name, value]) => [name, objectOf(value)]));

type Override = (given: JsonSchema) => JsonSchema | undefined;

/** How a client sends the input: in JSON a file is base64, and in a query a list is a repeated field. */
export type InputForm = "query" | "json" | "multipart";

const int64 = { type: "integer", format: "int64" } as const;
export const file = { type: "string", format: "binary", contentMediaType: "application/octet-stream" } as const;
const fileAsText = { type: "string", contentEncoding: "base64", contentMediaType: file.contentMediaType } as const;
const isPlain = ({ type, $ref, enum: values }: JsonSchema): boolean =>
  typeof type === "string" && $ref === undefined && values === undefined;

/** Replaces the converter's result by a simpler one, by the type of valibot schema. */
const overrides: Readonly<Record<string, Override>> = {
  nullable({ anyOf: [inner] = [], anyOf: _, ...rest }) {
    if (typeof inner !== "object" || !isPlain(inner)) return undefined;
    return { ...inner, ...rest, type: [inner.type as "string", "null"] }; // isPlain: it has one type
  },
  nullish: (schema) => overrides.nullable?.(schema),
  record: ({ propertyNames: _, ...schema }) => ({ ...schema, additionalProperties: true }),
  loose_object: (schema) => ({ ...schema, additionalProperties: true }),
  literal: (schema) => ({ type: typeof schema.const as "string", ...schema }), // the types of literals are named as in JavaScript
  bigint: () => int64,
};

/** Returns the schema of a union: one integer if all options are integers, and the list in a query. */
function unionSchema({ anyOf }: JsonSchema, form: InputForm | undefined): JsonSchema | undefined {
  const options = (anyOf ?? []).filter((option) => typeof option === "object");
  if (options.every(({ type }) => type === "integer")) return int64;
  return form === "query" ? options.find(({ type }) => type === "array") : undefined;
}

function overrideOf(
  { type }: { type: string },
  schema: JsonSchema,
  form: InputForm | undefined,
): JsonSchema | undefined {
  if (type === "union") return unionSchema(schema, form);
  if (type === "instance") return form === "json" ? fileAsText : file;
  return Object.hasOwn(overrides, type) ? overrides[type]?.(schema) : undefined;
}

/** `errorMode: "ignore"` omits the checks that JSON Schema cannot express; the server still makes them. */
const config = (form?: InputForm): ConversionConfig => ({
  target: "draft-2020-12",
  errorMode: "ignore",
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) => overrideOf(valibotSchema, jsonSchema, form),
  // Without the format int64, because generators of clients make other types than numbers of that.
  overrideAction: ({ valibotAction, jsonSchema }) => (valibotAction.type === "safe_integer" ? jsonSchema : null),
});

/** The named records, sorted by name, so that the order in which modules are loaded does not change the description. */
const definitions = (): Record<string, v.GenericSchema> =>
  Object.fromEntries([...recordsByName()].sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Returns the named records as components, and the schemas of outputs by the names of their operations. A named record in an output is
 * a reference to its component. All are converted in one pass, because each pass converts every record.
 */
export function outputSchemas(outputs: Record<string, v.GenericSchema>) {
  const { $defs = {}, properties = {} } = toJsonSchema(v.object(outputs), { ...config(), definitions: definitions() });
  return { records: objectsOf($defs), outputs: objectsOf(properties) };
}

/** The description of a schema or of what it wraps: the converter loses one that stands behind a transform. */
const descriptionIn = (schema: v.GenericSchema & { wrapped?: v.GenericSchema }): string | undefined =>
  v.getDescription(schema) ?? (schema.wrapped && descriptionIn(schema.wrapped));

/** The field of a query: a list with commas is an array, which may also be repeated. */
function queryField(schema: v.GenericSchema, converted: Json): Json {
  const description = converted.description ?? descriptionIn(schema);
  const described = description !== undefined && { description };
  const mark = separatedIn(schema);
  if (mark === undefined) return { ...converted, ...described };
  const items = { type: "string", ...(mark.values && { enum: mark.values }) };
  return { type: "array", items, ...described };
}

/** Returns the object schema of an operation's input in one form. */
export function inputSchema(schema: v.ObjectSchema<v.ObjectEntries, undefined>, form: InputForm) {
  const { properties = {}, required = [] } = toJsonSchema(schema, { ...config(form), typeMode: "input" });
  const fields: Record<string, Json> = {};
  for (const [name, converted] of Object.entries(objectsOf(properties)))
    fields[name] = queryField(schema.entries[name] as v.GenericSchema, converted); // the converter has its names from there
  return { type: "object", properties: fields, required };
}
