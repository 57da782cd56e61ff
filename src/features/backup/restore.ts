// Restores a backup into an empty data directory, and verifies backups. Everything is first unpacked and verified in a staging folder,
// and moved to its place only if all of it is valid.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import * as v from "valibot";
import { configName } from "../../core/config.ts";
import { CliError, causeOf, HttpError, isDiskFull } from "../../core/errors.ts";
import { findProduction, listProductions } from "../../core/productions.ts";
import { checkDatabaseFile, databaseName, openStore } from "../../core/store/database.ts";
import { closing, hashBytes, syncPath, writeRecord } from "../../core/store/files.ts";
import { lockForServing, serverLockName } from "../../core/store/lock.ts";
import { statementTexts } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { mediaName, neededBlobs } from "../soundness/needed_media.ts";
import { brokenParts } from "../soundness/soundness.ts";
import { ArchiveError, type Part, partsOf } from "./archive.ts";
import { progressCounter, type Watched } from "./backup.ts";
import { backupNames, describeBackup, partsIn } from "./backup_folder.ts";
import { manifestName } from "./feature.ts";
import { type Manifest, manifestSchema } from "./manifest.ts";
import { removeOtherProductions, writeAgain } from "./production_rows.ts";

export const stagingName = "restoring";
const maxManifest = 1 << 30;

const damaged = (what: string) => new ArchiveError(`is damaged: ${what}`);

/** A backup that can be read: a file, or one in a folder. */
interface Source {
  name: string;
  /** In bytes. */
  size(): number;
  /** The members in the order of the list, and the list last. */
  parts(): AsyncGenerator<Part>;
}

/** Reads one member, and writes it to the file `to` if it is given. Returns the SHA-256 of its bytes in hex. */
async function unpack(part: Part, to: string | undefined, report: (bytes: number) => void): Promise<string> {
  if (to !== undefined) mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const file = to === undefined ? undefined : await open(to, "wx", 0o600);
  try {
    return (await hashBytes(part.bytes(), file, report)).sha256;
  } finally {
    await file?.close();
  }
}

async function readManifest(part: Part): Promise<Manifest> {
  if (part.size > maxManifest) throw damaged("its manifest is too large");
  const bytes = Buffer.concat(await Array.fromAsync(part.bytes()));
  let given: unknown;
  try {
    given = JSON.parse(bytes.toString());
  } catch {
    throw damaged("its manifest cannot be read");
  }
  const result = v.safeParse(manifestSchema, given);
  if (!result.success) throw damaged("its manifest is invalid or was written by a newer Tallylight");
  return result.output;
}

/** The SHA-256 of the media of a folder that were read already, by their names. */
type HashesByName = Map<string, string>;

/**
 * Unpacks the members into `staging`; without the media if `known` is given, which it adds them to. Throws ArchiveError for a name that a
 * backup does not have, so that no path can escape.
 */
async function unpackAll(
  source: Source,
  staging: string,
  options: RestoreOptions,
  known?: HashesByName,
): Promise<Manifest> {
  const report = progressCounter(options, source.size());
  const unpacked: Manifest["members"] = [];
  let manifest: Manifest | undefined;
  let last = "";
  for await (const part of source.parts()) {
    const { name, size } = part;
    if (manifest !== undefined) throw damaged("it has a member after its manifest");
    if (name === manifestName) {
      manifest = await readManifest(part);
      continue;
    }
    const sha256 = /^media\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)?.[1];
    const expected =
      sha256 === undefined ? name === databaseName && last === "" : name === mediaName(sha256) && last !== "";
    // Media are in the order of their names, so that none can occur twice.
    if (!expected || (last !== databaseName && name <= last)) throw damaged("it has an unexpected member");
    last = name;
    const to = sha256 !== undefined && known !== undefined ? undefined : join(staging, name);
    const found = known?.get(name) ?? (await unpack(part, to, report));
    if (sha256 !== undefined) known?.set(name, found);
    if (sha256 !== undefined && found !== sha256) throw damaged(`the bytes of ${name} do not match its name`);
    unpacked.push({ name, size, sha256: found });
  }
  if (manifest === undefined) throw damaged("its manifest is missing");
  compare(manifest, unpacked);
  return manifest;
}

function compare({ members }: Manifest, unpacked: Manifest["members"]): void {
  unpacked.forEach(({ name, size, sha256 }, at) => {
    const listed = members[at];
    if (listed?.name !== name || listed.size !== size || listed.sha256 !== sha256)
      throw damaged(`${name} does not match the manifest`);
  });
  if (members.length !== unpacked.length) throw damaged(`${members[unpacked.length]?.name} is missing`);
}

/**
 * Verifies the database of a backup. Returns what is broken in it, one sentence each. Throws ArchiveError or CliError if it is
 * invalid, or broken and not accepted.
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
          `${file} has a database that is not sound (${broken[0]}${broken.length > 1 ? ", …" : ""}); restore it unchanged with --damaged, then run tallylight doctor --repair`,
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
 * Starts another epoch in the restored database: it gives the ids of the events that the backup lacks to other events, so no former
 * cursor may be valid. A database of an older schema gets its first epoch when it is migrated. Webhooks are paused, because the
 * database that the backup was made of may still deliver to them.
 */
