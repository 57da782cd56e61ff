// kill -9 as soon as an import or a decision with an Idempotency-Key is committed, before the client has its response:
// the repeat gets the stored response and executes nothing. ROUNDS=200 kills 200 times.
// Thorough: only --all runs it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { demoFolder, mint } from "../support/app.ts";
import { startKillable } from "../support/killable_server.ts";
import { roundsOf } from "../support/rounds.ts";

const rounds = roundsOf(6);
const folder = await demoFolder();
const store = openStore(join(folder, "tallylight.db"));
const token = mint(store, { production_id: 1, scopes: ["read", "admin"] });
/** Each change of the requests below has one entry. */
const entries = () => store.database.prepare("SELECT count(*) FROM activity").pluck().get();

function send(url: string, path: string, body: object, idempotency: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "idempotency-key": idempotency,
  };
  return fetch(`${url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** The path and the body of a request that changes the production. */
function requestOf(round: number): [path: string, body: object] {
  const change = store.database
    .prepare("SELECT id FROM script_changes WHERE production_id = 1 AND status = 'pending'")
    .pluck()
    .get();
  if (round % 2 === 1 && change !== undefined) return [`/script-changes/${change}/decide`, { decision: "dismissed" }];
  return ["/admin/import", { people: [{ name: `Extra ${round}`, role: "Stand-in" }] }];
}

const test = suite("kill -9 between the commit and the response");

test(`${rounds} times: the repeat gets the stored response`, async () => {
  for (let round = 0; round < rounds; round++) {
    const [path, body] = requestOf(round);
    const before = entries();
    const server = await startKillable(folder);
    let gone = false;
    const sent = send(server.url, path, body, `round-${round}`)
      .then(
        async (response) => `${response.status} ${await response.text()}`,
        () => undefined,
      )
      .finally(() => {
        gone = true;
      });
    while (!gone && entries() === before) await new Promise((resolve) => setImmediate(resolve));
    await server.kill();
    const answer = await sent;
    const after = entries();
    assert.is.not(after, before, `round ${round} changed nothing: ${answer}`);
    const next = await startKillable(folder);
    const repeat = await send(next.url, path, body, `round-${round}`);
    const text = await repeat.text();
    assert.is(repeat.headers.get("idempotency-replayed"), "true", `${path}: ${repeat.status} ${text}`);
    if (answer !== undefined) assert.is(`${repeat.status} ${text}`, answer);
    assert.is(entries(), after);
    await next.kill();
  }
});

test.after(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});
test.run();
