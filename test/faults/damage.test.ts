// A corrupted page: doctor finds it, a backup refuses it, and a server with it reports it, stops writing, and never
// returns invalid data; a recovery brings back what other pages have. Pages and bytes differ in every round.
// Thorough: only --all runs it.
import { closeSync, cpSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { closing } from "../../src/core/store/files.ts";
import { migrations } from "../../src/core/store/migrations.ts";
import { backUp } from "../../src/features/backup/backup.ts";
import { recoverDatabase } from "../../src/features/backup/recovery.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { demoFolder, mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { randomOf, seed } from "../support/random.ts";
import { productionReads } from "../support/read_paths.ts";
import { roundsOf } from "../support/rounds.ts";

const rounds = roundsOf(10);
const pageSize = 4096;

/** Overwrites a page with random bytes, without SQLite. */
function corrupt(file: string, page: number, random: () => number): void {
  const handle = openSync(file, "r+");
  const randomBytes = Buffer.from(Array.from({ length: pageSize }, () => Math.floor(random() * 256)));
  writeSync(handle, randomBytes, 0, pageSize, page * pageSize);
  closeSync(handle);
}

const damage = suite("a corrupted page");

damage(`doctor finds it, backup refuses it and the server reports it in ${rounds} rounds`, async () => {
  const random = randomOf(seed);
  let [reported, found] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const folder = await demoFolder();
    const file = join(folder, "tallylight.db");
    const undamaged = await openTestServer({ data: folder });
    const token = mint(undamaged.store);
    const ofScenes = one(undamaged.store, "SELECT rootpage FROM sqlite_schema WHERE name = 'scenes'") - 1;
    await undamaged.close();
    const pages = readFileSync(file).length / pageSize;
    // The first one is of a table that the server reads; few of the others are.
    corrupt(file, round === 0 ? ofScenes : 1 + Math.floor(random() * (pages - 1)), random);
    const failedChecks = (await inspectData(folder, { deep: false, now: Date.now() }))
      .filter(({ ok }) => !ok)
      .map(({ check }) => check);
    if (failedChecks.includes("integrity") || failedChecks.includes("database")) found++;
    let refusal = "";
    try {
      await backUp(folder, join(folder, "x.backup"), { now: Date.now() });
    } catch (error) {
      assert.instance(error, CliError);
      refusal = (error as Error).message;
    }
    assert.is(
      refusal !== "",
      failedChecks.includes("integrity") || failedChecks.includes("database"),
      `${failedChecks}: ${refusal}`,
    );
    try {
      const server = await openTestServer({ data: folder });
      let damaged = false;
      for (const path of productionReads) {
        const response = await server.ask(token, `/api/v1${path}`);
        const text = await response.text();
        if (response.status === 500) {
          damaged ||= /damaged/.test(JSON.parse(text).detail);
          assert.match(JSON.parse(text).detail, /damaged|internal error/);
        }
      }
      if (damaged) {
        reported++;
        const health = await server.ask(undefined, "/healthz");
        assert.is(health.status, 503);
        const { ok, reason } = (await health.json()) as { ok: boolean; reason: string };
        assert.is(ok, false);
        assert.match(reason, /^the database is damaged; .*`tallylight restore --damaged DIR --data NEW`/);
        const init = { method: "POST", body: '{"label":"more"}', headers: { "content-type": "application/json" } };
        const response = await server.ask(token, "/api/v1/assets", init);
        assert.ok([401, 403, 500, 503].includes(response.status), String(response.status));
        assert.type(((await response.json()) as { detail: string }).detail, "string");
      }
      await server.close();
    } catch (error) {
      assert.instance(error, CliError, (error as Error).stack);
      reported++;
    }
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`doctor found ${found} of ${rounds}, the server noticed and reported ${reported}`);
  assert.is(found, rounds);
  assert.ok(reported > 0);
});

damage.run();

/** Pages of a database, by what they are damaged with. */
const damages: Readonly<Record<string, (random: () => number, of: Pages) => Damage>> = {
  "ten pages beside each other are zeroed": (random, { count }) => {
    const first = 2 + Math.floor(random() * (count - 11));
    return { pages: Array.from({ length: 10 }, (_, at) => first + at), zeroed: true };
  },
  "three interior pages are zeroed": (random, { interior }) => ({ pages: chosen(3, interior, random), zeroed: true }),
  "the first pages of three tables are zeroed": (random, { roots }) => ({
    pages: chosen(3, roots, random),
    zeroed: true,
  }),
  "five pages have random bytes": (random, { count }) => ({
    pages: chosen(
      5,
      Array.from({ length: count - 1 }, (_, at) => at + 2),
      random,
    ),
    zeroed: false,
  }),
};

interface Damage {
  pages: number[];
  zeroed: boolean;
}
interface Pages {
  count: number;
  interior: number[];
  roots: number[];
  /** The tables without rowids. */
  keyed: ReadonlySet<string>;
  /** How many rows of tables a page has. */
  rows: ReadonlyMap<number, number>;
}

