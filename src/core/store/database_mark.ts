// The mark of a database in its media folder: which database the media belong to, and the last event and audit entry
// that it had. With it, a start notices another database beside the media, and one that lacks its last changes. Also
// here: the epochs of a database, which are the times during which one server was its primary. docs/replication.md,
// "Take over".
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type Database from "better-sqlite3";
import * as v from "valibot";
import { CliError } from "../errors.ts";
import { hasMediaFiles, readRecord, writeRecord } from "./files.ts";
import { change, value } from "./statements.ts";
import type { Store } from "./store.ts";

/** The name of the mark in media/. */
export const markName = "database.json";

const markSchema = v.object({
  /** The first epoch of the database, which copies, backups and replicas keep. */
  database: v.string(),
  /** The id of its last event. Event ids only grow, also when the oldest events are removed. */
  event: v.number(),
  /** The id of its last audit entry, for what is no event. 0 if all of them were removed; then nothing is known. */
  audit: v.optional(v.number(), 0),
});
type Mark = v.InferOutput<typeof markSchema>;

/** How often the mark is compared with the database, in milliseconds. */
const interval = 1_000;

const fileOf = (folder: string): string => join(folder, "media", markName);

const epochOf = value<object, string>("get_epoch");
/** Begins a new epoch of the database: cursors of events and revisions of the former one are not valid any more. */
export const startEpoch = change("start_epoch");

/** The present epoch. Every migrated database has one. */
export const epoch = (store: Store): string => epochOf(store, {}) ?? "";

/**
 * The epochs of a database, the first of which identifies it; none if its schema is older than the first one that has
 * epochs and events.
 */
export function epochsOf(database: Database.Database): string[] {
  const tables = database.prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('epochs', 'events')").pluck();
  if (tables.get() !== 2) return [];
  return database.prepare<[], string>("SELECT epoch FROM epochs ORDER BY id").pluck().all();
}

/** The mark of an open database; undefined if its schema has no epochs and events. */
function databaseMark(database: Database.Database): Mark | undefined {
  const [first] = epochsOf(database);
  if (first === undefined) return undefined;
  return database
    .prepare<[string], Mark>(
      `SELECT ? AS database, ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS event,
         (SELECT ifnull(max(id), 0) FROM audit) AS audit`,
    )
    .get(first);
}

/** The mark in media/; undefined if there is none that can be read, as in a directory of version 1.1. */
const readMark = (folder: string): Mark | undefined => readRecord(fileOf(folder), markSchema);

/** Whether the directory has bytes of media. */
const hasMedia = (folder: string): boolean => hasMediaFiles(join(folder, "media"));

/** Throws CliError if the database `file` is absent or has no bytes, although the directory has or had media of one. */
export function refuseLostDatabase(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  const folder = dirname(file);
  if ((size ?? 0) > 0 || (!existsSync(fileOf(folder)) && !hasMedia(folder))) return;
  throw new CliError(
    `${file} ${size === undefined ? "is missing" : "has no bytes"}, but ${folder} has the media of a database; put the database back, restore a backup into an empty directory, or move ${join(folder, "media")} away to begin without them (nothing was changed)`,
  );
}

/** Why the media do not belong to the database; undefined if they do, or if that is not known. */
export function foreignMedia(database: Database.Database, folder: string): string | undefined {
  const [mark, [current]] = [readMark(folder), epochsOf(database)];
  if (mark === undefined || current === undefined || mark.database === current || !hasMedia(folder)) return undefined;
  return `${join(folder, "media")} belongs to another database (${mark.database}) than ${database.name} (${current}); put that database back, restore a backup into an empty directory, or move ${join(folder, "media")} away to continue without its media`;
}

/** Which changes the database had and now lacks; undefined if none is known. */
export function missingChanges(database: Database.Database, folder: string): string | undefined {
  const [mark, current] = [readMark(folder), databaseMark(database)];
  if (mark === undefined || mark.database !== current?.database) return undefined;
  const lacks =
    current.event < mark.event ? "event" : current.audit > 0 && current.audit < mark.audit ? "audit" : undefined;
  if (lacks === undefined) return undefined;
  const name = lacks === "event" ? "event" : "entry of the audit log";
  return `the database lacks its last changes: its last ${name} is ${current[lacks]}, and it had ${mark[lacks]}; its write-ahead log was removed, or an older copy was put in its place`;
}

function writeMark(folder: string, mark: Mark): void {
  try {
    writeRecord(fileOf(folder), mark); // after a power failure the former mark misses changes, but never reports any
  } catch {
    // the disk is full; the next commit tries again
  }
}

/** Marks the media of a directory as those of its database, unless they are. */
export function adoptMedia({ database }: Pick<Store, "database">, folder: string): void {
  if (readMark(folder)?.database === epochsOf(database)[0]) return;
  const current = databaseMark(database);
  if (current !== undefined) writeMark(folder, current);
}

/** Keeps the mark up to date until the returned function is called, which writes the last one. */
export function keepMark({ database }: Pick<Store, "database">, folder: string): () => void {
  let written: Mark | undefined;
  const write = (): void => {
    try {
      const current = database.open && !database.inTransaction ? databaseMark(database) : undefined;
      if (current === undefined || (current.event === written?.event && current.audit === written.audit)) return;
      writeMark(folder, current);
      written = current;
    } catch {
      // the database is damaged or busy; the next look tries again
    }
  };
  const timer = setInterval(write, interval).unref();
  write();
  return () => {
    clearInterval(timer);
    write();
  };
}
