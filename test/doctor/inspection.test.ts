// doctor: what it finds, that it changes nothing, and what it repairs. Also the copy before a migration.
// Thorough: only --all runs it.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openApp } from "../../src/core/app.ts";
import type { Finding } from "../../src/core/feature.ts";
import { type Migration, migrate } from "../../src/core/store/migrations.ts";
import { sweepCopies } from "../../src/features/clock/start.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { repairData } from "../../src/features/doctor/repair.ts";
import { writeReplicaRecord } from "../../src/features/replica/record.ts";
import { openCopy } from "../../src/features/replica/replica.ts";
import { demoFolder, importedAt, temporaryFolder } from "../support/app.ts";

const now = Date.parse(importedAt) + 3_600_000;
const inspected = (folder: string, deep = false) => inspectData(folder, { deep, now });
const failedChecks = (findings: Finding[]): string[] => findings.filter(({ ok }) => !ok).map(({ check }) => check);
const databaseOf = (folder: string) => join(folder, "tallylight.db");

/** Every file's name, size, mode and modification time. */
const stateOf = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const { size, mode, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mode} ${mtimeMs}`;
  });

function change(folder: string, sql: string): void {
  const database = new Database(databaseOf(folder));
  database.pragma("foreign_keys = OFF");
  database.exec(sql);
  database.close();
}

const mediaFile = (folder: string): string => {
  const database = new Database(databaseOf(folder));
  const sha256 = database.prepare("SELECT sha256 FROM media ORDER BY sha256").pluck().get() as string;
  database.close();
  return join(folder, "media", sha256.slice(0, 2), sha256);
};

/** The result of a query of the database, or of a copy next to it. */
function count(sql: string, name = "tallylight.db"): number {
  const database = new Database(join(folder, name), { readonly: true });
  const figure = database.prepare(sql).pluck().get() as number;
  database.close();
  return figure;
}

/** Creates rows that an index does not contain, by hiding the index from SQLite while they are written. */
function withoutIndexEntry(folder: string): void {
  const database = new Database(databaseOf(folder));
  database.unsafeMode(true);
  database.pragma("writable_schema = ON");
  const index = database.prepare("SELECT * FROM sqlite_schema WHERE name = 'nodes_kind'").get();
  database.exec("DELETE FROM sqlite_schema WHERE name = 'nodes_kind'");
  database.close();
  change(folder, "UPDATE nodes SET kind = 'other' WHERE id = (SELECT max(id) FROM nodes WHERE kind <> 'scene')");
  const again = new Database(databaseOf(folder));
  again.unsafeMode(true);
  again.pragma("writable_schema = ON");
  again.prepare("INSERT INTO sqlite_schema VALUES (:type, :name, :tbl_name, :rootpage, :sql)").run(index);
  again.close();
}

let folder = "";
const doctor = suite("doctor");
doctor.before.each(async () => {
  folder = await demoFolder();
});
doctor.after.each(() => rmSync(folder, { recursive: true }));

doctor("finds nothing in a valid directory, and changes nothing in it", async () => {
  const before = stateOf(folder);
  assert.equal(failedChecks(await inspected(folder, true)), []);
  assert.equal(stateOf(folder), before);
});

doctor("finds nothing while a server runs", async () => {
  const app = openApp({ data: folder });
  assert.equal(failedChecks(await inspected(folder, true)), []);
  app.close();
});

doctor("finds media without bytes, media with other bytes, and files without a row", async () => {
  const file = mediaFile(folder);
  const bytes = readFileSync(file);
  writeFileSync(
    file,
    bytes.map((byte) => byte ^ 1),
  );
  assert.equal(failedChecks(await inspected(folder)), []);
  assert.equal(failedChecks(await inspected(folder, true)), ["checksums"]);
  writeFileSync(file, bytes.subarray(1));
  assert.equal(failedChecks(await inspected(folder)), ["media_rows"]);
  rmSync(file);
  assert.equal(failedChecks(await inspected(folder)), ["media_rows"]);
  writeFileSync(file, bytes);
  writeFileSync(join(folder, "media", "readme"), "x");
  writeFileSync(join(folder, "media", "staging", "server-1"), "x");
  assert.equal(failedChecks(await inspected(folder)), ["media_files", "staging"]);
});

doctor("finds a dangling reference, a changed schema and a clock that is behind", async () => {
  change(folder, "UPDATE strips SET node_id = 999999 WHERE node_id = (SELECT min(node_id) FROM strips)");
  change(folder, "CREATE TABLE mine (x)");
  assert.equal(failedChecks(await inspectData(folder, { deep: false, now: Date.parse(importedAt) - 3_600_000 })), [
    "references",
    "schema",
    "clock",
  ]);
});

doctor("reports a full disk if less space is free than uploads must leave", async () => {
  const found = async (reserve: number) => failedChecks(await inspectData(folder, { deep: false, now, reserve }));
  const { bavail, bsize } = statfsSync(folder);
  assert.equal(await found(2 ** 60), ["space"]);
  assert.equal(await found(bavail * bsize - 1024), ["space"], "an upload needs space in addition to the reserve");
  assert.equal(await found(0), []);
});

doctor("finds a corrupted page and writes nothing", async () => {
  const bytes = readFileSync(databaseOf(folder));
  for (let page = 8; page < 24; page++) bytes.fill(0xa5, page * 4096 + 200, page * 4096 + 3000);
  writeFileSync(databaseOf(folder), bytes);
  const findings = failedChecks(await inspected(folder));
  assert.ok(findings.includes("integrity") || findings.includes("database"), findings.join());
  assert.equal(readFileSync(databaseOf(folder)), bytes);
});

doctor("reports a file that is not a database as a finding", async () => {
  writeFileSync(databaseOf(folder), "this is no database".repeat(400));
  assert.equal(failedChecks(await inspected(folder)), ["database"]);
});

doctor("repair fixes what is safe to fix, and keeps files without a row", async () => {
  writeFileSync(join(folder, "secrets.json"), "{}");
  chmodSync(join(folder, "secrets.json"), 0o644);
  writeFileSync(join(folder, "media", "stray"), "mine");
  writeFileSync(join(folder, "media", "staging", "server-1"), "x");
  withoutIndexEntry(folder);
  const findings = await inspected(folder);
  assert.equal(failedChecks(findings), ["integrity", "media_files", "staging", "permissions"]);
  assert.is((await repairData(folder, findings)).length, 4);
  assert.equal(failedChecks(await inspected(folder)), []);
  assert.is(readFileSync(join(folder, "found", "stray"), "utf8"), "mine");
});

doctor("takes settings that are a link to a file of root which the user of the directory may read", async () => {
  const settings = join(temporaryFolder(), "config.json");
  writeFileSync(settings, "{}");
  if (process.getuid?.() === 0) chownSync(settings, 1, 0);
  execFileSync("ln", ["-s", settings, join(folder, "config.json")]); // Deno makes no links without further permissions
  chmodSync(settings, 0o640);
  assert.equal(failedChecks(await inspected(folder)), []);
  chmodSync(settings, 0o644);
  assert.equal(failedChecks(await inspected(folder)), ["permissions"]);
});

const itemsOf = async (check: string) => (await inspected(folder)).find((found) => found.check === check)?.items ?? [];
const repaired = async () => repairData(folder, await inspected(folder));

doctor("a row that lost its owner is named by its key, in any table", async () => {
  change(
    folder,
    "DELETE FROM shoot_days WHERE id = 2; UPDATE approval_steps SET decided_by_person_id = 777 WHERE approval_id = 1 AND position = 1",
  );
  const items = await itemsOf("references");
  assert.ok(
    items.includes(
      "strips with shoot_day_id 2, position 1: shoot_day_id 2 does not exist in shoot_days in production 1",
    ),
  );
  assert.ok(
    items.includes(
      "approval_steps with approval_id 1, position 1: decided_by_person_id 777 does not exist in people in production 1",
    ),
  );
});

doctor("repair copies the database, removes rows that mean nothing without their owner, and lists them", async () => {
  change(folder, "DELETE FROM shoot_days WHERE id = 2; DELETE FROM engagements WHERE id = 3");
  const strips = count("SELECT count(*) FROM strips WHERE shoot_day_id = 2");
  const repairs = await repaired();
  assert.is(repairs[0], "copied the database to tallylight.db.before-repair-1");
  assert.is(repairs.filter((deed) => deed.startsWith("removed strips with shoot_day_id 2")).length, strips);
  assert.ok(
    repairs.some((deed) =>
      /^removed grants with id \d+: its engagement_id 3 does not exist in engagements$/.test(deed),
    ),
  );
  assert.is(count("SELECT count(*) FROM strips WHERE shoot_day_id = 2"), 0);
  assert.is(count("SELECT count(*) FROM strips WHERE shoot_day_id = 2", "tallylight.db.before-repair-1"), strips);
  assert.is(statSync(join(folder, "tallylight.db.before-repair-1")).mode & 0o777, 0o600);
});

doctor("repair does not change what people made, nor anything that is uncertain", async () => {
  change(
    folder,
    `DELETE FROM nodes WHERE id = (SELECT node_id FROM versions WHERE id = 1);
