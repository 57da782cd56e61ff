// Attempts to administer: every row of the admin scope with every credential that must not reach it, and what an admin
// key must not do with its own. None may change anything.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes, signInScopes, tokenHash } from "../../src/core/access/callers.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { tokensOf } from "../support/sign_in.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const { production, otherProduction } = seedData;
const adminKey = mint(store, { production_id: production, scopes: ["admin"], label: "Vendor desk" });
const settingScopes: readonly unknown[] = ["admin", "edit"];
const rows = table.filter(({ scope }) => settingScopes.includes(scope));

const written = ["api_keys", "engagements", "vendors", "grants", "storage_installs", "storage_tasks", "former_steps"];
const flags = [
  "SELECT count(*) FROM audit",
  "SELECT count(*) FROM activity",
  "SELECT sum(released * 1000 + archived) FROM versions",
  "SELECT count(*) FROM grants WHERE revoked_at IS NULL",
  "SELECT count(*) FROM api_keys WHERE revoked_at IS NULL",
  "SELECT count(*) FROM engagements WHERE ended_at IS NULL",
];
/** Everything that the admin's rows change. */
const state = () => [
  ...written.map((name) => one(store, `SELECT count(*) FROM ${name}`)),
  ...flags.map((query) => one(store, query)),
];

/** Sends the case of every admin row with a credential, and checks that each is refused and nothing changes. */
async function assertAllRefused(token: string | undefined, status: number, detail?: string | RegExp): Promise<void> {
  const arranged = rows.map(({ name, method }) => ({ method, arrangement: caseOf(cases, name) }));
  const before = state();
  for (const { method, arrangement } of arranged)
    await assertRefused(await sendCase(server, arrangement, method, token), status, detail);
  assert.equal(state(), before);
}

const access = suite("every row of the admin scope, and of the edit scope that it includes");

