// Generates values from the description's JSON Schemas: valid ones, and ones that are invalid in one place.
import * as fc from "fast-check";

export type Schema = Record<string, any>;

/** Text that matches a schema's pattern and length. */
function text({ pattern, maxLength = 60, contentEncoding }: Schema): fc.Arbitrary<string> {
  if (contentEncoding === "base64")
    return fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("base64"));
  if (pattern === undefined) return fc.string({ unit: "grapheme", maxLength: 40 });
  return fc.stringMatching(new RegExp(pattern, "u")).map((value) => value.slice(0, Math.min(maxLength, 200)) || value);
}

/** A value that the schema allows. $ref is not followed, because no input schema contains one. */
export function valid(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valid));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => valid({ ...schema, type })));
  switch (schema.type) {
    case "integer": {
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
      return fc.oneof(
        fc.integer({ min: Math.max(minimum, -1000), max: Math.min(maximum, 1000) }),
        fc.maxSafeInteger().filter((value) => value >= minimum),
      );
    }
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valid(schema.items), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(3, schema.minItems ?? 0),
      });
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries<Schema>(schema.properties ?? {}).map(([name, inner]) => [name, valid(inner)]),
        ),
        { requiredKeys: schema.required ?? [] },
      );
    default:
      return text(schema);
  }
}

/** A JSON value that the schema forbids. */
export function invalid(schema: Schema): fc.Arbitrary<unknown> {
  const types: string[] = [schema.type].flat();
  const others = [
    ["string", "text"],
    ["integer", 7],
    ["boolean", true],
    ["array", []],
    ["object", {}],
    ["null", null],
  ] as const;
  const otherTypes = others.filter(([type]) => !types.includes(type)).map(([, value]) => fc.constant<unknown>(value));
  const beyond: fc.Arbitrary<unknown>[] = [];
  if (types.includes("integer")) beyond.push(fc.constant(1.5));
  if (schema.minimum !== undefined) beyond.push(fc.integer({ min: -1000, max: schema.minimum - 1 }));
  if (schema.maximum === Number.MAX_SAFE_INTEGER) beyond.push(fc.constant(2 ** 53));
  if (schema.enum !== undefined) beyond.push(fc.string().filter((value) => !schema.enum.includes(value)));
  if (schema.maxLength !== undefined) beyond.push(fc.constant("x".repeat(schema.maxLength + 1)));
  if (schema.pattern === "\\S") beyond.push(fc.constantFrom("", " ", "\t\n"));
  return fc.oneof(...otherTypes, ...beyond);
}

/** Text that the schema forbids, for a path, a query or a form; undefined if the schema allows any text. */
export function invalidText(schema: Schema): fc.Arbitrary<string> | undefined {
  if (schema.type === "array") return invalidText(schema.items);
  if (schema.enum !== undefined) return fc.constantFrom("nothing-such", "ACTIVE", "1 OR 1=1");
  if (schema.type === "integer")
    return fc.constantFrom(
      "x",
      "-1",
      "1.5",
      ...(schema.minimum === 0 ? [] : ["0"]),
      "1e3",
      "NaN",
      ...(schema.maximum === undefined ? [] : ["9007199254740992"]),
    );
  if (schema.type === "boolean") return fc.constantFrom("yes", "2", "TRUE ");
  if (schema.pattern !== undefined && schema.pattern !== "\\S") return fc.constantFrom("Not A Slug", "-", "%00", "ä");
  return schema.maxLength === undefined ? undefined : fc.constant("x".repeat(schema.maxLength + 1));
}
