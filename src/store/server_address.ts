// Stores the address of the server that uses a data directory in DIR/server.json, so that commands can print it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { readRecord, writeRecord } from "./files.ts";
import { isServed } from "./lock.ts";

const fileOf = (folder: string): string => join(folder, "server.json");

const recordSchema = v.object({ url: v.string() });

/** Does what needs a writable disk. A server also runs on a full or read-only disk, without this record. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // `tallylight open`, the only reader, writes to the same disk
  }
}

/** Records the address. Called by the server once it listens. */
export const recordServerAddress = (folder: string, url: string): void =>
  attempt(() => writeRecord(fileOf(folder), { url }));

/** Removes the record. Called by the server when it stops. */
export const removeServerAddress = (folder: string): void => attempt(() => rmSync(fileOf(folder), { force: true }));

/** The address of the running server; undefined if no server uses the directory. */
export const serverAddressOf = (folder: string): string | undefined =>
  isServed(folder) ? readRecord(fileOf(folder), recordSchema)?.url : undefined; // a server that crashed has left its file behind
