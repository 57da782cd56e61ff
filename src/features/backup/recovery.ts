// Recovers a damaged database: copies every row that can be read in some way into a new file with the same schema, and
// says which rows are lost.
import { renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { CliError } from "../../core/errors.ts";
import { closing } from "../../core/store/files.ts";
import { indexSearch, migrate, migrations } from "../../core/store/migrations.ts";
import { listed } from "../../core/wording.ts";
import { RecoveredTable } from "./recovered_table.ts";
import { salvagePages, type Tree } from "./salvaged_pages.ts";
import { damaged } from "./unpacking.ts";

/** The rows of these tables are made, and not taken from the damaged database. */
const ownTables: readonly string[] = ["migrations", "search_changes"];

/** The tables with rows of their own, first that of the ids that were used: a row that is added only raises them. */
const tablesOf = (database: Database.Database): { name: string; hasRowids: boolean }[] =>
  database
    .prepare<[], { name: string; wr: 0 | 1 }>(
      `SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema' AND name NOT LIKE 'sqlite^_stat%' ESCAPE '^'
       ORDER BY name <> 'sqlite_sequence', name`,
    )
    .all()
    .filter(({ name }) => !ownTables.includes(name))
    .map(({ name, wr }) => ({ name, hasRowids: wr === 0 }));

/** The trees of a damaged database, as far as their list can be read. */
function treesOf(database: Database.Database): Tree[] {
  const trees = new Map<string, Tree>();
  for (const direction of ["ASC", "DESC"])
    try {
      const rows = database.prepare<[], Tree>(
        `SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0 ORDER BY rowid ${direction}`,
      );
      for (const tree of rows.iterate()) trees.set(tree.name, tree);
      break;
    } catch {
      // what is behind is read from the other end
    }
  return [...trees.values()];
}

/**
 * Opens a damaged database, also one of whose list of tables only a part can be read. Throws the error of SQLite if it
 * has no header.
 */
function openDamaged(file: string): Database.Database {
  const database = new Database(file, { readonly: true });
  try {
    database.pragma("trusted_schema = OFF");
    database.unsafeMode(); // otherwise the next line does nothing
    database.pragma("writable_schema = ON");
    database.pragma("schema_version");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Creates the schema of a version without rows, and runs `work` while no trigger but those of the search index does
 * anything.
 */
function fill(to: Database.Database, schema: number, work: () => string[]): string[] {
  migrate(to, migrations().slice(0, schema));
  to.pragma("foreign_keys = OFF"); // what refers to a lost row stays, and is told
  return to.transaction(() => {
    const triggers = to
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'search^_%' ESCAPE '^'",
      )
      .all();
    for (const { name } of triggers) to.exec(`DROP TRIGGER "${name}"`);
    for (const { name } of tablesOf(to)) to.exec(`DELETE FROM "${name}"`);
    const lost = work();
    for (const { sql } of triggers) to.exec(sql);
    if (schema === migrations().length) indexSearch(to); // a migration does it otherwise
    return lost;
  })();
}

/**
 * Takes every row: along the tables and their indexes, and then of each page of the tables that lack rows. Returns what
 * is lost.
 */
function takeRows(file: string, to: Database.Database): string[] {
  const [trees, lacking] = closing(openDamaged(file), (from) => {
    const found = treesOf(from);
    if (found.length === 0) throw damaged("its database has no tables");
    const tables = tablesOf(to).map(({ name, hasRowids }) => new RecoveredTable(to, name, hasRowids));
    return [found, tables.filter((table) => !table.takeFrom(from))] as const;
  });
  if (lacking.length === 0) return [];
  const unplaced = salvagePages(
    file,
    trees,
    lacking.filter(({ name }) => name !== "sqlite_sequence"), // the rows that were added have made it again
  );
  const lost = lacking.flatMap((table) => table.lost() ?? []);
  const uncertain = lacking.filter((table) => table.isUncertain()).map(({ name }) => name);
  if (uncertain.length > 0) lost.push(`${listed(uncertain, "and")}: it is not known whether rows are lost`);
  const few = unplaced === 1 ? "page of rows fits" : "pages of rows fit";
  if (unplaced > 0) lost.push(`${unplaced} ${few} into several tables or into none, and what they have is lost`);
  return lost;
}

/**
 * Replaces a damaged database by one with the rows of it that can be read. Returns what is lost, one sentence for each
 * table. Throws the error of SQLite if the file has no header, ArchiveError if no list of its tables can be read,
 * CliError if it is of a newer version. The damaged file is lost then, too.
 */
export function recoverDatabase(file: string, schema: number): string[] {
  if (schema > migrations().length)
    throw new CliError(
      `${file} was written by a newer Tallylight (schema ${schema}, this version supports ${migrations().length}); it was not changed`,
    );
  const draft = `${file}.recovered`;
  const lost = closing(new Database(draft), (to) => fill(to, schema, () => takeRows(file, to)));
  rmSync(file);
  renameSync(draft, file);
  return lost;
}
