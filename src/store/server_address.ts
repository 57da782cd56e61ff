// Stores the address of the server that uses a data directory in DIR/server.json, so that commands can print it.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isServed } from "./lock.ts";

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
export function recordServerAddress(folder: string, url: string): void {
  const file = join(folder, nameOfFile);
  attempt(() => {
    writeFileSync(`${file}.new`, `${JSON.stringify({ url })}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file); // atomic: the file is complete or absent
  });
}

/** Removes the record. Called by the server when it stops. */
export const removeServerAddress = (folder: string): void =>
  attempt(() => rmSync(join(folder, nameOfFile), { force: true }));

/** The address of the running server; undefined if no server uses the directory. */
export function serverAddressOf(folder: string): string | undefined {
  if (!isServed(folder)) return undefined; // a server that crashed has left its file behind
  try {
    const { url } = JSON.parse(readFileSync(join(folder, nameOfFile), "utf8")) as { url?: unknown };
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined;
  }
}
