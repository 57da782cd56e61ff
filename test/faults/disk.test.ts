// The disk is full during uploads and transactions, and a directory is read-only: acknowledged writes are stored, refused ones
// leave nothing, and everything works when there is space again. Needs a small disk, which only root can mount.
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inspectData } from "../../src/store/inspection.ts";
import { assertRefused, demoFolder, mint, one, openTestServer, type TestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small_disk.ts";

const rounds = Number(process.env.ROUNDS ?? 4);
const disk = mountSmallDisk(12);
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
      fill(40_000 + ((round * 52_711) % 400_000));
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
      assert.equal(readdirSync(join(folder, "media", "staging")), []);
      assert.is(
        readdirSync(join(folder, "media"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
          .length,
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

check("a read-only directory is refused with one sentence, and its data is still there afterwards", async () => {
  const { remount } = disk as SmallDisk; // the case is skipped without it
  for (let round = 0; round < rounds; round++) {
    const { server, token } = await opened();
    const write = (label: string) =>
      server.ask(token, "/api/v1/assets", {
        method: "POST",
        body: JSON.stringify({ label }),
        headers: { "content-type": "application/json" },
      });
    assert.is((await write(`before ${round}`)).status, 200);
    await server.close();
    remount("ro");
    try {
      assert.unreachable(String(await openTestServer({ data: folder })));
    } catch (error) {
      assert.match((error as Error).message, /cannot be written|cannot be opened for writing/);
    } finally {
      remount("rw");
    }
    const again = await opened();
    assert.is(one(again.server.store, "SELECT count(*) FROM nodes WHERE label = ?", `before ${round}`), 1);
    await again.server.close();
  }
});

faults.after(() => disk?.close());
faults.run();