access("there are rows, all of them are for production-wide keys, and none is an MCP tool or resource", () => {
  assert.ok(rows.length >= 15);
  for (const { name, path, reach, tool, resource } of rows) {
    assert.equal([reach, tool, resource], ["production", undefined, undefined], name);
    assert.match(path, /^\/admin\/|^\/script-changes\//, name);
  }
  for (const { name, path, scope } of table)
    if (path.startsWith("/admin/")) assert.ok(settingScopes.includes(scope), name);
});

access("refuses a key with every other scope", async () => {
  const others = scopes.filter((scope) => !settingScopes.includes(scope));
  await assertAllRefused(mint(store, { production_id: production, scopes: others }), 403, /`(?:admin|edit)` scope$/);
});

access("refuses a key of an engagement, even if the database says that it has the scope", async () => {
  const bound = mint(store, { production_id: production, engagement_id: seedData.submitter, scopes });
  await assertAllRefused(bound, 403, /bound to an engagement/);
});

access("refuses a revoked and an expired admin key", async () => {
  const given = { production_id: production, scopes: ["admin"] as const };
  await assertAllRefused(mint(store, { ...given, expires_at: "2020-01-01T00:00:00.000Z" }), 401);
  const revoked = mint(store, given);
  store.writeSync(() =>
    store.database
      .prepare("UPDATE api_keys SET revoked_at = '2026-01-01T00:00:00.000Z' WHERE token_sha256 = ?")
      .run(tokenHash(revoked)),
  );
  await assertAllRefused(revoked, 401);
});

for (const asked of [undefined, "admin", "read admin", "admin admin write", "openid"])
  access(`refuses the access token of a sign-in with an admin key that asks for ${asked ?? "no scope"}`, async () => {
    const key = mint(store, { production_id: production, scopes });
    const { access_token, scope } = await tokensOf(server, key, asked);
    assert.not.match(scope, /admin|edit/);
    await assertAllRefused(access_token, 403, /`(?:admin|edit)` scope$/);
  });

access(
  "refuses a refreshed token that asks for the scope, and one whose row in the database says that it has it",
  async () => {
    const { client_id, refresh_token } = await tokensOf(server, mint(store, { production_id: production, scopes }));
    const grant = { grant_type: "refresh_token", client_id, refresh_token, scope: "read admin" };
    const response = await server.ask(undefined, "/token", { method: "POST", body: new URLSearchParams(grant) });
    const { access_token, scope } = (await response.json()) as { access_token: string; scope: string };
    assert.is(scope, "read");
    store.writeSync(() =>
      store.database
        .prepare("UPDATE oauth_tokens SET scopes = ? WHERE token_sha256 = ?")
        .run(JSON.stringify(scopes), tokenHash(access_token)),
    );
    await assertAllRefused(access_token, 403, /`(?:admin|edit)` scope$/);
  },
);

access("is no scope that the sign-in pages, the metadata or the description offer", async () => {
  const metadata: any = await (await server.ask(undefined, "/.well-known/oauth-authorization-server")).json();
  assert.equal(metadata.scopes_supported, signInScopes);
  const document: any = await (await server.ask(undefined, "/api/v1/openapi.json")).json();
  const { flows } = document.components.securitySchemes.oauth;
  for (const scope of ["admin", "edit"]) assert.not.ok(Object.hasOwn(flows.authorizationCode.scopes, scope));
});

access("an admin key without other scopes reads nothing else", async () => {
  for (const { name, method, scope } of table)
    if (scope !== null && !settingScopes.includes(scope))
      await assertRefused(await sendCase(server, caseOf(cases, name), method, adminKey), 403, /scope$/);
});

access.run();

const post = (path: string, body: object = {}, token = adminKey) =>
  server.ask(token, `/api/v1/admin${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const escalation = suite("an admin key");

escalation("mints no key with the admin scope, alone or among others, and no answer is kept for a repeat", async () => {
  const before = state();
  for (const wanted of [["admin"], ["read", "admin"], ["admin", "read", "write"]])
    await assertRefused(await post("/keys", { label: "Next", scopes: wanted }), 403, /minted on the machine only/);
  await assertRefused(
    await post("/keys", { label: "Next", scopes: ["admin"], engagement_id: seedData.submitter }),
    403,
    /minted on the machine only/,
  );
  for (const wrong of ["Admin", " admin", "admin ", "*", ["admin"]])
    await assertRefused(await post("/keys", { label: "Next", scopes: [wrong] }), 422, /scopes\[0\] must be one of/);
  await assertRefused(await post("/keys", { label: "Next", scopes: [] }), 422, /at least one scope/);
  assert.equal(state(), before);
});

escalation("mints keys of its own production only, whatever production the body names", async () => {
  const body = JSON.stringify({ label: "Own", production_id: otherProduction, scopes: ["read"] });
  const headers = { "content-type": "application/json", authorization: `Bearer ${adminKey}` };
  // Without the check of the description, which has no such field.
  const response = await fetch(`${server.url}/api/v1/admin/keys`, { method: "POST", headers, body });
  const minted = (await response.json()) as { production_id: number; token: string };
  assert.is(minted.production_id, production);
  assert.is((await server.get(minted.token, "/production")).id, production);
});

/** A row that takes an id: its path or body by the id, and the table whose ids it takes. */
const byId: readonly [name: string, table: string, send: (id: number) => Promise<Response>][] = [
  ["revoke a key", "api_keys", (id) => post(`/keys/${id}/revoke`)],
  ["end an engagement", "engagements", (id) => post(`/engagements/${id}/end`)],
  ["revoke a grant", "grants", (id) => post(`/grants/${id}/revoke`)],
  ["release a version", "versions", (id) => post(`/versions/${id}/release`)],
  ["archive a version", "versions", (id) => post(`/versions/${id}/archive`)],
  ["reopen an approval", "approvals", (id) => post(`/approvals/${id}/reopen`)],
  ["grant to an engagement", "engagements", (id) => post("/grants", { engagement_id: id, verb: "read", node_id: 1 })],
  ["bind a key", "engagements", (id) => post("/keys", { label: "x", scopes: ["read"], engagement_id: id })],
  ["name a person", "people", (id) => post("/keys", { label: "x", scopes: ["read"], person_id: id })],
  ...(["node", "department", "delivery"] as const).map((kind): (typeof byId)[number] => [
    `grant a ${kind}`,
    kind === "delivery" ? "deliveries" : `${kind}s`,
    (id) => post("/grants", { engagement_id: seedData.submitter, verb: "read", [`${kind}_id`]: id }),
  ]),
];
for (const [name, list, send] of byId)
  escalation(`that would ${name} of another production gets the answer for an unknown id`, async () => {
    mint(store, { production_id: otherProduction });
    const unknown = 9_007_199_254_740_991;
    const foreign = one(store, `SELECT max(id) FROM ${list} WHERE production_id = ?`, otherProduction);
    const before = state();
    const [missing, theirs] = [await send(unknown), await send(foreign)];
    assert.ok([404, 422].includes(missing.status), `${missing.status}`);
    const expected = (await missing.text()).replaceAll(String(unknown), "ID");
    assert.equal([theirs.status, (await theirs.text()).replaceAll(String(foreign), "ID")], [missing.status, expected]);
    assert.equal(state(), before);
  });

escalation("lists only what belongs to its production", async () => {
  const theirs = mint(store, { production_id: otherProduction, scopes: ["admin"], label: "The other desk" });
  await post("/storage/install", { filespace: "theirs-alone" }, theirs);
  for (const path of ["/admin/keys", "/admin/engagements", "/admin/audit?limit=200"])
    for (const { production_id } of await server.get(adminKey, path)) assert.is(production_id, production, path);
  const text = JSON.stringify([
    await server.get(adminKey, "/admin/storage/moves"),
    await server.get(adminKey, "/admin/audit"),
  ]);
  assert.not.match(text, /theirs-alone|The other desk/);
});

escalation("that is revoked while it works loses the next call, and a repeat of a former one", async () => {
  const key = mint(store, { production_id: production, scopes: ["admin"], label: "Short" });
  const mintAgain = () =>
    server.ask(key, "/api/v1/admin/keys", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "once" },
      body: JSON.stringify({ label: "Once", scopes: ["read"] }),
    });
  const first = (await (await mintAgain()).json()) as { token: string };
  const again = await mintAgain();
  assert.is(again.headers.get("idempotency-replayed"), "true");
  assert.equal(await again.json(), first);
  assert.not.match(JSON.stringify(store.database.prepare("SELECT * FROM idempotent_answers").all()), /tl_/);
  await post(`/keys/${one(store, "SELECT id FROM api_keys WHERE label = 'Short'")}/revoke`);
  await assertRefused(await mintAgain(), 401);
});

escalation("is told of sections that JavaScript calls its own as of any unknown one, by an editor too", async () => {
  const editor = mint(store, { production_id: production, scopes: ["read", "write", "edit"] });
  for (const name of ["nonsense", "__proto__", "constructor", "prototype", "toString"])
    for (const more of ["", ',"people":[]'])
      for (const token of [adminKey, editor]) {
        const body = `{"${name}":[{"name":"x"}]${more}}`;
        const headers = { "content-type": "application/json" };
        const sent = await server.ask(token, "/api/v1/admin/import", { method: "POST", body, headers });
        await assertRefused(sent, 422, `the document: ${name} is not a known field`);
      }
});

escalation.after(() => server.stop());
escalation.run();
