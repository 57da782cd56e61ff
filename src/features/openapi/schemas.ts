// Converts the schemas of records and answers to the components of the description, and those of rows of a list that
// comes with some fields alone.
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { config, type Json, objectOf, objectsOf } from "../../core/input_schemas.ts";
import * as out from "../../core/records.ts";

/** The named records, sorted by name, so that the order in which modules are loaded does not change the description. */
const definitions = (): Record<string, v.GenericSchema> =>
  Object.fromEntries([...out.recordsByName()].sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Returns the named records as components, and the schemas of outputs by the names of their operations. A named record
 * in an output is a reference to its component. All are converted in one pass, because each pass converts every record.
 */
export function outputSchemas(outputs: Record<string, v.GenericSchema>) {
  const { $defs = {}, properties = {} } = toJsonSchema(v.object(outputs), { ...config(), definitions: definitions() });
  return { records: objectsOf($defs), outputs: objectsOf(properties) };
}

const recordsAt = "#/components/schemas/";

/**
 * The schema of a list that takes `fields`, and the component of its rows where it is a new one. A schema cannot depend
 * on a parameter, so no field of such a row is required: a generated client reads rows with some fields as it reads
 * whole ones.
 */
export function listOfRows(
  list: Json,
  records: Record<string, Json>,
): { list: Json; components: Record<string, Json> } {
  const { $ref, ...own } = objectOf(list.items);
  const name = typeof $ref === "string" ? $ref.slice(recordsAt.length) : undefined;
  const { required, ...row } = name === undefined ? own : objectOf(records[name]);
  if (name === undefined) return { list: { ...list, items: row }, components: {} };
  const description = `A row of a list: a ${name}, with the parameter fields only with the fields that it names.`;
  return {
    list: { ...list, items: { $ref: `${recordsAt}Partial${name}` } },
    components: { [`Partial${name}`]: { ...row, description, "x-required": required } },
  };
}
