// Signing in, sessions, one-time links and the proof of forms, over HTTP.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tokenHash } from "../../src/core/access/callers.ts";
import { mint, one, openTestServer, revoke } from "../support/app.ts";
import { linkFor, openAsAdmin, signIn, type Visitor, visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, otherProduction } = seedDataOf(server.store);
const title = one<string>(store, "SELECT title FROM productions WHERE id = ?", production);
const key = mint(store, { production_id: production, label: "first AD" });

const signing = suite("signing in");

signing("without a session, / is the sign-in page, which names no production and says where programs go", async () => {
  const text = await visitor(server).text("/");
  for (const part of ['name="key"', "/docs", "/api/v1/openapi.json", `${server.url}/mcp`, "/healthz"])
    assert.ok(text.includes(part), part);
  for (const known of store.database.prepare("SELECT title FROM productions").pluck().all() as string[])
    assert.not.ok(text.includes(known), known);
});

signing("a key opens a session whose cookie scripts and other sites cannot use, for 7 days", async () => {
  const browser = visitor(server);
  const response = await browser.send("/signin", { key: ` ${key} ` });
  assert.is(response.status, 303);
  assert.is(response.headers.get("location"), "/");
  const cookie = response.headers.getSetCookie().find((line) => line.includes("_session_"));
  assert.match(cookie ?? "", /=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
  assert.ok((await browser.text("/")).includes(title));
});

signing("the database has only the hash of a session's token", async () => {
  const browser = await signIn(server, key);
  const token = /_session_\d+=([\w-]{43})/.exec(browser.cookies())?.[1] as string;
  const rows = JSON.stringify(store.database.prepare("SELECT * FROM sessions").all());
  assert.not.ok(rows.includes(token));
});

signing(
  "an unknown, revoked or missing key is refused beside the field, and the page keeps where one was going",
  async () => {
    const revoked = mint(store, { production_id: production, label: "gone" });
    revoke(store, "gone");
    for (const wrong of ["tl_nonsense", revoked, "", "<script>alert(1)</script>", `tlo_${"x".repeat(43)}`]) {
      const browser = visitor(server);
      const response = await browser.send("/signin", { key: wrong, next: "/scenes" });
      assert.is(response.status, 401);
      const text = await response.text();
      assert.match(text, /role="alert">(This API key is unknown, ended or expired|Paste an API key first)/);
      assert.match(text, /name="next" value="\/scenes"/);
      assert.not.match(text, /<script>/);
    }
  },
);

signing("after 30 wrong keys in a minute, the next one is 429 and a right one still opens a session", async () => {
  const now = Date.now();
  const busy = await openTestServer({ clock: () => now }); // however long the tries take
  const right = mint(busy.store, { production_id: production });
  const browser = visitor(busy);
  const statuses: number[] = [];
  for (let tries = 0; tries < 31; tries++) statuses.push((await browser.send("/signin", { key: "tl_wrong" })).status);
  assert.equal([...new Set(statuses)], [401, 429]);
  assert.is((await browser.send("/signin", { key: right })).status, 303);
  await busy.stop();
});

signing("a visit without a session leads through the sign-in back to the page, and never to another site", async () => {
  const browser = visitor(server);
  const response = await browser.get("/search?q=a&x=1");
  assert.is(response.status, 303);
  const address = response.headers.get("location") as string;
  assert.is(address, "/signin?next=%2Fsearch%3Fq%3Da%26x%3D1");
  assert.match(await browser.text(address), /name="next" value="\/search\?q=a&amp;x=1"/);
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/.//evil.example",
    "/scenes/..//evil.example",
    "/%2e//evil.example",
    "/./\\evil.example",
  ]) {
    assert.is((await signInWithNext(next)).headers.get("location"), "/", next);
    const signedIn = await signIn(server, key);
    assert.is((await signedIn.get(`/signin?next=${encodeURIComponent(next)}`)).headers.get("location"), "/", next);
  }
});
const signInWithNext = (next: string) => visitor(server).send("/signin", { key, next });

signing("a link on another site reaches the page of a signed-in person by a detour on this server", async () => {
  const response = await visitor(server).get("/scenes", { "sec-fetch-site": "cross-site" });
  assert.is(response.status, 200);
  assert.match(await response.text(), /http-equiv="refresh" content="0; url=\/signin\?next=%2Fscenes"/);
  const browser = await signIn(server, key);
  assert.is((await browser.get("/signin?next=%2Fscenes")).headers.get("location"), "/scenes");
});

