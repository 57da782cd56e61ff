// A corrupted page: doctor finds it, a backup refuses it, and a server with it reports it, stops writing, and never returns
// invalid data. Pages and bytes differ in every round.
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { backUp } from "../../src/features/backup/backup.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { demoFolder, mint, one, openTestServer } from "../support/app.ts";
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
        assert.equal(await health.json(), { ok: false, reason: "the database is damaged; restore a backup" });
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
