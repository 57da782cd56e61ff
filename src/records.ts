// The pieces that the shapes of answers are made of, and the shapes that the API's reference knows by name.
import * as v from "valibot";
import { describe } from "./inputs.ts";

const byName = new Map<string, v.GenericSchema>();

/** Gives a shape its name in the reference. Throws an Error for a name that is taken. */
export function record<const T extends v.GenericSchema>(name: string, schema: T): T {
  if (byName.has(name)) throw new Error(`there are two records ${name}`);
  byName.set(name, schema);
  return schema;
}

/** Every named shape. Complete once the table is loaded. */
export const recordsByName = (): ReadonlyMap<string, v.GenericSchema> => byName;

export const id = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const text = v.string();
export const timestamp = v.pipe(v.string(), v.isoTimestamp());
export const date = v.pipe(v.string(), v.isoDate());
/** An object of whatever fields. */
export const free = v.record(v.string(), v.unknown());

export const problem = record("Problem", describe(v.object({ detail: text }), "What was wrong, and where."));
