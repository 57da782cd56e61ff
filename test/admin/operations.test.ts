// The admin API: it does what the commands do, takes effect with the next call, and records who did it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { answerOf } from "../support/command.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, folder } = server;
const { production, delivery, releasedStill, storageProduction } = seedDataOf(store);
const person_id = one(store, "SELECT min(id) FROM people WHERE production_id = ?", production);
const key = mint(store, { production_id: production, person_id, scopes: ["admin"], label: "Vendor desk" });
const storageKey = mint(store, { production_id: storageProduction, scopes: ["admin"], label: "Storage desk" });
const reader = mint(store, { production_id: production, scopes: ["read"] });

const send = (path: string, body: object = {}, token = key) =>
  server.ask(token, `/api/v1/admin${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const post = async (path: string, body: object = {}, token = key): Promise<any> => {
  const response = await send(path, body, token);
  assert.is(response.status, 200, await response.clone().text());
  return response.json();
};
const command = (...argv: string[]) => answerOf(...argv, "--data", folder);
const entries = () => [one(store, "SELECT count(*) FROM audit"), one(store, "SELECT count(*) FROM activity")];

const vendor = suite("a vendor from the first grant to the last");

vendor("each step takes effect with the next call", async () => {
  const engagement = await post("/engagements", { vendor: "Northlight Grading" });
  assert.equal([engagement.title, engagement.active, engagement.existed], ["Northlight Grading", true, false]);
  const engagement_id = engagement.id;
  const { token, id } = await post("/keys", { label: "Northlight", engagement_id, scopes: ["read"] });
  const turnovers = async () => (await server.get(token, "/turnovers")).map((row: { id: number }) => row.id);
  assert.equal(await turnovers(), []);
  const grant = await post("/grants", { engagement_id, verb: "read", delivery_id: delivery });
  assert.equal([grant.target, grant.target_id, grant.live, grant.existed], ["delivery", delivery, true, false]);
  assert.equal(await turnovers(), [delivery]);
  const revoked = await post(`/grants/${grant.id}/revoke`);
  assert.equal([revoked.id, revoked.still_live], [grant.id, []]);
  assert.equal(await turnovers(), []);
  await post("/grants", { engagement_id, verb: "submit", delivery_id: delivery, expires: "2099-12-31" });
  assert.equal(await turnovers(), [delivery]);
  assert.is((await post(`/engagements/${engagement_id}/end`)).active, false);
  assert.equal(await turnovers(), []);
  await assertRefused(await send("/grants", { engagement_id, verb: "read", delivery_id: delivery }), 409, /has ended$/);
  assert.is((await post(`/keys/${id}/revoke`)).live, false);
  await assertRefused(await server.ask(token, "/api/v1/turnovers"), 401);
});

vendor("the expiry of a key and of a grant has the name of the answers, too, and other fields are named", async () => {
  const { id: engagement_id } = await post("/engagements", { vendor: "Short Ltd" });
  const expires_at = "2099-12-01T00:00:00.000Z";
  const grant = { engagement_id, verb: "read", delivery_id: delivery };
  assert.is((await post("/grants", { ...grant, expires_at })).expires_at, expires_at);
  assert.is((await post("/keys", { label: "Short", engagement_id, expires_at })).expires_at, expires_at);
  await assertRefused(await send("/keys", { label: "Short", expires: "2099-12-01", expires_at }), 422, /one field/);
  // Without the check of the description, which has no such fields.
  const misspelt = await fetch(`${server.url}/api/v1/admin/grants`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...grant, expire: "2099-12-02", "ends at": 1 }),
  });
  assert.is(misspelt.headers.get("tallylight-ignored"), "expire, ends%20at");
});

vendor("labels, titles and names are one line", async () => {
  const wide = mint(store, { production_id: production, scopes: ["read", "write", "admin"], label: "Lines" });
  const node_id = one(store, "SELECT min(id) FROM nodes WHERE production_id = ? AND kind = 'prop'", production);
  const refused = async (path: string, body: object, field: string) => {
    const response = await server.ask(wide, `/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await assertRefused(response, 422, new RegExp(`${field} must be one line without tabs$`));
  };
  for (const between of ["\r\n", "\n", "\t", "\u2028"]) {
    const label = `Two${between}lines`;
    await refused("/assets", { label, kind: "prop" }, "label");
    await refused("/batch/assets", { assets: [{ label, kind: "prop" }] }, "label");
    await refused("/admin/engagements", { vendor: label }, "vendor");
    await refused("/admin/engagements", { vendor: "One", title: label }, "title");
    await refused("/admin/keys", { label }, "label");
    await refused(`/assets/${node_id}/notes`, { text: label, author: label }, "author");
  }
});

