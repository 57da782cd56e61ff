// Nothing ends in one tap, nothing is minted twice by a reload, a form survives the end of its session, and a fresh
// server begins with a script.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer, revoke, temporaryFolder } from "../support/app.ts";
import { root } from "../support/command.ts";
import { beginPathFor, editFields, linkFor, openAsAdmin, signIn, visitor } from "../support/pages.ts";
import { raw } from "../support/raw_http.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, feature, delivery, submitter, submitterKey } = seedDataOf(store);
const admin = await openAsAdmin(server, production);

const asking = suite("what ends something");

asking("asks first and says what ends: a key, a grant and an engagement", async () => {
  const key = mint(store, { ...submitterKey, label: "Vendor desk" });
  const vendor = await signIn(server, key);
  const id = one(store, "SELECT id FROM api_keys WHERE label = 'Vendor desk'");
  const revokeIt = { action: "revoke", key_id: `${id}` };
  const question = await (await admin.send("/settings/keys", revokeIt)).text();
  assert.match(question, /End the key “Vendor desk”\?[\s\S]*It signs out 1 browser\./);
  assert.is((await vendor.get("/turnovers")).status, 200);
  assert.is((await admin.send("/settings/keys", { ...revokeIt, sure: "1" })).status, 303);
  assert.is((await vendor.get("/turnovers")).status, 303);

  const grant = one(store, "SELECT min(id) FROM grants WHERE engagement_id = ? AND revoked_at IS NULL", submitter);
  const live = () => one(store, "SELECT count(*) FROM grants WHERE id = ? AND revoked_at IS NULL", grant);
  const revokeGrant = { action: "change", engagement_id: `${submitter}`, had: `${grant}` };
  assert.match(
    await (await admin.send("/settings/vendors", revokeGrant)).text(),
    /Take this back from [\s\S]*can no longer /,
  );
  assert.is(live(), 1);
  assert.is((await admin.send("/settings/vendors", { ...revokeGrant, sure: "1" })).status, 303);
  assert.is(live(), 0);

  mint(store, { ...submitterKey, label: "Second desk" });
  const end = { action: "end", engagement_id: `${submitter}` };
  const text = await (await admin.send("/settings/vendors", end)).text();
  assert.match(
    text,
    /End the work of [\s\S]*what it may see \(\d+\) and \d+ keys? end at once and for good: [\s\S]*Second desk/,
  );
  assert.is(one<string | null>(store, "SELECT ended_at FROM engagements WHERE id = ?", submitter), null);
});

asking("a reload of the answer mints no second key, and the same form sent anew says so", async () => {
  const since = /name="since" value="(\d+)"/.exec(await admin.text("/settings/keys"))?.[1] as string;
  const fields = { action: "mint", label: "On a reload", scopes: ["read"], since };
  const minted = await admin.send("/settings/keys", fields);
  assert.match(await minted.text(), /tl_[\w-]+/);
  const again = await admin.send("/settings/keys", fields);
  assert.is(again.status, 422);
  assert.match(await again.text(), /A key with this label was just made/);
  assert.is(one(store, "SELECT count(*) FROM api_keys WHERE label = 'On a reload'"), 1);
  const fresh = /name="since" value="(\d+)"/.exec(await admin.text("/settings/keys"))?.[1] as string;
  await admin.send("/settings/keys", { ...fields, since: fresh });
  assert.is(
    one(store, "SELECT count(*) FROM api_keys WHERE label = 'On a reload'"),
    2,
    "a page that was opened anew may",
  );
});

const held = suite("a form whose session has ended");
const person = one(store, "SELECT min(id) FROM people WHERE production_id = ?", feature);
const node = one(store, "SELECT min(id) FROM nodes WHERE kind = 'prop' AND production_id = ?", feature);

