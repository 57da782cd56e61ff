// Checks the health of a data directory, for `tallylight doctor`. Never writes; repair.ts does the repairs.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type Database from "better-sqlite3";
import { CliError, codeOf } from "../../core/errors.ts";
import type { Finding } from "../../core/feature.ts";
import { commandText } from "../../core/program.ts";
import { checkDatabaseFile, damageAdvice, databaseName, openErrorMessage } from "../../core/store/database.ts";
import { foreignMedia, markName, missingChanges } from "../../core/store/database_mark.ts";
import { freeBytes } from "../../core/store/disk_space.ts";
import { absentMedia, closing, foundFolderName } from "../../core/store/files.ts";
import { isServed } from "../../core/store/lock.ts";
import { migrations } from "../../core/store/migrations.ts";
import { openReadOnly } from "../../core/store/read_only.ts";
import { spaceCheckInterval } from "../../core/store/staging.ts";
import { day } from "../../core/times.ts";
import { shellWord } from "../../core/wording.ts";
import { clockProblem, clockRecord, knownFrom } from "../clock/known_time.ts";
import { mediaProblems } from "../soundness/media_bytes.ts";
import { mediaName, neededBlobs } from "../soundness/needed_media.ts";
import { soundnessOf } from "../soundness/soundness.ts";
import { tableWeights } from "../soundness/table_weights.ts";
import type { Progress } from "../work/progress.ts";
import { foreignFiles, giveBack, isClosed, isLink } from "./ownership.ts";

/** How many files are in found/. */
const countFoundFiles = (folder: string): number =>
  existsSync(join(folder, foundFolderName))
    ? readdirSync(join(folder, foundFolderName), { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      ).length
    : 0;

export interface InspectionOptions {
  /** Whether to read every stored file and compare it with its checksum. */
  deep: boolean;
  /** The current time in milliseconds. */
  now: number;
  /** The setting disk_reserve in bytes. If it is absent, free space is reported but not checked. */
  reserve?: number | undefined;
  progress?: Progress;
}

const largeJournal = 256 * 1024 * 1024;
const secretFiles = ["secrets.json", "config.json"];
/** The folders that only their owner may change. */
const openFolders = [".", "media"];

const finding = (check: string, items: string[], okDetail: string, problemDetail: string): Finding => ({
  check,
  ok: items.length === 0,
  detail: items.length === 0 ? okDetail : problemDetail,
  items,
});

/** A database of an older version is sound too. The check of the upgrade names the migrations that wait. */
function schemaText(database: Database.Database): string {
  const schema = Number(database.pragma("user_version", { simple: true }));
  const pending = migrations().length - schema;
  if (pending === 0) return "the schema is that of this version";
  return `the schema is ${schema}; ${pending} ${pending === 1 ? "migration is" : "migrations are"} pending`;
}

/** Whether the database is the one that the media belong to, with its last changes. */
function checkMark(folder: string, database: Database.Database): Finding {
  const problem =
    absentMedia(database, join(folder, "media")) ?? foreignMedia(database, folder) ?? missingChanges(database, folder);
  const items = problem === undefined ? [] : [problem];
  return finding("mark", items, "the database and media/ belong together", "the database is not what it was");
}

/**
 * Files that the server and repairs moved to found/. They are not a problem of the data, but their owner may look for
 * them.
 */
function checkFoundFolder(folder: string): Finding {
  const count = countFoundFiles(folder);
  const detail =
    count === 0
      ? "nothing was moved aside"
      : `${count} files without a row are in ${foundFolderName}/; look at them, then remove them`;
  return { check: "found", ok: true, detail, items: [] };
}

/** The heaviest tables. */
function weighed(database: Database.Database): Finding {
  const shown = tableWeights(database).slice(0, 5);
  const texts = shown.map(({ table, rows, bytes }) => `${table} ${(bytes / 1e6).toFixed(1)} MB (${rows} rows)`);
  return { check: "sizes", ok: true, detail: `the heaviest tables: ${texts.join(", ")}`, items: [] };
}

function checkDatabase(database: Database.Database, folder: string): Finding[] {
  const { integrity, references, schema } = soundnessOf(database);
  return [
    finding(
      "integrity",
      integrity,
      "every page and index is sound",
      `the database is damaged; ${damageAdvice(shellWord(folder))}`,
    ),
    finding(
      "references",
      references,
      "every reference has its row",
      "references to rows that do not exist; --repair removes rows that are useless without their owner; for the others restore a backup",
    ),
    finding("schema", schema, schemaText(database), "the schema was changed by hand"),
  ];
}

/** Whether all media have their bytes; if they are read, also whether these are the right ones. */
async function checkMedia(
  folder: string,
  blobs: ReturnType<typeof neededBlobs>,
  { deep, progress }: InspectionOptions,
): Promise<{ rows: Finding; checksums: Finding[] }> {
  const problems = await mediaProblems(folder, blobs, deep, progress);
  const items = (isLost: boolean): string[] =>
    problems.filter(({ lost }) => lost === isLost).map(({ sha256, sentence }) => `${mediaName(sha256)} ${sentence}`);
  const [all, back] = [`all ${blobs.length} media`, "--repair --from FOLDER brings them back from a folder of backups"];
  return {
    rows: finding("media_rows", items(true), `${all} have their bytes`, `the bytes of media are missing; ${back}`),
    checksums: deep
      ? [finding("checksums", items(false), `${all} match their checksums`, `media are damaged; ${back}`)]
      : [],
  };
}

/** Files under media/ without a row. While a server runs, checks twice, because it may be adding or removing a file. */
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
      if (!entry.isDirectory()) return entry.name.startsWith(markName) ? [] : [entry.name];
      return entry.name === "staging"
        ? []
        : readdirSync(join(media, entry.name)).map((file) => `${entry.name}/${file}`);
    })
    .filter(unknown);
  if (found.length === 0 || !isServed(folder)) return found.map((name) => `media/${name}`);
  await pause(2000);
  return found.filter(unknown).map((name) => `media/${name}`);
}

