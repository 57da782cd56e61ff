// The disk is full during uploads and transactions, and a directory is read-only: acknowledged writes are stored,
// refused ones leave nothing, and everything works when there is space again. Needs a small disk, which only root can
// mount.
// Thorough: only --all runs it.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startServer } from "../../src/core/server.ts";
import { markName } from "../../src/core/store/database_mark.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import {
  assertRefused,
  demoFolder,
  mint,
  one,
  openTestServer,
  type TestServer,
  temporaryFolder,
} from "../support/app.ts";
import { addressOf, answerOf, launch, tallylight } from "../support/command.ts";
import { jpeg } from "../support/jpeg.ts";
import { roundsOf } from "../support/rounds.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small_disk.ts";
import { until } from "../support/until.ts";
import { validated } from "../support/validated_fetch.ts";

const rounds = roundsOf(4);
const disk = mountSmallDisk(32);
const folder = join(disk?.folder ?? "", "data");
const faults = suite(
  disk
    ? "a disk that is full or read-only"
    : "a disk that is full or read-only: skipped, this user is not allowed to mount one",
);
const check = disk ? faults : faults.skip;

async function opened(): Promise<{ server: TestServer; token: string; node_id: number }> {
  const server = await openTestServer({ data: folder, environment: { TALLYLIGHT_DISK_RESERVE: "0" } });
  const token = mint(server.store);
  return {
    server,
    token,
    node_id: one(server.store, "SELECT id FROM nodes WHERE production_id = 1 AND kind <> 'scene'"),
  };
}

check(
  "acknowledged writes are stored, refused ones leave nothing, and writing continues when there is space again",
  async () => {
    const { fill, empty } = disk as SmallDisk; // the case is skipped without it
    cpSync(await demoFolder(), folder, { recursive: true });
    const { server, token, node_id } = await opened();
    const { store } = server;
    let [storedCount, refusals] = [0, 0];
    const post = (path: string, init: RequestInit) => server.ask(token, `/api/v1${path}`, { method: "POST", ...init });
    const makeAsset = (label: string) =>
      post("/assets", {
        body: JSON.stringify({ label, department: undefined }),
        headers: { "content-type": "application/json" },
      });
    const uploadVersion = (label: string, size: number) => {
      const form = new FormData();
      form.append("file", new Blob([jpeg(8, 8), new Uint8Array(size), label]), label);
      return post(`/assets/${node_id}/versions`, { body: form });
    };
    for (let round = 0; round < rounds; round++) {
      fill(60_000 + ((round * 152_711) % 900_000));
      const outcomes = new Map<string, boolean>();
      for (let number = 0; number < 60; number++) {
        const label = `d${round}-${number}${"x".repeat(number % 3 === 0 ? 280 - 10 : 0)}`;
        const response =
          number % 2 === 0 ? await makeAsset(label) : await uploadVersion(label, (number * 7919) % 90_000);
        if (response.status === 200) await response.body?.cancel();
        else await assertRefused(response, 507);
        outcomes.set(label, response.status === 200);
      }
      empty();
      for (const [label, acknowledged] of outcomes) {
        const rows = one(
          store,
          "SELECT (SELECT count(*) FROM nodes WHERE label = :label) + (SELECT count(*) FROM media WHERE label = :label)",
          { label },
        );
        assert.is(rows, acknowledged ? 1 : 0, `${label} was ${acknowledged ? "" : "not "}acknowledged`);
        acknowledged ? storedCount++ : refusals++;
      }
      assert.is((await makeAsset(`room again ${round}`)).status, 200);
      await until(() => readdirSync(join(folder, "media", "staging")).length === 0);
      assert.is(
        readdirSync(join(folder, "media"), { recursive: true, withFileTypes: true }).filter(
          (entry) => entry.isFile() && entry.name !== markName,
        ).length,
        one(store, "SELECT count(*) FROM blobs"),
      );
      store.writeSync(() =>
        store.database.exec(
          "DELETE FROM media WHERE label LIKE 'd%-%'; DELETE FROM versions WHERE note IS NULL AND id NOT IN (SELECT version_id FROM media WHERE version_id IS NOT NULL) AND variant = 'On-Set'",
        ),
      );
      server.blobs.sweep();
    }
    assert.ok(refusals >= rounds && storedCount >= rounds, `${storedCount} stored, ${refusals} refused`);
    await server.close();
    const findings = await inspectData(folder, { deep: true, now: Date.now() });
    assert.equal(
      findings.filter(({ ok, check }) => !ok && check !== "space"),
      [],
    );
  },
);

