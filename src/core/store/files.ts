// The files of a data directory and of backups: syncs and hashes them, reads and replaces the small JSON files, each of
// them whole, and moves files that no row of the database names to found/, so that nothing is lost that could be
// missed.
import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  type ReadStream,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type Database from "better-sqlite3";
import * as v from "valibot";
import { codeOf } from "../errors.ts";

/**
 * Runs `work` with a resource and closes it afterwards: also if `work` throws, and after its promise if it returns one.
 */
export function closing<R extends { close(): unknown }, T>(resource: R, work: (resource: R) => T): T {
  let result: T;
  try {
    result = work(resource);
  } catch (error) {
    resource.close();
    throw error;
  }
  if (result instanceof Promise) return result.finally(() => resource.close()) as T; // it is a promise of the same
  resource.close();
  return result;
}

/**
 * The files in a folder of media, as ab/<sha256>. Whatever else is in it is left out. Paths are put together as text:
 * join for each of them made Deno compile it, which took 4 % of the memory of a server at rest.
 */
export const mediaFiles = (media: string): string[] =>
  (existsSync(media) ? readdirSync(media) : [])
    .filter((part) => /^[0-9a-f]{2}$/.test(part))
    .flatMap((part) => readdirSync(join(media, part)).map((name) => `${part}/${name}`));

/** Whether a folder of media has any. Reads no more than it needs for that. */
export const hasMediaFiles = (media: string): boolean =>
  existsSync(media) &&
  readdirSync(media).some((part) => /^[0-9a-f]{2}$/.test(part) && readdirSync(join(media, part)).length > 0);

/** Syncs the bytes of a file, or the entries of a folder, to disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Hashes bytes, and writes them to `file` if it is given. Returns their SHA-256 in hex, and how many there are. */
export async function hashBytes(
  bytes: AsyncIterable<Buffer>,
  file?: FileHandle,
  report?: (bytes: number) => void,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    await file?.writeFile(chunk);
    size += chunk.length;
    report?.(chunk.length);
  }
  return { sha256: hash.digest("hex"), size };
}

/**
 * The bytes of a file of a known size. A larger buffer than a small file needs costs more than its reading. Of a file
 * that has grown, one byte more is read, which shows it.
 */
export const readBytes = (file: string, size: number): ReadStream =>
  createReadStream(file, { highWaterMark: Math.min(1 << 20, size + 1), end: size });

/** The SHA-256 of a file's bytes, in hex. */
export async function sha256OfFile(file: string): Promise<string> {
  const { size } = await stat(file);
  return (await hashBytes(readBytes(file, size))).sha256;
}

/** Reads a small JSON file; undefined if it does not exist, cannot be read, or is not what the schema says. */
export function readRecord<Schema extends v.GenericSchema>(
  file: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(readFileSync(file, "utf8")));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Replaces a small JSON file: a reader sees the former one or the new one. Without `durable`, a power failure may leave
 * the former one.
 */
export function writeRecord(file: string, record: object, durable = false): void {
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    if (durable) syncPath(draft);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The folder in the data directory that files without a row are moved to. */
export const foundFolderName = "found";

/** The first of `name`-1, `name`-2, … that does not exist. */
export function freeName(name: string): string {
  let number = 1;
  while (existsSync(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

/** `path`, or the first free name of that kind if it exists. */
export const freePath = (path: string): string => (existsSync(path) ? freeName(path) : path);

/** Moves a file below media/ of the data directory `folder` to found/. `name` is its path in media/. */
export function moveToFoundFolder(folder: string, name: string): void {
  const from = join(folder, "media", name);
  const to = freePath(join(folder, foundFolderName, name));
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error; // media/ is on another disk
    copyFileSync(from, to);
    rmSync(from);
  }
}

/** Why no medium can be read, as a sentence; undefined if the folder has media, or if the database names none. */
export function absentMedia(database: Database.Database, folder: string): string | undefined {
  if (hasMediaFiles(folder)) return undefined;
  if (database.prepare<[], 0 | 1>("SELECT EXISTS (SELECT 1 FROM media)").pluck().get() !== 1) return undefined;
  return `the database has media, but ${folder} is ${existsSync(folder) ? "empty" : "missing"}; mount its disk, or bring them back from a backup`;
}