const chosen = (count: number, among: readonly number[], random: () => number): number[] => [
  ...new Set(Array.from({ length: count }, () => among[Math.floor(random() * among.length)] as number)),
];

const rowsOf = <Row>(file: string, sql: string): Row[] =>
  closing(new Database(file, { readonly: true }), (database) => database.prepare<[], Row>(sql).all());

/** The rows of each table, as texts. Some of the names are those of tables that a recovery makes itself. */
function textsOf(file: string): Map<string, string[]> {
  const tables = rowsOf<{ name: string }>(
    file,
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite^_s%' ESCAPE '^'
     AND name NOT IN ('search_changes', 'migrations')`,
  );
  return new Map(
    tables.map(({ name }) => [name, rowsOf(file, `SELECT * FROM "${name}"`).map((row) => JSON.stringify(row))]),
  );
}

function pagesOf(file: string, tables: ReadonlySet<string>): Pages {
  const all = rowsOf<{ name: string; pageno: number; pagetype: string; ncell: number }>(
    file,
    "SELECT name, pageno, pagetype, ncell FROM dbstat",
  );
  const ofTables = all.filter(({ name }) => tables.has(name));
  const roots = rowsOf<{ name: string; rootpage: number }>(file, "SELECT name, rootpage FROM sqlite_schema");
  return {
    count: readFileSync(file).length / pageSize,
    interior: ofTables.filter(({ pagetype }) => pagetype === "internal").map(({ pageno }) => pageno),
    roots: roots.filter(({ name }) => tables.has(name)).map(({ rootpage }) => rootpage),
    keyed: new Set(
      rowsOf<{ name: string }>(file, "SELECT name FROM pragma_table_list WHERE wr").map(({ name }) => name),
    ),
    rows: new Map(ofTables.map(({ pageno, ncell }) => [pageno, ncell])),
  };
}

/** Rows that were not there, and those that are lost, by table. */
function compare(before: ReadonlyMap<string, string[]>, after: ReadonlyMap<string, string[]>) {
  const lost = new Map<string, number>();
  let added = 0;
  for (const [table, rows] of before) {
    const left = new Map<string, number>();
    for (const row of after.get(table) ?? []) left.set(row, (left.get(row) ?? 0) + 1);
    for (const row of rows) {
      const count = left.get(row) ?? 0;
      if (count > 0) left.set(row, count - 1);
      else lost.set(table, (lost.get(table) ?? 0) + 1);
    }
    added += [...left.values()].reduce((sum, count) => sum + count, 0);
  }
  return { lost, added };
}

const recovery = suite("a recovery");
const recoveries = roundsOf(5);
const undamaged = join(temporaryFolder(), "whole.db");
const data = await demoFolder();
closing(new Database(join(data, "tallylight.db")), (database) => database.prepare("VACUUM INTO ?").run(undamaged));
const texts = textsOf(undamaged);
const pages = pagesOf(undamaged, new Set(texts.keys()));
const total = [...texts.values()].reduce((sum, rows) => sum + rows.length, 0);

for (const [name, damageOf] of Object.entries(damages))
  recovery(`if ${name}, it brings back the rows of all other pages, and says of which tables rows are lost`, () => {
    const random = randomOf(seed);
    let kept = 0;
    for (let round = 0; round < recoveries; round++) {
      const { pages: damaged, zeroed } = damageOf(random, pages);
      const file = join(temporaryFolder(), "tallylight.db");
      cpSync(undamaged, file);
      for (const page of damaged) corrupt(file, page - 1, zeroed ? () => 0 : random);
      const said = recoverDatabase(file, migrations().length);
      const { lost, added } = compare(texts, textsOf(file));
      const count = (of: Iterable<[string, number]>) => [...of].reduce((sum, [, rows]) => sum + rows, 0);
      const onDamaged = count(damaged.map((page) => ["", pages.rows.get(page) ?? 0]));
      const where = `pages ${damaged}: ${said.join("; ")}`;
      assert.is(added, 0, where);
      // A page of a table without rowids cannot be told from one of an index that is damaged, too.
      const ofRowids = [...lost].filter(([table]) => !pages.keyed.has(table));
      if (!said.some((sentence) => /into several tables/.test(sentence)))
        assert.ok(count(ofRowids) <= onDamaged, where);
      for (const [, table = "", rows] of said.join("\n").matchAll(/^(\w+): (\d+) rows? /gm))
        assert.is(lost.get(table), Number(rows), where);
      const tables = said.flatMap((sentence) => sentence.split(": ")[0]?.split(/, | and /) ?? []);
      for (const table of lost.keys()) assert.ok(tables.includes(table), `${table}: ${where}`);
      assert.equal(rowsOf(file, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
      kept += total - count(lost);
    }
    console.log(`if ${name}: ${((100 * kept) / (total * recoveries)).toFixed(2)} % of ${total} rows are kept`);
  });

recovery.run();
