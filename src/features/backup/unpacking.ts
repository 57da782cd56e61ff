// Reads backups, of a file or of a folder: unpacks their members and compares each with the list.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { CliError } from "../../core/errors.ts";
import { databaseName } from "../../core/store/database.ts";
import { hashBytes } from "../../core/store/files.ts";
import { mediaName } from "../soundness/needed_media.ts";
import { ArchiveError, type Part, partsOf } from "./archive.ts";
import { progressCounter, type Watched } from "./backup.ts";
import { backupNames, describeBackup, partsIn, unlistedNames, unlistedSentence } from "./backup_folder.ts";
import { manifestName } from "./feature.ts";
import { type Manifest, manifestSchema } from "./manifest.ts";

const maxManifest = 1 << 30;

export const damaged = (what: string) => new ArchiveError(`is damaged: ${what}`);

/** A backup that can be read: a file, or one in a folder. */
export interface BackupSource {
  name: string;
  /** In bytes. */
  size(): number;
  /** The members in the order of the list, and the list last. */
  parts(): AsyncGenerator<Part>;
}

/** The name of a member. A file has a folder with one backup; those of former versions have its members alone. */
function nameOf({ name }: Part): string {
  const bare = name.replace(/^[^/]+\//, "");
  return bare === databaseName || bare === manifestName ? bare : name;
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
export type HashesByName = Map<string, string>;

/**
 * What was read of a backup: its list, and the members whose bytes it lacks or has damaged, by their names, each with a
 * sentence.
 */
interface Unpacked {
  manifest: Manifest;
  lost: ReadonlyMap<string, string>;
}

/**
 * Unpacks the members into `staging`; without the media if `known` is given, which it adds them to. Throws ArchiveError
 * for a name that a backup does not have, so that no path can escape.
 */
export async function unpackAll(
  source: BackupSource,
  staging: string,
  options: Watched,
  known?: HashesByName,
): Promise<Unpacked> {
  const report = progressCounter(options, source.size());
  const unpacked: Manifest["members"] = [];
  const lost = new Map<string, string>();
  let manifest: Manifest | undefined;
  let last = "";
  for await (const part of source.parts()) {
    const { size } = part;
    const name = nameOf(part);
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
    if (sha256 === undefined || found === sha256) {
      unpacked.push({ name, size, sha256: found });
      continue;
    }
    lost.set(name, `the bytes of ${name} do not match its name`);
    if (to !== undefined) rmSync(to);
  }
  if (manifest === undefined) throw damaged("its manifest is missing");
  compare(manifest, unpacked, lost);
  return { manifest, lost };
}

/**
 * Compares what was unpacked with the list. Adds the media that are not there, and a damaged database, to `lost`.
 * Throws ArchiveError for anything else that differs.
 */
function compare({ members }: Manifest, unpacked: Manifest["members"], lost: Map<string, string>): void {
  const there = new Map(unpacked.map((one) => [one.name, one]));
  const unlisted = new Set([...there.keys(), ...lost.keys()]);
  for (const { name, size, sha256 } of members) {
    const found = there.get(name);
    if (found === undefined && name !== databaseName) {
      if (!lost.has(name)) lost.set(name, `${name} is missing: what is there does not match the manifest`);
    } else if (found === undefined) throw damaged(`${name} is missing`);
    else if (found.size !== size || found.sha256 !== sha256) lost.set(name, `${name} does not match the manifest`);
    unlisted.delete(name);
  }
  const [more] = unlisted;
  if (more !== undefined) throw damaged(lost.get(more) ?? `${more} does not match the manifest`);
}

function hasBackups(folder: string): boolean {
  try {
    return backupNames(folder).length > 0;
  } catch {
    return false; // it is no folder, or this user cannot read it
  }
}

/** Why a folder without backups is refused. Names a folder inside that has some. */
function noBackups(folder: string): CliError {
  const inside = readdirSync(folder)
    .map((name) => join(folder, name))
    .find(hasBackups);
  const unlisted = unlistedNames(folder).map((name) => unlistedSentence(folder, name));
  return new CliError(`${folder} has no backups${inside === undefined ? "" : `; ${inside} has some`}`, unlisted);
}

/**
 * The backups that a path names: a file, one in a folder by FOLDER@NAME, or all of a folder, the last one first. Throws
 * CliError if there is none.
 */
export function sourcesAt(path: string): BackupSource[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory())
    return [{ name: path, size: () => found.size, parts: () => partsOf(path) }];
  const at = found === undefined ? path.lastIndexOf("@") : -1;
  const [folder, named] = at === -1 ? [path, undefined] : [path.slice(0, at), path.slice(at + 1)];
  if (!existsSync(folder)) throw new CliError(`${path} does not exist`);
  const names = backupNames(folder);
  if (names.length === 0) throw noBackups(folder);
  if (named !== undefined && !names.includes(named))
    throw new CliError(`${folder} has no backup ${named}; the last one is ${names[0]}`);
  return (named === undefined ? names : [named]).map((name) => ({
    name: `${folder}@${name}`,
    size: () => describeBackup(folder, name).bytes ?? 0,
    parts: () => partsIn(folder, name),
  }));
}
