// Converts the valibot schemas of inputs and records to JSON Schema 2020-12, in the form in which a client sends them,
// with a description of each field of an operation.
import { type ConversionConfig, type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { fieldDescription, pathDescription } from "./field_descriptions.ts";
import { separatedIn } from "./http/coercion.ts";
import { type Operation, pathFieldsOf } from "./operation.ts";

export type Json = Record<string, unknown>;

/** A part of a description as an object; empty if it is none. */
export const objectOf = (part: unknown): Json => (typeof part === "object" && part !== null ? { ...part } : {});

/** The parts of an object that are objects themselves, by their names. */
export const objectsOf = (part: unknown): Record<string, Json> =>
  Object.fromEntries(Object.entries(objectOf(part)).map(([name, value]) => [name, objectOf(value)]));

type Override = (given: JsonSchema) => JsonSchema | undefined;

/**
 * How a client sends the input: in JSON and to a tool a file is base64, and in a query a list is a repeated field. A
 * tool of the specification takes also what 1.0 said: one value where a list may stand.
 */
export type InputForm = "query" | "json" | "multipart" | "tool" | "specified_tool";

/**
 * An integer of 64 bits. Without the format int64, because some validators take it for the integers that JavaScript's
 * numbers can be.
 */
const int64 = { type: "integer", minimum: -(2 ** 63), maximum: 2 ** 63 } as const;
export const file = { type: "string", format: "binary", contentMediaType: "application/octet-stream" } as const;
const fileAsText = { type: "string", contentEncoding: "base64", contentMediaType: file.contentMediaType } as const;
/** A flag in a query. A generated client sends true or false, a person rather 1 or 0. */
const queryFlag: JsonSchema = { anyOf: [{ type: "boolean" }, { type: "string", enum: ["1", "0"] }] };
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
  picklist: (schema) => (schema.type === "number" ? { ...schema, type: "integer" } : undefined),
  // the types of literals are named as in JavaScript
  literal: (schema) => ({ type: typeof schema.const as "string", ...schema }),
  bigint: () => int64,
};

/** Returns the schema of a union: one integer if all options are integers, and the list in a query and of a tool. */
function unionSchema({ anyOf }: JsonSchema, form: InputForm | undefined): JsonSchema | undefined {
  const options = (anyOf ?? []).filter((option) => typeof option === "object");
  if (options.every(({ type }) => type === "integer")) return int64;
  return form === "query" || form === "tool" ? options.find(({ type }) => type === "array") : undefined;
}

/** The description of a schema or of what it wraps. */
const descriptionIn = (schema: v.GenericSchema & { wrapped?: v.GenericSchema }): string | undefined =>
  v.getDescription(schema) ?? (schema.wrapped && descriptionIn(schema.wrapped));

/**
 * The fields of an object of an input with their descriptions: the converter loses those that stand behind a transform.
 */
function describedFields(schema: { entries?: v.ObjectEntries }, converted: JsonSchema): JsonSchema {
  const fields = Object.entries(objectsOf(converted.properties)).map(([name, field]) => {
    const entry = schema.entries?.[name] as v.GenericSchema; // the converter has its names from there
    const description = field.description ?? descriptionIn(entry) ?? fieldDescription(name);
    return [name, { ...field, ...(description !== undefined && { description }) }];
  });
  return { ...converted, properties: Object.fromEntries(fields) };
}

function overrideOf(
  valibotSchema: { type: string; entries?: v.ObjectEntries },
  schema: JsonSchema,
  form: InputForm | undefined,
): JsonSchema | undefined {
  const { type } = valibotSchema;
  if (type === "object" && form !== undefined) return describedFields(valibotSchema, schema);
  if (type === "union") return unionSchema(schema, form);
  if (type === "instance") return form === "query" || form === "multipart" || form === undefined ? file : fileAsText;
  if (type === "boolean") return form === "query" ? queryFlag : undefined;
  return Object.hasOwn(overrides, type) ? overrides[type]?.(schema) : undefined;
}

/** `errorMode: "ignore"` omits the checks that JSON Schema cannot express; the server still makes them. */
export const config = (form?: InputForm): ConversionConfig => ({
  target: "draft-2020-12",
  errorMode: "ignore",
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) => overrideOf(valibotSchema, jsonSchema, form),
  // Without the format int64, because generators of clients make other types than numbers of that.
  overrideAction: ({ valibotAction, jsonSchema }) => (valibotAction.type === "safe_integer" ? jsonSchema : null),
});

/** A field as a client sends it: a list with commas is an array where the client can send one. */
function fieldSchema(schema: v.GenericSchema, converted: Json, form: InputForm): Json {
  const mark = form === "json" || form === "multipart" ? undefined : separatedIn(schema);
  if (mark === undefined) return converted;
  return { type: "array", items: { type: "string", ...(mark.values && { enum: mark.values }) } };
}

/**
 * Returns the object schema of an operation's input in one form, or of some of its fields. Each field has a
 * description.
 */
export function inputSchema(row: Pick<Operation, "path" | "input">, form: InputForm, entries = row.input.entries) {
  const { properties = {}, required = [] } = toJsonSchema(v.object(entries), { ...config(form), typeMode: "input" });
  const inPath = pathFieldsOf(row);
  const fields: Record<string, Json> = {};
  for (const [name, { description: said, ...converted }] of Object.entries(objectsOf(properties))) {
    const description = said ?? (inPath.includes(name) ? pathDescription(name) : undefined);
    // the converter has its names from there
    const schema = fieldSchema(entries[name] as v.GenericSchema, converted, form);
    fields[name] = { ...schema, ...(description !== undefined && { description }) };
  }
  return { type: "object", properties: fields, required };
}