/** Staged files of interrupted uploads: none while a server runs, and those of imports only after a day. */
function interruptedUploads(folder: string, now: number): string[] {
  const staging = join(folder, "media", "staging");
  if (!existsSync(staging) || isServed(folder)) return [];
  return readdirSync(staging)
    .filter((name) => name.startsWith("server-") || now - statSync(join(staging, name)).mtimeMs > day)
    .map((name) => `media/staging/${name}`);
}

/** The newest time that a database has, where no server has kept what its clock showed. */
const newestStored = (database: Database.Database): string | null | undefined =>
  database
    .prepare<[], string | null>(
      `SELECT max(time) FROM (SELECT max(created_at) AS time FROM blobs UNION ALL SELECT max(created_at) FROM audit UNION ALL SELECT max(max(created_at, ifnull(last_used_at, ''))) FROM api_keys)`,
    )
    .pluck()
    .get();

/** Whether the clock is right, as a server says it: times that a wrong clock gave to rows say nothing. */
function checkClock(folder: string, database: Database.Database, now: number): Finding {
  const record = clockRecord(folder);
  const stored = record === undefined ? Date.parse(newestStored(database) ?? "") : Number.NaN;
  const newest = Number.isNaN(stored) ? now : Math.max(stored, now);
  const problem = clockProblem(record === undefined ? { newest } : knownFrom(record, now), now);
  return finding(
    "clock",
    problem === undefined ? [] : [problem],
    "no sign that the clock is wrong",
    "the clock is wrong",
  );
}

/** Whether uploads would be refused: an upload needs the reserve and space for its first check interval. */
const isFull = (free: number, reserve: number | undefined): boolean =>
  reserve !== undefined && free < reserve + spaceCheckInterval;

/** Whether everything belongs to the user of the directory: a server of that user may not use the rest. */
function ownersOf(folder: string): Finding {
  const foreign = foreignFiles(folder);
  return finding(
    "owners",
    foreign,
    "every file belongs to the user of the directory",
    `files belong to another user, so a server may not use them; \`${giveBack(folder)}\` gives them back`,
  );
}

function checkFolder(folder: string, { reserve }: InspectionOptions): Finding[] {
  const journal = statSync(join(folder, `${databaseName}-wal`), { throwIfNoEntry: false })?.size ?? 0;
  const large = journal > largeJournal ? [`${databaseName}-wal has ${journal} bytes`] : [];
  const free = freeBytes(folder);
  const open = openFolders.filter(
    (name) => ((statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0,
  );
  const readable = secretFiles.filter((name) => {
    const file = join(folder, name);
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & (isLink(file) ? 0o007 : 0o077)) !== 0;
  });
  const exposed = [...open, ...readable];
  return [
    finding("journal", large, `${journal} bytes`, "the write-ahead log is large; restart the server to merge it"),
    finding(
      "space",
      isFull(free, reserve) ? [`${free} bytes are free, and disk_reserve is ${reserve}`] : [],
      `${free} bytes free`,
      "the disk is nearly full; uploads are refused",
    ),
    finding(
      "permissions",
      exposed,
      "only the owner can read secrets or change files",
      `other users can read secrets, or may change the files of a folder; ${commandText("doctor --repair")} takes that from them`,
    ),
    ownersOf(folder),
  ];
}

/**
 * Checks a data directory, which a server may be using. Throws CliError if there is no database in it. A database that
 * cannot be opened is a finding.
 */
export async function inspectData(folder: string, options: InspectionOptions): Promise<Finding[]> {
  const file = join(folder, databaseName);
  if (!existsSync(file)) throw new CliError(`${folder} has no Tallylight data: there is no ${databaseName} in it`);
  const folderFindings = checkFolder(folder, options);
  try {
    checkDatabaseFile(file);
    return await closing(openReadOnly(file), async (database) => {
      const findings = [finding("database", [], "can be opened", ""), ...checkDatabase(database, folder)];
      findings.push(checkMark(folder, database));
      const blobs = neededBlobs(database);
      const { rows, checksums } = await checkMedia(folder, blobs, options);
      findings.push(rows);
      const orphaned = await orphans(folder, database);
      findings.push(
        finding("media_files", orphaned, "every file has its row", "files without a row"),
        checkFoundFolder(folder),
        weighed(database),
      );
      const interrupted = interruptedUploads(folder, options.now);
      findings.push(finding("staging", interrupted, "no files of interrupted uploads", "files of interrupted uploads"));
      return [...findings, ...checksums, checkClock(folder, database, options.now), ...folderFindings];
    });
  } catch (error) {
    const sentence = error instanceof CliError ? error.message : openErrorMessage(error, file);
    const isRefused = isClosed(file) || codeOf(error) === "EACCES";
    const detail = isRefused ? "this user may not use it" : `cannot be read; ${damageAdvice(shellWord(folder))}`;
    return [finding("database", [sentence], "", detail), ...folderFindings];
  }
}