UPDATE strips SET production_id = 2 WHERE shoot_day_id = 3;`,
  );
  const before = ["versions", "media", "notes", "strips"].map((table) => count(`SELECT count(*) FROM ${table}`));
  const [strip = ""] = (await itemsOf("references")).filter((item) => item.startsWith("strips with shoot_day_id 3"));
  assert.match(strip, /does not exist in \w+ in production 2$/);
  assert.ok((await repaired()).some((deed) => deed.startsWith("removed node_links with")));
  assert.equal(
    ["versions", "media", "notes", "strips"].map((table) => count(`SELECT count(*) FROM ${table}`)),
    before,
  );
  assert.ok((await itemsOf("references")).some((item) => item.startsWith("versions with id 1: node_id")));
  assert.equal(await repaired(), [], "nothing else is certain, and no second copy is made");
  assert.not.ok(existsSync(join(folder, "tallylight.db.before-repair-2")));
});

doctor(
  "repair removes no row while the database is damaged or its schema changed, because the owner may exist",
  async () => {
    change(folder, "DELETE FROM shoot_days WHERE id = 2");
    withoutIndexEntry(folder);
    assert.equal(await repaired(), ["rebuilt the indexes"]);
    change(folder, "CREATE TABLE mine (x)");
    assert.equal(await repaired(), []);
    change(folder, "DROP TABLE mine; DROP TABLE vendors");
    assert.equal(await repaired(), []);
    assert.ok(
      (await itemsOf("references")).some((item) =>
        /^\d+ rows of engagements refer to rows that do not exist in vendors$/.test(item),
      ),
    );
  },
);

doctor("thousands of broken rows are counted, and a hundred of each kind are named", async () => {
  change(
    folder,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO node_links SELECT 1, 1000000 + i, 2000000 + i FROM n`,
  );
  const items = await itemsOf("references");
  assert.is(items.length, 202);
  assert.is(items[100], "2900 more rows of node_links refer to rows that do not exist in nodes");
  const repairs = await repaired();
  assert.equal([repairs.length, repairs.at(-1)], [102, "removed 2900 more rows of node_links without a row in nodes"]);
  assert.equal(failedChecks(await inspected(folder)), []);
});