/** The answer of /healthz without a key. */
async function health(server: TestServer): Promise<{ status: number; body: any }> {
  const response = await server.ask(undefined, "/healthz");
  return { status: response.status, body: await response.json() };
}

const writing = (label: string) => ({
  method: "POST",
  body: JSON.stringify({ label }),
  headers: { "content-type": "application/json" },
});

check("/healthz says that a disk is full, and that it has space again", async () => {
  const { fill, empty } = disk as SmallDisk; // the case is skipped without it
  const { server, token } = await opened();
  const { body } = await health(server);
  assert.equal([body.ok, typeof body.version, typeof body.epoch, body.writable], [true, "string", "string", undefined]);
  fill(0);
  assert.equal((await health(server)).body, { ...body, writable: false, reason: "the disk is full" });
  assert.is((await server.ask(token, "/api/v1/production")).status, 200);
  empty();
  assert.equal(await health(server), { status: 200, body });
  await server.close();
});

/** Starts a server where nothing can be written. The test's own store would write. */
async function openUnwritable() {
  const notices: string[] = [];
  const options = { host: "127.0.0.1", port: 0, log: () => {}, environment: {} };
  const notice = (sentence: string) => void notices.push(sentence);
  const server = await startServer({ ...options, data: folder, notice });
  const ask = async (token: string | undefined, path: string, init: RequestInit = {}) =>
    validated(
      path,
      init,
      await fetch(server.url + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
    );
  return { server, notices, ask };
}

check("a server starts on a read-only or full disk, serves every read, and refuses every write", async () => {
  const { remount, fill, empty } = disk as SmallDisk; // the case is skipped without it
  const cases = [
    {
      spoil: () => remount("ro"),
      mend: () => remount("rw"),
      status: 503,
      reason: /^the disk is read-only; `tallylight serve` writes again/,
    },
    { spoil: () => fill(0), mend: empty, status: 507, reason: /^the disk is full/ },
  ];
  for (const { spoil, mend, status, reason } of cases) {
    const { server: former, token, node_id } = await opened();
    const before = await (await former.ask(token, `/api/v1/assets/${node_id}`)).text();
    await former.close();
    spoil();
    try {
      const { server, notices, ask } = await openUnwritable();
      const { ok, writable, reason: said } = (await (await ask(undefined, "/healthz")).json()) as any;
      assert.equal([ok, writable], [true, false]);
      assert.match(said, reason);
      assert.match(notices[0] ?? "", /can only be read, because the disk is/);
      assert.is(await (await ask(token, `/api/v1/assets/${node_id}`)).text(), before);
      await assertRefused(await ask(token, "/api/v1/assets", writing("refused")), status);
      await server.close();
    } finally {
      mend();
    }
    const again = await opened();
    assert.is(one(again.server.store, "SELECT count(*) FROM nodes WHERE label = 'refused'"), 0);
    assert.is((await again.server.ask(token, "/api/v1/assets", writing("again"))).status, 200);
    await again.server.close();
  }
});

check("doctor, backup and export work on a read-only disk, with and without the log of a crash", async () => {
  const { remount } = disk as SmallDisk; // the case is skipped without it
  const elsewhere = temporaryFolder();
  for (const leaves of [[], ["tallylight.db-wal"], ["tallylight.db-wal", "tallylight.db-shm"]]) {
    const { server, token } = await opened();
    const label = `kept with ${leaves.length}`;
    assert.is((await server.ask(token, "/api/v1/assets", writing(label))).status, 200);
    const held = temporaryFolder();
    for (const name of leaves) cpSync(join(folder, name), join(held, name));
    cpSync(join(folder, "tallylight.db"), join(held, "tallylight.db"));
    await server.close();
    if (leaves.length > 0) cpSync(held, folder, { recursive: true });
    remount("ro");
    try {
      const doctor = await tallylight("doctor", "--data", folder);
      assert.match(doctor.out, /^ok {4}database: can be opened$/m, doctor.out);
      assert.not.match(doctor.out, /^ERROR (?!space)/m, doctor.out);
      const exported = await tallylight(
        "export",
        "--production",
        "1",
        "--out",
        join(elsewhere, `${leaves.length}`),
        "--data",
        folder,
      );
      assert.is(exported.status, 0, exported.err);
      assert.ok(readFileSync(/wrote (.*) and/.exec(exported.out)?.[1] ?? "", "utf8").includes(label));
      const refused = await tallylight("keys", "mint", "--production", "1", "--label", "x", "--data", folder);
      assert.is(refused.status, 1);
      assert.match(refused.err, /can only be read, because the disk is read-only/, refused.err);
      if (leaves.length !== 1) continue;
      const archive = join(elsewhere, "backup.tar");
      const backup = await tallylight("backup", archive, "--data", folder);
      assert.is(backup.status, 0, backup.err);
      assert.is((await tallylight("restore", archive, "--data", join(elsewhere, "restored"))).status, 0);
    } finally {
      remount("rw");
    }
  }
  rmSync(elsewhere, { recursive: true });
});

check("an import that the disk has no room for says so, of no server, and stores nothing", async () => {
  const { fill, empty } = disk as SmallDisk; // the case is skipped without it
  const people = Array.from({ length: 5_000 }, (_, at) => ({ name: `Extra ${at} ${"x".repeat(60)}`, role: "Extra" }));
  const file = join(temporaryFolder(), "people.json");
  writeFileSync(file, JSON.stringify({ people }));
  fill(300_000);
  try {
    const refused = await tallylight("import", file, "--production", "1", "--data", folder);
    assert.equal([refused.status, refused.out], [1, ""]);
    assert.is(refused.err, "the disk is full; nothing was stored\n");
  } finally {
    empty();
  }
  assert.is((await answerOf("list", "people", "--production", "1", "--data", folder)).length < 5_000, true);
});

check(
  "doctor --compact works where the rows that stay have space; on a full disk it removes old copies only",
  async () => {
    const { fill, empty } = disk as SmallDisk; // the case is skipped without it
    const file = join(folder, "tallylight.db");
    const database = new Database(file);
    database.exec("CREATE TABLE ballast (x); INSERT INTO ballast VALUES (randomblob(4000000)); DROP TABLE ballast");
    database.close();
    const copy = `${file}.before-schema-7`;
    writeFileSync(copy, Buffer.alloc(100_000));
    utimesSync(copy, 0, 0);
    const before = readFileSync(file);
    fill(0);
    const refused = await tallylight("doctor", "--compact", "--data", folder);
    assert.equal([refused.status, refused.out], [1, ""]);
    assert.match(
      refused.err,
      /^\S+ has \d+ bytes free, and compacting needs \d+; the database was not changed\nremoved .*before-schema-7/,
    );
    assert.equal([existsSync(copy), before.equals(readFileSync(file))], [false, true]);
    const [, needed] = /compacting needs (\d+)/.exec(refused.err) ?? [];
    fill(Number(needed) + 200_000);
    const { out } = await tallylight("doctor", "--compact", "--data", folder);
    assert.match(out, /^data directory .*\ncompacted the database from \d+ to \d+ bytes\nok/);
    assert.ok(before.length - statSync(file).size > 3_900_000);
    empty();
    assert.not.match((await tallylight("doctor", "--data", folder)).out, /^ERROR (?!space)/m);
  },
);

check("a server that starts on a full disk writes once there is space, at the same address", async () => {
  const { fill, empty } = disk as SmallDisk; // the case is skipped without it
  empty();
  rmSync(folder, { recursive: true, force: true });
  cpSync(await demoFolder(), folder, { recursive: true });
  const { token } = await answerOf("keys", "mint", "--production", "1", "--label", "late", "--data", folder);
  fill(0);
  const running = launch(["serve", "--data", folder, "--port", "0"], undefined, undefined, {
    TALLYLIGHT_DISK_RESERVE: "0",
  });
  const url = await addressOf(running);
  const health = async () => (await fetch(`${url}/healthz`)).json().catch(() => undefined);
  const before = (await health()) as { ok: boolean; writable?: boolean; reason?: string };
  assert.equal([before.ok, before.writable], [true, false]);
  assert.match(before.reason ?? "", /^the disk is full; `tallylight serve` writes again once/);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = () => fetch(`${url}/api/v1/assets`, { method: "POST", body: '{"label":"late"}', headers });
  assert.is((await post()).status, 507);
  empty();
  await until(async () => {
    const now = (await health().catch(() => undefined)) as { ok?: boolean; writable?: boolean } | undefined;
    return now?.ok === true && now.writable === undefined;
  });
  assert.is((await post()).status, 200);
  running.signal("SIGTERM");
  assert.is(await running.ended, 0, running.err());
});

faults.after(() => disk?.close());
faults.run();
