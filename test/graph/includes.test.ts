// What `include`, `since`, `missing` and the filters of deliveries add: compared with the other answers that say the same.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";

type Row = Record<string, any>;

const server = await openTestServer();
const { store } = server;
const production_id = one(store, "SELECT id FROM productions WHERE title = 'The Silver Button'");
const key = mint(store, { production_id });
const admin = mint(store, { production_id, scopes: ["read", "admin"] });
const get = (path: string): Promise<Row[]> => server.get(key, path);
const without = (rows: Row[], field: string): Row[] => rows.map(({ [field]: _, ...row }) => row);

const deliveries = suite("GET /deliveries");

deliveries("filters by status and date, and get_delivery is the same row", async () => {
  const all = await get("/deliveries");
  const chosen = all.filter(({ status, due }) => ["draft", "ready"].includes(status) && due < "2026-11-27");
  assert.ok(chosen.length > 0 && chosen.length < all.length);
  assert.equal(await get("/deliveries?status=ready,draft&due_before=2026-11-27"), chosen);
  for (const row of all) assert.equal(await server.get(key, `/deliveries/${row.id}`), row);
  await assertRefused(await server.ask(key, "/api/v1/deliveries?status=late"), 422, /^status must be some of draft/);
});

deliveries(
  "include=awaiting names who decides the pending approvals, or else the heads of the department",
  async () => {
    const rows = await get("/deliveries?include=awaiting");
    assert.equal(without(rows, "awaiting"), await get("/deliveries"));
    const approvals = await get("/approvals?status=pending");
    const people = await get("/people");
    let deciders = 0;
    for (const { id, awaiting, from_department } of rows) {
      const steps = approvals
        .filter(({ delivery_id }) => delivery_id === id)
        .map((approval) => ({
          ...approval.steps.find(({ status }: Row) => status === "pending"),
          approval_id: approval.id,
        }));
      const heads = people.filter(
        ({ is_hod, active, department }) => is_hod && active && department === from_department,
      );
      const expected = steps.length
        ? steps.map(({ person_id, person, approval_id }) => ({ person_id, person, approval_id }))
        : heads.map((head) => ({ person_id: head.id, person: head.name, approval_id: null }));
      assert.equal(awaiting, expected, String(id));
      deciders += steps.length;
    }
    assert.ok(deciders > 0);
  },
);

const vendors = suite("GET /vendors?include=access");

vendors("has the live grants of each engagement, and none that has ended", async () => {
  const rows = await get("/vendors?include=access");
  assert.equal(
    rows.map(({ engagements, ...vendor }) => ({ ...vendor, engagements: without(engagements, "access") })),
    await get("/vendors"),
  );
  const engagements: Row[] = await server.get(admin, "/admin/engagements");
  assert.ok(engagements.some(({ grants }) => grants.some(({ live }: Row) => live)));
  for (const { id, access } of rows.flatMap((vendor) => vendor.engagements)) {
    const live = engagements
      .find((engagement) => engagement.id === id)
      ?.grants.filter(({ live }: Row) => live) as Row[];
    const of = (given: Row[], idOf: (row: Row) => unknown) =>
      given.map((row) => `${row.verb} ${idOf(row)} ${row.expires_at}`).sort();
    assert.equal(
      access
        .flatMap((row: Row) =>
          of(
            row.ids.map((target: number) => ({ ...row, target })),
            ({ target }) => target,
          ),
        )
        .sort(),
      of(live, ({ target_id }) => target_id),
    );
    for (const { ids, labels } of access) assert.is(ids.length, labels.length);
  }
});

const changes = suite("GET /script-changes");

changes(
  "since=COLOR has what was detected after its last draft or change, or later colors if it had none",
  async () => {
    const all = await get("/script-changes?status=all");
    const since = (color: string) => get(`/script-changes?status=all&since=${color}`);
    const lastGreen = all
      .filter(({ revision_color }) => revision_color === "green")
      .map(({ detected_at }) => detected_at);
    const after = all.filter(({ detected_at }) => detected_at > (lastGreen.sort().at(-1) as string));
    assert.ok(after.length > 0 && after.length < all.length);
    assert.equal(await since("Green"), after);
    assert.equal(await since("blue"), all);
    assert.equal(await since("cherry"), []);
    await assertRefused(
      await server.ask(key, "/api/v1/script-changes?since=mauve"),
      422,
      /^since must be the color of a draft/,
    );
  },
);

changes(
  "include=concerns has the departments, days and vendors of the scene's bundle and of the usage of its assets",
  async () => {
    const rows = await get("/script-changes?status=all&include=concerns");
    assert.equal(without(rows, "concerns"), await get("/script-changes?status=all"));
    assert.ok(rows.some(({ concerns }) => concerns.shoot_days.length > 0 && concerns.vendors.length > 0));
    for (const { node_id, concerns } of rows) {
      if (node_id === null) {
        assert.equal(concerns, { departments: [], vendors: [], shoot_days: [] });
        continue;
      }
      const bundle: Row = await server.get(key, `/bundles/scene/${node_id}`);
      const usages: Row[] = [];
      for (const asset of bundle.assets) usages.push(await server.get(key, `/assets/${asset.node_id}/usage`));
      assert.equal(
        concerns.departments,
        [...new Set(usages.map(({ asset }) => asset.department).filter(Boolean))].sort(),
      );
      assert.equal(
        concerns.shoot_days.map(({ id }: Row) => id),
        bundle.shoot_days.map(({ id }: Row) => id),
      );
      const seeing = new Set(usages.flatMap(({ grants }) => grants.map(({ vendor }: Row) => vendor)));
      for (const vendor of seeing) assert.ok(concerns.vendors.includes(vendor));
      assert.equal(concerns.vendors, await vendorsWhoSee(node_id, bundle.assets));
    }
  },
);

