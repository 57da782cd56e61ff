// Compares the schema of a database with what the migrations create.
import Database from "better-sqlite3";
import { closing } from "../../core/store/files.ts";
import { migrate, migrations } from "../../core/store/migrations.ts";

type Objects = ReadonlyMap<string, string>;

/** The SQL of each table, index, view and trigger, by type and name. */
const objectsOf = (database: Database.Database): Objects =>
  new Map(
    database
      .prepare<[], [string, string]>(
        "SELECT type || ' ' || name, ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'",
      )
      .raw()
      .all(),
  );

const madeObjects = new Map<number, Objects>();

/** What the migrations up to a version create. */
function objectsMadeBy(version: number): Objects {
  const former = madeObjects.get(version);
  if (former !== undefined) return former;
  const made = closing(new Database(":memory:"), (model) => {
    const known = migrations();
    migrate(model, version === known.length ? known : known.slice(0, version)); // all of them: the schema as a whole
    return objectsOf(model);
  });
  madeObjects.set(version, made);
  return made;
}

/**
 * The tables, indexes, views and triggers that differ between the database and what the migrations create, by type and
 * name.
 */
export function schemaDifferences(database: Database.Database): string[] {
  const made = objectsMadeBy(Number(database.pragma("user_version", { simple: true })));
  const found = objectsOf(database);
  return [...new Set([...made.keys(), ...found.keys()])].filter((name) => made.get(name) !== found.get(name)).sort();
}
