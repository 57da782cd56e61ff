// kill -9 during undos of 2,000 changes, before the commit, at any moment and as soon as it is committed: an undo is
// stored as a whole, with its change set and its mark, or not at all, and what is not undone can be undone. ROUNDS=20
// kills 20 times.
// Thorough: only --all runs it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
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

const token = opened((store) => mint(store, { production_id: 1, scopes: ["admin"] }));

async function post(url: string, path: string, body?: object): Promise<{ change_set: number }> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
  const response = await fetch(`${url}/api/v1/admin${path}`, {
    method: "POST",
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.is(response.status, 200, await response.clone().text());
  return (await response.json()) as { change_set: number };
}

const people = (role: string) => ({
  people: Array.from({ length: changes }, (_, at) => ({ name: `Extra ${at}`, role })),
});

const moments = ["any", "before", "after"] as const;

/** Resolves once the undo of a change set is in the database. */
async function committed(id: number): Promise<void> {
  const store = openStore(join(folder, "tallylight.db"));
  const mark = store.database.prepare("SELECT undone_by FROM change_sets WHERE id = ?").pluck();
  while (mark.get(id) === null) await pause(1);
  store.close();
}

const test = suite("kill -9 during undos");

test(`${rounds} times: all or nothing`, async () => {
  let [stored, isLeft] = [0, false];
  for (let round = 1; round <= rounds; round++) {
    const { url, kill } = await startKillable(folder);
    await post(url, "/import", people("before"));
    const { change_set: id } = await post(url, "/import", people(`round ${round}`));
    const moment = moments[round % moments.length];
    const lock = moment === "before" ? new Database(join(folder, "tallylight.db")) : undefined;
    lock?.exec("BEGIN IMMEDIATE"); // nothing is committed while it is held
    let isAnswered = false;
    const undone = post(url, `/history/${id}/undo`).then(
      () => {
        isAnswered = true;
      },
      () => undefined,
    );
    if (moment === "after") await committed(id);
    else await pause(random() * 2_000);
    await kill();
    await undone;
    lock?.close();
    opened(({ database }) => {
      const roles = database.prepare("SELECT DISTINCT role FROM people WHERE name LIKE 'Extra %'").pluck().all();
      assert.is(roles.length, 1, `round ${round} left a mixture: ${roles}`);
      const isUndone = roles[0] === "before";
      if (isAnswered || moment === "after") assert.ok(isUndone, "a committed undo is stored");
      if (moment === "before") assert.not.ok(isUndone, "an undo that is not committed is not stored");
      const mark = database.prepare("SELECT undone_by FROM change_sets WHERE id = ?").pluck().get(id);
      const own = database.prepare("SELECT id FROM change_sets WHERE undoes = ?").pluck().get(id);
      assert.equal([mark ?? undefined, own !== undefined], [own, isUndone]);
      assert.is(database.pragma("integrity_check", { simple: true }), "ok");
      if (isUndone) stored++;
      isLeft = !isUndone;
    });
    if (!isLeft) continue;
    const next = await startKillable(folder);
    await post(next.url, `/history/${id}/undo`);
    await next.kill();
    opened(({ database }) =>
      assert.equal(database.prepare("SELECT DISTINCT role FROM people WHERE name LIKE 'Extra %'").pluck().all(), [
        "before",
      ]),
    );
  }
  process.stdout.write(`\n    ${stored} of ${rounds} undos stored\n`);
});

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
