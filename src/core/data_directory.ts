// Opens a data directory for a command: its database and its media. Only commands that import, and `serve --new`,
// create one.
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { migrateData } from "./directory_migration.ts";
import { CliError } from "./errors.ts";
import { features } from "./features.ts";
import { commandText } from "./program.ts";
import { type Blobs, openBlobs } from "./store/blobs.ts";
import { databaseName, openReadable, openReplicaStore } from "./store/database.ts";
import { refuseLostDatabase } from "./store/database_mark.ts";
import { isReplica } from "./store/directory_records.ts";
import type { WriteProblem } from "./store/disk_space.ts";
import type { Store } from "./store/store.ts";
import { causeOf } from "./system_errors.ts";
import { shellWord } from "./wording.ts";

/** An open data directory. The caller must close it. */
export interface Data {
  store: Store;
  blobs: Blobs;
  close(): void;
}

const databaseOf = (folder: string): string => join(folder, databaseName);

/** Whether `folder` contains a database. */
export const hasData = (folder: string): boolean => existsSync(databaseOf(folder));

/** Which data directory was probably meant: the folder above a file of it, or the one inside. */
function probableFolder(folder: string): string | undefined {
  const inside = statSync(folder).isDirectory() ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [dirname(folder), ...inside.sort()].find(hasData);
}

/** Why a folder has no database, and what to do. */
function absenceOf(folder: string): string {
  const word = shellWord(folder);
  const ways = `; ${commandText(`import FILE --data ${word}`)} imports one, ${commandText("demo")} the demo, ${commandText("serve --new")} begins without one`;
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return `it does not exist${isAbsolute(folder) ? "" : ` in ${process.cwd()}`}${ways}`;
  const isFolder = found.isDirectory();
  const known = isFolder
    ? features()
        .map((feature) => feature.folder?.(folder))
        .find((sentence) => sentence !== undefined)
    : undefined;
  if (known !== undefined) return known;
  if (isFolder) refuseLostDatabase(databaseOf(folder));
  const likely = probableFolder(folder);
  if (likely !== undefined) return `did you mean --data ${shellWord(likely)}?`;
  if (!isFolder) return "it is a file, and --data takes a folder";
  return `it ${readdirSync(folder).length === 0 ? "is empty" : `has no ${databaseName}`}${ways}`;
}

/** Throws CliError if `folder` contains no database. */
export function requireData(folder: string): void {
  if (hasData(folder)) {
    refuseLostDatabase(databaseOf(folder));
    return;
  }
  let absence: string;
  try {
    absence = absenceOf(folder);
  } catch (error) {
    if (error instanceof CliError) throw error;
    absence = causeOf(error);
  }
  throw new CliError(`${folder} contains no production: ${absence}`);
}

/** A command may read a replica. What it writes would be overwritten by the next copy. */
const readOnly = (folder: string) => () =>
  new CliError(`${folder} is a replica, which every copy overwrites; run this command on the primary`);

function open(folder: string, said: number | undefined): Data {
  const file = databaseOf(folder);
  const unwritable = ({ sentence }: WriteProblem) => new CliError(`${folder} can only be read, because ${sentence}`);
  const store = isReplica(folder) ? openReplicaStore(file, readOnly(folder)) : openReadable(file, { said }, unwritable);
  try {
    const blobs = openBlobs(join(folder, "media"), store, { ceiling: Number.POSITIVE_INFINITY, role: "command" });
    return { store, blobs, close: () => store.close() };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Opens the data directory `folder`. Throws CliError if it contains no database, or one that cannot be used. */
export async function openData(folder: string): Promise<Data> {
  requireData(folder);
  return open(folder, await migrateData(folder));
}

/** Opens the data directory `folder`. Creates the directory and the database if they are absent. */
export async function makeData(folder: string): Promise<Data> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(`${folder} cannot be created: ${causeOf(error)}`);
  }
  return open(folder, await migrateData(folder));
}
