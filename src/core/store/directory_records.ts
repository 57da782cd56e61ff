// What small files say of the use of a data directory. DIR/replica.json makes it a replica, into which another program
// keeps copying. In DIR/server.json the server that uses it stores its addresses, so that commands can print them.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { CliError } from "../errors.ts";
import { commandText } from "../program.ts";
import { replicaName } from "./database.ts";
import { readRecord, writeRecord } from "./files.ts";
import { isServed } from "./lock.ts";

/** Whether the directory is a replica. */
export const isReplica = (folder: string): boolean => existsSync(join(folder, replicaName));

/**
 * Throws CliError if the directory is a replica. `command` is what a replica does not allow, such as "doctor --repair".
 */
export function refuseReplica(folder: string, command: string): void {
  if (isReplica(folder))
    throw new CliError(
      `${folder} is a replica, which every copy overwrites, so ${command} is refused; use the primary, or make a primary of it with ${commandText("promote")}`,
    );
}

const fileOf = (folder: string): string => join(folder, "server.json");

const addresses = v.object({ base_url: v.string(), mcp_url: v.string(), media_url: v.string(), auth_url: v.string() });
type RecordedAddresses = v.InferOutput<typeof addresses>;

/** `url` is the base_url, and all that the server of a former version has recorded. */
const recordSchema = v.object({ url: v.string(), addresses: v.optional(addresses) });

/** The four public addresses of a server that has one address for all. */
export const oneAddress = (url: string): RecordedAddresses => ({
  base_url: url,
  mcp_url: url,
  media_url: url,
  auth_url: url,
});

/** Does what needs a writable disk. A server also runs on a full or read-only disk, without this record. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // commands then print the usual address, or none
  }
}

/** Records the addresses. Called by the server once it listens. */
export const recordServerAddresses = (folder: string, addresses: RecordedAddresses): void =>
  attempt(() => writeRecord(fileOf(folder), { url: addresses.base_url, addresses }));

/** Removes the record. Called by the server when it stops. */
export const removeServerAddresses = (folder: string): void => attempt(() => rmSync(fileOf(folder), { force: true }));

/** The addresses of the running server; undefined if no server uses the directory. */
export function serverAddressesOf(folder: string): RecordedAddresses | undefined {
  // one that crashed has left its file
  const record = isServed(folder) ? readRecord(fileOf(folder), recordSchema) : undefined;
  return record && (record.addresses ?? oneAddress(record.url));
}