vendor("a repeated step answers the same and records nothing", async () => {
  const engagement = await post("/engagements", { vendor: "Twice Ltd", title: "Twice" });
  const grant = await post("/grants", { engagement_id: engagement.id, verb: "read", delivery_id: delivery });
  const minted = await post("/keys", { label: "Twice", scopes: ["read"] });
  await post(`/keys/${minted.id}/revoke`);
  await post(`/grants/${grant.id}/revoke`);
  const before = entries();
  assert.equal(
    await post("/engagements", { vendor: "twice ltd", title: "TWICE" }).then(({ id, existed }) => [id, existed]),
    [engagement.id, true],
  );
  assert.is((await post(`/keys/${minted.id}/revoke`)).id, minted.id);
  assert.is((await post(`/grants/${grant.id}/revoke`)).id, grant.id);
  assert.equal(entries(), before);
});

vendor.run();

const sharing = suite("what the admin API and the commands share");

sharing("lists are what the commands print with --json", async () => {
  const ofProduction = ["--production", String(production)];
  const untouched = (rows: object[]) => rows.map((row) => ({ ...row, last_used_at: null }));
  assert.equal(
    untouched(await server.get(key, "/admin/keys")),
    untouched(await command("keys", "list", ...ofProduction)),
  );
  assert.equal(await server.get(key, "/admin/engagements"), await command("engagements", "list", ...ofProduction));
  assert.equal(
    await server.get(key, "/admin/audit?limit=200"),
    await command("audit", "--limit", "200", ...ofProduction),
  );
  assert.equal(
    await server.get(storageKey, "/admin/storage/moves"),
    await command("storage", "moves", "list", "--production", String(storageProduction)),
  );
});

sharing(
  "the export is the document that the command prints, in one audited download, and only for the scope admin",
  async () => {
    const response = await server.ask(key, "/api/v1/admin/export");
    assert.is(response.status, 200);
    assert.match(response.headers.get("content-disposition") ?? "", /^attachment; filename="[a-z0-9-]+\.json"/);
    assert.equal([response.headers.get("cache-control"), response.headers.get("etag")], ["no-store", null]);
    const document = (await response.json()) as { activity: object[] };
    assert.equal(document, await command("export", "--production", String(production)));
    assert.ok(document.activity.length > 0);
    // the command's is newer
    const [{ action, actor, detail }] = (await server.get(key, "/admin/audit?limit=2")).slice(1);
    assert.equal(
      [action, actor, Object.keys(detail)],
      ["production.exported", "Vendor desk", ["title", "acting_key_id"]],
    );
    const head = await server.ask(key, "/api/v1/admin/export", { method: "HEAD" });
    assert.equal([head.status, await head.text()], [200, ""]);
    const engagement_id = one(store, "SELECT min(id) FROM engagements WHERE production_id = ?", production);
    for (const refused of [
      reader,
      mint(store, { production_id: production, scopes: ["read", "write", "edit", "read:money"] }),
      mint(store, { production_id: production, engagement_id, scopes: ["read"] }),
    ])
      assert.is((await server.ask(refused, "/api/v1/admin/export")).status, 403);
    await assertRefused(await server.ask(key, "/api/v1/admin/export?production=2"), 422, /^the query must not have/);
  },
);

