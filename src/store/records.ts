// The small JSON files of a data directory, each of which is read whole and replaced whole.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import * as v from "valibot";
import { syncPath } from "./sync.ts";

/** Reads a record; undefined if its file does not exist or is not complete. */
export function readRecord<Schema extends v.GenericSchema>(
  file: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(readFileSync(file, "utf8")));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a record: a reader sees the former one or the new one. Without `durable`, a power failure may leave the former one. */
export function writeRecord(file: string, record: object, durable = false): void {
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    if (durable) syncPath(draft);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
