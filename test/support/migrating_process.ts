// Opens a database file, which migrates it, and kills itself at the given call of the database engine, counted from 1.
// Prints a line when the work inside the transaction of the migration begins, and how many calls the migration made if
// it was not killed. For tests that interrupt a migration at each step, and while a statement of it runs.
import fs, { writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import "../../src/features.ts";
import { migrateData } from "../../src/core/directory_migration.ts";
import { openStore } from "../../src/core/store/database.ts";

const [file = "", killAt = "0"] = process.argv.slice(2);
let calls = 0;
let migrated = false;

/** The statements of a text, so that a migration is stopped inside: each ends its line, that of a trigger with END. */
function statementsIn(text: string): string[] {
  const statements: string[] = [];
  let open: string[] = [];
  for (const line of text.split("\n")) {
    open.push(line);
    const isTrigger = open.some((one) => /^CREATE (?:TEMP )?TRIGGER/.test(one));
    const end = line.replace(/ --.*$/, "").trimEnd();
    if (!(isTrigger ? end.endsWith("END;") : end.endsWith(";"))) continue;
    statements.push(open.join("\n"));
    open = [];
  }
  return open.some((line) => line.trim() !== "") ? [...statements, open.join("\n")] : statements;
}

/** Counts a call: each method is stopped before its work. */
function count(): void {
  if (!migrated && ++calls === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

const { exec, pragma } = Database.prototype;
// of its overloads, the one that is used
const prepare = Database.prototype.prepare as (this: Database.Database, text: string) => Database.Statement<unknown[]>;

const counted: Record<string, (this: Database.Database, text: string, options?: Database.PragmaOptions) => unknown> = {
  exec(text) {
    if (text.startsWith("CREATE TABLE IF NOT EXISTS migrations")) writeSync(1, "inside\n"); // its first statement
    for (const statement of statementsIn(text)) {
      count();
      exec.call(this, statement);
    }
    return this;
  },
  pragma(text, options) {
    count();
    return pragma.call(this, text, options);
  },
  prepare(text) {
    count();
    if (text.startsWith("PRAGMA data_version")) migrated = true; // the first statement after the migration
    const statement = prepare.call(this, text);
    const { run } = statement;
    statement.run = (...parameters) => {
      count();
      return run.apply(statement, parameters);
    };
    return statement;
  },
};
Object.assign(Database.prototype, counted);

/** What changes names and files. */
for (const name of ["renameSync", "linkSync", "mkdirSync", "rmSync", "fsyncSync"] as const) {
  const work = fs[name] as (...given: unknown[]) => unknown; // of its overloads, the one that is used
  const stopped = (...given: unknown[]): unknown => {
    count();
    return work(...given);
  };
  Object.assign(fs, { [name]: stopped });
}
syncBuiltinESMExports();

await migrateData(dirname(file), { notice: () => {} });
openStore(file).close();
process.stdout.write(`${calls}\n`);