held("comes back filled after signing in, has changed nothing, and is then sent", async () => {
  const key = mint(store, { production_id: feature, person_id: person, label: "to end" });
  const browser = await signIn(server, key);
  const proof = /name="proof" value="([^"]+)"/.exec(await browser.text(`/assets/${node}`))?.[1] as string;
  revoke(store, "to end");
  const notes = () => one(store, "SELECT count(*) FROM notes WHERE node_id = ? AND text LIKE 'A long note%'", node);
  const before = notes();
  const sent = await browser.post(`/assets/${node}`, { proof, action: "note", text: "A long note, typed on a phone." });
  assert.is(sent.headers.get("location"), `/signin?next=%2Fassets%2F${node}`);
  assert.match(await browser.text(`/signin?next=%2Fassets%2F${node}`), /What you wrote is kept/);
  const other = await signIn(server, mint(store, { production_id: feature }));
  assert.not.match(await other.text(`/assets/${node}`), /typed on a phone/, "nobody else gets it");
  const next = mint(store, { production_id: feature, person_id: person });
  const back = await browser.send("/signin", { key: next, next: `/assets/${node}` });
  assert.is(back.headers.get("location"), `/assets/${node}`);
  const filled = await browser.get(`/assets/${node}`);
  const text = await filled.text();
  assert.is(filled.status, 403);
  assert.match(text, /<textarea id="text"[^>]*>\nA long note, typed on a phone\.<\/textarea>/);
  assert.match(text, /You were signed out before this was sent, so nothing was changed/);
  assert.is(notes(), before);
  assert.not.match(await browser.text(`/assets/${node}`), /typed on a phone/, "it is given once");
  assert.is(
    (await browser.send(`/assets/${node}`, { action: "note", text: "A long note, typed on a phone." })).status,
    303,
  );
  assert.is(notes(), before + 1);
});

held("with files comes back with what was written before them, also without JavaScript", async () => {
  const token = mint(store, { ...submitterKey, label: "held files" });
  const browser = await signIn(server, token);
  const path = `/turnovers/${delivery}`;
  const form = new FormData();
  form.append("proof", /name="proof" value="([^"]+)"/.exec(await browser.text(path))?.[1] as string);
  form.append("title", "Round seventy");
  form.append("note", "Typed for long.");
  form.append("files", new Blob([new Uint8Array(300_000)]), "seventy.mov");
  revoke(store, "held files");
  const count = () => one(store, "SELECT count(*) FROM submissions");
  const before = count();
  const headers = { cookie: browser.cookies(), origin: server.url, accept: "text/html" };
  const sent = await fetch(server.url + path, { method: "POST", body: form, headers, redirect: "manual" });
  assert.is(sent.status, 303);
  const [cookie = ""] = sent.headers.getSetCookie().filter((line) => /_visitor_\d+=\S/.test(line));
  const again = visitor(server, cookie.split(";")[0]);
  assert.match(await again.text(sent.headers.get("location") as string), /What you wrote is kept/);
  const back = await again.send("/signin", { key: mint(store, submitterKey) }, "/signin");
  assert.is(back.headers.get("location"), path);
  const page = await again.text(path);
  assert.match(page, /You were signed out before this was sent/);
  assert.match(page, /value="Round seventy"[\s\S]*Typed for long\./);
  assert.is(count(), before);
});

held("of an earlier session comes back filled to the present one, with 403, and changes nothing", async () => {
  const token = mint(store, { production_id: feature, scopes: ["read", "write", "edit"], label: "two tabs" });
  const scene = one(store, "SELECT min(node_id) FROM scenes WHERE production_id = ?", feature);
  const path = `/edit/scenes/${scene}`;
  const first = await signIn(server, token);
  const fields = await editFields(first, path);
  const second = await signIn(server, token);
  const response = await second.post(path, { ...fields, synopsis: "Typed in the other tab." });
  const text = await response.text();
  assert.is(response.status, 403);
  assert.match(text, /You were signed out before this was sent[\s\S]*Typed in the other tab\./);
  assert.not.match(
    one<string>(store, "SELECT coalesce(synopsis, '') FROM scenes WHERE node_id = ?", scene),
    /other tab/,
  );
  const proof = /name="proof" value="([^"]+)"/.exec(text)?.[1] as string;
  assert.is((await second.post(path, { ...fields, proof, synopsis: "Typed in the other tab." })).status, 303);
});

