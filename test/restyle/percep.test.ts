// POST /percep/session-token.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { environmentOf, openScriptedProvider, respond, shortPauses } from "../support/scripted_provider.ts";
import { until } from "../support/until.ts";

const provider = await openScriptedProvider();
const goodToken = respond(200, { apiKey: "ek_short", expiresAt: "2026-11-20T08:10:00Z" });
const server = await openTestServer({ environment: environmentOf(provider.url), outbound: shortPauses });
/** A server without a configured provider. */
const unconfigured = await openTestServer();
const key = mint(server.store, { label: "restyle cart", scopes: ["read"] });

const takeToken = (body?: string, token = key, on = server) =>
  on.ask(token, "/api/v1/percep/session-token", { method: "POST", ...(body === undefined ? {} : { body }) });

const activities = (): { summary: string; actor: string; node_id: number | null }[] =>
  server.store.database
    .prepare("SELECT summary, actor, node_id FROM activity WHERE verb = 'session_token.created' ORDER BY id")
    .all() as never;

const tokens = suite("POST /percep/session-token");

tokens("returns a token for the default model if the body is empty", async () => {
  provider.respondWith(goodToken);
  const response = await takeToken();
  assert.is(response.status, 200);
  assert.is(response.headers.get("cache-control"), "no-store");
  assert.equal(await response.json(), { token: "ek_short", expires_at: "2026-11-20T08:10:00.000Z", model: "lucy-2.5" });
  assert.equal(provider.requests[0]?.body.allowedModels, ["lucy-2.5"]);
});

tokens("returns a token for the model that the body names", async () => {
  provider.respondWith(goodToken);
  const response = await takeToken('{"model":"lucy-restyle-2"}');
  assert.is(((await response.json()) as { model: string }).model, "lucy-restyle-2");
  assert.equal(provider.requests[0]?.body.allowedModels, ["lucy-restyle-2"]);
});

tokens("returns 422 without calling the provider if the body is invalid", async () => {
  provider.respondWith(goodToken);
  await assertRefused(await takeToken('{"model":"lucy-1"}'), 422, "model must be one of lucy-2.5, lucy-restyle-2");
  await assertRefused(await takeToken('{"model":null}'), 422, /^model must be one of/);
  await assertRefused(await takeToken("[]"), 422, "the body must be a JSON object");
  await assertRefused(await takeToken("{"), 422, "the body is not valid JSON: the error is at line 1, column 2");
  assert.is(provider.requests.length, 0);
});

tokens("writes an activity entry that does not contain the token", async () => {
  provider.respondWith(goodToken);
  const before = activities().length;
  await takeToken();
  const entries = activities();
  assert.is(entries.length, before + 1);
  const summary = "Created a restyle session token for lucy-2.5";
  assert.equal(entries.at(-1), { summary, actor: "restyle cart", node_id: null });
});

tokens(
  "returns 502 if the provider refuses the platform key, and shows, logs and records none of its message",
  async () => {
    provider.respondWith(respond(401, { detail: "dct_permanent of account 4711 is revoked" }));
    const before = activities().length;
    await assertRefused(await takeToken(), 502, "the restyle provider refused the platform key");
    assert.is(activities().length, before);
    await until(() => /"operation":"create_session_token","status":502/.test(server.lines.join()));
    assert.not.match(server.lines.join(), /dct_|4711|ek_/);
  },
);

tokens("passes Retry-After on", async () => {
  provider.respondWith(respond(429, {}, { "retry-after": "12" }));
  assert.is((await takeToken()).headers.get("retry-after"), "12");
});

tokens("returns 503 if no provider key is configured", async () => {
  const token = mint(unconfigured.store);
  const path = "/api/v1/percep/session-token";
  const response = await unconfigured.ask(token, path, { method: "POST" });
  await assertRefused(response, 503, "this deployment has no restyle provider key");
  const invalid = await unconfigured.ask(token, path, { method: "POST", body: '{"model":"lucy-1"}' });
  await assertRefused(invalid, 422, /^model must be/);
});

tokens("returns 403 without the read scope and for a key bound to an engagement", async () => {
  provider.respondWith(goodToken);
  const writer = mint(server.store, { scopes: ["write"] });
  await assertRefused(await takeToken("{}", writer), 403, "key does not have the `read` scope");
  const engagement_id = one(server.store, "SELECT id FROM engagements WHERE production_id = 1 ORDER BY id LIMIT 1");
  const vendor = mint(server.store, { engagement_id, scopes: ["read"] });
  await assertRefused(await takeToken("{}", vendor), 403, /bound to an engagement/);
  assert.is(provider.requests.length, 0);
});

tokens.after(async () => {
  for (const opened of [server, unconfigured, provider]) await opened.stop();
});
tokens.run();