const ending = suite("the end of a session");

ending("signing out ends the session on the server, not only in the browser", async () => {
  const browser = await signIn(server, key);
  const former = visitor(server, browser.cookies());
  assert.is((await browser.send("/signout", {}, "/")).status, 303);
  assert.not.match(browser.cookies(), /session/);
  assert.is((await former.get("/scenes")).status, 303);
});

ending("revoking the key ends its session with the next request", async () => {
  const browser = await signIn(server, mint(store, { production_id: production, label: "short-lived" }));
  assert.is((await browser.get("/scenes")).status, 200);
  revoke(store, "short-lived");
  assert.is((await browser.get("/scenes")).headers.get("location"), "/signin?next=%2Fscenes");
});

ending(
  "a session ends after 7 days without use, begins anew with each use, and ends with its key's expiry",
  async () => {
    const [start, hour, day] = [Date.now(), 3_600_000, 86_400_000];
    let time = start;
    const timed = await openTestServer({ clock: () => time });
    const expires_at = new Date(start + 8 * day).toISOString();
    const short = mint(timed.store, { production_id: production, expires_at });
    const open = () => signIn(timed, mint(timed.store, { production_id: production }));
    const [used, unused, brief] = [await open(), await open(), await signIn(timed, short)];
    const end = (browser: Visitor) => {
      const token = /_session_\d+=([\w-]{43})/.exec(browser.cookies())?.[1] as string;
      return one<string>(timed.store, "SELECT expires_at FROM sessions WHERE token_sha256 = ?", tokenHash(token));
    };
    const before = end(used);
    time += hour / 2;
    assert.not.ok((await used.get("/scenes")).headers.has("set-cookie"));
    assert.is(end(used), before, "half an hour later, nothing is written");
    time = start + 6 * day;
    const [page] = [await used.get("/scenes"), await brief.get("/scenes")];
    assert.match(page.headers.get("set-cookie") ?? "", /_session_[^;]*;.*Max-Age=604800/);
    assert.is(end(brief), expires_at, "not longer than its key");
    time = start + 7 * day + hour;
    assert.is((await unused.get("/scenes")).status, 303);
    time = start + 12 * day;
    assert.equal([(await used.get("/scenes")).status, (await brief.get("/scenes")).status], [200, 303]);
    time += 7 * day + hour;
    assert.is((await used.get("/scenes")).status, 303);
    await timed.stop();
  },
);

ending("the admin sees the sessions and ends one", async () => {
  const browser = await signIn(server, mint(store, { production_id: production, label: "board in the office" }));
  const admin = await openAsAdmin(server, production);
  const page = await admin.text("/settings/sessions");
  assert.match(page, /<title>Browsers signed in, settings/);
  assert.match(page, /board in the office/);
  const id = one(
    store,
    "SELECT max(s.id) FROM sessions s JOIN api_keys k ON k.id = s.key_id WHERE k.label = 'board in the office'",
  );
  const asked = await (await admin.send("/settings/sessions", { session_id: String(id) })).text();
  assert.match(asked, /End the session of board in the office\?/);
  assert.is((await browser.get("/scenes")).status, 200, "a question ends nothing");
  assert.is((await admin.send("/settings/sessions", { session_id: String(id), sure: "1" })).status, 303);
  assert.is((await browser.get("/scenes")).status, 303);
});

