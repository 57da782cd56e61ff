// From the schemas that judge and shape to JSON Schema 2020-12: the named records as components, and the fields of a row's
// input in the form in which they travel. Knows no operation by name.
import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { recordsByName } from "../../records.ts";

export type Json = Record<string, unknown>;
type Override = (given: JsonSchema) => JsonSchema | undefined;

/** How a row's fields travel: a file is base64 in JSON, and in a query a list is a repeated field. */
export type Form = "query" | "json" | "multipart";

const int64 = { type: "integer", format: "int64" } as const;
export const file = { type: "string", format: "binary", contentMediaType: "application/octet-stream" } as const;
const fileAsText = { type: "string", contentEncoding: "base64", contentMediaType: file.contentMediaType } as const;
const isPlain = ({ type, $ref, enum: values }: JsonSchema): boolean =>
  typeof type === "string" && $ref === undefined && values === undefined;

/** What is said plainer than as the converter says it, by the kind of schema. */
const overrides: Readonly<Record<string, Override>> = {
  nullable({ anyOf: [inner] = [], anyOf: _, ...rest }) {
    if (typeof inner !== "object" || !isPlain(inner)) return undefined;
    return { ...inner, ...rest, type: [inner.type as "string", "null"] };
  },
  nullish: (schema) => overrides.nullable?.(schema),
  record: ({ propertyNames: _, ...schema }) => ({ ...schema, additionalProperties: true }),
  loose_object: (schema) => ({ ...schema, additionalProperties: true }),
  literal: (schema) => ({ type: typeof schema.const as "string", ...schema }),
  bigint: () => int64,
};

/** A union's schema: of whole numbers one, in a query the list. */
function choose({ anyOf }: JsonSchema, form: Form | undefined): JsonSchema | undefined {
  const options = (anyOf ?? []) as JsonSchema[];
  if (options.every(({ type }) => type === "integer")) return int64;
  return form === "query" ? options.find(({ type }) => type === "array") : undefined;
}

function overrideOf({ type }: { type: string }, schema: JsonSchema, form: Form | undefined): JsonSchema | undefined {
  if (type === "union") return choose(schema, form);
  if (type === "instance") return form === "json" ? fileAsText : file;
  return Object.hasOwn(overrides, type) ? overrides[type]?.(schema) : undefined;
}

/** Checks that JSON Schema cannot say are left out: the server makes them all the same. */
const config = (form?: Form): ConversionConfig => ({
  target: "draft-2020-12",
  errorMode: "ignore",
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) => overrideOf(valibotSchema, jsonSchema, form),
  overrideAction: ({ valibotAction, jsonSchema }) =>
    valibotAction.type === "safe_integer" ? { ...jsonSchema, format: int64.format } : null,
});

/** The named records as the converter takes them, by name: which module was loaded first changes nothing. */
const named = (): Record<string, v.GenericSchema> =>
  Object.fromEntries([...recordsByName()].sort(([a], [b]) => (a < b ? -1 : 1)));

/** The records by their names, as components. */
export const recordSchemas = (): Record<string, Json> => toJsonSchemaDefs(named(), config()) as Record<string, Json>;

/** An answer's schema; a record stands in it as a reference to its component. */
export function outputSchema(schema: v.GenericSchema): Json {
  const { $schema: _, $defs: __, ...converted } = toJsonSchema(schema, { ...config(), definitions: named() });
  return converted;
}

/** A row's input in one form: an object schema whose properties are its fields. */
export function inputSchema(schema: v.ObjectSchema<v.ObjectEntries, undefined>, form: Form) {
  const { properties = {}, required = [] } = toJsonSchema(schema, { ...config(form), typeMode: "input" });
  return { type: "object", properties: properties as Record<string, Json>, required };
}
