// Writes a JSON Schema as a type of TypeScript.
import type { Schema } from "./operations.ts";

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");

function objectType({ properties, required, additionalProperties }: Schema): string {
  const known = isObject(properties) ? Object.entries(properties) : [];
  const needed = Array.isArray(required) ? required : [];
  const fields = known.map(([name, schema]) => `${nameOf(name)}${needed.includes(name) ? "" : "?"}: ${typeOf(schema)}`);
  if (known.length === 0)
    return `Record<string, ${isObject(additionalProperties) ? typeOf(additionalProperties) : "unknown"}>`;
  return `{ ${fields.join("; ")} }`;
}

const arrayType = (items: unknown): string => {
  const type = typeOf(items);
  return /[ |&]/.test(type) ? `(${type})[]` : `${type}[]`;
};

function typeNamed(type: unknown, schema: Schema): string {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array":
      return arrayType(schema.items);
    default:
      return type === "object" || schema.properties !== undefined ? objectType(schema) : "unknown";
  }
}

/** The type of a schema. References are names of declared types. */
export function typeOf(schema: unknown): string {
  if (!isObject(schema)) return "unknown";
  const { $ref, enum: values, const: value, type } = schema;
  if (typeof $ref === "string") return $ref.split("/").at(-1) ?? "unknown";
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values)) return union(values.map((one) => JSON.stringify(one)));
  for (const alternatives of [schema.oneOf, schema.anyOf])
    if (Array.isArray(alternatives)) return union(alternatives.map(typeOf));
  if (Array.isArray(schema.allOf)) return schema.allOf.map((part) => `(${typeOf(part)})`).join(" & ");
  return Array.isArray(type) ? union(type.map((one) => typeNamed(one, schema))) : typeNamed(type, schema);
}
