// A rotated key has two tokens for a time: both are listed and audited, and the former one ends at its time, whatever
// the clock does.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findKeyByToken } from "../../src/graph/keys.ts";
import { mint, openTestServer } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const test = suite("keys rotate and revoke");
const hour = 3_600_000;

test("both tokens work until the former one ends, also if the clock is set back afterwards", async () => {
  let now = Date.now();
  const server = await openTestServer({ clock: () => now });
  const { store, folder } = server;
  const statusOf = async (token: string) => (await server.ask(token, "/api/v1/me")).status;
  const { id, token: former } = await answerOf(
    "keys",
    "mint",
    "--production",
    "1",
    "--label",
    "dash",
    "--data",
    folder,
  );
  const rotated = await answerOf("keys", "rotate", String(id), "--hours", "2", "--data", folder);
  assert.is(rotated.id, id);
  now = Date.now();
  assert.equal([await statusOf(former), await statusOf(rotated.token)], [200, 200]);
  const me = async (token: string) => (await server.ask(token, "/api/v1/me")).text();
  assert.is(JSON.parse(await me(former)).label, JSON.parse(await me(rotated.token)).label);

  const [listed] = (await answerOf("keys", "list", "--production", "1", "--data", folder)).filter(
    (key: { id: number }) => key.id === id,
  );
  assert.is(listed.prefix, rotated.prefix);
  assert.equal(listed.former_tokens, [rotated.former]);
  const admin = mint(store, { scopes: ["read", "admin"] });
  const audit = await server.get(admin, "/admin/audit");
  const entry = audit.find(({ action }: { action: string }) => action === "key.rotated");
  assert.equal(entry.detail.former, rotated.former);
  assert.not.ok(
    JSON.stringify(audit).includes(rotated.token) || JSON.stringify(audit).includes(former),
    "no token is in the audit",
  );
  const api = (await server.get(admin, "/admin/keys")).find((key: { id: number }) => key.id === id);
  assert.equal(api.former_tokens, [rotated.former]);

  now -= 30 * 24 * hour;
  assert.is(await statusOf(former), 401, "a clock before the rotation does not lengthen its time");
  now = Date.parse(rotated.former.ends_at) + 1;
  const late = new Date(now).toISOString();
  assert.is(findKeyByToken(store, former, late), undefined, "whoami knows no token that ended");
  assert.is(findKeyByToken(store, rotated.token, late)?.id, id);
  assert.equal([await statusOf(former), await statusOf(rotated.token)], [401, 200]);
  await until(
    () =>
      store.database.prepare("SELECT last_used_at FROM api_keys WHERE id = ?").pluck().get(id) ===
      new Date(now).toISOString(),
  );
  now -= hour;
  assert.equal([await statusOf(former), await statusOf(rotated.token)], [401, 200]);
  await server.stop();
});

test("a former token opens no session, which would last longer than it", async () => {
  const server = await openTestServer();
  const within = ["--data", server.folder];
  const { id, token: former } = await answerOf("keys", "mint", "--production", "1", "--label", "dash", ...within);
  const { token } = await answerOf("keys", "rotate", String(id), ...within);
  assert.is((await server.ask(former, "/api/v1/me")).status, 200);
  const refused = await visitor(server).send("/signin", { key: former });
  assert.is(refused.status, 401);
  assert.match(await refused.text(), /If it was rotated, paste its new token/);
  assert.is((await visitor(server).send("/signin", { key: token })).status, 303);
  await server.stop();
});

test("a token can be ended at once, the key can be rotated again, and revoking it ends both tokens", async () => {
  const server = await openTestServer();
  const { folder } = server;
  const statusOf = async (token: string) => (await server.ask(token, "/api/v1/me")).status;
  const { id, token: first } = await answerOf("keys", "mint", "--production", "1", "--label", "dash", "--data", folder);
  const id_ = String(id);
  const second = await answerOf("keys", "rotate", id_, "--hours", "0", "--data", folder);
  assert.equal([await statusOf(first), await statusOf(second.token)], [401, 200]);
  const third = await answerOf("keys", "rotate", id_, "--data", folder);
  const rotating = await tallylight("keys", "rotate", id_, "--json", "--data", folder);
  const fourth = JSON.parse(rotating.out);
  assert.match(
    rotating.err,
    new RegExp(`key ${id}: the former token ${second.prefix}… is good until`),
    "it is said again",
  );
  assert.is(rotating.err.split(third.prefix).length, 2, "and that of this rotation is said once");
  for (const { token } of [second, third, fourth]) assert.is(await statusOf(token), 200);
  const ended = await tallylight("keys", "revoke", third.prefix, "--data", folder);
  assert.match(ended.out, /the former token .* is ended; the key goes on/);
  assert.equal(
    [await statusOf(second.token), await statusOf(third.token), await statusOf(fourth.token)],
    [200, 401, 200],
  );
  await answerOf("keys", "revoke", id_, "--data", folder);
  assert.equal([await statusOf(second.token), await statusOf(fourth.token)], [401, 401]);
  const list = await tallylight("keys", "list", "--data", folder);
  assert.not.match(list.err, /is good until/, "no token of a revoked key is good");
  const refused = await tallylight("keys", "rotate", id_, "--data", folder);
  assert.match(refused.err, /is revoked or expired; mint another one/);
  assert.match((await tallylight("keys", "rotate", "999", "--data", folder)).err, /there is no key 999/);
  assert.match((await tallylight("keys", "rotate", id_, "--hours", "9999", "--data", folder)).err, /0 to 90 days/);
  await server.stop();
});

