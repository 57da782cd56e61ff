// /admin/webhooks: the whole life of a webhook over the API, and what is refused there.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addWebhook } from "../../src/features/webhooks/webhooks.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { assertRefused, importedAt, mint, openTestServer } from "../support/app.ts";
import { recordEvents } from "../support/event_log.ts";
import { openReceiver } from "../support/receiver.ts";

const server = await openTestServer();
const { store } = server;
const token = mint(store, { scopes: ["admin"], label: "Settings" });
const path = "/api/v1/admin/webhooks";
const post = (below: string, body: object = {}, key = token): Promise<Response> =>
  server.ask(key, `${path}${below}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
const answerOf = async (below: string, body: object = {}) => {
  const response = await post(below, body);
  const text = await response.text();
  assert.is(response.status, 200, text);
  return JSON.parse(text);
};

const test = suite("/admin/webhooks");

test("a webhook is added, delivers, is paused, resumed, rotated, replayed, tested and removed", async () => {
  const secrets: string[] = [];
  const receiver = await openReceiver({ secrets: () => secrets });
  const { id, secret } = await answerOf("", { url: receiver.url });
  secrets.push(secret);
  recordEvents(store, 1, { count: 2 });
  await receiver.until(2);
  assert.is((await answerOf(`/${id}/pause`)).status, "paused");
  recordEvents(store, 1);
  assert.is((await answerOf(`/${id}/resume`)).status, "active");
  await receiver.until(3);
  secrets.push((await answerOf(`/${id}/rotate`)).secret);
  assert.is((await answerOf(`/${id}/test`)).delivered, true);
  await answerOf(`/${id}/replay`, { after: receiver.delivered[1]?.id });
  await receiver.until(5);
  assert.equal(
    receiver.delivered.map(({ event }) => event.data.key),
    ["v0", "v1", "v0", undefined, "v0"],
  );
  const deliveries = await server.get(token, `/admin/webhooks/${id}/deliveries?limit=2`);
  assert.equal(
    deliveries.map(({ outcome }: { outcome: string }) => outcome),
    ["delivered", "delivered"],
  );
  await answerOf(`/${id}/remove`);
  assert.equal([await server.get(token, "/admin/webhooks"), receiver.invalid], [[], []]);
  await receiver.close();
});

test("the address and the types of a webhook can be changed, each alone", async () => {
  const secrets: string[] = [];
  const receiver = await openReceiver({ secrets: () => secrets });
  const { id, secret } = await answerOf("", { url: "http://127.0.0.1:9/hook", types: ["asset.created"] });
  secrets.push(secret);
  const set = async (body: object) => {
    const { url, types } = await answerOf(`/${id}`, body);
    return [url, types];
  };
  assert.equal(await set({ url: receiver.url }), [receiver.url, ["asset.created"]]);
  assert.equal(await set({ types: ["version.landed", "asset.created"] }), [
    receiver.url,
    ["asset.created", "version.landed"],
  ]);
  assert.equal(await set({}), [receiver.url, ["asset.created", "version.landed"]]);
  await assertRefused(await post(`/${id}`, { url: "http://203.0.113.1/" }), 422, /webhook_hosts/);
  await assertRefused(await post(`/${id}`, { types: ["asset.unknown"] }), 422, /not an event type/);
  await assertRefused(await post("/999999", { types: [] }), 404, "there is no webhook 999999");
  assert.equal(await set({ types: [] }), [receiver.url, null]);
  recordEvents(store, 1);
  await receiver.until(1);
  await answerOf(`/${id}/remove`);
  await receiver.close();
});

test("no secret and no url is in the activity feed and the audit log", async () => {
  const { secret } = await answerOf("", { url: "http://127.0.0.1:9/hook?token=mine" });
  const feed = JSON.stringify(await server.get(mint(store), "/activity"));
  assert.match(feed, /Added webhook \d+ to 127\.0\.0\.1:9/);
  const audit = JSON.stringify(store.database.prepare("SELECT detail FROM audit").all());
  for (const text of [feed, audit]) assert.not.ok(text.includes(secret.slice(6)) || text.includes("token=mine"));
});

test("a webhook of another production is a 404, as one that does not exist", async () => {
  const url = "http://127.0.0.1:9/";
  const { id } = addWebhook(localAdmin(store, importedAt), { production_id: 2, url });
  for (const verb of ["pause", "resume", "remove", "rotate", "test"])
    await assertRefused(await post(`/${id}/${verb}`), 404, `there is no webhook ${id}`);
  await assertRefused(await post("/99999/replay", { after: "start" }), 404, "there is no webhook 99999");
  await assertRefused(await server.ask(token, `${path}/${id}/deliveries`), 404);
});

test("a key without the scope admin is refused", async () => {
  await assertRefused(await post("", { url: "http://127.0.0.1:9/" }, mint(store)), 403, /`admin`/);
});

for (const [body, sentence] of [
  [
    { url: "http://169.254.169.254/" },
    /^events may not be sent to this url: 169\.254\.169\.254 is a link-local address$/,
  ],
  [{ url: "http://192.0.2.1/" }, /192\.0\.2\.1 is not in the setting webhook_hosts/],
  [{ url: "hook" }, /^url must be an http or https address/],
  [{ url: "http://127.0.0.1:9/", types: ["asset.eaten"] }, /^types has "asset.eaten"/],
  [{}, /^url is required/],
] as const)
  test(`${JSON.stringify(body)} is 422`, async () => {
    await assertRefused(await post("", body), 422, sentence);
  });

test("a webhook to this server itself is 422", async () => {
  await assertRefused(await post("", { url: `${server.url}/api/v1/assets` }), 422, /is this server itself$/);
});

test("a production has at most 100 webhooks", async () => {
  const { length } = await server.get(token, "/admin/webhooks");
  for (let count = length; count < 100; count++)
    await answerOf("", { url: "http://127.0.0.1:9/", types: ["production.removed"] });
  await assertRefused(await post("", { url: "http://127.0.0.1:9/" }), 409, "a production has at most 100 webhooks");
});

test.after(() => server.stop());
test.run();
