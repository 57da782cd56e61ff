// Restores a backup into an empty data directory, and verifies backups. Everything is first unpacked and verified in a
// staging folder, and moved to its place only if all of it is valid.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { configName } from "../../core/config.ts";
import { CliError, HttpError, isDiskFull } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import { checkDatabaseFile, databaseName, openStore } from "../../core/store/database.ts";
import { closing, syncPath, writeRecord } from "../../core/store/files.ts";
import { lockForServing, serverLockName } from "../../core/store/lock.ts";
import { statementTexts } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { causeOf } from "../../core/system_errors.ts";
import { plural } from "../../core/wording.ts";
import { findProduction, listProductions } from "../../graph/find_production.ts";
import { copyDatabase } from "../soundness/database_copy.ts";
import { mediaName, neededBlobs } from "../soundness/needed_media.ts";
import { settleReferences } from "../soundness/orphans.ts";
import { brokenParts } from "../soundness/soundness.ts";
import { ArchiveError } from "./archive.ts";
import type { Watched } from "./backup.ts";
import { unlistedNames, unlistedSentence } from "./backup_folder.ts";
import { type BareSource, bareSourceAt, refuseBare, unpackBare } from "./bare_source.ts";
import type { Manifest } from "./manifest.ts";
import { removeOtherProductions, writeAgain } from "./production_rows.ts";
import { recoverDatabase } from "./recovery.ts";
import { type BackupSource, damaged, type HashesByName, sourcesAt, unpackAll } from "./unpacking.ts";

export const stagingName = "restoring";
/** How a copy of the database ends that has what a repair removed; doctor --repair makes the same. */
const copyEnd = ".before-repair";

/**
 * Verifies the database of a backup. Returns what is broken in it, one sentence each. Throws ArchiveError or CliError
 * if it is invalid, or broken and not accepted.
 */
function verifyDatabase(file: string, manifest: Manifest, acceptsBroken: boolean): string[] {
  checkDatabaseFile(file);
  return closing(new Database(file, { readonly: true }), (database) => {
    database.pragma("trusted_schema = OFF");
    if (database.pragma("user_version", { simple: true }) !== manifest.schema)
      throw damaged("the schema version of its database does not match the manifest");
    const broken = brokenParts(database, acceptsBroken, {
      damaged: () => damaged("its database is not sound"),
      broken: (broken) =>
        new CliError(
          `${file} has a database that is not sound (${broken[0]}${broken.length > 1 ? ", …" : ""}); restore it unchanged with --damaged, then run ${commandText("doctor --repair")}`,
          broken,
        ),
    });
    const rows = neededBlobs(database);
    const members = new Map(manifest.members.slice(1).map(({ name, size }) => [name, size]));
    const missing = new Set(manifest.missing);
    for (const { sha256, size } of rows)
      if (members.get(mediaName(sha256)) !== size && !missing.has(sha256))
        throw damaged(`${mediaName(sha256)} is missing`);
    if (rows.length !== members.size + missing.size) throw damaged("it has media that are not in its database");
    return broken;
  });
}

/**
 * Starts another epoch in the restored database: it gives the ids of the events that the backup lacks to other events,
 * so no former cursor may be valid. A database of an older schema gets its first epoch when it is migrated. Webhooks
 * are paused, because the database that the backup was made of may still deliver to them.
 */
export const startRestoredEpoch = (file: string): void =>
  closing(new Database(file), (database) => {
    database.pragma("trusted_schema = OFF");
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    if (!tables.includes("epochs")) return;
    const texts = statementTexts();
    const now = new Date().toISOString();
    database.prepare(texts.get("start_epoch") as string).run({ now }); // sql/ has it
    if (tables.includes("webhooks"))
      // The folder sql/ has this statement.
      database.prepare(texts.get("pause_webhooks") as string).run({ now, reason: "the database was restored" });
  });