sharing("a minted key has the fields that the command prints, and none of them is stored in clear", async () => {
  const minted = await post("/keys", { label: "Shape", scopes: ["read:money", "read"] });
  const printed = await command("keys", "mint", "--production", String(production), "--label", "Shape");
  assert.equal(Object.keys(minted), Object.keys(printed));
  assert.equal(minted.scopes, ["read", "read:money"]);
  assert.not.match(JSON.stringify(await server.get(key, "/admin/keys")), new RegExp(minted.token));
});

sharing("keys and engagements are answered with no-store, because what is live depends on the time", async () => {
  for (const path of ["keys", "engagements"]) {
    const response = await server.ask(key, `/api/v1/admin/${path}`);
    assert.equal([response.headers.get("cache-control"), response.headers.get("etag")], ["no-store", null]);
  }
});

sharing("refusals have the sentences of the commands, without the names of other commands", async () => {
  await assertRefused(await send("/keys/999999/revoke"), 404, "there is no key 999999");
  await assertRefused(
    await send("/keys", { label: "x", expires: "2020-01-01" }),
    422,
    /^expires must be in the future/,
  );
  await assertRefused(
    await send("/grants", { engagement_id: 1, verb: "submit", node_id: 1 }),
    422,
    /^submit needs a delivery/,
  );
  await assertRefused(await send("/grants", { engagement_id: 1, verb: "read" }), 422, /exactly one target/);
  await assertRefused(await send("/storage/moves", { src: "a", dst: "b" }), 409, /has no active storage/);
});

sharing.run();

const records = suite("the record of what was done through the admin API");

records(
  "every change leaves one audit entry with the key, and one activity entry with the accountable person",
  async () => {
    const acting_key_id = one(store, "SELECT id FROM api_keys WHERE label = 'Vendor desk'");
    const version = one(store, "SELECT max(id) FROM versions WHERE production_id = ? AND released = 0", production);
    const { id: engagement_id } = await post("/engagements", { vendor: "Recorded Ltd" });
    const changes: [action: string, path: string, body?: object][] = [
      ["key.minted", "/keys", { label: "Recorded" }],
      ["grant.added", "/grants", { engagement_id, verb: "read", delivery_id: delivery }],
      ["version.released", `/versions/${version}/release`],
      ["version.archived", `/versions/${version}/archive`],
      ["storage.installed", "/storage/install", { filespace: "recorded" }],
      ["storage.move_approved", "/storage/moves", { src: "a/b.mov", dst: "c/b.mov" }],
      ["engagement.ended", `/engagements/${engagement_id}/end`],
    ];
    for (const [action, path, body] of changes) {
      const [audits = 0, activities = 0] = entries();
      await post(path, body);
      assert.equal(entries(), [audits + 1, activities + 1], action);
      const [audit] = await server.get(key, "/admin/audit?limit=1");
      assert.equal([audit.action, audit.actor, audit.detail.acting_key_id], [action, "Vendor desk", acting_key_id]);
      const [entry] = await server.get(reader, "/activity?limit=1");
      assert.equal([entry.verb, entry.actor, entry.actor_person_id], [action, "Vendor desk", person_id]);
    }
  },
);

records("a change of a grant's expiry is recorded once", async () => {
  const { id: engagement_id } = await post("/engagements", { vendor: "Expiring Ltd" });
  const body = {
    engagement_id,
    verb: "read",
    node_id: one(store, "SELECT min(id) FROM nodes WHERE production_id = ?", production),
  };
  await post("/grants", body);
  for (const existed of [true, true])
    assert.is((await post("/grants", { ...body, expires: "2099-01-01" })).existed, existed);
  const [{ action, detail }, former] = await server.get(key, "/admin/audit?limit=2");
  assert.equal(
    [action, detail.expires_at, former.action],
    ["grant.changed", "2099-01-01T23:59:59.999Z", "grant.added"],
  );
  assert.match(
    (await server.get(reader, "/activity?limit=1"))[0].summary,
    /^Set the expiry of the grant read on scene /,
  );
});

