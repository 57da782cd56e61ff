// Repairs what inspection found and what can be repaired without losing anything; the rest needs a backup.
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { databaseName } from "./database.ts";
import type { Finding } from "./inspection.ts";
import { lockForServing } from "./lock.ts";
import { copyAside } from "./migrations.ts";
import { hasOrphans, removeOrphans } from "./orphans.ts";

/** Where files go that no row names: out of the way, and still there. */
const foundName = "found";

const ofIndex =
  /^(?:row \d+ missing from index |wrong # of entries in index |row \d+ of .* out of order|non-unique entry in index )/;

/** Says what was done, in a sentence or several; undefined where nothing could be. */
type Repair = (folder: string, items: readonly string[]) => string | readonly string[] | undefined;

const repairs: Readonly<Record<string, Repair>> = {
  integrity(folder, items) {
    if (!items.every((item) => ofIndex.test(item))) return undefined; // an index is made again from its table; a table is not
    withDatabase(folder, (database) => database.exec("REINDEX"));
    return "made the indexes again";
  },
  references(folder) {
    return withDatabase(folder, (database) => {
      if (!hasOrphans(database)) return undefined;
      const copy = freeName(join(folder, `${databaseName}.before-repair`));
      copyAside(database, database.name, copy);
      return [`copied the database to ${basename(copy)}`, ...removeOrphans(database)];
    });
  },
  media_files(folder, items) {
    for (const item of items) {
      const place = join(folder, foundName, item.replace(/^media\//, ""));
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      renameSync(join(folder, item), place);
    }
    return `moved ${items.length} files to ${foundName}/`;
  },
  staging(folder, items) {
    for (const item of items) rmSync(join(folder, item), { force: true });
    return `removed ${items.length} files that no upload finished`;
  },
  journal(folder) {
    withDatabase(folder, (database) => database.pragma("wal_checkpoint(TRUNCATE)"));
    return "folded the journal in";
  },
  permissions(folder, items) {
    for (const item of items) chmodSync(join(folder, item), 0o600);
    return `made ${items.join(", ")} readable by the owner alone`;
  },
};

/** `name`-1, or the first number behind it that no file has. */
function freeName(name: string): string {
  let number = 1;
  while (existsSync(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

function withDatabase<T>(folder: string, work: (database: Database.Database) => T): T {
  const database = new Database(join(folder, databaseName), { timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** In a damaged database, or under a schema that was changed, a row may only seem to be without its owner. */
const isCertain = (check: string, findings: readonly Finding[]): boolean =>
  check !== "references" || findings.every(({ check, ok }) => ok || (check !== "integrity" && check !== "schema"));

/** Repairs what can be; answers what was done, in sentences. Throws CliError while a server uses the directory. */
export function repairData(folder: string, findings: readonly Finding[]): string[] {
  const lock = lockForServing(folder);
  try {
    return findings.flatMap(({ check, ok, items }) => {
      const done = ok || !isCertain(check, findings) ? undefined : repairs[check]?.(folder, items);
      return done ?? [];
    });
  } finally {
    lock.release();
  }
}
