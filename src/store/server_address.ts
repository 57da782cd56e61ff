// Stores the address of the server that uses a data directory in DIR/server.json, so that commands can print it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { isServed } from "./lock.ts";
import { readJson, writeJson } from "./sync.ts";

const nameOfFile = "server.json";

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
  attempt(() => writeJson(join(folder, nameOfFile), { url }));

/** Removes the record. Called by the server when it stops. */
export const removeServerAddress = (folder: string): void =>
  attempt(() => rmSync(join(folder, nameOfFile), { force: true }));

/** The address of the running server; undefined if no server uses the directory. */
export function serverAddressOf(folder: string): string | undefined {
  if (!isServed(folder)) return undefined; // a server that crashed has left its file behind
  return readJson(join(folder, nameOfFile), v.object({ url: v.string() }))?.url;
}
