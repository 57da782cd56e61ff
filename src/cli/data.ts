// Opens a data directory for a command: its database and its media. Only what brings a production in may make one.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Admin, localAdmin } from "../admin/admin.ts";
import { findProduction } from "../admin/productions.ts";
import { CliError } from "../errors.ts";
import { type Blobs, openBlobs } from "../store/blobs.ts";
import { databaseName, openStore, type Store } from "../store/database.ts";
import type { ParsedArgs } from "./arguments.ts";

export interface Data {
  store: Store;
  blobs: Blobs;
  close(): void;
}

const databaseOf = (folder: string): string => join(folder, databaseName);

/** Whether `folder` holds a database. */
export const hasData = (folder: string): boolean => existsSync(databaseOf(folder));

/** Throws CliError where `folder` holds no database. */
export function requireData(folder: string): void {
  if (!hasData(folder))
    throw new CliError(
      `${folder} holds no production; \`tallylight import FILE --data ${folder}\` makes one, \`tallylight demo\` a trial`,
    );
}

function open(folder: string): Data {
  const store = openStore(databaseOf(folder));
  try {
    const blobs = openBlobs(join(folder, "media"), store, { ceiling: Number.POSITIVE_INFINITY, role: "command" });
    return { store, blobs, close: () => store.close() };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Opens what `folder` holds. Throws CliError where it holds no database, or one that cannot be used. */
export function openData(folder: string): Data {
  requireData(folder);
  return open(folder);
}

/** As openData, and makes the directory and the database where they are absent. */
export function makeData(folder: string): Data {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(`${folder} cannot be made: ${(error as NodeJS.ErrnoException).code}`);
  }
  return open(folder);
}

/** An empty data directory for a rehearsal, which is gone when it closes. */
export function rehearseData(): Data {
  const folder = mkdtempSync(join(tmpdir(), "tallylight-"));
  const data = open(folder);
  return {
    ...data,
    close() {
      data.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The production that --production names; undefined if it names none. Throws 404 for an unknown one. */
export function productionNamed(store: Store, args: ParsedArgs): { id: number; title: string } | undefined {
  const named = args.text("production");
  return named === undefined ? undefined : findProduction(store, named);
}

/** The production of a command whose --production is required. */
export const productionOf = (store: Store, args: ParsedArgs): { id: number; title: string } =>
  findProduction(store, args.text("production") as string); // parseCommandArgs has refused its absence

/** Runs `work` as the admin at the command line, on the data directory that --data names. */
export const asAdmin = <T>(args: ParsedArgs, work: (admin: Admin) => T): Promise<T> =>
  using(openData(args.data), ({ store }) => work(localAdmin(store, args.now)));

/** Runs `work` on an open data directory and closes it however that ends. */
export async function using<T>(data: Data, work: (data: Data) => Promise<T> | T): Promise<T> {
  try {
    return await work(data);
  } finally {
    data.close();
  }
}
