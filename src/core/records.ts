// The building blocks of response schemas, and the registry of the schemas that the API reference lists by name.
import * as v from "valibot";
import { describe, id } from "./inputs.ts";

export { id };

const byName = new Map<string, v.GenericSchema>();

/** Registers a schema under its name in the API reference. Throws an Error if the name is already registered. */
export function record<const T extends v.GenericSchema>(name: string, schema: T): T {
  if (byName.has(name)) throw new Error(`the record ${name} is defined twice`);
  byName.set(name, schema);
  return schema;
}

/** Every registered schema. Complete once the table of operations is loaded. */
export const recordsByName = (): ReadonlyMap<string, v.GenericSchema> => byName;

/** How many: 0 or more. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const text = v.string();
export const timestamp = v.pipe(v.string(), v.isoTimestamp());
export const date = v.pipe(v.string(), v.isoDate());
/** An object with any fields. */
export const free = v.record(v.string(), v.unknown());

export const problem = record(
  "Problem",
  v.object({
    detail: describe(text, "What was wrong and where."),
    problems: v.optional(
      describe(
        v.array(
          v.object({
            file: v.nullable(text),
            place: v.nullable(text),
            name: v.nullable(text),
            message: text,
            reason: v.optional(describe(text, "Why a thing cannot be removed.")),
            choices: v.optional(
              describe(v.array(text), "The answers, where the problem is a question of how a file is to be read."),
            ),
            count: v.optional(describe(count, "How often the same was found, if that is more than once.")),
            places: v.optional(describe(v.array(text), "The first three places at which the same was found.")),
          }),
        ),
        "If an import or a removal is refused: each mistake, with its place in the file and the name of the thing there.",
      ),
    ),
  }),
);
