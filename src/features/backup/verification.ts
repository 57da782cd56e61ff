// Reads everything that a folder of backups has, and the media of the data directory, and keeps the result in the
// folder: health shows it.
import { join } from "node:path";
import * as v from "valibot";
import { databaseName } from "../../core/store/database.ts";
import { closing, readRecord, writeRecord } from "../../core/store/files.ts";
import { openReadOnly } from "../../core/store/read_only.ts";
import { mediaProblems } from "../soundness/media_bytes.ts";
import { neededBlobs } from "../soundness/needed_media.ts";
import { type RestoreOptions, type VerifiedBackup, verifyBackups } from "./restore.ts";

const recordName = "verified.json";
const maxListed = 20;

const recordSchema = v.object({
  /** When the reading began. */
  at: v.string(),
  /** Why backups cannot be restored, or only with --damaged; the first of them. */
  problems: v.array(v.string()),
  /** The SHA-256 of the media that the data directory lacked or had damaged. */
  lacking: v.array(v.string()),
  /** The SHA-256 of the media that the folder lacked or had damaged: the next backup writes them again. */
  damaged: v.optional(v.array(v.string()), []),
});
export type Verification = v.InferOutput<typeof recordSchema>;

/** The result of the last time that all of a folder was read; undefined if it never was. */
export const verificationOf = (folder: string): Verification | undefined =>
  readRecord(join(folder, recordName), recordSchema);

export function recordVerification(folder: string, now: number, results: readonly VerifiedBackup[], lacking: string[]) {
  const sentences = results.map(({ name, problem, broken }) => problem ?? broken.map((one) => `${name}: ${one}`)[0]);
  const problems = sentences.filter((sentence) => sentence !== undefined).slice(0, maxListed);
  const damaged = [...new Set(results.flatMap(({ lost }) => lost))];
  const verification: Verification = { at: new Date(now).toISOString(), problems, lacking, damaged };
  writeRecord(join(folder, recordName), verification);
  return verification;
}

/**
 * Reads every backup of a folder and the media of the data directory, and records the result. Throws CliError if the
 * folder has no backups.
 */
export async function verifyFolder(
  data: string,
  folder: string,
  { now, ...options }: RestoreOptions & { now: number },
): Promise<Verification> {
  const results = await verifyBackups(folder, options);
  const media = closing(openReadOnly(join(data, databaseName)), neededBlobs);
  const lacking = (await mediaProblems(data, media, true)).map(({ sha256 }) => sha256);
  return recordVerification(folder, now, results, lacking);
}
