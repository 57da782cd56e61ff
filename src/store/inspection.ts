// What can be said of a data directory's health, check by check, from its database and its files. Never writes: what can
// be repaired is repair.ts's.
import { existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type Database from "better-sqlite3";
import { CliError } from "../errors.ts";
import { mediaName, type Progress } from "./backup.ts";
import { sha256OfFile } from "./checksum.ts";
import { databaseName, inspect, openToLook, sentenceOf } from "./database.ts";
import { isServed } from "./lock.ts";
import { soundnessOf } from "./soundness.ts";
import { roomStep } from "./staging.ts";

/** What one check found. `items` names the single things that are not well. */
export interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  items: string[];
}

export interface InspectionOptions {
  /** Reads every kept byte and holds it against its checksum. */
  deep: boolean;
  /** The present moment in milliseconds. */
  now: number;
  /** The free bytes that uploads leave on the disk, as configured; not judged where it is left out. */
  reserve?: number | undefined;
  progress?: Progress;
}

const largeJournal = 256 * 1024 * 1024;
const clockTolerance = 5 * 60_000;
const secretFiles = ["secrets.json", "config.json"];

const finding = (check: string, items: string[], well: string, unwell: string): Finding => ({
  check,
  ok: items.length === 0,
  detail: items.length === 0 ? well : unwell,
  items,
});

function checkDatabase(database: Database.Database): Finding[] {
  const { integrity, references, schema } = soundnessOf(database);
  return [
    finding("integrity", integrity, "every page and index is sound", "the database is damaged; restore a backup"),
    finding(
      "references",
      references,
      "every reference leads somewhere",
      "references lead nowhere; --repair removes rows that mean nothing without their owner, for the others restore a backup",
    ),
    finding("schema", schema, "as this version makes it", "the schema was changed by hand"),
  ];
}

interface KeptBlob {
  sha256: string;
  size: number;
}

/** Blobs that media name; what no media names may lack its bytes until the next sweep. */
const neededBlobs = (database: Database.Database): KeptBlob[] =>
  database
    .prepare("SELECT sha256, size FROM blobs WHERE sha256 IN (SELECT sha256 FROM media) ORDER BY sha256")
    .all() as KeptBlob[];

function checkRows(folder: string, blobs: readonly KeptBlob[]): Finding {
  const items = blobs.flatMap(({ sha256, size }) => {
    const found = statSync(join(folder, mediaName(sha256)), { throwIfNoEntry: false })?.size;
    if (found === size) return [];
    return [`${mediaName(sha256)} ${found === undefined ? "is missing" : `has ${found} bytes, not ${size}`}`];
  });
  return finding(
    "media_rows",
    items,
    `${blobs.length} media have their bytes`,
    "media without their bytes; restore a backup",
  );
}

/** Files under media/ that no row names. Beside a server, what is just being placed or removed is looked at twice. */
async function orphans(folder: string, database: Database.Database): Promise<string[]> {
  const media = join(folder, "media");
  const known = database.prepare("SELECT 1 FROM blobs WHERE sha256 = ?").pluck();
  const unknown = (name: string): boolean => {
    const [part = "", sha256 = ""] = name.split("/");
    if (!existsSync(join(media, name))) return false;
    return !sha256.startsWith(part) || known.get(sha256) === undefined;
  };
  const names = existsSync(media) ? readdirSync(media, { withFileTypes: true }) : [];
  const found = names
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      return entry.name === "staging"
        ? []
        : readdirSync(join(media, entry.name)).map((file) => `${entry.name}/${file}`);
    })
    .filter(unknown);
  if (found.length === 0 || !isServed(folder)) return found.map((name) => `media/${name}`);
  await pause(2000);
  return found.filter(unknown).map((name) => `media/${name}`);
}