/** The vendors with a live grant on a scene, on one of its assets or on the department of one, by the list of engagements. */
async function vendorsWhoSee(node_id: number, assets: Row[]): Promise<string[]> {
  const departments: Row[] = await get("/departments");
  const nodes = new Set([node_id, ...assets.map((asset) => asset.node_id)]);
  const own = new Set<string>();
  for (const asset of assets) own.add((await server.get(key, `/assets/${asset.node_id}`)).department);
  const shown = new Set(departments.filter(({ slug }) => own.has(slug)).map(({ id }) => id));
  const engagements: Row[] = await server.get(admin, "/admin/engagements");
  const shows = ({ verb, target, target_id, live }: Row) =>
    live && verb === "read" && (target === "node" ? nodes : target === "department" ? shown : new Set()).has(target_id);
  return [...new Set(engagements.filter(({ grants }) => grants.some(shows)).map(({ vendor }) => vendor))].sort();
}

changes(
  "include=concerns leaves out vendors whose grant was revoked or has expired, or whose engagement has ended",
  async () => {
    const [row] = await get("/script-changes?status=all&include=concerns");
    const concerned = async () => {
      const rows = await get("/script-changes?status=all&include=concerns");
      return rows.find(({ id }) => id === row?.id)?.concerns.vendors as string[];
    };
    const before = await concerned();
    const { database } = store;
    const vendor = database.prepare("INSERT INTO vendors (production_id, name) VALUES (?, 'Zoe Matte')");
    const engagement = database.prepare(
      "INSERT INTO engagements (production_id, vendor_id, title, created_at) VALUES (?, ?, 'mattes', '2026')",
    );
    const grant = database.prepare(
      "INSERT INTO grants (production_id, engagement_id, verb, node_id, created_at) VALUES (?, ?, 'read', ?, '2026')",
    );
    const change = (sql: string) => store.writeSync(() => database.exec(sql));
    let [engagement_id, grant_id]: (number | bigint)[] = [0, 0];
    store.writeSync(() => {
      const { lastInsertRowid: vendor_id } = vendor.run(production_id);
      engagement_id = engagement.run(production_id, vendor_id).lastInsertRowid;
      grant_id = grant.run(production_id, engagement_id, row?.node_id).lastInsertRowid;
    });
    assert.equal(await concerned(), [...before, "Zoe Matte"].sort());
    const ends = [
      [
        `UPDATE grants SET revoked_at = '2026' WHERE id = ${grant_id}`,
        `UPDATE grants SET revoked_at = NULL WHERE id = ${grant_id}`,
      ],
      [
        `UPDATE grants SET expires_at = '2026' WHERE id = ${grant_id}`,
        `UPDATE grants SET expires_at = NULL WHERE id = ${grant_id}`,
      ],
      [
        `UPDATE engagements SET ended_at = '2026' WHERE id = ${engagement_id}`,
        `UPDATE engagements SET ended_at = NULL WHERE id = ${engagement_id}`,
      ],
    ] as const;
    for (const [end, back] of ends) {
      change(end);
      assert.equal(await concerned(), before, end);
      change(back);
      assert.equal(await concerned(), [...before, "Zoe Matte"].sort());
    }
  },
);

const day = suite("GET /bundles/day?missing=1");

day("leaves out the assets that are ready, and nothing else", async () => {
  const whole: Row = await server.get(key, "/bundles/day?date=2026-11-23");
  const missing: Row = await server.get(key, "/bundles/day?date=2026-11-23&missing=1");
  const cut = whole.scenes.map((scene: Row) => ({ ...scene, assets: scene.assets.filter(({ ready }: Row) => !ready) }));
  assert.equal({ ...missing, etag: "" }, { ...whole, scenes: cut, etag: "" });
  assert.is.not(missing.etag, whole.etag);
});

const access = suite("what include adds");

access("is 403 for a bound key and without the scope read, and has nothing of another production", async () => {
  const engagement_id = one(store, "SELECT min(id) FROM engagements WHERE production_id = ?", production_id);
  const bound = mint(store, { production_id, engagement_id, scopes: ["read", "write"] });
  const edit = mint(store, { production_id, scopes: ["edit"] });
  const foreign = mint(store, { production_id: one(store, "SELECT id FROM productions WHERE id <> ?", production_id) });
  const paths = [
    "/deliveries?include=awaiting",
    "/vendors?include=access",
    "/script-changes?status=all&include=concerns",
  ];
  for (const path of paths) {
    for (const refused of [bound, edit]) assert.is((await server.ask(refused, `/api/v1${path}`)).status, 403, path);
    const own = new Set((await get(path)).map(({ id }) => id));
    const others: Row[] = await server.get(foreign, path);
    assert.ok(own.size > 0 && others.every(({ id }) => !own.has(id)), path);
  }
  for (const path of ["/bundles/day?date=2026-11-23&missing=1", "/search?q=the&limit=1", "/assets/usage?label=the"])
    for (const refused of [bound, edit]) assert.is((await server.ask(refused, `/api/v1${path}`)).status, 403, path);
});

for (const one of [deliveries, vendors, changes, access]) one.run();
day.after(() => server.stop());
day.run();
