// The building blocks of response schemas, and the registry of the schemas that the API reference lists by name.
import * as v from "valibot";
import { describe } from "./inputs.ts";

const byName = new Map<string, v.GenericSchema>();

/** Registers a schema under its name in the API reference. Throws an Error if the name is already registered. */
export function record<const T extends v.GenericSchema>(name: string, schema: T): T {
  if (byName.has(name)) throw new Error(`the record ${name} is defined twice`);
  byName.set(name, schema);
  return schema;
}

/** Every registered schema. Complete once the table of operations is loaded. */
export const recordsByName = (): ReadonlyMap<string, v.GenericSchema> => byName;

export const id = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const text = v.string();
export const timestamp = v.pipe(v.string(), v.isoTimestamp());
export const date = v.pipe(v.string(), v.isoDate());
/** An object with any fields. */
export const free = v.record(v.string(), v.unknown());

export const problem = record("Problem", describe(v.object({ detail: text }), "What was wrong and where."));
