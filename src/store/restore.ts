// Restores a backup into an empty data directory. Everything is first unpacked and verified in a staging folder, and moved to its
// place only if all of it is valid.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import * as v from "valibot";
import { CliError, isDiskFull } from "../errors.ts";
import { ArchiveError, type Member, membersOf, readMember } from "./archive.ts";
import { type Manifest, manifestName, manifestSchema, mediaName, type Progress, progressCounter } from "./backup.ts";
import { checkDatabaseFile, databaseName } from "./database.ts";
import { lockForServing, serverLockName } from "./lock.ts";
import { brokenParts, soundnessOf } from "./soundness.ts";
import { statementTexts } from "./statements.ts";
import { syncPath } from "./sync.ts";

const stagingName = "restoring";
const maxManifest = 1 << 30;

const damaged = (what: string) => new ArchiveError(`is damaged: ${what}`);

interface Unpacked {
  name: string;
  size: number;
  sha256: string;
}

/** Unpacks one member to the file `to`. Returns the SHA-256 of its bytes in hex. */
async function unpack(
  handle: FileHandle,
  member: Member,
  to: string,
  report: (bytes: number) => void,
): Promise<string> {
  const hash = createHash("sha256");
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const file = await open(to, "wx", 0o600);
  try {
    for await (const chunk of readMember(handle, member)) {
      hash.update(chunk);
      await file.writeFile(chunk);
      report(chunk.length);
    }
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

async function readManifest(handle: FileHandle, member: Member): Promise<Manifest> {
  if (member.size > maxManifest) throw damaged("its manifest is too large");
  const chunks: Buffer[] = [];
  for await (const chunk of readMember(handle, member)) chunks.push(chunk);
  let given: unknown;
  try {
    given = JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw damaged("its manifest cannot be read");
  }
  const result = v.safeParse(manifestSchema, given);
  if (!result.success) throw damaged("its manifest is invalid or was written by a newer Tallylight");
  return result.output;
}

/**
 * Unpacks every member into `staging`. Throws ArchiveError for a name that a backup does not have, so that no path can escape.
 */
async function unpackAll(handle: FileHandle, staging: string, progress: Progress | undefined): Promise<Manifest> {
  const report = progressCounter(progress, (await handle.stat()).size);
  const unpacked: Unpacked[] = [];
  let manifest: Manifest | undefined;
  let last = "";
  for await (const member of membersOf(handle)) {
    const { name, size } = member;
    if (manifest !== undefined) throw damaged("it has a member after its manifest");
    if (name === manifestName) {
      manifest = await readManifest(handle, member);
      continue;
    }
    const sha256 = /^media\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)?.[1];
    const expected =
      sha256 === undefined ? name === databaseName && last === "" : name === mediaName(sha256) && last !== "";
    // Media are in the order of their names, so that none can occur twice.
    if (!expected || (last !== databaseName && name <= last)) throw damaged("it has an unexpected member");
    last = name;
    const found = await unpack(handle, member, join(staging, name), report);
    if (sha256 !== undefined && found !== sha256) throw damaged(`the bytes of ${name} do not match its name`);
    unpacked.push({ name, size, sha256: found });
  }
  if (manifest === undefined) throw damaged("its manifest is missing");
  compare(manifest, unpacked);
  return manifest;
}

function compare({ members }: Manifest, unpacked: Unpacked[]): void {
  unpacked.forEach(({ name, size, sha256 }, at) => {
    const listed = members[at];
    if (listed?.name !== name || listed.size !== size || listed.sha256 !== sha256)
      throw damaged(`${name} does not match the manifest`);
  });
  if (members.length !== unpacked.length) throw damaged(`${members[unpacked.length]?.name} is missing`);
}

/**
 * Verifies the database of a backup. Returns what is broken in it, one sentence each. Throws ArchiveError or CliError if it is
 * invalid, or broken without allowBroken.
 */
function verifyDatabase(file: string, manifest: Manifest, allowBroken: boolean): string[] {
  checkDatabaseFile(file);
  const database = new Database(file, { readonly: true });
  try {
    database.pragma("trusted_schema = OFF");
    if (database.pragma("user_version", { simple: true }) !== manifest.schema)
      throw damaged("the schema version of its database does not match the manifest");
    const soundness = soundnessOf(database);
    if (soundness.integrity.length > 0) throw damaged("its database is not sound");
    const broken = brokenParts(soundness);
    if (broken.length > 0 && !allowBroken)
      throw new CliError(
        `${file} has a database that is not sound (${broken[0]}${broken.length > 1 ? ", …" : ""}); restore it unchanged with --allow-broken, then run tallylight doctor --repair`,
        broken,
      );
    const rows = database
      .prepare("SELECT sha256, size FROM blobs WHERE sha256 IN (SELECT sha256 FROM media)")
      .all() as { sha256: string; size: number }[];
    const members = new Map(manifest.members.slice(1).map(({ name, size }) => [name, size]));
    const missing = new Set(manifest.missing);
    for (const { sha256, size } of rows)
      if (members.get(mediaName(sha256)) !== size && !missing.has(sha256))
        throw damaged(`${mediaName(sha256)} is missing`);
    if (rows.length !== members.size + missing.size) throw damaged("it has media that are not in its database");
    return broken;
  } finally {
    database.close();
  }
}

/**
 * Starts another epoch in the restored database: it gives the ids of the events that the backup lacks to other events, so no former
 * cursor may be valid. A database of an older schema gets its first epoch when it is migrated. Webhooks are paused, because the
 * database that the backup was made of may still deliver to them.
 */
function startRestoredEpoch(file: string): void {
  const database = new Database(file);
  try {
    database.pragma("trusted_schema = OFF");
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    if (!tables.includes("epochs")) return;
    const texts = statementTexts();
    const now = new Date().toISOString();
    database.prepare(texts.get("start_epoch") as string).run({ now });
    if (tables.includes("webhooks"))
      database.prepare(texts.get("pause_webhooks") as string).run({ now, reason: "the database was restored" });
  } finally {
    database.close();
  }
}

export interface RestoreOptions {
  /** Whether to accept broken references and a schema that was changed by hand; otherwise they are an error. */
  allowBroken?: boolean;
  progress?: Progress | undefined;
  /** Ends the restore when it is aborted. Its reason is the error. */
  signal?: AbortSignal | undefined;
}

/**
 * Restores `file` into `folder`, which must be empty or absent. Returns the manifest; `broken` is what was found in the database
 * now. Throws CliError, without changing `folder`, if the backup is truncated, damaged, altered or of a newer schema, or if
 * `folder` is not empty.
 */
export async function restoreBackup(file: string, folder: string, options: RestoreOptions = {}): Promise<Manifest> {
  if (!existsSync(file)) throw new CliError(`${file} does not exist`);
  const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const staging = join(folder, stagingName);
  // A restore that was killed before its last step, which moves the database, has left media that nothing else uses.
  const isHalf = existsSync(join(staging, databaseName));
  const ours = [serverLockName, stagingName, ...(isHalf ? ["media"] : [])];
  const present = readdirSync(folder).filter((name) => !ours.includes(name));
  if (present.length > 0)
    throw new CliError(`${folder} is not empty (${present[0]}); restore into an empty directory; nothing was changed`);
  const lock = lockForServing(folder);
  let placed = false;
  try {
    if (isHalf) rmSync(join(folder, "media"), { recursive: true, force: true });
    rmSync(staging, { recursive: true, force: true }); // left by an interrupted restore
    mkdirSync(staging, { mode: 0o700 });
    const manifest = await verified(file, staging, options);
    if (existsSync(join(staging, "media"))) renameSync(join(staging, "media"), join(folder, "media"));
    renameSync(join(staging, databaseName), join(folder, databaseName));
    placed = true;
    syncPath(folder);
    return manifest;
  } finally {
    rmSync(staging, { recursive: true, force: true });
    if (!placed) rmSync(join(folder, serverLockName), { force: true });
    lock.release();
    if (!placed && created !== undefined) rmdirSync(folder);
  }
}

async function verified(file: string, staging: string, options: RestoreOptions): Promise<Manifest> {
  const handle = await open(file, "r");
  try {
    const progress: Progress = (done, total) => {
      options.signal?.throwIfAborted();
      options.progress?.(done, total);
    };
    const manifest = await unpackAll(handle, staging, progress);
    const broken = verifyDatabase(join(staging, databaseName), manifest, options.allowBroken === true);
    startRestoredEpoch(join(staging, databaseName));
    for (const name of readdirSync(staging, { recursive: true }) as string[]) syncPath(join(staging, name));
    return { ...manifest, broken };
  } catch (error) {
    if (error instanceof CliError) {
      // The message names the staged database, but the user only knows the backup file.
      const message = error.message.replace(join(staging, databaseName), file).replace(/; it was not changed$/, "");
      throw new CliError(`${message}; nothing was restored`, error.lines);
    }
    const code = (error as { code?: string }).code ?? "";
    const reason =
      error instanceof ArchiveError
        ? error.message
        : isDiskFull(error)
          ? "needs more disk space than is free"
          : code.startsWith("SQLITE")
            ? "is damaged: its database cannot be read"
            : `cannot be read: ${(error as Error).message}`;
    throw new CliError(`${file} ${reason}; nothing was restored`);
  } finally {
    await handle.close();
  }
}