ending("a session that sees as an engagement ends when a document removes the engagement, and not before", async () => {
  const own = await openTestServer();
  const admin = mint(own.store, { production_id: production, scopes: ["read", "admin"], label: "looking" });
  const load = async (document: object, query = "") => {
    const init = {
      method: "POST",
      body: JSON.stringify(document),
      headers: { "content-type": "application/json" },
    };
    const response = await own.ask(admin, `/api/v1/admin/import${query}`, init);
    assert.is(response.status, 200, await response.clone().text());
    return (await response.json()) as { changes: { section: string; action: string; id: number }[] };
  };
  const { engagements } = await own.get(admin, "/admin/export");
  const added = { vendor: engagements[0].vendor, title: "One day" };
  const engagement_id = String((await load({ engagements: [added] })).changes[0]?.id);
  const byKey = await signIn(own, admin);
  const byLink = await openAsAdmin(own, production);
  for (const looking of [byKey, byLink]) {
    await looking.send("/settings/vendors", { action: "see", engagement_id });
    assert.is((await looking.get("/turnovers")).status, 200);
  }
  const beside = await signIn(own, admin);
  const planned = await load({ engagements }, "?exact=1&dry_run=1");
  assert.equal(
    planned.changes.map(({ section, action }) => `${action} ${section}`),
    ["remove engagements"],
  );
  assert.is((await byKey.get("/turnovers")).status, 200, "a dry run ends nothing");
  await load({ engagements: [{ ...added, ended_at: "2026-01-01T00:00:00.000Z" }] });
  assert.is((await byKey.get("/turnovers")).status, 200, "one that is over shows what its vendor sees now");
  const applied = await load({ engagements }, "?exact=1");
  assert.equal(
    applied.changes.map(({ section, action }) => `${action} ${section}`),
    ["remove engagements"],
  );
  for (const looking of [byKey, byLink]) assert.is((await looking.get("/turnovers")).status, 303);
  assert.is((await beside.get("/settings")).status, 200, "a session that sees as itself stays");
  await own.stop();
});

ending("a key with edit sees and ends its own sessions, and no others", async () => {
  const editorKey = mint(store, { production_id: production, scopes: ["read", "edit"], label: "own sessions" });
  const [one_, two] = [await signIn(server, editorKey), await signIn(server, editorKey)];
  await signIn(server, mint(store, { production_id: production, label: "another's" }));
  const page = await one_.text("/settings/sessions");
  assert.is([...page.matchAll(/name="session_id"/g)].length, 2);
  assert.not.match(page, /another(?:&#39;|')s/);
  const idOf = (label: string) =>
    String(one(store, "SELECT max(s.id) FROM sessions s JOIN api_keys k ON k.id = s.key_id WHERE k.label = ?", label));
  const end = (id: string) => one_.send("/settings/sessions", { session_id: id, sure: "1" });
  assert.is((await end(idOf("another's"))).status, 404);
  assert.is((await end(idOf("own sessions"))).status, 303);
  assert.equal([(await one_.get("/scenes")).status, (await two.get("/scenes")).status], [200, 303]);
  const writer = await signIn(server, key);
  assert.is((await writer.get("/settings/sessions")).status, 403);
});

const links = suite("one-time links");

links("a link opens the admin's session of one production, once", async () => {
  const path = linkFor(server, production);
  const browser = visitor(server);
  assert.is((await browser.get(path)).headers.get("location"), "/");
  assert.is((await browser.get("/settings/keys")).status, 200);
  const again = visitor(server);
  assert.is((await again.get(path)).status, 403);
  assert.is(again.cookies(), "");
});

links("an expired or unknown link is 403", async () => {
  for (const path of [linkFor(server, production, -1), "/open?link=nonsense", "/open"])
    assert.is((await visitor(server).get(path)).status, 403);
});

links("HEAD does not use a link", async () => {
  const path = linkFor(server, production);
  assert.is((await fetch(server.url + path, { method: "HEAD" })).status, 405);
  assert.is((await visitor(server).get(path)).status, 303);
});

links("the admin of one production sees nothing of another", async () => {
  const admin = await openAsAdmin(server, otherProduction);
  const text = await admin.text("/settings/keys");
  assert.not.ok(text.includes("first AD"));
  const id = one(store, "SELECT id FROM api_keys WHERE label = 'first AD'");
  assert.is((await admin.send("/settings/keys", { action: "revoke", key_id: String(id), sure: "1" })).status, 404);
  assert.is((await server.get(key, "/production")).title, title);
});

const forms = suite("forms");

forms(
  "a form without its proof, with that of another session, or from another origin is 403 and changes nothing",
  async () => {
    const admin = await openAsAdmin(server, production);
    const other = await openAsAdmin(server, production);
    const proof = /name="proof" value="([^"]+)"/.exec(await admin.text("/settings/keys"))?.[1] as string;
    const foreign = /name="proof" value="([^"]+)"/.exec(await other.text("/settings/keys"))?.[1] as string;
    const fields = { action: "mint", label: "forged", scopes: "read" };
    const count = () => one(store, "SELECT count(*) FROM api_keys");
    const before = count();
    for (const [given, headers] of [
      [{}, {}],
      [{ proof: "" }, {}],
      [{ proof: foreign }, {}],
      [{ proof: `${proof}x` }, {}],
      [{ proof }, { origin: "https://evil.example" }],
      [{ proof }, { origin: "null" }],
      [{ proof }, { origin: server.url.replace(/\d+$/, "1") }],
      [{ proof }, { "sec-fetch-site": "cross-site" }],
      [{ proof }, { "sec-fetch-site": "same-site" }],
    ] as [Record<string, string>, Record<string, string>][])
      assert.is((await admin.post("/settings/keys", { ...fields, ...given }, headers)).status, 403);
    assert.is(count(), before);
    assert.is((await admin.post("/settings/keys", { ...fields, proof })).status, 200);
    assert.is(count(), before + 1);
  },
);

