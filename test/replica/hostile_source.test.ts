// tallylight follow from a source that is broken or hostile: the former copy stays, nothing else is written, and a
// sentence says why.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { epoch, epochsOf } from "../../src/core/store/database_mark.ts";
import { freeBytes } from "../../src/core/store/disk_space.ts";
import { closing } from "../../src/core/store/files.ts";
import { run } from "../../src/features/replica/copying.ts";
import { promote } from "../../src/features/replica/promotion.ts";
import { demoFolder } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isThorough } from "../support/proportion.ts";
import { canCopy, copier, followUntil, mediaOf, replicaFolder, skipped } from "../support/replication.ts";
import { runtime } from "../support/runtime.ts";
import { until } from "../support/until.ts";

const file = (folder: string): string => join(folder, "tallylight.db");
const epochOf = (folder: string): string => closing(openStore(file(folder)), epoch);
const identity = (database: Database.Database): string | undefined => epochsOf(database)[0];
/** Puts another database in the place of the source's. */
function replaceDatabase(source: string, make: () => void): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file(source)}${suffix}`, { force: true });
  make();
}

const following = suite(`a hostile or broken source${skipped}`);
const test = canCopy ? following : following.skip;

test("that has another database, or none of Tallylight's, does not overwrite the copy, also under a reader", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  await followUntil(source, data, 1);
  const reader = new Database(file(data), { readonly: true });
  const titles = () => reader.prepare("SELECT title FROM productions ORDER BY id").pluck().all();
  const [before, former] = [titles(), epochOf(source)];
  const another = temporaryFolder();
  openStore(file(another)).close();
  const cases: [() => void, RegExp][] = [
    [() => renameSync(file(another), file(source)), /has another database \(\w{8}\), and the copy is of \w{8}/],
    [
      () => closing(new Database(file(source)), (other) => other.exec("CREATE TABLE t (a)")),
      /has no database of Tallyl/,
    ],
    [() => writeFileSync(file(source), "no database ".repeat(4_000)), /file is not a database/],
    [() => writeFileSync(file(source), ""), /has no bytes/],
  ];
  for (const [make, sentence] of cases) {
    replaceDatabase(source, make);
    const { reported } = await followUntil(source, data, 2); // again, too
    for (const line of reported) assert.match(line, sentence);
    assert.equal(titles(), before);
    assert.not.ok(existsSync(join(data, "tallylight.db.former")));
  }
  reader.close();
  rmSync(join(data, "replica.json")); // so that it may be opened
  assert.is(epochOf(data), former);
});

test("that has another database when the follower is killed does not take the former copy with it", async () => {
  const [source, data, another] = [await demoFolder(), replicaFolder(), temporaryFolder()];
  await followUntil(source, data, 1);
  const former = epochOf(source);
  openStore(file(another)).close();
  replaceDatabase(source, () => renameSync(file(another), file(source)));
  const killing = join(temporaryFolder(), "copier");
  writeFileSync(killing, `#!/bin/sh\n${copier} "$@"\nkill -9 $PPID\n`, { mode: 0o700 });
  const now = () => closing(new Database(file(data), { readonly: true }), identity);
  const killFollower = async () => {
    const script = fileURLToPath(new URL("../support/follower_process.ts", import.meta.url));
    const child = spawn(process.execPath, [...runtime, script, source, data, killing], { stdio: "inherit" });
    await new Promise((resolve) => child.once("exit", resolve));
    assert.is(now(), former, "what comes is checked before it takes the place of the copy");
  };
  await killFollower();
  assert.match((await followUntil(source, data, 1)).reported[0] as string, /and the copy is of \w{8}, so the former/);
  assert.is(now(), former);
  await killFollower();
  await promote({ data, damaged: false });
  assert.is(now(), former);
});

test("that has none of Tallylight's databases for a first copy, or lacks a table, is told in a sentence", async () => {
  const [source, data] = [temporaryFolder(), replicaFolder()];
  closing(new Database(file(source)), (other) => other.exec("CREATE TABLE t (a)"));
  assert.match((await followUntil(source, data, 1)).reported[0] as string, /has no database of Tallylight$/);
  const broken = await demoFolder();
  closing(new Database(file(broken)), (other) => other.exec("PRAGMA foreign_keys = OFF; DROP TABLE blobs"));
  assert.match((await followUntil(broken, data, 1)).reported[0] as string, /no such table/);
});

