// What is bound to a person acts only while that person is active: keys, sessions, sign-ins, media tickets, and what is
// open with them.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localAdmin } from "../../src/graph/admin.ts";
import { mintKey } from "../../src/graph/keys.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { openStream } from "../support/event_log.ts";
import { editFields, openAsAdmin, signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { tokensOf } from "../support/sign_in.ts";

const server = await openTestServer();
const { store } = server;
const { feature } = seedDataOf(store);
const [first, second, third] = store.database
  .prepare("SELECT id, name FROM people WHERE production_id = ? ORDER BY id LIMIT 3")
  .all(feature) as { id: number; name: string }[]; // the demo has more
const person = first as { id: number; name: string };
const editor = second as { id: number; name: string };
const chief = third as { id: number; name: string };

const token = mint(store, { production_id: feature, person_id: person.id });
const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
const left = "the person of this key has left";

const update = (key: string, name: string, active: boolean): Promise<Response> =>
  server.ask(key, "/api/v1/admin/import", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ people: [{ name, active }] }),
  });
const setActive = async (active: boolean) => assert.is((await update(admin, person.name, active)).status, 200);

const call = (key: string) =>
  server.ask(key, "/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_production" } }),
  });
const refresh = (signed: { refresh_token: string; client_id: string }) =>
  server.ask(undefined, "/token", {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: signed.refresh_token,
      client_id: signed.client_id,
    }),
  });

const leaving = suite("a person who leaves");

leaving("every door is 401 from the next call on, and opens again once the person is back", async () => {
  const rotated = mint(store, { production_id: feature, person_id: person.id });
  const browser = await signIn(server, token);
  const signed = await tokensOf(server, token);
  const still = one<string>(
    store,
    "SELECT path FROM media WHERE version_id IS NOT NULL AND production_id = ? LIMIT 1",
    feature,
  );
  const { ticket } = await server.get(token, "/media-ticket");
  const ofSignIn = (await server.get(signed.access_token, "/media-ticket")).ticket;
  const media = (given: string) => server.ask(undefined, `/media/${still}?t=${given}`);
  const doors: Record<string, () => Promise<Response>> = {
    "a key over REST": () => server.ask(token, "/api/v1/production"),
    "a write": () => server.ask(token, "/api/v1/assets", { method: "POST", body: "{}" }),
    "another key of the person": () => server.ask(rotated, "/api/v1/me"),
    "a key over MCP": () => call(token),
    "an access token over REST": () => server.ask(signed.access_token, "/api/v1/production"),
    "an access token over MCP": () => call(signed.access_token),
    "a media ticket of a key": () => media(ticket),
    "a media ticket of a sign-in": () => media(ofSignIn),
    "a resumable upload": () => server.ask(token, "/api/v1/uploads", { method: "POST" }),
    "a refresh token": () => refresh(signed),
  };
  assert.is((await media(ticket)).status, 200);
  assert.is((await browser.get("/assets")).status, 200);
  await setActive(false);
  for (const [name, open] of Object.entries(doors)) {
    const response = await open();
    assert.is(response.status, 401, name);
    assert.match(await response.text(), left, name);
  }
  assert.is((await browser.get("/assets")).headers.get("location"), "/signin?next=%2Fassets");
  const again = await browser.send("/signin", { key: token });
  assert.is(again.status, 401);
  assert.match(await again.text(), /The person of this key has left\./);
  await assertRefused(
    await server.ask(admin, "/api/v1/admin/keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ label: "late", person_id: person.id }),
    }),
    422,
    `person ${person.id} left the production, so a key of that person would do nothing`,
  );
  const listed = (await server.get(admin, "/admin/keys")).find(
    (key: { label: string; person_left: boolean }) => key.person_left,
  );
  assert.is(listed.person, person.name);
  await setActive(true);
  for (const [name, open] of Object.entries(doors)) assert.is.not((await open()).status, 401, name);
});

leaving("a form that was open is not done", async () => {
  const browser = await signIn(server, token);
  const proof = /name="proof" value="([^"]+)"/.exec(await browser.text("/assets"))?.[1] as string;
  await setActive(false);
  const before = one(store, "SELECT count(*) FROM nodes");
  const sent = await browser.post("/assets", { proof, label: "After leaving", kind: "prop" });
  assert.is(sent.status, 303, "the form is held for the next sign-in");
  assert.is(one(store, "SELECT count(*) FROM nodes"), before);
  await setActive(true);
});

leaving("what is open ends: a stream of events and a long poll", async () => {
  const stream = await openStream(`${server.url}/api/v1/events`, token);
  const { next } = await server.get(token, "/events?limit=200");
  let last: string = next;
  for (let page = await server.get(token, `/events?after=${last}`); page.more; ) {
    last = page.next;
    page = await server.get(token, `/events?after=${last}`);
  }
  const poll = server.ask(token, `/api/v1/events?after=${last}&wait=30&types=storage.installed`);
  await setActive(false);
  await stream.ended;
  assert.is((await poll).status, 401);
  await setActive(true);
});

const editing = suite("an editor");

editing("does not end a person to whom an admin's key is bound, nor its own, by any way", async () => {
  const { token: own } = mintKey(localAdmin(store, new Date().toISOString()), {
    production_id: feature,
    label: "editor",
    scopes: ["read", "write", "edit"],
    person_id: editor.id,
  });
  mint(store, { production_id: feature, scopes: ["read", "admin"], person_id: chief.id, label: "chief" });
  await assertRefused(
    await update(own, chief.name, false),
    403,
    `active of the person "${chief.name}", to whom an admin's key is bound, needs a key with the \`admin\` scope; nothing was changed`,
  );
  await assertRefused(await update(own, editor.name, false), 403, /to whom this key is bound/);
  const browser = await signIn(server, own);
  for (const { id } of [chief, editor]) {
    const fields = await editFields(browser, `/edit/people/${id}`);
    assert.is((await browser.send(`/edit/people/${id}`, { ...fields, active: "no" })).status, 403);
  }
  assert.is(one(store, "SELECT count(*) FROM people WHERE active = 0"), 0);
  assert.is((await update(own, person.name, false)).status, 200);
  assert.is((await server.ask(token, "/api/v1/production")).status, 401);
  assert.is((await update(own, person.name, true)).status, 200);

  assert.is((await update(admin, chief.name, false)).status, 200, "an admin may");
  await assertRefused(await update(own, chief.name, true), 403, /to whom an admin's key is bound/);
  const set = one(store, "SELECT max(id) FROM change_sets WHERE production_id = ?", feature);
  await assertRefused(await server.ask(own, `/api/v1/admin/history/${set}/undo`, { method: "POST" }), 403);
  assert.is((await update(admin, chief.name, true)).status, 200);
});

editing("the page that says it says what it does", async () => {
  const page = await (await openAsAdmin(server, feature)).text(`/edit/people/${person.id}`);
  assert.match(page, /every key, browser and sign-in of this person stops at once/);
});

leaving.run();
editing.after(() => server.stop());
editing.run();
