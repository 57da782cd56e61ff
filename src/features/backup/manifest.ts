// The list of a backup: what it is of, when and why it was made, and every file of it with its hash.
import * as v from "valibot";

/** Why a backup was made: only what the schedule made is ever removed by the schedule. */
export const backupKinds = ["scheduled", "manual", "before-upgrade", "before-delete"] as const;
export type BackupKind = (typeof backupKinds)[number];

const memberSchema = v.object({
  name: v.string(),
  size: v.number(),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
export const manifestSchema = v.object({
  format: v.literal("tallylight backup"),
  version: v.literal(1),
  created_at: v.string(),
  /**
   * The position in its folder: a clock may be wrong, and this only grows. 0 in a file, and in lists of former
   * versions.
   */
  number: v.optional(v.number(), 0),
  /** Lists of former versions do not say it. */
  kind: v.optional(v.picklist(backupKinds), "scheduled"),
  schema: v.number(),
  /**
   * The first epoch of the database, which tells it from other databases, and its last one; absent if its schema has
   * none.
   */
  database: v.optional(v.string()),
  epoch: v.optional(v.string()),
  /** What config.json had, without secrets. */
  settings: v.optional(v.record(v.string(), v.unknown()), {}),
  /** The names of the secrets that config.json had. */
  secrets: v.optional(v.array(v.string()), []),
  /** Every other file, in the order of an archive: the database, then the media by their hashes. */
  members: v.array(memberSchema),
  /** The SHA-256 of media in the database whose bytes were already missing or damaged. */
  missing: v.array(v.string()),
  /** The SHA-256 of media that the data directory lacked or had damaged, also if the folder has them. */
  lacking: v.optional(v.array(v.string()), []),
  /** The problems of the database, one sentence each. Such a backup can only be restored with `damaged`. */
  broken: v.optional(v.array(v.string()), []),
});
export type Manifest = v.InferOutput<typeof manifestSchema>;
export type Member = Manifest["members"][number];
