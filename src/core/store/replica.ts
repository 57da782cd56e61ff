// A replica is a data directory that another program keeps copying into. DIR/replica.json says when the last copy was taken and
// where it comes from. The copying program writes this file after every copy, and its presence makes the directory a replica.
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { CliError } from "../errors.ts";
import { replicaName } from "./database.ts";
import { readRecord, writeRecord } from "./files.ts";

const recordSchema = v.object({
  /** The time at which the copy began: it contains everything that was committed before. */
  synced_at: v.pipe(v.string(), v.isoTimestamp()),
  /** The directory that is copied: local, or HOST:DIR. */
  source: v.string(),
  /** The epoch of the peer that took over, if this directory was a primary's before. `serve` then needs no --replica. */
  superseded_by: v.optional(v.string()),
});
/** The content of replica.json. docs/replication.md, "Serve the replica". */
export type ReplicaRecord = v.InferOutput<typeof recordSchema>;

const fileOf = (folder: string): string => join(folder, replicaName);

/** Whether the directory is a replica. */
export const isReplica = (folder: string): boolean => existsSync(fileOf(folder));

/** Throws CliError if the directory is a replica. `command` is what a replica does not allow, such as "tallylight serve". */
export function refuseReplica(folder: string, command: string): void {
  if (isReplica(folder))
    throw new CliError(
      `${folder} is a replica, which every copy overwrites, so ${command} is refused; use the primary, or make a primary of it with tallylight promote`,
    );
}

/** Reads replica.json; undefined if it does not exist or is not complete. */
export const readReplicaRecord = (folder: string): ReplicaRecord | undefined =>
  readRecord(fileOf(folder), recordSchema);

/** The message of a former primary whose peer took over; undefined for every other directory. */
export function supersededSentence(folder: string): string | undefined {
  const { synced_at, source, superseded_by } = readReplicaRecord(folder) ?? {};
  return (
    superseded_by &&
    `${folder} is a former primary's (epoch ${superseded_by} took over; its copy is of ${synced_at}, from ${source}), so it is served as a replica only`
  );
}

/** Writes replica.json. A reader sees the former file or the new one. */
export const writeReplicaRecord = (folder: string, record: ReplicaRecord): void => writeRecord(fileOf(folder), record);
