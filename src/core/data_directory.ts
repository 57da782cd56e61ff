// Opens a data directory for a command: its database and its media. Only commands that import, and `serve --new`, create one.

import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { type Admin, localAdmin } from "./admin.ts";
import { recordAction } from "./audit.ts";
import type { Command, Output, ParsedArgs } from "./command.ts";
import { type Config, readConfig } from "./config.ts";
import { migrateData } from "./directory_migration.ts";
import { CliError, causeOf, errorOf } from "./errors.ts";
import { features } from "./features.ts";
import type { ProductionId } from "./ids.ts";
import { findProduction } from "./productions.ts";
import { shellWord } from "./spelling.ts";
import { type Blobs, openBlobs } from "./store/blobs.ts";
import { databaseName, openReadable, openReplicaStore } from "./store/database.ts";
import { refuseLostDatabase } from "./store/database_mark.ts";
import type { WriteProblem } from "./store/disk_space.ts";
import { closing } from "./store/files.ts";
import { isReplica } from "./store/replica.ts";
import type { Store } from "./store/store.ts";
import { later } from "./times.ts";

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
  const ways = `; \`tallylight import FILE --data ${word}\` imports one, \`tallylight demo\` the demo, \`tallylight serve --new\` begins without one`;
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

/** The settings; undefined if they are invalid, which the server and doctor report. */
export function settingsOf(folder: string): Config | undefined {
  try {
    return readConfig(folder, process.env);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function open(folder: string): Data {
  const file = databaseOf(folder);
  const unwritable = ({ sentence }: WriteProblem) => new CliError(`${folder} can only be read, because ${sentence}`);
  const store = isReplica(folder) ? openReplicaStore(file, readOnly(folder)) : openReadable(file, {}, unwritable);
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
  await migrateData(folder);
  return open(folder);
}

/** Opens the data directory `folder`. Creates the directory and the database if they are absent. */
export async function makeData(folder: string): Promise<Data> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(`${folder} cannot be created: ${causeOf(error)}`);
  }
  await migrateData(folder);
  return open(folder);
}

/** Returns the production of a command whose --production is required. Throws 404 if it does not exist. */
export const productionOf = (store: Store, args: ParsedArgs): { id: number; title: string } =>
  findProduction(store, args.required("production"));

/** Runs the transaction of a plan, which gets the time of its commit. */
type Write = <T>(work: (at: string) => T) => Promise<T>;

/** What a command does with an open data directory. */
export type AdminWork<T = unknown> = (admin: Admin, blobs: Blobs, write: Write) => Promise<T> | T;

/** Runs `work` as the admin at the command line, on the data directory that --data names. `write` runs a plan's transaction. */
export async function asAdmin<T>(args: ParsedArgs, work: AdminWork<T>): Promise<T> {
  const started = performance.now();
  const commitTime = () => later(args.now, performance.now() - started);
  return closing(await openData(args.data), ({ store, blobs }) =>
    work(localAdmin(store, args.now), blobs, async (apply) => store.writeSync(() => apply(commitTime()))),
  );
}

/** The command line, with the production of --production. Reading it throws 404 if there is none. */
export interface DataArgs extends ParsedArgs {
  /** Of a command whose flag is required. */
  readonly production: { id: number; title: string };
  /** Undefined if the flag is absent. */
  readonly production_id: ProductionId | undefined;
}

type Ran = Output | undefined;
type DataCommand = Omit<Command, "run"> & {
  /** Throws UsageError if the flags contradict each other, before the directory is opened. */
  check?(args: ParsedArgs): void;
  run: (args: DataArgs, ...given: Parameters<AdminWork<Ran>>) => Promise<Ran> | Ran;
};

/** The flag of a command whose ID tells the production. With it, what is another production's is not found. */
export const itsProduction = {
  production: { value: "ID", summary: "the production of the ID; refused if it is another one" },
} as const;

/** A command that runs as the admin, on the data directory; with --production as the admin of that production. */
export const dataCommand = ({ run, check, ...command }: DataCommand): Command => ({
  ...command,
  run(args) {
    check?.(args);
    return asAdmin(args, (admin, ...given) => {
      const more = {
        get production() {
          return productionOf(admin.store, args);
        },
        get production_id() {
          return args.text("production") === undefined ? undefined : this.production.id;
        },
      };
      const acting = args.values.production === undefined ? admin : { ...admin, production_id: more.production_id };
      return run(Object.assign(more, args), acting, ...given);
    });
  },
});

/**
 * Records that an admin took data out. The command does not fail if that is impossible, as on a read-only disk: the answer is then a note
 * that says why.
 */
export function recordRead(admin: Admin, action: Parameters<typeof recordAction>[1]): string[] {
  try {
    admin.store.writeSync(() => recordAction(admin, action));
    return [];
  } catch (error) {
    return [`the audit log has no entry of this: ${errorOf(error).message}`];
  }
}