export interface RestoreOptions extends Watched {
  /**
   * Whether to accept lost media, broken references and a schema that was changed by hand; otherwise they are an error.
   */
  damaged?: boolean;
  /** The id or the title of the only production that is restored; by default all are. */
  production?: string | undefined;
  /** Whether the settings that open a server hold, too. */
  with_settings?: boolean;
}

/**
 * The settings by which a server acts for its data directory on other machines and disks. A copy does not before
 * somebody says so.
 */
const actingSettings: readonly string[] = ["backup", "peer"];
/**
 * The settings that only this server is bounded by. Any other one says who reaches it, whom it reaches, or which file
 * it reads, and a backup may come from somebody else.
 */
const boundedBy: readonly string[] = [
  ...[
    "rate_limit",
    "failed_keys",
    "upload_limit",
    "uploads_at_once",
    "engagement_quota",
    "disk_reserve",
    "connections",
  ],
  ...["port", "log_addresses", "turnaround", "restyle_lifetime", "look_model", "look_timeout", "event_readers"],
  ...["retention", "import_deadline", "metrics", "max_staleness"],
];
/** The settings of a backup that did not become those of the restored directory. */
const setAsideName = `${configName}.restored`;

/**
 * Makes settings of a backup those of the restored directory, unless it has its own: those that bound it, and with
 * `all` those that open it. Returns the names of those that hold, and of those that do not, which are in the file of
 * setAsideName.
 */
function restoreSettings(folder: string, settings: Manifest["settings"], all = false) {
  const hasSettings = existsSync(join(folder, configName));
  const isTaken = (name: string): boolean =>
    !hasSettings && (boundedBy.includes(name) || (all && !actingSettings.includes(name)));
  const { taken = [], aside = [] } = Object.groupBy(Object.keys(settings), (name) =>
    isTaken(name) ? "taken" : "aside",
  );
  const of = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, settings[name]]));
  if (taken.length > 0) writeRecord(join(folder, configName), of(taken), true);
  if (aside.length > 0) writeRecord(join(folder, setAsideName), settings, true);
  return { taken_over: taken, set_aside: aside };
}

/** The id of a production in what was unpacked. Throws CliError with the titles that there are. */
function idIn(store: Store, named: string): number {
  try {
    return findProduction(store, named).id;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const titles = listProductions(store).map(({ id, title }) => `${id}: ${title}`);
    throw new CliError(`the backup has no production ${named}, only ${titles.join(", ")}`);
  }
}

/** Removes all but one production, and of the unpacked media those that only others have. */
function keepOnly(staging: string, manifest: Manifest, unpacked: Manifest["members"], named: string): void {
  const file = join(staging, databaseName);
  const id = closing(openStore(file, { unsaved: true }), (store) => idIn(store, named)); // it migrates an older schema
  const needed = closing(new Database(file), (database) => {
    removeOtherProductions(database, id);
    writeAgain(database);
    return new Set(neededBlobs(database).map(({ sha256 }) => mediaName(sha256)));
  });
  const isNeeded = ({ name }: { name: string }): boolean => name === databaseName || needed.has(name);
  for (const { name } of unpacked) if (!isNeeded({ name })) rmSync(join(staging, name));
  manifest.members = manifest.members.filter(isNeeded);
  manifest.missing = manifest.missing.filter((sha256) => needed.has(mediaName(sha256)));
}

export interface RestoredBackup extends Manifest {
  /** The name of the backup. */
  name: string;
  /** The names of the settings that hold, and of those that do not. */
  taken_over: string[];
  set_aside: string[];
}

/**
 * Restores the backup that `path` names, of a folder the one that was made last, into `folder`, which must be empty or
 * absent. Returns the manifest of what was restored; `broken` is what was found in the database now. Throws CliError,
 * without changing `folder`, if the backup is truncated, damaged, altered or of a newer schema, or if `folder` is not
 * empty.
 */