records("the event of a changed thing has the ids of what its values name", async () => {
  const { next } = await server.get(reader, "/events?after=now");
  const [scene] = await server.get(reader, "/scenes?include=assets");
  const asset = (await server.get(reader, "/assets")).find(
    ({ node_id, department }: any) => department !== null && !scene.asset_ids.includes(node_id),
  );
  const departments = await server.get(reader, "/departments");
  const former = departments.find(({ slug }: { slug: string }) => slug === asset.department);
  const other = departments.find(({ slug }: { slug: string }) => slug !== asset.department);
  const body = {
    assets: [{ label: asset.label, department: other.slug }],
    departments: [{ slug: "weather", name: "Weather" }],
    scenes: [
      {
        number: scene.number,
        ...(scene.episode_code && { episode: scene.episode_code }),
        assets: [asset.label, "Second sun"],
      },
    ],
  };
  await post("/import", {
    ...body,
    assets: [...body.assets, { label: "Second sun", kind: "prop", department: "weather" }],
  });
  const { events } = await server.get(reader, `/events?after=${next}&types=asset.changed,scene.changed,asset.added`);
  const of = (type: string) => events.find((event: { type: string }) => event.type === type).data.fields;
  assert.equal(of("asset.changed").department, {
    from: former.slug,
    to: other.slug,
    ids: { department: { [former.slug]: former.id, [other.slug]: other.id } },
  });
  const added = one(store, "SELECT id FROM nodes WHERE label = 'Second sun'");
  const named = of("scene.changed").assets.ids.asset;
  assert.equal([named[asset.label], named["Second sun"]], [asset.node_id, added]);
  assert.is(of("asset.added").department.ids, undefined);
  assert.is(of("asset.changed").status, undefined);
});

records("the event of a changed production has the ids of its episodes", async () => {
  const episodic = one(store, "SELECT min(id) FROM productions WHERE format = 'episodic'");
  const own = mint(store, { production_id: episodic, scopes: ["admin", "read"], label: "Series desk" });
  const [former, other] = ["101", "102"].map((code) => ({
    code,
    id: one(store, "SELECT id FROM episodes WHERE production_id = ? AND code = ?", episodic, code),
  })) as [any, any];
  await post("/import", { production: { current_episode: former.code } }, own);
  const { next } = await server.get(own, "/events?after=now");
  await post("/import", { production: { current_episode: other.code } }, own);
  const { events } = await server.get(own, `/events?after=${next}&types=production.changed`);
  assert.equal(events.at(-1).data.fields.current_episode, {
    from: former.code,
    to: other.code,
    ids: { episode: { [former.code]: former.id, [other.code]: other.id } },
  });
});

records("the audit log is read page by page", async () => {
  const whole = await server.get(key, "/admin/audit?limit=200");
  const paged: object[] = [];
  for (let before = ""; ; ) {
    const page = await server.get(key, `/admin/audit?limit=3${before}`);
    paged.push(...page);
    if (page.length < 3) break;
    before = `&before=${page.at(-1).id}`;
  }
  assert.equal(paged, whole);
});

records("a released version is in the bundle of the next call, and an archived one is marked", async () => {
  const version = one(store, "SELECT version_id FROM media WHERE id = ?", releasedStill);
  assert.equal(await post(`/versions/${version}/archive`).then(({ id, archived }) => [id, archived]), [version, true]);
  const node = one(store, "SELECT node_id FROM versions WHERE id = ?", version);
  const { versions } = await server.get(reader, `/assets/${node}`);
  assert.is(versions.find(({ id }: { id: number }) => id === version).archived, true);
});

records.after(() => server.stop());
records.run();