test("that has other bytes than a medium's name says, or larger ones, or a directory: it is missing, and the rest comes", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const [damaged = "", large = "", folder = ""] = [...new Set(mediaOf(source))];
  const size = statSync(join(source, damaged)).size;
  for (const name of [damaged, large]) chmodSync(join(source, name), 0o600);
  writeFileSync(join(source, damaged), Buffer.alloc(size));
  writeFileSync(join(source, large), Buffer.alloc(100_000_000));
  rmSync(join(source, folder));
  mkdirSync(join(source, folder));
  const { reported } = await followUntil(source, data, 2, {});
  assert.match(reported[0] as string, / 3$/);
  assert.is(reported[1], "copied 0 3");
  for (const name of [damaged, large, folder]) assert.not.ok(existsSync(join(data, name)), name);
});

test("whose database names media outside media/ writes nothing there", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  writeFileSync(join(source, "secrets.json"), "of the source");
  closing(new Database(file(source)), (database) => {
    database.pragma("foreign_keys = OFF");
    database.pragma("ignore_check_constraints = ON");
    database.exec(`UPDATE media SET sha256 = '../secrets.json' WHERE id = (SELECT min(id) FROM media);
      INSERT INTO blobs (sha256, size, content_type, created_at)
        SELECT '../secrets.json', 13, content_type, created_at FROM blobs LIMIT 1`);
  });
  assert.match((await followUntil(source, data, 1)).reported[0] as string, /names the medium .*, which is no SHA-256/);
  assert.not.ok(existsSync(join(data, "secrets.json")));
});

test("does not make the log of the copy grow while a server reads it", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  await followUntil(source, data, 1);
  const reader = new Database(file(data), { readonly: true });
  const sizes: number[] = [];
  for (let at = 0; at < 8; at++) {
    const primary = new Database(file(source));
    primary.exec(`UPDATE productions SET title = 'Title ${at}' WHERE id = 1`);
    primary.close();
    await followUntil(source, data, 1);
    assert.is(reader.prepare("SELECT title FROM productions WHERE id = 1").pluck().get(), `Title ${at}`);
    sizes.push(statSync(`${file(data)}-wal`).size);
  }
  reader.close();
  assert.ok((sizes.at(-1) as number) <= 2 * (sizes[1] as number), sizes.join(", "));
});

const copying = suite("a program that copies");
const { signal } = new AbortController();

copying("and writes files without end is ended before the disk is full", async () => {
  const folder = temporaryFolder();
  const reserve = freeBytes(folder) - 30_000_000;
  const script = 'while :; do head -c 1000000 /dev/zero >>"$0"; sleep 0.01; done';
  const of = { folder, reserve, signal };
  const error = await run("sh", ["-c", script, join(folder, "all")], of).catch((error: Error) => error);
  assert.match(`${error?.message}`, /^sh was ended, because it nearly filled the disk of /);
});

copying(
  "and writes without end is read to its end, and only the beginning of it is kept, without control characters",
  async () => {
    const most = isThorough ? 600_000_000 : 6_000_000; // more than a text may have, or than is kept
    const script = `printf 'one\\033[2J\\n' >&2; head -c ${most} /dev/zero >&2; exit 3`;
    try {
      await run("sh", ["-c", script], { folder: temporaryFolder(), signal });
      assert.unreachable("it failed");
    } catch (error) {
      assert.match((error as Error).message, /^sh failed \(3\): one \[2J;/);
      assert.ok((error as Error).message.length < 600);
    }
  },
);

copying("and whose connection hangs is ended without waiting for the connection", async () => {
  const folder = temporaryFolder();
  const [stop, pid] = [new AbortController(), join(folder, "pid")];
  const script = 'sleep 600 & echo $! >"$0.new"; mv "$0.new" "$0"; wait'; // as ssh, it holds the pipes of the program
  const copy = run("sh", ["-c", script, pid], { folder, signal: stop.signal }).catch((error: Error) => error.message);
  await until(() => existsSync(pid));
  stop.abort(new Error("promoted"));
  assert.is(await copy, "promoted");
  assert.ok(process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL"), "the connection was still there");
});

following.run();
copying.run();
