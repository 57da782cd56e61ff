// One of the two programs that are compared, in a process of its own: serves data directories one after the other by a
// clock that is set, runs commands, and tells what the tables have. Its argument is the folder of the program.
import { hash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { isFree, textOfRow } from "./canonical.ts";

/** A table with the columns that are compared. */
export interface ComparedTable {
  name: string;
  columns: readonly string[];
  /** Those that its rows are ordered by. */
  order: readonly string[];
}

type Row = Record<string, unknown>;

interface Commanded {
  status: number;
  out: string;
  err: string;
}

/** What the process is asked, by name. */
export interface Questions {
  /** Serves a data directory. Answers the address. */
  open(data: string, now: string): Promise<string>;
  close(): Promise<void>;
  setTime(now: string): void;
  command(argv: readonly string[], now: string): Promise<Commanded>;
  tables(): ComparedTable[];
  /** A hash of the rows of each table. */
  digest(tables: readonly ComparedTable[]): Record<string, string>;
  rows(sql: string): unknown[];
  usage(): { cpu: number; memory: number };
}

const [, , root = ""] = process.argv;
const load = (file: string) => import(pathToFileURL(join(root, "src", file)).href);

// The modules are those of another folder with the same names; what is used of them is as here.
await load("features.ts");
const { startServer }: typeof import("../../src/core/server.ts") = await load("core/server.ts");
const { main }: typeof import("../../src/cli/main.ts") = await load("cli/main.ts");

let now = "";
let server: Awaited<ReturnType<typeof startServer>> | undefined;
let database: Database.Database | undefined;
const opened = (): Database.Database => {
  if (database === undefined) throw new Error("no data directory is open");
  return database;
};

/**
 * Runs `work` and answers what it wrote. Commands take the time between their start and their commit from
 * `performance`.
 */
async function captured(work: () => Promise<number>): Promise<Commanded> {
  const written = { out: "", err: "" };
  const [out, err, clock] = [process.stdout.write, process.stderr.write, performance.now];
  const into = (stream: "out" | "err") => (text: string) => {
    written[stream] += text;
    return true;
  };
  process.stdout.write = into("out") as typeof out; // nothing else writes meanwhile
  process.stderr.write = into("err") as typeof err;
  performance.now = () => 0;
  try {
    return { status: await work(), ...written };
  } finally {
    process.stdout.write = out;
    process.stderr.write = err;
    performance.now = clock;
  }
}

const answers: Questions = {
  async open(data, at) {
    now = at;
    server = await startServer({
      data,
      host: "127.0.0.1",
      port: 0,
      clock: () => Date.parse(now),
      log: () => {},
      environment: { TALLYLIGHT_FAILED_KEYS: "1000000" },
    });
    database = new Database(join(data, "tallylight.db"), { readonly: true });
    return server.url;
  },
  async close() {
    database?.close();
    await server?.close();
    [database, server] = [undefined, undefined];
  },
  setTime(at) {
    now = at;
  },
  command: (argv, at) => captured(() => main(argv, at)),
  tables() {
    const names = opened().prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    return names.map((name) => {
      const columns = opened().pragma(`table_info("${name}")`) as { name: string; pk: number }[]; // as SQLite has it
      const key = columns.filter(({ pk }) => pk > 0).map((one) => one.name);
      return { name, columns: columns.map((one) => one.name), order: key };
    });
  },
  digest: (tables) =>
    Object.fromEntries(
      tables.map(({ name, columns, order }) => {
        const rows = opened().prepare<[], Row>(`SELECT ${columns} FROM "${name}" ORDER BY ${order}`);
        const texts = columns.some(isFree) ? rows.all().map(textOfRow) : rows.raw().all();
        return [name, hash("sha1", JSON.stringify(texts))];
      }),
    ),
  rows: (sql) => opened().prepare(sql).all(),
  usage() {
    const { user, system } = process.cpuUsage();
    return { cpu: (user + system) / 1000, memory: process.resourceUsage().maxRSS / 1024 };
  },
};

export interface Asked {
  id: number;
  name: keyof Questions;
  given: readonly unknown[];
}

process.on("message", async ({ id, name, given }: Asked) => {
  const ask = answers[name] as (...given: readonly unknown[]) => unknown; // the other side has the type of the question
  try {
    process.send?.({ id, answer: await ask(...given) });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ id: 0 });