doctor("repair is refused while a server uses the directory", async () => {
  const app = openApp({ data: folder });
  const refused = await repairData(folder, []).catch((error: Error) => error.message);
  assert.match(String(refused), "another Tallylight server");
  app.close();
});

doctor("a large write-ahead log is a finding, which says what merges it", async () => {
  const data = await demoFolder();
  writeFileSync(`${databaseOf(data)}-wal`, "");
  truncateSync(`${databaseOf(data)}-wal`, 257 * 2 ** 20);
  const findings = await inspectData(data, { deep: false, now });
  assert.match(findings.find(({ check }) => check === "journal")?.detail ?? "", /restart the server/);
});

const migrating = suite("a migration");
const step = (name: string, text: string): Migration => ({ name, text, sha256: name });
const older = [step("0001_first.sql", "CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT")];

migrating("that fails leaves the file unchanged", () => {
  const place = temporaryFolder();
  const file = join(place, "a.db");
  const database = new Database(file);
  migrate(database, older);
  assert.throws(() => migrate(database, [...older, step("0002_bad.sql", "CREATE TABLE more (x); SELECT nonsense()")]));
  assert.is(database.pragma("user_version", { simple: true }), 1);
  assert.equal(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'more'").all(), []);
  database.close();
  rmSync(place, { recursive: true });
});

migrating(
  "a server that is never restarted removes the copies beside the database after 30 days, also of a replica, and not because of a jump of the clock",
  async () => {
    for (const replica of [false, true]) {
      const data = await demoFolder();
      const began = Date.now();
      if (replica) writeReplicaRecord(data, { synced_at: new Date(began).toISOString(), source: "box-a:/data" });
      const kinds = ["before-schema-7", "before-repair-1", "before-0a1b2c3d", "after-schema-8", "before-schema-9.part"];
      const copies = kinds.map((kind) => `${databaseOf(data)}.${kind}`);
      for (const copy of [...copies, `${databaseOf(data)}.mine`]) writeFileSync(copy, "");
      const left = () => copies.filter((copy) => existsSync(copy)).length;
      const day = 86_400_000;
      let [clock, running] = [began, 0];
      const app = openApp({
        data,
        openCopy: replica ? openCopy : undefined,
        clock: () => clock,
        running: () => running,
        notice: () => {},
      });
      sweepCopies(app); // as a server does when it starts
      clock += 400 * day;
      sweepCopies(app);
      assert.is(left(), copies.length);
      clock = began;
      sweepCopies(app);
      [clock, running] = [began + 31 * day, 31 * day];
      sweepCopies(app);
      assert.is(left(), 0);
      assert.ok(existsSync(`${databaseOf(data)}.mine`));
      app.close();
    }
  },
);

doctor.run();
migrating.run();
