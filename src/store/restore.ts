// Restoring a backup into an empty data directory. Everything is unpacked and verified in a staging folder first; nothing
// takes its place before all of it is sound. Knows no server and no command line.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import * as v from "valibot";
import { CliError, isDiskFull } from "../errors.ts";
import { ArchiveError, type Member, membersOf, readMember } from "./archive.ts";
import { counting, type Manifest, manifestName, manifestSchema, mediaName, type Progress } from "./backup.ts";
import { databaseName, inspect } from "./database.ts";
import { lockForServing, serverLockName } from "./lock.ts";
import { brokenParts, soundnessOf } from "./soundness.ts";
import { syncPath } from "./sync.ts";

const stagingName = "restoring";
const maxManifest = 1 << 30;

const damaged = (what: string) => new ArchiveError(`is damaged: ${what}`);

interface Unpacked {
  name: string;
  size: number;
  sha256: string;
}

async function unpack(handle: FileHandle, member: Member, to: string, tell: (bytes: number) => void): Promise<string> {
  const hash = createHash("sha256");
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const file = await open(to, "wx", 0o600);
  try {
    for await (const chunk of readMember(handle, member)) {
      hash.update(chunk);
      await file.writeFile(chunk);
      tell(chunk.length);
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
  if (!result.success) throw damaged("its manifest cannot be read, or is of a newer Tallylight");
  return result.output;
}

/** Unpacks every member under `staging`; only names that a backup has come that far. */
async function unpackAll(handle: FileHandle, staging: string, progress: Progress | undefined): Promise<Manifest> {
  const tell = counting(progress, (await handle.stat()).size);
  const unpacked: Unpacked[] = [];
  let manifest: Manifest | undefined;
  let last = "";
  for await (const member of membersOf(handle)) {
    const { name, size } = member;
    if (manifest !== undefined) throw damaged("something stands behind its manifest");
    if (name === manifestName) {
      manifest = await readManifest(handle, member);
      continue;
    }
    const sha256 = /^media\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)?.[1];
    const expected =
      sha256 === undefined ? name === databaseName && last === "" : name === mediaName(sha256) && last !== "";
    // Media stand in the order of their names, so that none can stand twice.
    if (!expected || (last !== databaseName && name <= last))
      throw damaged("a member stands in it that no backup has there");
    last = name;
    const found = await unpack(handle, member, join(staging, name), tell);
    if (sha256 !== undefined && found !== sha256) throw damaged(`the bytes of ${name} are not what their name says`);
    unpacked.push({ name, size, sha256: found });
  }
  if (manifest === undefined) throw damaged("its manifest is missing");
  compare(manifest, unpacked);
  return manifest;
}

function compare({ members }: Manifest, unpacked: Unpacked[]): void {
  unpacked.forEach(({ name, size, sha256 }, at) => {
    const said = members[at];
    if (said?.name !== name || said.size !== size || said.sha256 !== sha256)
      throw damaged(`${name} is not what its manifest says`);
  });
  if (members.length !== unpacked.length) throw damaged(`${members[unpacked.length]?.name} is missing`);
}

/**
 * Holds the database of a backup against what it should be; answers what is broken in it. Throws ArchiveError or
 * CliError, for what is broken only where that is not allowed.
 */
function verifyDatabase(file: string, manifest: Manifest, allowBroken: boolean): string[] {
  inspect(file);
  const database = new Database(file, { readonly: true });
  try {
    database.pragma("trusted_schema = OFF");
    if (database.pragma("user_version", { simple: true }) !== manifest.schema)
      throw damaged("its database is of another schema than its manifest says");
    const soundness = soundnessOf(database);
    if (soundness.integrity.length > 0) throw damaged("its database is not sound");
    const broken = brokenParts(soundness);
    if (broken.length > 0 && !allowBroken)
      throw new CliError(
        `${file} holds a database that is not sound (${broken[0]}${broken.length > 1 ? ", …" : ""}); restore it as it is with --allow-broken, then run tallylight doctor --repair`,
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
    if (rows.length !== members.size + missing.size) throw damaged("it holds media that its database does not name");
    return broken;
  } finally {
    database.close();
  }
}

export interface RestoreOptions {
  /** Restores a database with references without a row, or with a schema that was changed by hand; it is refused otherwise. */
  allowBroken?: boolean;
  progress?: Progress | undefined;
}

/**
 * Restores `file` into `folder`, which must be empty or absent; answers the manifest, with what is broken in the database as
 * it was found. Throws CliError with one sentence for a backup that is cut off, damaged, tampered with or of a newer
 * schema, and for a folder that holds something; it is left as it was then.
 */
export async function restore(file: string, folder: string, options: RestoreOptions = {}): Promise<Manifest> {
  if (!existsSync(file)) throw new CliError(`${file} does not exist`);
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const held = readdirSync(folder).filter((name) => name !== serverLockName && name !== stagingName);
  if (held.length > 0)
    throw new CliError(`${folder} is not empty (${held[0]}); restore into an empty directory, nothing was changed`);
  const lock = lockForServing(folder);
  const staging = join(folder, stagingName);
  let placed = false;
  try {
    rmSync(staging, { recursive: true, force: true }); // of a restore that was cut
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
    if (!placed && made !== undefined) rmdirSync(folder);
  }
}

async function verified(file: string, staging: string, options: RestoreOptions): Promise<Manifest> {
  const handle = await open(file, "r");
  try {
    const manifest = await unpackAll(handle, staging, options.progress);
    const broken = verifyDatabase(join(staging, databaseName), manifest, options.allowBroken === true);
    for (const name of readdirSync(staging, { recursive: true }) as string[]) syncPath(join(staging, name));
    return { ...manifest, broken };
  } catch (error) {
    if (error instanceof CliError) {
      // The sentence names the staged database; what the reader knows is the backup.
      const said = error.message.replace(join(staging, databaseName), file).replace(/; it was left as it is$/, "");
      throw new CliError(`${said}; nothing was restored`, error.lines);
    }
    const code = (error as { code?: string }).code ?? "";
    const reason =
      error instanceof ArchiveError
        ? error.message
        : isDiskFull(error)
          ? "needs more room than there is"
          : code.startsWith("SQLITE")
            ? "is damaged: its database cannot be read"
            : `cannot be read: ${(error as Error).message}`;
    throw new CliError(`${file} ${reason}; nothing was restored`);
  } finally {
    await handle.close();
  }
}
