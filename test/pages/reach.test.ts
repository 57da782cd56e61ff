// Who sees which page: a vendor's session gets one and the same 404 for everything outside its reach, and a key without
// the admin scope gets no settings.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openPages } from "../../src/features/pages/pages.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { openAsAdmin, signIn, type Visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const started = Date.now();
const server = await openTestServer({ clock: () => started }); // a page says when it is printed
const pages = openPages();
const { store } = server;
const seedData = seedDataOf(store);
const { production, submitter, submitterKey, delivery } = seedData;
const vendor = await signIn(server, mint(store, submitterKey));
const member = await signIn(server, mint(store, { production_id: production }));
const admin = await openAsAdmin(server, production);

/** Ids of the production, by the parameter of a path, of things that the vendor does not reach. */
const unreached: Readonly<Record<string, number>> = {
  shoot_day_id: one(store, "SELECT min(id) FROM shoot_days WHERE production_id = ?", production),
  node_id: one(
    store,
    `SELECT min(id) FROM nodes n WHERE production_id = ? AND kind = 'scene'
       AND NOT EXISTS (SELECT 1 FROM grants WHERE node_id = n.id AND engagement_id = ?)`,
    production,
    submitter,
  ),
  delivery_id: one(
    store,
    `SELECT min(id) FROM deliveries d WHERE production_id = ?
       AND NOT EXISTS (SELECT 1 FROM grants WHERE delivery_id = d.id AND engagement_id = ?)`,
    production,
    submitter,
  ),
  approval_id: one(store, "SELECT min(id) FROM approvals WHERE production_id = ?", production),
};
const filled = (path: string): string => path.replace(/:(\w+)/g, (_, name: string) => String(unreached[name]));

/** The status and the text of a page. */
async function absent(browser: Visitor, path: string): Promise<string> {
  const response = await browser.get(path);
  return `${response.status} ${await response.text()}`;
}

const reach = suite("reach of a session");

const open = new Set(["/", "/turnovers", "/orders", "/seen-as"]);

reach(
  "a vendor gets one and the same 404 for every page of the production and of the admin, and for what it does not reach",
  async () => {
    const expected = await absent(vendor, "/no-such-page");
    assert.match(expected, /^404 <!doctype html>/);
    for (const { path, send } of pages)
      if (!open.has(path) && send === undefined) assert.is(await absent(vendor, filled(path)), expected, path);
    for (const path of ["/scenes/999999", "/assets/999999", "/turnovers/999999"])
      assert.is(await absent(vendor, path), expected, path);
    assert.is((await vendor.get("/cast.csv")).status, 404);
    assert.is((await member.get("/cast.csv")).status, 200);
  },
);

reach("a vendor's form to a page that it does not see is 404 and changes nothing", async () => {
  const before = one(store, "SELECT count(*) FROM audit");
  for (const { path, submit } of pages)
    if (submit !== undefined && !open.has(path) && path !== "/turnovers/:delivery_id" && path !== "/assets/:node_id") {
      const sent = await vendor.send(
        filled(path),
        { action: "mint", label: "x", scopes: "read", approval_id: "1" },
        "/turnovers",
      );
      assert.is(sent.status, 404, path);
    }
  assert.is(one(store, "SELECT count(*) FROM audit"), before);
});

