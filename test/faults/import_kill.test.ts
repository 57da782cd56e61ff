// kill -9 during imports of 2,000 changes next to 8 writing clients: an import is stored as a whole or not at all, and
// no acknowledged write is lost. ROUNDS=20 kills 20 times.
// Thorough: only --all runs it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import type { Store } from "../../src/core/store/store.ts";
import { demoFolder, mint } from "../support/app.ts";
import { startKillable } from "../support/killable_server.ts";
import { randomOf, seed } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";

const random = randomOf(seed);
const rounds = roundsOf(6);
const clients = 8;
const changes = 2_000;
const folder = await demoFolder();

function opened<T>(work: (store: Store) => T): T {
  const store = openStore(join(folder, "tallylight.db"));
  try {
    return work(store);
  } finally {
    store.close();
  }
}

const token = opened((store) => mint(store, { production_id: 1, scopes: ["read", "write", "admin"] }));

async function post(url: string, path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.is(response.status, 200, await response.clone().text());
  return response.json();
}

/** Writes until the server is gone. Returns the labels of the acknowledged assets. */
async function writeUntilGone(url: string, name: string): Promise<string[]> {
  const done: string[] = [];
  for (let at = 0; ; at++) {
    const label = `${name} ${at}`;
    try {
      await post(url, "/assets", { label });
    } catch {
      return done;
    }
    done.push(label);
  }
}

const document = (round: number) => ({
  people: Array.from({ length: changes }, (_, at) => ({ name: `Extra ${at}`, role: `round ${round}` })),
});

const test = suite("kill -9 during imports");

test(`${rounds} times: all or nothing, and nothing acknowledged is lost`, async () => {
  const acknowledged: string[] = [];
  let stored = 0;
  for (let round = 1; round <= rounds; round++) {
    const { url, kill } = await startKillable(folder);
    const writers = Array.from({ length: clients }, (_, at) => writeUntilGone(url, `asset ${round}.${at}`));
    const imported = post(url, "/admin/import", document(round)).then(
      () => true,
      () => false,
    );
    await pause(random() * 3_000);
    await kill();
    acknowledged.push(...(await Promise.all(writers)).flat());
    const answered = await imported;
    opened(({ database }) => {
      const roles = database
        .prepare("SELECT role, count(*) AS n FROM people WHERE name LIKE 'Extra %' GROUP BY role")
        .all();
      const [{ role, n } = { role: undefined, n: changes }] = roles as { role?: string; n: number }[];
      assert.ok(roles.length <= 1, `round ${round} left a mixture: ${JSON.stringify(roles)}`);
      assert.is(n, changes);
      if (answered) assert.is(role, `round ${round}`);
      if (role === `round ${round}`) stored++;
      const events = database
        .prepare("SELECT count(*) FROM events WHERE type LIKE 'person.%' AND data LIKE ?")
        .pluck()
        .get(`%"to":"round ${round}"%`);
      assert.is(events, role === `round ${round}` ? changes : 0, `the events of round ${round}`);
      assert.is(database.pragma("integrity_check", { simple: true }), "ok");
    });
  }
  const labels = opened(({ database }) => new Set(database.prepare("SELECT label FROM nodes").pluck().all()));
  assert.equal(
    acknowledged.filter((label) => !labels.has(label)),
    [],
  );
  process.stdout.write(`\n    ${acknowledged.length} acknowledged writes, ${stored} of ${rounds} imports stored\n`);
});

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