export async function restoreBackup(
  path: string,
  folder: string,
  options: RestoreOptions = {},
): Promise<RestoredBackup> {
  const bare = bareSourceAt(path);
  if (bare !== undefined && options.damaged !== true) refuseBare(bare);
  const source = bare ?? (sourcesAt(path)[0] as BackupSource); // it throws if there is none
  const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const staging = join(folder, stagingName);
  // A restore that was killed before its last step, which moves the database, has left media that nothing else uses.
  const isHalf = existsSync(join(staging, databaseName));
  const ours = [serverLockName, stagingName, configName, ...(isHalf ? ["media"] : [])];
  const present = readdirSync(folder).filter((name) => !ours.includes(name));
  if (present.length > 0)
    throw new CliError(`${folder} is not empty (${present[0]}); restore into an empty directory; nothing was changed`);
  const lock = lockForServing(folder);
  let placed = false;
  try {
    if (isHalf) rmSync(join(folder, "media"), { recursive: true, force: true });
    rmSync(staging, { recursive: true, force: true }); // left by an interrupted restore
    mkdirSync(staging, { mode: 0o700 });
    const manifest = await verified(source, staging, options);
    if (existsSync(join(staging, "media"))) renameSync(join(staging, "media"), join(folder, "media"));
    const copy = `${databaseName}${copyEnd}`;
    if (existsSync(join(staging, copy))) renameSync(join(staging, copy), join(folder, copy));
    renameSync(join(staging, databaseName), join(folder, databaseName));
    placed = true;
    const named = restoreSettings(folder, manifest.settings, options.with_settings);
    syncPath(folder);
    return { ...manifest, name: source.name, ...named };
  } finally {
    rmSync(staging, { recursive: true, force: true });
    if (!placed) rmSync(join(folder, serverLockName), { force: true });
    lock.release();
    if (!placed && created !== undefined) rmdirSync(folder);
  }
}

/**
 * A backup without the media that it lost, which count as missing: their SHA-256, and a sentence about the first of
 * them.
 */
type Verified = Manifest & { lost: string[]; problem: string | undefined };

const lostReason = (sentence: string): string => `is damaged, and --damaged restores the rest: ${sentence}`;

/** The list of a backup without the media that it lost. */
function withoutLost(manifest: Manifest, lost: ReadonlyMap<string, string>): Verified {
  const isLost = ({ name }: { name: string }): boolean => name !== databaseName && lost.has(name);
  const members = manifest.members.filter((member) => !isLost(member));
  const gone = manifest.members.filter(isLost).map(({ sha256 }) => sha256);
  const [problem] = lost.values();
  return { ...manifest, members, missing: [...manifest.missing, ...gone], lost: gone, problem };
}

/**
 * Recovers a damaged database. Returns the list of what it needs now, and what is lost. Media without a row stay among
 * the files.
 */
function recovered(file: string, manifest: Verified): { manifest: Verified; lost: string[] } {
  const lost = recoverDatabase(file, manifest.schema);
  const needed = closing(new Database(file, { readonly: true }), neededBlobs);
  const sizes = new Map(needed.map(({ sha256, size }) => [mediaName(sha256), size]));
  const isNeeded = ({ name, size }: { name: string; size: number }): boolean =>
    name === databaseName || sizes.get(name) === size;
  const members = manifest.members.filter(isNeeded);
  const names = new Set(members.map(({ name }) => name));
  const missing = needed.map(({ sha256 }) => sha256).filter((sha256) => !names.has(mediaName(sha256)));
  const unnamed = manifest.members.length - members.length;
  if (unnamed > 0) lost.push(`${plural(unnamed, "medium", "media")} of the backup belong to lost rows`);
  return { manifest: { ...manifest, members, missing }, lost };
}

/**
 * Unpacks a backup into `staging`, without the media if `known` is given. Throws ArchiveError if it is damaged and
 * `damaged` is not given.
 */
async function unpacked(source: BackupSource, staging: string, options: RestoreOptions, known?: HashesByName) {
  const found = await unpackAll(source, staging, options, known);
  const listed = withoutLost(found.manifest, found.lost);
  if (listed.problem !== undefined && options.damaged !== true) throw new ArchiveError(lostReason(listed.problem));
  const isWhole = !found.lost.has(databaseName);
  const { members } = listed;
  return { members, ...(isWhole ? { manifest: listed, lost: [] } : recovered(join(staging, databaseName), listed)) };
}