held("does not come back to somebody of another vendor or production on the same browser", async () => {
  const deliveries = "SELECT id FROM engagements WHERE production_id = ? ORDER BY id";
  const [engagement_id, other] = store.database.prepare(deliveries).pluck().all(feature) as number[];
  const series = one<number>(store, "SELECT id FROM productions WHERE id <> ?", feature);
  const nextKeys = [
    mint(store, { production_id: feature, engagement_id: engagement_id as number }),
    mint(store, { production_id: feature, engagement_id: other as number }),
    mint(store, { production_id: series }),
  ];
  for (const [at, next] of nextKeys.entries()) {
    const browser = await signIn(server, mint(store, { production_id: feature, label: `ends ${at}` }));
    const proof = /name="proof" value="([^"]+)"/.exec(await browser.text(`/assets/${node}`))?.[1] as string;
    revoke(store, `ends ${at}`);
    await browser.post(`/assets/${node}`, { proof, action: "note", text: "For the production alone." });
    const back = await browser.send("/signin", { key: next, next: "/" });
    assert.is(back.headers.get("location"), "/");
    assert.not.match(await browser.text(`/assets/${node}`), /For the production alone/);
  }
  const stranger = visitor(server);
  await stranger.post(`/assets/${node}`, { action: "note", text: "Of nobody that is known." });
  const bound = await stranger.send("/signin", { key: nextKeys[0] as string, next: "/" });
  assert.is(bound.headers.get("location"), "/");
});

held("comes back to the admin who signs in with a link, and an edit form too", async () => {
  const scene = one(store, "SELECT min(node_id) FROM scenes WHERE production_id = ?", feature);
  const stranger = visitor(server);
  const fields = { "was:synopsis": "0000", synopsis: "Typed before the end." };
  assert.is((await stranger.post(`/edit/scenes/${scene}`, fields)).status, 303);
  const opened = await stranger.get(linkFor(server, feature));
  assert.is(opened.headers.get("location"), `/edit/scenes/${scene}`);
  assert.match(await stranger.text(`/edit/scenes/${scene}`), /Typed before the end\./);
  assert.not.match(
    one<string | null>(store, "SELECT synopsis FROM scenes WHERE node_id = ?", scene) ?? "",
    /Typed before/,
  );
});

held("never ends, mints or decides anything by itself, and is not kept for another site", async () => {
  const approval = one(store, "SELECT min(id) FROM approvals WHERE status = 'pending' AND production_id = ?", feature);
  const session = one(store, "SELECT max(id) FROM sessions WHERE production_id = ?", feature);
  for (const [path, fields, unchanged] of [
    [
      "/approvals",
      { approval_id: `${approval}`, decision: "approved", decided_by: `${person}` },
      `SELECT status FROM approvals WHERE id = ${approval}`,
    ],
    ["/settings/keys", { action: "mint", label: "held", scopes: "read" }, "SELECT count(*) FROM api_keys"],
    [
      "/settings/sessions",
      { session_id: `${session}`, sure: "1" },
      `SELECT count(*) FROM sessions WHERE id = ${session}`,
    ],
  ] as [string, Record<string, string>, string][]) {
    const browser = visitor(server);
    await browser.post(path, fields);
    const before = one(store, unchanged);
    await browser.get(linkFor(server, feature));
    await browser.text(path);
    assert.is(one(store, unchanged), before, path);
  }
  const victim = visitor(server);
  await victim.post(
    "/approvals",
    { approval_id: `${approval}` },
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
  );
  assert.is((await victim.get(linkFor(server, feature))).headers.get("location"), "/");
});

const fresh = suite("a server without a production");
const empty = await openTestServer({ data: temporaryFolder() });