test("keys are revoked by person, label or engagement, in one production, and only once", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const { production: production_id, submitter: engagement_id } = seedDataOf(store);
  const person = store.database
    .prepare("SELECT id, name FROM people WHERE production_id = ? LIMIT 1")
    .get(production_id) as {
    id: number;
    name: string;
  };
  const mine = mint(store, { production_id, person_id: person.id });
  const labelled = [1, 2].map(() => mint(store, { production_id, label: "kiosk" }));
  const elsewhere = mint(store, { production_id: production_id === 1 ? 2 : 1, label: "kiosk" });
  const vendor = mint(store, { production_id, engagement_id, scopes: ["read"] });
  const other = mint(store, { production_id });
  const statusOf = async (token: string) => (await server.ask(token, "/api/v1/me")).status;
  const within = ["--production", String(production_id), "--data", folder];
  assert.is((await answerOf("keys", "revoke", "--person", person.name, ...within)).length >= 1, true);
  assert.is((await answerOf("keys", "revoke", "--label", "kiosk", ...within)).length, 2);
  assert.is((await answerOf("keys", "revoke", "--engagement", String(engagement_id), ...within)).length >= 1, true);
  for (const token of [mine, ...labelled, vendor]) assert.is(await statusOf(token), 401);
  for (const token of [elsewhere, other]) assert.is(await statusOf(token), 200);
  assert.equal(await answerOf("keys", "revoke", "--label", "kiosk", ...within), []);
  assert.is((await tallylight("keys", "revoke", "--label", "kiosk", "--data", folder)).status, 2);
  assert.is((await tallylight("keys", "revoke", "1", "--label", "kiosk", ...within)).status, 2);
  assert.is((await tallylight("keys", "revoke", "--data", folder)).status, 2);
  await server.stop();
});

test("revoking answers the key as the list has it then, also its former tokens", async () => {
  const server = await openTestServer();
  const within = ["--data", server.folder];
  const listed = async (id: number) =>
    ((await answerOf("keys", "list", ...within)) as { id: number }[]).find((one) => one.id === id);
  const minted = () => answerOf("keys", "mint", "--production", "1", "--label", "dash", ...within);
  const { id, prefix: former } = await minted();
  await answerOf("keys", "rotate", String(id), ...within);
  await answerOf("keys", "rotate", String(id), ...within);
  const ended = await answerOf("keys", "revoke", former, ...within);
  assert.is(ended.former_tokens.length, 1, "the one that was not ended");
  assert.equal(ended, await listed(id));
  assert.equal(await answerOf("keys", "revoke", String(id), ...within), await listed(id));
  const { id: other } = await minted();
  await answerOf("keys", "rotate", String(other), ...within);
  const revoked = await answerOf("keys", "revoke", "--label", "dash", "--production", "1", ...within);
  assert.equal(revoked, [await listed(other)]);
  await server.stop();
});

test("keys of a person who left are revoked, and no new one is made", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const { production: production_id } = seedDataOf(store);
  const within = ["--production", String(production_id), "--data", folder];
  const [{ id, key: name }] = (await answerOf("list", "people", ...within)) as [{ id: number; key: string }];
  const ofPerson = ["--person", String(id), ...within];
  const { id: key } = await answerOf("keys", "mint", "--label", "laptop", ...ofPerson);
  await answerOf("set", "people", name, "active=false", ...within);
  assert.match((await tallylight("keys", "mint", "--label", "phone", ...ofPerson)).err, /left the production/);
  const revoked = (await answerOf("keys", "revoke", ...ofPerson)) as { id: number }[];
  assert.ok(revoked.some((one) => one.id === key));
  await server.stop();
});

test("keys are revoked by a flag that names nobody, somebody without keys, and oneself with the last admin key", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const { production: production_id, submitter } = seedDataOf(store);
  const within = ["--production", String(production_id), "--data", folder];
  const [person] = (await answerOf("list", "people", ...within)) as { id: number }[];
  await answerOf("keys", "revoke", "--person", String(person?.id), ...within);
  assert.equal(
    await answerOf("keys", "revoke", "--person", String(person?.id), ...within),
    [],
    "the second time: none",
  );
  assert.match(
    (await tallylight("keys", "revoke", "--person", String(person?.id), ...within)).out,
    /there is no such key that has not ended/,
  );
  for (const nobody of ["Nobody Known", "999999"])
    assert.match((await tallylight("keys", "revoke", "--person", nobody, ...within)).err, /there is no person/);
  assert.match((await tallylight("keys", "revoke", "--engagement", "999999", ...within)).err, /there is no engagement/);
  assert.match((await tallylight("keys", "revoke", "--label", "", ...within)).out, /there is no such key/);
  await answerOf("keys", "revoke", "--engagement", String(submitter), ...within);
  assert.equal(await answerOf("keys", "revoke", "--engagement", String(submitter), ...within), []);

  const admin = mint(store, { production_id, scopes: ["read", "admin"] });
  const { id } = (await server.get(admin, "/admin/keys")).at(-1) as { id: number };
  assert.is((await server.ask(admin, `/api/v1/admin/keys/${id}/revoke`, { method: "POST" })).status, 200);
  assert.is((await server.ask(admin, "/api/v1/admin/keys")).status, 401, "from the next call on");
  const again = await answerOf("keys", "mint", "--scope", "admin", "--label", "new", ...within);
  assert.is((await server.ask(again.token, "/api/v1/admin/keys")).status, 200, "the machine mints another one");
  await server.stop();
});

test.run();
