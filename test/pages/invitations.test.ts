// The one form that lets a vendor in, and invitations: what they grant, that they work once, and what they say
// afterwards.
// Thorough: only --all runs it.
import jsqr from "jsqr";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tokenHash } from "../../src/core/access/callers.ts";
import { qrImage } from "../../src/features/pages/qr.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { linkFor, openAsAdmin, signIn, visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

let ahead = 0;
const server = await openTestServer({ clock: () => Date.now() + ahead });
const { store } = server;
const { feature, production, asset, scene, delivery } = seedDataOf(store);
const key = mint(store, { production_id: production, scopes: ["read", "write", "admin"], label: "Producer" });
const admin = await signIn(server, key);
const count = (table: string) => one(store, `SELECT count(*) FROM ${table}`);
const nameOf = (id: number) => one<string>(store, "SELECT label FROM nodes WHERE id = ?", id);
const title = one<string>(store, "SELECT title FROM deliveries WHERE id = ?", delivery);
const linkIn = (page: string) => /invitation\?code=([\w-]{43})</.exec(page)?.[1] ?? "";
const secretLink = (code: string) => `/invitation?code=${code}`;

const setup = suite("the form that lets a vendor in");
const fields = {
  action: "setup",
  vendor: "Lantern & Sons",
  title: "Props",
  verb: ["read", "submit", "read"],
  target: [nameOf(asset), title, `${nameOf(scene)} (scene ${scene})`],
};

setup("shows what the key will see before anything is made, and exactly that is seen afterwards", async () => {
  const before = ["engagements", "grants", "api_keys", "vendors", "audit", "events"].map(count);
  const since = /name="since" value="(\d+)"/.exec(await admin.text("/settings/vendors?new=1"))?.[1] as string;
  const page = await (await admin.send("/settings/vendors", { ...fields, since })).text();
  assert.match(page, new RegExp(`name="since" value="${since}"`));
  assert.match(
    page,
    /Lantern &amp; Sons: Props[^§]*What this key will see[^§]*1 scene[^§]*1 asset[^§]*1 delivery[^§]*submits work/,
  );
  assert.equal(
    ["engagements", "grants", "api_keys", "vendors", "audit", "events"].map(count),
    before,
    "a look changes nothing",
  );
  const made = await (await admin.send("/settings/vendors", { ...fields, since, with: "key" })).text();
  const token = /<pre id="token"><code>(tl_[\w-]+)</.exec(made)?.[1] as string;
  const me = await server.get(token, "/me");
  assert.equal(me.reach.nodes.map((node: { node_id: number }) => node.node_id).sort(), [asset, scene].sort());
  assert.equal([me.key.scopes, me.reach.deliveries.length], [["read", "submit:turnover"], 1]);
  const again = await admin.send("/settings/vendors", { ...fields, since, with: "key" });
  assert.match(await again.text(), /was just let in/, "a reload mints no second key");
});

setup("is refused as a whole, asks which of several things is meant, and keeps what was typed", async () => {
  const label = nameOf(asset);
  const twin = store.writeSync(() =>
    store.database
      .prepare(
        "INSERT INTO nodes (production_id, kind, label, status, created_at, updated_at) VALUES (?, 'prop', ?, 'planned', '2026', '2026') RETURNING id",
      )
      .pluck()
      .get(production, label),
  );
  const before = count("engagements");
  const page = await (await admin.send("/settings/vendors", { ...fields, vendor: "Twins", with: "key" })).text();
  assert.match(page, /choose which[^§]*is meant/);
  assert.match(page, new RegExp(`<select name="target"[^§]*\\(asset ${asset}\\)[^§]*\\(asset ${twin}\\)`));
  assert.match(page, new RegExp(`value="${title.replace(/[()]/g, "\\$&")}"|${title}`));
  const wrong = { ...fields, vendor: "Wrong", verb: "submit", target: `x (asset ${asset})`, with: "key" };
  assert.match(await (await admin.send("/settings/vendors", wrong)).text(), /submit needs a delivery, not a node/i);
  assert.is(count("engagements"), before, "nothing of it was stored");
});

const invitations = suite("an invitation");
async function invite(more: Record<string, string> = {}): Promise<string> {
  const person = one(store, "SELECT min(id) FROM people WHERE production_id = ?", production);
  const given = {
    action: "invite",
    label: `Phone ${count("invitations")}`,
    role: "work",
    person_id: `${person}`,
    expires: "",
  };
  return linkIn(await (await admin.send("/settings/keys", { ...given, ...more })).text());
}
const use = (code: string, browser = visitor(server)) => browser.send("/invitation", { code }, secretLink(code));

invitations("opens a session of its person once, and a look does not use it", async () => {
  const code = await invite();
  const browser = visitor(server);
  for (const _ of [1, 2]) assert.match(await browser.text(secretLink(code)), /You are invited as/);
  assert.is((await use(code, browser)).headers.get("location"), "/");
  assert.match(await browser.text("/"), /Waits for you/);
  assert.is((await browser.get("/settings")).status, 403, "a member is no admin");
  for (const again of [await browser.get(secretLink(code)), await visitor(server).get(secretLink(code))]) {
    assert.is(again.status, 403);
    assert.match(await again.text(), /was used at/);
  }
});

