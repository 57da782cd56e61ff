// /settings/webhooks over HTTP: what the page of the webhooks shows, what it refuses, and who gets nothing of it.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addWebhook } from "../../src/features/webhooks/webhooks.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { importedAt, mint, one, openTestServer } from "../support/app.ts";
import { recordEvents } from "../support/event_log.ts";
import { openAsAdmin, signIn, visitor } from "../support/pages.ts";
import { openReceiver } from "../support/receiver.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const server = await openTestServer();
const { store } = server;
const { production, otherProduction, submitter } = seedDataOf(store);
const admin = await openAsAdmin(server, production);
const secrets: string[] = [];
const receiver = await openReceiver({ secrets: () => secrets });
const path = "/settings/webhooks";
const newest = () => String(one(store, "SELECT max(id) FROM webhooks WHERE production_id = ?", production));
const count = () => one(store, "SELECT count(*) FROM webhooks");
const act = (action: string, fields: Record<string, string> = {}) =>
  admin.send(path, { action, webhook_id: newest(), sure: "1", ...fields });
const secretIn = (page: string): string => /<pre id="secret"><code>(whsec_[^<]+)</.exec(page)?.[1] ?? "";

const test = suite("/settings/webhooks");

test("without a webhook, the page says what to do next and where events may go", async () => {
  const page = await admin.text(path);
  assert.match(page, /No program is notified yet/);
  assert.match(page, /Events may go to 127\.0\.0\.1/);
});

test("adding shows the secret once, with which the chosen events are then signed", async () => {
  const added = await admin.send(path, { action: "add", url: receiver.url, types: ["vendor.added"] });
  const shown = await added.text();
  assert.is(added.status, 200, shown);
  secrets.push(secretIn(shown));
  recordEvents(store, production);
  await receiver.until(1);
  assert.equal(receiver.invalid, []);
  const page = await admin.text(path);
  assert.not.ok(page.includes(secrets[0] as string));
  assert.match(page, /vendor\.added<\/p>/);
});

test("the deliveries of a webhook are listed with their outcome", async () => {
  const delivered = /<td>vendor\.added<br>[\s\S]*delivered[\s\S]*<td>204, \d+ ms<\/td>/;
  // it is recorded after the receiver has answered
  await until(async () => delivered.test(await admin.text(`${path}?deliveries=${newest()}`)));
  assert.is((await admin.get(`${path}?deliveries=999999`)).status, 404);
});

test("a webhook is paused and resumed", async () => {
  for (const [action, shown] of [
    ["pause", /paused by an admin/],
    ["resume", />Pause</],
  ] as const) {
    assert.is((await act(action)).headers.get("location"), path);
    assert.match(await admin.text(path), shown);
  }
});

test("a new secret is shown once, and a test says what the receiver answered", async () => {
  const rotated = secretIn(await (await act("rotate")).text());
  assert.ok(rotated !== "" && rotated !== secrets[0]);
  secrets.push(rotated);
  assert.match(await (await act("test")).text(), /Test of program[\s\S]*chip good">delivered[\s\S]*<p>204, \d+ ms/);
  assert.equal(receiver.invalid, []);
});

test("events are delivered again from a position, and a wrong one is refused beside its field", async () => {
  const before = receiver.delivered.length;
  assert.is((await act("replay", { after: "start" })).status, 303);
  await receiver.until(before + 1);
  const refused = await act("replay", { after: "yesterday" });
  assert.is(refused.status, 422);
  assert.match(await refused.text(), /value="yesterday" aria-invalid[^>]*>\s*<p class="problem"/);
});

test("a receiver that cannot be reached fails the test with its reason", async () => {
  const closed = await openReceiver({ secrets: () => [] });
  await admin.send(path, { action: "add", url: closed.url });
  await closed.close();
  assert.match(
    await (await act("test")).text(),
    /Test of program[\s\S]*chip bad">failed[\s\S]*(?:ECONNREFUSED|refused)/,
  );
  assert.is((await act("remove")).status, 303);
});

test("an address that is not allowed is refused beside the field, which is kept, and nothing is added", async () => {
  const before = count();
  for (const url of ["https://example.com/hook", "ftp://127.0.0.1/", server.url, "no address"]) {
    const refused = await admin.send(path, { action: "add", url, types: ["vendor.added"] });
    assert.is(refused.status, 422, url);
    const page = await refused.text();
    assert.match(page, /id="problem" role="alert">/);
    assert.ok(page.includes(`value="${url}" aria-invalid`) && page.includes('value="vendor.added" checked'), url);
  }
  assert.is(count(), before);
});

test("an unknown type and an unknown action are refused, and nothing changes", async () => {
  const before = count();
  for (const fields of [
    { action: "add", url: receiver.url, types: "no.such" },
    { action: "explode" },
    { action: "constructor" },
    {},
  ])
    assert.is((await admin.send(path, { webhook_id: newest(), ...fields })).status, 422);
  assert.is(count(), before);
});

test("the admin of one production neither sees nor changes a webhook of another", async () => {
  const local = localAdmin(store, importedAt);
  const { id } = addWebhook(local, { production_id: otherProduction, url: "http://127.0.0.1:9/elsewhere" });
  assert.not.match(await admin.text(path), /elsewhere/);
  for (const action of ["pause", "resume", "remove", "rotate", "test", "replay"])
    assert.is((await act(action, { webhook_id: String(id), after: "now" })).status, 404, action);
  assert.is(one(store, "SELECT count(*) FROM webhooks WHERE id = ?", id), 1);
});

test("a vendor gets 404, a key without the admin scope 403, and a form without its proof 403", async () => {
  const scopes = ["read", "submit:turnover"] as const;
  const vendor = await signIn(server, mint(store, { production_id: production, engagement_id: submitter, scopes }));
  const member = await signIn(server, mint(store, { production_id: production }));
  const before = count();
  const fields = { action: "add", url: receiver.url };
  const statuses = async (given: typeof vendor) => [
    (await given.get(path)).status,
    (await given.post(path, fields)).status,
    (await given.send(path, fields, "/")).status,
  ];
  assert.equal(await statuses(vendor), [404, 404, 404]);
  assert.equal(await statuses(member), [403, 403, 403]);
  assert.is((await admin.post(path, fields)).status, 403);
  assert.is((await visitor(server).post(path, fields)).status, 303);
  assert.is(count(), before);
});

test("a removed webhook is gone", async () => {
  assert.is((await act("remove")).headers.get("location"), path);
  assert.match(await admin.text(path), /No program is notified yet/);
});

test.after(async () => {
  await receiver.close();
  await server.stop();
});
test.run();