/** Staged bytes of uploads that a cut ended; none count beside a server, and an import's only after a day. */
function leftovers(folder: string, now: number): string[] {
  const staging = join(folder, "media", "staging");
  if (!existsSync(staging) || isServed(folder)) return [];
  return readdirSync(staging)
    .filter((name) => name.startsWith("server-") || now - statSync(join(staging, name)).mtimeMs > 86_400_000)
    .map((name) => `media/staging/${name}`);
}

async function checkChecksums(folder: string, blobs: readonly KeptBlob[], progress?: Progress): Promise<Finding> {
  const items: string[] = [];
  const total = blobs.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const { sha256, size } of blobs) {
    const file = join(folder, mediaName(sha256));
    if (!existsSync(file)) continue; // media_rows says so
    if ((await sha256OfFile(file)) !== sha256) items.push(`${mediaName(sha256)} has other bytes than were stored`);
    done += size;
    progress?.(done, total);
  }
  return finding(
    "checksums",
    items,
    `${blobs.length} blobs have the bytes that were stored`,
    "damaged media; restore a backup",
  );
}

function checkClock(database: Database.Database, now: number): Finding {
  const newest = database
    .prepare(
      `SELECT max(moment) FROM (SELECT max(created_at) AS moment FROM blobs UNION ALL SELECT max(created_at) FROM audit UNION ALL SELECT max(max(created_at, ifnull(last_used_at, ''))) FROM api_keys)`,
    )
    .pluck()
    .get() as string | null;
  const late = newest !== null && Date.parse(newest) > now + clockTolerance;
  const items = late ? [`it is ${new Date(now).toISOString()} here, and ${newest} is written already`] : [];
  return finding("clock", items, "not behind what is written", "the clock is behind, or was ahead; set it");
}

/** Whether an upload would find no room: it asks for the reserve and for its own first step. */
const isFull = (free: number, reserve: number | undefined): boolean =>
  reserve !== undefined && free < reserve + roomStep;

function checkSurroundings(folder: string, reserve: number | undefined): Finding[] {
  const journal = statSync(join(folder, `${databaseName}-wal`), { throwIfNoEntry: false })?.size ?? 0;
  const large = journal > largeJournal ? [`${databaseName}-wal has ${journal} bytes`] : [];
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const open = secretFiles.filter(
    (name) => ((statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  );
  return [
    finding("journal", large, `${journal} bytes`, "the journal has grown large; a restart of the server folds it in"),
    finding(
      "space",
      isFull(free, reserve) ? [`${free} bytes are free, and disk_reserve is ${reserve}`] : [],
      `${free} bytes free`,
      "the disk is nearly full; uploads are refused",
    ),
    finding("permissions", open, "secrets are their owner's alone", "others may read secrets"),
  ];
}

/**
 * Looks a data directory over; a server may be using it. Throws CliError where there is no database in it; one that
 * cannot be opened is a finding.
 */
export async function inspectData(folder: string, options: InspectionOptions): Promise<Finding[]> {
  const file = join(folder, databaseName);
  if (!existsSync(file)) throw new CliError(`${folder} holds no Tallylight data: there is no ${databaseName} in it`);
  const around = checkSurroundings(folder, options.reserve);
  let database: Database.Database | undefined;
  try {
    inspect(file);
    database = openToLook(file);
    const findings = [finding("database", [], "can be opened", ""), ...checkDatabase(database)];
    const blobs = neededBlobs(database);
    findings.push(checkRows(folder, blobs));
    const stray = await orphans(folder, database);
    findings.push(finding("media_files", stray, "every file has its row", "files that no row names"));
    findings.push(
      finding("staging", leftovers(folder, options.now), "nothing is left of cut uploads", "left of cut uploads"),
    );
    if (options.deep) findings.push(await checkChecksums(folder, blobs, options.progress));
    return [...findings, checkClock(database, options.now), ...around];
  } catch (error) {
    const sentence = error instanceof CliError ? error.message : sentenceOf(error, file);
    return [finding("database", [sentence], "", "cannot be read; restore a backup"), ...around];
  } finally {
    database?.close();
  }
}