export const startRestoredEpoch = (file: string): void =>
  closing(new Database(file), (database) => {
    database.pragma("trusted_schema = OFF");
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    if (!tables.includes("epochs")) return;
    const texts = statementTexts();
    const now = new Date().toISOString();
    database.prepare(texts.get("start_epoch") as string).run({ now });
    if (tables.includes("webhooks"))
      database.prepare(texts.get("pause_webhooks") as string).run({ now, reason: "the database was restored" });
  });

export interface RestoreOptions extends Watched {
  /** Whether to accept broken references and a schema that was changed by hand; otherwise they are an error. */
  damaged?: boolean;
  /** The id or the title of the only production that is restored; by default all are. */
  production?: string | undefined;
}

/** The backups that a path names: a file, one in a folder by FOLDER@NAME, or all of a folder, the last one first. Throws CliError if there is none. */
export function sourcesAt(path: string): Source[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory())
    return [{ name: path, size: () => found.size, parts: () => partsOf(path) }];
  const at = found === undefined ? path.lastIndexOf("@") : -1;
  const [folder, named] = at === -1 ? [path, undefined] : [path.slice(0, at), path.slice(at + 1)];
  if (!existsSync(folder)) throw new CliError(`${path} does not exist`);
  const names = backupNames(folder);
  if (names.length === 0) throw new CliError(`${folder} has no backups`);
  if (named !== undefined && !names.includes(named))
    throw new CliError(`${folder} has no backup ${named}; the last one is ${names[0]}`);
  return (named === undefined ? names : [named]).map((name) => ({
    name: `${folder}@${name}`,
    size: () => describeBackup(folder, name).bytes ?? 0,
    parts: () => partsIn(folder, name),
  }));
}

/** The settings by which a server acts for its data directory on other machines and disks. A copy does not before somebody says so. */
const actingSettings: readonly string[] = ["backup", "peer"];
/** The settings of a backup that did not become those of the restored directory. */
const setAsideName = `${configName}.restored`;

/**
 * Makes the settings of a backup those of the restored directory, unless it has its own. Returns the names of those that do not take effect, which
 * are in the file of setAsideName.
 */
function restoreSettings(folder: string, settings: Manifest["settings"]): string[] {
  const names = Object.keys(settings);
  if (names.length === 0) return [];
  const hasOwn = existsSync(join(folder, configName));
  const aside = names.filter((name) => hasOwn || actingSettings.includes(name));
  const taken = Object.entries(settings).filter(([name]) => !aside.includes(name));
  if (!hasOwn && taken.length > 0) writeRecord(join(folder, configName), Object.fromEntries(taken), true);
  if (aside.length > 0) writeRecord(join(folder, setAsideName), settings, true);
  return aside;
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

/** Removes all but one production, and the media that only others have, from what was unpacked. */
function keepOnly(staging: string, manifest: Manifest, named: string): void {
  const file = join(staging, databaseName);
  const id = closing(openStore(file, { unsaved: true }), (store) => idIn(store, named)); // it migrates an older schema
  const needed = closing(new Database(file), (database) => {
    removeOtherProductions(database, id);
    writeAgain(database);
    return new Set(neededBlobs(database).map(({ sha256 }) => mediaName(sha256)));
  });
  const isNeeded = ({ name }: { name: string }): boolean => name === databaseName || needed.has(name);
  for (const { name } of manifest.members.filter((member) => !isNeeded(member))) rmSync(join(staging, name));
  manifest.members = manifest.members.filter(isNeeded);
}

export interface RestoredBackup extends Manifest {
  /** The name of the backup. */
  name: string;
  /** The names of the settings that do not take effect. */
  set_aside: string[];
}

/**
 * Restores the backup that `path` names, of a folder the one that was made last, into `folder`, which must be empty or absent. Returns the
 * manifest of what was restored; `broken` is what was found in the database now. Throws CliError, without changing `folder`, if the backup is truncated, damaged, altered
 * or of a newer schema, or if `folder` is not empty.
 */
export async function restoreBackup(
  path: string,
  folder: string,
  options: RestoreOptions = {},
): Promise<RestoredBackup> {
  const source = sourcesAt(path)[0] as Source; // it throws if there is none
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
    renameSync(join(staging, databaseName), join(folder, databaseName));
    placed = true;
    const set_aside = restoreSettings(folder, manifest.settings);
    syncPath(folder);
    return { ...manifest, name: source.name, set_aside };
  } finally {
    rmSync(staging, { recursive: true, force: true });
    if (!placed) rmSync(join(folder, serverLockName), { force: true });
    lock.release();
    if (!placed && created !== undefined) rmdirSync(folder);
  }
}

/** Unpacks a backup into `staging`, without the media if `known` is given, and verifies it. */
export async function verified(
  source: Source,
  staging: string,
  options: RestoreOptions,
  known?: HashesByName,
): Promise<Manifest> {
  try {
    const manifest = await unpackAll(source, staging, options, known);
    const file = join(staging, databaseName);
    const broken = verifyDatabase(file, manifest, options.damaged === true);
    if (known === undefined) {
      if (options.production !== undefined) keepOnly(staging, manifest, options.production);
      startRestoredEpoch(file);
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
    const code = (error as { code?: string }).code ?? "";
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
  /** Why it cannot be restored; null if it can be. */
  problem: string | null;
  media: number;
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
      const { members, broken } = await verified(source, staging, { ...options, damaged: true }, known);
      results.push({ name: source.name, problem: null, media: members.length - 1, broken });
    } catch (error) {
      if (!(error instanceof CliError) || options.signal?.aborted) throw error;
      results.push({ name: source.name, problem: error.message, media: 0, broken: [] });
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  }
  return results;
}