fresh("creates one from a script, for who has a link, and uses the link up", async () => {
  const browser = visitor(empty);
  const path = beginPathFor(empty);
  const page = await browser.text(path);
  assert.match(page, /A new production[\s\S]*type="file"/);
  const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1] as string;
  const send = (name: string, text: string, headers: Record<string, string> = {}, to = path) => {
    const form = new FormData();
    form.append("proof", proof);
    form.append("title", "Created On A Page");
    form.append("script", new Blob([text]), name);
    const own = { cookie: browser.cookies(), origin: empty.url, accept: "text/html", ...headers };
    return fetch(`${empty.url}${to}`, { method: "POST", body: form, headers: own, redirect: "manual" });
  };
  const script = readFileSync(join(root, "fixtures/paperwork/the-silver-button.fountain"), "utf8");
  for (const to of ["/begin", "/begin?link=", "/begin?link=guessed"]) {
    const refused = await send("script.fountain", script, {}, to);
    assert.is(refused.status, 403, to);
    assert.match(await refused.text(), /`?tallylight open`?/);
  }
  assert.is((await send("script.fountain", script, { cookie: "" })).status, 403);
  const refused = await send("script.pdf", script);
  assert.is(refused.status, 422);
  assert.match(await refused.text(), />The file is a PDF; export a script as \.fdx or \.fountain/);
  assert.is(one(empty.store, "SELECT count(*) FROM productions"), 0);
  const created = await send("script.fountain", script);
  assert.is(created.status, 303, await created.text());
  assert.is((await browser.get(created.headers.get("location") as string)).headers.get("location"), "/");
  assert.match(await browser.text("/scenes"), /Created On A Page[\s\S]*class="rows numbered/);
  assert.match(await visitor(empty).text("/"), /name="key"/, "then the first page is the sign-in page");
  const late = await send("script.fountain", script, { cookie: "" });
  assert.is(late.status, 409);
  assert.match(await late.text(), /has a production already/);
  assert.is(one(empty.store, "SELECT count(*) FROM begin_links"), 0);
  assert.is((await visitor(empty).get(path)).headers.get("location"), "/");
  assert.is(one(empty.store, "SELECT count(*) FROM productions"), 1);
});

fresh("says to everybody without a link how to get one, from whatever address", async () => {
  const other = await openTestServer({ data: temporaryFolder() });
  const { port, host } = new URL(other.url);
  for (const path of ["/", "/begin", "/signin"]) {
    const page = await visitor(other).text(path);
    assert.match(page, /No production yet[\s\S]*tallylight open/, path);
    assert.not.match(page, /type="file"/, path);
  }
  // As nginx and HAProxy pass a stranger's request on, if they are told nothing else.
  for (const head of [
    `GET / HTTP/1.0\r\nHost: ${host}`,
    `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}`,
    "GET /begin HTTP/1.1\r\nHost: localhost",
  ])
    assert.match(await raw(Number(port), [`${head}\r\nConnection: close\r\n\r\n`]), /No production yet/);
  const used = await visitor(other).get("/begin?link=guessed");
  assert.is(used.status, 403);
  assert.match(await used.text(), /was used or has expired[\s\S]*tallylight open/);
  await other.stop();
});

fresh("has a link that works for a day, and until a production is made in any way", async () => {
  let ahead = 0;
  const other = await openTestServer({ data: temporaryFolder(), clock: () => Date.now() + ahead });
  const path = beginPathFor(other);
  const form = async () => /type="file"/.test(await visitor(other).text(path));
  for (const hours of [0, 23]) {
    ahead = hours * 3_600_000;
    assert.ok(await form(), `${hours} h later`);
  }
  ahead = 25 * 3_600_000;
  assert.not.ok(await form());
  ahead = 0;
  other.store.writeSync(() =>
    other.store.database.exec(
      "INSERT INTO productions (title, logline, status, phase, accent, format, created_at) VALUES ('By a command', '', 'active', 'prep', 'amber', 'single', '2026-01-01')",
    ),
  );
  other.store.writeSync(() => other.store.database.exec("DELETE FROM productions"));
  assert.not.ok(await form(), "a deleted production does not bring the link back");
  await other.stop();
});

fresh.after(async () => {
  await empty.stop();
  await server.stop();
});
asking.run();
held.run();
fresh.run();
