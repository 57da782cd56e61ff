// The clock steps back and forth under a running server: expired things are valid only as long as the clock says, live
// ones are never refused, every write is stored, and the server neither stops nor hangs.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ticketsOf } from "../../src/graph/tickets.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { roundsOf } from "../support/rounds.ts";

const rounds = roundsOf(20);
const start = Date.parse("2026-11-20T09:00:00.000Z");
const day = 86_400_000;
let now = start;
const server = await openTestServer({ clock: () => now });
const { store } = server;
const cacheable = mint(store);
const passing = mint(store, { expires_at: new Date(start + day).toISOString() });

const clock = suite("clock steps");

clock(`expiries follow the clock and every write is stored through ${rounds} steps back and forth`, async () => {
  let written = 0;
  for (let round = 0; round < rounds; round++) {
    now = start + [0, 2 * day, -400 * day, day - 1, day, 3_000 * day, -1, 60_000][round % 8]! + round;
    const live = now < start + day;
    for (let read = 0; read < 3; read++) {
      assert.is((await server.ask(cacheable, "/api/v1/production")).status, 200);
      assert.is(
        (await server.ask(passing, "/api/v1/production")).status,
        live ? 200 : 401,
        new Date(now).toISOString(),
      );
    }
    const { ticket, expires_at } = await server.get<{ ticket: string; expires_at: string }>(cacheable, "/media-ticket");
    assert.is(Date.parse(expires_at), now + ticketsOf(server.app).lifetime);
    const fetched = async () => (await fetch(`${server.url}/media/none?t=${ticket}`)).status;
    assert.is(await fetched(), 404);
    now += ticketsOf(server.app).lifetime;
    assert.is(await fetched(), 401);
    const init = {
      method: "POST",
      body: JSON.stringify({ label: `step ${round}` }),
      headers: { "content-type": "application/json" },
    };
    assert.is((await server.ask(cacheable, "/api/v1/assets", init)).status, 200);
    written++;
  }
  assert.is(one(store, "SELECT count(*) FROM nodes WHERE label LIKE 'step %'"), written);
  assert.is((await server.get<unknown[]>(cacheable, "/activity?limit=200")).length > 0, true);
});

clock.after(() => server.stop());
clock.run();