invitations("of a vendor opens its desk, and reaches what its grants reach", async () => {
  const given = { ...fields, vendor: "Phone vendor", target: [`x (asset ${asset})`, title, ""], with: "invitation" };
  const page = await (await admin.send("/settings/vendors", given)).text();
  assert.match(page, /<img src="data:image\/svg\+xml/);
  const browser = visitor(server);
  await use(linkIn(page), browser);
  assert.match(await browser.text("/turnovers"), /Phone vendor/);
  assert.is((await browser.get(`/assets/${asset}`)).status, 200);
  assert.is((await browser.get("/scenes")).status, 404);
});

invitations("of several people are made together, or none of them, and each wrong line is named", async () => {
  const people = (await server.get(key, "/people")) as { id: number; name: string; active: boolean }[];
  const [first, second, third] = people.filter(({ active }) => active).map(({ name }) => name) as [
    string,
    string,
    string,
  ];
  const before = ["invitations", "api_keys", "audit"].map(count);
  const send = async (lines: string[], more: Record<string, string> = {}) => {
    const answer = await admin.send("/people/invite", { lines: lines.join("\r\n"), ...more });
    return [answer.status, await answer.text()] as const;
  };
  assert.match(await admin.text("/people/invite"), /nobody is invited while a name is unknown/);
  const wrong = [first, "Nobody Known", "", `${second}, producer`, `${first.toUpperCase()}, look`];
  const [status, refused] = await send(wrong);
  assert.is(status, 422);
  assert.match(
    refused,
    `Line 2: nobody in People is called “Nobody Known”. Line 4: “producer” is not one of look, work, run the show; a line is: name, role, contact. Line 5: ${first} is in line 1 already. Nobody was invited.`,
  );
  assert.ok(refused.replace(/\r/g, "").includes(`${second}, producer\n`), "the lines stay");
  assert.is((await send(Array.from({ length: 51 }, () => first)))[0], 422);
  assert.equal(["invitations", "api_keys", "audit"].map(count), before, "nothing was written");
  const since = /name="since" value="(\d+)"/.exec(await admin.text("/people/invite"))?.[1] as string;
  const lines = [first, `${second}; Run the show; +44 20 7946 0000, evenings`, `${third}\tlook`];
  const [, made] = await send(lines, { since });
  const codes = [...made.matchAll(/invitation\?code=([\w-]{43})</g)].map(([, code]) => code as string);
  assert.is(new Set(codes).size, 3);
  assert.match(made, "+44 20 7946 0000, evenings");
  assert.match((await send(lines, { since }))[1], /were just invited/, "a reload makes no second links");
  const scopes = codes.map((code) =>
    one<string>(
      store,
      "SELECT p.name || ' ' || k.scopes FROM invitations i JOIN api_keys k ON k.id = i.key_id JOIN people p ON p.id = k.person_id WHERE i.token_sha256 = ?",
      tokenHash(code),
    ),
  );
  assert.equal(scopes, [`${first} ["read","write"]`, `${second} ["read","write","edit"]`, `${third} ["read"]`]);
  const beginnings = /href="\/people\/invite"|href="\/settings\/vendors\?new=1"/g;
  assert.is((await admin.text("/people")).match(beginnings)?.length, 2);
  const editor = await signIn(server, mint(store, { production_id: production, scopes: ["read", "write", "edit"] }));
  assert.not.match(await editor.text("/people"), beginnings);
  assert.is((await editor.get("/people/invite")).status, 403);
});

invitations("of a name that several people have asks which of them is meant, on both pages", async () => {
  const add =
    "INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (?, ?, 'Grip', 0, 0) RETURNING id";
  const [one, other] = ["Sean O'Hara", "Sean O’Hara"].map((name) =>
    store.writeSync(() => store.database.prepare(add).pluck().get(production, name)),
  );
  const before = count("invitations");
  const text = async (path: string, sent: Record<string, string>) => {
    const answer = await admin.send(path, sent);
    return [answer.status, await answer.text()] as const;
  };
  const question = `everal people have this name: choose one of Sean O&#39;Hara (person ${one}) and Sean O’Hara (person ${other})`;
  for (const [path, sent] of [
    ["/people/invite", { lines: "Sean O'Hara" }],
    ["/settings/keys", { action: "invite", label: "Sean O'Hara", role: "look" }],
  ] as const) {
    const [status, page] = await text(path, sent);
    assert.is(status, 422, path);
    assert.ok(page.includes(question), path);
  }
  assert.is(count("invitations"), before);
  const named = `Sean O’Hara (person ${other})`;
  assert.is((await text("/people/invite", { lines: named }))[0], 200);
  assert.is((await text("/settings/keys", { action: "invite", label: named, role: "look" }))[0], 200);
  const invited = store.database
    .prepare("SELECT k.person_id FROM invitations i JOIN api_keys k ON k.id = i.key_id ORDER BY k.id DESC LIMIT 2")
    .pluck()
    .all();
  assert.equal(invited, [other, other]);
});

invitations("used twice at once opens one session", async () => {
  const code = await invite();
  const browsers = [visitor(server), visitor(server)];
  for (const each of browsers) await each.text(secretLink(code));
  const statuses = await Promise.all(browsers.map(async (each) => (await use(code, each)).status));
  assert.equal(statuses.sort(), [303, 403]);
});

invitations("that is revoked, expired or unknown says so, and its key ends with it", async () => {
  const revoked = await invite();
  const key_id = one(store, "SELECT max(key_id) FROM invitations");
  await admin.send("/settings/keys", { action: "revoke", key_id: `${key_id}`, sure: "1" });
  assert.match(await visitor(server).text(secretLink(revoked)), /This invitation was ended/);
  const late = await invite();
  ahead = 25 * 3_600_000;
  assert.match(await visitor(server).text(secretLink(late)), /This invitation expired at/);
  const states = await admin.text("/settings/keys");
  assert.match(states, /invitation expired[^§]*ended/);
  ahead = 0;
  const unknown = await visitor(server).get(secretLink("x".repeat(43)));
  assert.is(unknown.status, 403);
  assert.match(await unknown.text(), /There is no such invitation/);
});

invitations("grants nothing that its maker could not mint, and is no link of the admin", async () => {
  const before = count("invitations");
  const other = one(store, "SELECT min(id) FROM people WHERE production_id = ?", feature);
  for (const more of [{ person_id: `${other}` }, { role: "", scopes: "admin", person_id: "99999999" }])
    assert.is(await invite(more), "");
  const wide = await (
    await signIn(server, mint(store, { production_id: production, scopes: ["read", "write", "edit"] }))
  ).get("/settings/keys");
  assert.is(wide.status, 403);
  assert.is(count("invitations"), before);
  const code = await invite();
  assert.is((await visitor(server).get(`/open?link=${code}`)).status, 403);
  const link = linkFor(server, production).split("=")[1] as string;
  assert.is((await visitor(server).get(secretLink(link))).status, 403);
});

invitations("keeps its secret out of the logs and the database, and the audit says who invited whom", async () => {
  const code = await invite();
  await use(code);
  assert.not.ok(server.lines.join("\n").includes(code));
  assert.is(one(store, "SELECT count(*) FROM invitations WHERE token_sha256 = ?", code), 0);
  const page = await admin.text("/settings/audit");
  assert.match(page, /invitation\.created|invitation created/);
  assert.match(page, /Producer/);
  assert.not.ok(page.includes(code));
});

invitations("has the scheme of the server in its link, under the address by which the admin came", async () => {
  const secure = await openTestServer({ addresses: { base_url: "https://127.0.0.1:8787" } });
  const browser = await openAsAdmin(secure, production);
  const person = one(secure.store, "SELECT min(id) FROM people WHERE production_id = ?", production);
  const given = { action: "invite", label: "Tablet", role: "work", person_id: `${person}`, expires: "" };
  const page = await (await browser.send("/settings/keys", given)).text();
  assert.match(page, `https://127.0.0.1:${secure.port}/invitation?code=`);
  await secure.stop();
});

const codes = suite("a QR code");
// safe: the package is CommonJS, whose one function Node gives as the default of the default
const read = ("default" in jsqr ? jsqr.default : jsqr) as typeof jsqr.default;

/** What an independent reader finds in an image, drawn with four pixels for each of its units. */
function readIn(image: string): string | undefined {
  const svg = decodeURIComponent(image);
  const side = 4 * Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  const pixels = new Uint8ClampedArray(4 * side * side).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 4 * Number(y); row < 4 * Number(y) + 4; row++) {
      const start = 4 * (row * side + 4 * Number(x));
      for (let at = start; at < start + 16; at++) if (at % 4 !== 3) pixels[at] = 0;
    }
  return read(pixels, side, side)?.data;
}

codes("is read as the text that it was made of, at any length of an address", () => {
  const address = `https://set.example.org/${"path/".repeat(60)}`;
  for (const text of ["Tallylight", ...[14, 100, 213, 214, 300].map((length) => address.slice(0, length)), "Tür 手"])
    assert.is(readIn(qrImage(text)), text);
});

codes("on the page of an invitation is its link", async () => {
  const given = { action: "invite", label: "Camera", role: "member", person_id: "", expires: "" };
  const page = await (await admin.send("/settings/keys", given)).text();
  const [, image = ""] = /src="(data:image\/svg[^"]+)"/.exec(page) ?? [];
  assert.is(readIn(image), `${server.url}/invitation?code=${linkIn(page)}`);
});

for (const each of [setup, invitations]) each.run();
codes.after(() => server.stop());
codes.run();
