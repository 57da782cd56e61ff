// Syncs files and folders to disk, and writes and reads the small files that say something about a folder.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import * as v from "valibot";

/** Syncs the bytes of a file, or the entries of a folder, to disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Writes a small file, readable only by its owner. A reader sees the former file or the new one, never a part. */
export function writeJson(file: string, value: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** What such a file says; undefined if it does not exist, is damaged, or is not as the schema says. */
export function readJson<S extends v.GenericSchema>(file: string, schema: S): v.InferOutput<S> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(readFileSync(file, "utf8")));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