forms("the refusal of a form from another site names public_url where that is not set", async () => {
  const textOf = async (on: typeof server): Promise<string> =>
    (await visitor(on).post("/signin", { key: "" }, { origin: "https://tally.example.lan" })).text();
  assert.match(await textOf(server), /from another site; nothing was changed; [\s\S]*the setting “public_url”/i);
  const known = await openTestServer({ environment: { TALLYLIGHT_PUBLIC_URL: "https://tally.example.com" } });
  const refused = await textOf(known);
  assert.match(refused, /from another site; nothing was changed/);
  assert.not.match(refused, /public_url/);
  await known.stop();
});

forms("signing in and out need the proof as well", async () => {
  const stranger = visitor(server);
  assert.is((await stranger.post("/signin", { key })).status, 403);
  assert.is(stranger.cookies(), "");
  const browser = await signIn(server, key);
  assert.is((await browser.post("/signout", {})).status, 403);
  assert.is((await browser.get("/scenes")).status, 200);
});

forms(
  "a sign-in gives a new token, whatever session cookie the browser brought, and ends the former session",
  async () => {
    const planted = (await signIn(server, key)).cookies();
    const browser = visitor(server, planted);
    assert.is((await browser.get(linkFor(server, production))).status, 303);
    assert.is.not(browser.cookies(), planted);
    assert.is((await browser.get("/settings")).status, 200);
    assert.is((await visitor(server, planted).get("/scenes")).status, 303);
  },
);

forms("a session cookie that the server did not give opens nothing", async () => {
  const name = /(tallylight_session_\d+)=/.exec((await signIn(server, key)).cookies())?.[1] as string;
  const browser = visitor(server, `${name}=${"A".repeat(43)}`);
  assert.is((await browser.get("/scenes")).status, 303);
});

forms("a form of another content type is 415, and one over 256 KiB is 413", async () => {
  const admin = await openAsAdmin(server, production);
  assert.is((await admin.post("/settings/keys", { a: "b" }, { "content-type": "text/plain" })).status, 415);
  assert.is((await admin.post("/settings/keys", { a: "b".repeat(300_000) })).status, 413);
});

forms.after(() => server.stop());
signing("two tabs that open together both sign in, although the browser keeps the cookie of one of them", async () => {
  const form = async (path: string) => /name="proof" value="([^"]+)"/.exec(await visitor(server).text(path))?.[1] ?? "";
  const key = mint(store, { production_id: production, label: "two tabs" });
  const browser = visitor(server);
  await browser.text("/signin"); // the cookie of the second tab replaces that of the first
  const fields = { key, proof: await form("/signin") };
  const headers = { "content-type": "application/x-www-form-urlencoded", cookie: browser.cookies() };
  const withoutOrigin = await fetch(`${server.url}/signin`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
  assert.is(withoutOrigin.status, 403, "nothing says which page the form is of");
  assert.is((await browser.post("/signin", fields, { origin: "http://elsewhere.test" })).status, 403);
  assert.is((await browser.post("/signin", { key })).status, 403, "a form without a proof");
  assert.is((await browser.post("/signin", fields)).status, 303);
  assert.is((await browser.get("/scenes")).status, 200);
});

signing.run();
ending.run();
links.run();
forms.run();
