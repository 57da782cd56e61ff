// DIR/replica.json of a replica: when the last copy was taken, and where it comes from. The copying program writes this
// file after every copy.
import { join } from "node:path";
import * as v from "valibot";
import { replicaName } from "../../core/store/database.ts";
import { readRecord, writeRecord } from "../../core/store/files.ts";

const recordSchema = v.object({
  /** The time at which the copy began: it contains everything that was committed before. */
  synced_at: v.pipe(v.string(), v.isoTimestamp()),
  /** The directory that is copied: local, or HOST:DIR. */
  source: v.string(),
  /**
   * The epoch of the peer that took over, if this directory was a primary's before. `serve` then needs no --replica.
   */
  superseded_by: v.optional(v.string()),
});
/** The content of replica.json. docs/replication.md, "Serve the replica". */
export type ReplicaRecord = v.InferOutput<typeof recordSchema>;

const fileOf = (folder: string): string => join(folder, replicaName);

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