/**
 * Settles what refers to a lost row. With `keeps`, what is removed for it stays in a copy beside the database. Returns
 * what was done, in sentences.
 */
function settleLost(file: string, keeps: boolean): string[] {
  const copy = `${file}${copyEnd}`;
  return closing(new Database(file), (database) => {
    if (keeps) copyDatabase(database, copy);
    const done = settleReferences(database);
    if (!keeps) return done;
    if (done.length > 0) return [...done, `what was removed or emptied is in ${basename(copy)}`];
    rmSync(copy);
    return done;
  });
}

/** Unpacks a backup, or what has no list, into `staging`, without the media if `known` is given, and verifies it. */
export async function verified(
  source: BackupSource | BareSource,
  staging: string,
  options: RestoreOptions,
  known?: HashesByName,
): Promise<Verified> {
  try {
    const { manifest, lost, members } =
      "file" in source ? await unpackBare(source, staging, options) : await unpacked(source, staging, options, known);
    const file = join(staging, databaseName);
    const settled = lost.length === 0 ? [] : settleLost(file, known === undefined && options.production === undefined);
    const broken = [...lost, ...settled, ...verifyDatabase(file, manifest, options.damaged === true)];
    if (known === undefined) {
      if (options.production !== undefined) keepOnly(staging, manifest, members, options.production);
      startRestoredEpoch(file);
      // Without options they are texts.
      for (const name of readdirSync(staging, { recursive: true }) as string[]) syncPath(join(staging, name));
    }
    return { ...manifest, broken };
  } catch (error) {
    const nothing = known === undefined ? "; nothing was restored" : "";
    if (error instanceof CliError) {
      // The message names the staged database, but the user only knows the backup.
      const message = error.message
        .replace(join(staging, databaseName), source.name)
        .replace(/; it was not changed$/, "");
      throw new CliError(`${message}${nothing}`, error.lines);
    }
    const code = (error as { code?: string }).code ?? ""; // whatever was thrown
    const reason =
      error instanceof ArchiveError
        ? error.message
        : isDiskFull(error)
          ? `needs more disk space than is free in ${dirname(staging)}`
          : code.startsWith("SQLITE")
            ? "is damaged: its database cannot be read"
            : `cannot be read: ${causeOf(error)}`;
    throw new CliError(`${source.name} ${reason}${nothing}`);
  }
}

export interface VerifiedBackup {
  name: string;
  /** Why it cannot be restored, or not all of it; null if it can be. */
  problem: string | null;
  media: number;
  /** The SHA-256 of the media that are missing or damaged in it. */
  lost: string[];
  /** What is broken in its database. */
  broken: string[];
}

/** Reads the backups that a path names, all of a folder, each medium once, and checks them as a restore does. */
export async function verifyBackups(path: string, options: RestoreOptions = {}): Promise<VerifiedBackup[]> {
  const sources = sourcesAt(path);
  const known: HashesByName = new Map();
  const results: VerifiedBackup[] = [];
  for (const source of sources) {
    const staging = mkdtempSync(join(tmpdir(), "tallylight-"));
    try {
      const found = await verified(source, staging, { ...options, damaged: true }, known);
      const { members, broken, lost } = found;
      const problem = found.problem === undefined ? null : `${source.name} ${lostReason(found.problem)}`;
      results.push({ name: source.name, problem, media: members.length - 1, lost, broken });
    } catch (error) {
      if (!(error instanceof CliError) || options.signal?.aborted) throw error;
      results.push({ name: source.name, problem: error.message, media: 0, lost: [], broken: [] });
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  }
  const unlisted = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? unlistedNames(path) : [];
  for (const name of unlisted)
    results.push({
      ...{ name: `${path}@${name}`, problem: unlistedSentence(path, name) },
      ...{ media: 0, lost: [], broken: [] },
    });
  return results;
}