reach("a vendor sees the scenes and assets that it was granted, with released versions only", async () => {
  const { reach: reached } = await server.get(mint(store, submitterKey), "/me");
  for (const { node_id, kind, label } of reached.nodes) {
    const response = await vendor.get(`/${kind === "scene" ? "scenes" : "assets"}/${node_id}`);
    assert.is(response.status, 200, label);
    assert.not.match(await response.text(), /not released|href="\/(days|approvals|settings|schedule)/);
  }
});

reach("a vendor's first page is its turnovers, and those of the production lead to the deliveries", async () => {
  assert.is((await vendor.get("/")).headers.get("location"), "/turnovers");
  assert.is((await member.get("/turnovers")).headers.get("location"), "/deliveries");
  assert.is((await member.get(`/turnovers/${delivery}`)).headers.get("location"), `/deliveries/${delivery}`);
});

reach("stills and files have the reach of the media route", async () => {
  const foreign = one(
    store,
    `SELECT m.id FROM media m JOIN versions v ON v.id = m.version_id WHERE v.production_id = ? AND v.released = 0`,
    production,
  );
  const other = one(store, "SELECT id FROM media WHERE production_id <> ?", production);
  for (const id of [foreign, other, 999_999])
    for (const path of [`/files/${id}`, `/thumbnails/${id}`, `/stills/${id}`])
      assert.is((await vendor.get(path)).status, 404, path);
  assert.is((await member.get(`/files/${other}`)).status, 404);
  assert.is((await member.get(`/files/${foreign}`)).status, 200);
  assert.is((await fetch(`${server.url}/files/${foreign}`)).status, 401);
});

reach("settings are 403 for a key without the scope admin or edit, and open for one with it", async () => {
  const scoped = await signIn(server, mint(store, { production_id: production, scopes: ["read", "admin"] }));
  const ofMoney = "/edit/purchase_orders"; // who may not see orders changes none
  for (const { path, reach } of pages.filter((one) => !one.path.startsWith(`${ofMoney}/`)))
    if (reach === "admin" || (reach === "edit" && !path.includes(":"))) {
      assert.is((await member.get(path)).status, 403, path);
      assert.is((await scoped.get(path)).status, path === ofMoney ? 403 : 200, path);
      assert.is((await admin.get(path)).status, 200, path);
    }
});

reach("a key without a scope gets 403 as a page, not an error of the server", async () => {
  const writer = await signIn(server, mint(store, { production_id: production, scopes: ["write"] }));
  for (const path of ["/", "/scenes", "/orders"]) assert.is((await writer.get(path)).status, 403, path);
});

/** Who may look: the admin of the server, and an admin's key. */
const lookers = {
  "the admin": () => openAsAdmin(server, production),
  "a key of an admin": () =>
    signIn(server, mint(store, { production_id: production, scopes: ["read", "write", "read:money", "admin"] })),
};

for (const [who, opened] of Object.entries(lookers))
  reach(`${who} sees what a vendor sees, can submit nothing meanwhile, and comes back`, async () => {
    const looking = await opened();
    const see = { action: "see", engagement_id: String(submitter) };
    assert.is((await looking.send("/settings/vendors", see)).headers.get("location"), "/turnovers");
    assert.is((await looking.get("/settings")).status, 404);
    const body = (text: string) =>
      /<main[\s\S]*<\/main>/.exec(text.replace(/<form[\s\S]*?<\/form>|data-clock="[^"]*"/g, ""))?.[0];
    assert.is(body(await looking.text("/turnovers")), body(await vendor.text("/turnovers")));
    assert.not.match(await looking.text(`/turnovers/${delivery}`), /type="file"/);
    assert.is((await looking.send("/seen-as", {}, "/turnovers")).headers.get("location"), "/settings/vendors");
    assert.is((await looking.get("/settings")).status, 200);
  });

reach(
  "a key that is no admin's any more sees nothing through a vendor's reach, and no other key looks at all",
  async () => {
    const label = "Former admin";
    const token = mint(store, { production_id: production, scopes: ["read", "admin"], label });
    const looking = await signIn(server, token);
    await looking.send("/settings/vendors", { action: "see", engagement_id: String(submitter) });
    assert.is((await looking.get("/turnovers")).status, 200);
    assert.is((await looking.get("/orders")).status, 403); // the key has no read:money
    store.writeSync(() =>
      store.database.prepare("UPDATE api_keys SET scopes = ? WHERE label = ?").run('["read"]', label),
    );
    assert.is((await looking.get("/turnovers")).status, 303);
    assert.is((await looking.get("/scenes")).status, 303);
    assert.is(
      (await member.send("/settings/vendors", { action: "see", engagement_id: String(submitter) }, "/")).status,
      403,
    );
    assert.is((await vendor.send("/seen-as", {}, "/turnovers")).status, 303);
    assert.is((await vendor.get("/scenes")).status, 404);
  },
);

reach("an engagement of another production cannot be looked through", async () => {
  const foreign = one(store, "SELECT min(id) FROM engagements WHERE production_id <> ?", production);
  assert.is((await admin.send("/settings/vendors", { action: "see", engagement_id: String(foreign) })).status, 422);
  assert.is((await admin.get("/settings")).status, 200);
});

reach.after(() => server.stop());
reach.run();
