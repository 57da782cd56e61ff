// Runs commands of a program in one process, and prints what the last of them took: processor time, of it under the
// write lock, both in milliseconds, and the peak of memory in MiB. Its arguments are the folder of the program and the
// commands, each a JSON list of words; those before the last warm it up.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type Database from "better-sqlite3";

const [, , root = "", ...given] = process.argv;
const commands: string[][] = given.map((text) => JSON.parse(text));

const processor = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let [locked, began] = [0, 0];
const SQLite: typeof Database = createRequire(join(root, "package.json"))("better-sqlite3");
const { prepare } = SQLite.prototype;

/** Notes the time at which a statement ran. */
function noting<S extends Database.Statement>(statement: S, note: () => void): S {
  const { run } = statement;
  statement.run = (...values) => {
    const result = run.apply(statement, values);
    note();
    return result;
  };
  return statement;
}

SQLite.prototype.prepare = function (this: Database.Database, text: string) {
  const statement = prepare.call(this, text);
  if (text === "BEGIN IMMEDIATE")
    noting(statement, () => {
      began = processor();
    });
  if (text === "COMMIT" || text === "ROLLBACK")
    noting(statement, () => {
      locked += processor() - began;
    });
  return statement;
} as typeof prepare; // with the types of prepare

const load = (file: string) => import(pathToFileURL(join(root, "src", file)).href);
const { main }: typeof import("../src/cli/main.ts") = await load("cli/main.ts");
const { write } = process.stdout;
let out = "";
for (const argv of commands) {
  [locked, out] = [0, ""];
  const before = processor();
  process.stdout.write = ((text: string) => {
    out = (out + text).slice(-10_000); // the change set is at the end
    return true;
  }) as typeof write;
  const status = await main(argv);
  process.stdout.write = write;
  const cpu = processor() - before;
  if (status !== 0) process.exit(status);
  if (argv !== commands.at(-1)) continue;
  const memory = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ cpu, locked, memory, change_set: /"change_set":(\d+)/.exec(out)?.[1] }));
}
