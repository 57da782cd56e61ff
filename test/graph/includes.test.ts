// What `include`, `since`, `missing` and the filters of deliveries add: compared with the other answers that say the
// same.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { answersOf } from "../support/list_pages.ts";

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

/**
 * The vendors with a live grant on a scene, on one of its assets or on the department of one, by the list of
 * engagements.
 */
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

const assets = suite("GET /assets?include=");

assets(
  "versions are those of GET /assets/{id}, notes those of its notes, still the newest released medium",
  async () => {
    const plain = await get("/assets");
    const rows = await get("/assets?include=versions,notes,still");
    assert.equal(await get("/assets?include=still&include=notes&include=versions"), rows, "repeated or with commas");
    for (const [at, { notes, still, versions, ...row }] of rows.entries()) {
      const detail: Row = await server.get(key, `/assets/${row.node_id}`);
      assert.equal({ ...row, versions }, detail);
      assert.equal({ ...row, versions: versions.length }, plain[at]);
      assert.equal(notes, await server.get(key, `/assets/${row.node_id}/notes`));
      const newest = detail.versions.filter(({ released, archived }: Row) => released && !archived).at(-1);
      if (newest?.media_id == null) continue;
      const { id, sha256, size, content_type }: Row = await server.get(key, `/media/${newest.media_id}`);
      assert.equal(still, { id, content_type, sha256, size });
    }
    assert.ok(rows.some(({ still }) => still !== null) && rows.some(({ still }) => still === null));
    assert.ok(rows.some(({ notes }) => notes.length > 1));
    for (const one of ["notes", "still"])
      assert.equal(
        await get(`/assets?include=${one}`),
        plain.map((row, at) => ({ ...row, [one]: rows[at]?.[one] })),
      );
    await assertRefused(
      await server.ask(key, "/api/v1/assets?include=media"),
      422,
      /^include must be some of versions/,
    );
  },
);

const scenes = suite("GET /scenes?include= and its filters");

scenes("adds the notes, the shoot days and the assets of each scene, as its bundle has them", async () => {
  const plain = await get("/scenes");
  const rows = await get("/scenes?include=assets,department_notes,shoot_days");
  for (const [at, { asset_ids, department_notes, shoot_day_ids, ...row }] of rows.entries()) {
    assert.equal(row, plain[at]);
    const bundle: Row = await server.get(key, `/bundles/scene/${row.node_id}`);
    assert.equal(department_notes, bundle.department_notes);
    assert.equal(
      shoot_day_ids,
      bundle.shoot_days.map(({ id }: Row) => id),
    );
    assert.equal(
      asset_ids,
      bundle.assets.map(({ node_id }: Row) => node_id).sort((a: number, b: number) => a - b),
    );
  }
  assert.ok(rows.some(({ department_notes }) => department_notes.length > 0 && department_notes[0].department));
  assert.equal(
    await get("/scenes?include=assets"),
    plain.map((row, at) => ({ ...row, asset_ids: rows[at]?.asset_ids })),
  );
});

scenes("filters by status and by episode", async () => {
  const all = await get("/scenes");
  const chosen = all.filter(({ status }) => ["active", "omitted"].includes(status));
  assert.ok(chosen.length > 0 && chosen.length < all.length);
  assert.equal(await get("/scenes?status=active,omitted"), chosen);
  assert.equal(await get("/scenes?status=omitted&status=active"), chosen);
  await assertRefused(await server.ask(key, "/api/v1/scenes?status=late"), 422, /^status must be some of planned/);
  const series = one(store, "SELECT id FROM productions WHERE format = 'episodic'");
  const seriesKey = mint(store, { production_id: series });
  const episodes: Row[] = await server.get(seriesKey, "/scenes");
  const ids = [...new Set(episodes.map(({ episode_id }) => episode_id))].slice(0, 2);
  const wanted = episodes.filter(({ episode_id }) => ids.includes(episode_id));
  assert.ok(ids.length === 2 && wanted.length < episodes.length);
  assert.equal(await server.get(seriesKey, `/scenes?episode_id=${ids[0]}&episode_id=${ids[1]}`), wanted);
});

const approvals = suite("GET /approvals");

approvals(
  "says whom each waits for, as usage and the day bundle do, and filters by person, node and delivery",
  async () => {
    const rows = await get("/approvals");
    for (const { status, steps, awaiting } of rows) {
      const next = status === "pending" ? steps.filter((step: Row) => step.status === "pending").slice(0, 1) : [];
      assert.equal(
        awaiting,
        next.map(({ person_id, person }: Row) => ({ person_id, person })),
      );
    }
    const person = rows.flatMap(({ awaiting }) => awaiting)[0].person_id;
    const hers = rows.filter(({ awaiting }) => awaiting.some(({ person_id }: Row) => person_id === person));
    assert.equal(await get(`/approvals?person_id=${person}`), hers);
    for (const field of ["node_id", "delivery_id"]) {
      const value = rows.find((row) => row[field] !== null)?.[field];
      assert.equal(
        await get(`/approvals?${field}=${value}`),
        rows.filter((row) => row[field] === value),
      );
    }
    const awaitingOf = new Map(rows.map(({ id, awaiting }) => [id, awaiting]));
    const about = rows.filter(({ node_id }) => node_id !== null);
    let compared = 0;
    for (const { node_id } of about) {
      const response = await server.ask(key, `/api/v1/assets/${node_id}/usage`);
      if (response.status !== 200) continue; // a scene
      for (const { id, awaiting } of ((await response.json()) as Row).approvals) {
        assert.equal(awaiting, awaitingOf.get(id));
        compared++;
      }
    }
    const bundle: Row = await server.get(key, "/bundles/day?date=2026-11-23");
    for (const { id, awaiting } of bundle.approvals) assert.equal(awaiting, awaitingOf.get(id));
    assert.ok(compared > 0 && bundle.approvals.length > 0);
  },
);

const usage = suite("GET /assets/{node_id}/usage");

usage("says the shoot days of each scene", async () => {
  const days: Row[] = await get("/schedule");
  const idsOf = (node_id: number) =>
    days.filter(({ scenes }) => scenes.some((strip: Row) => strip.node_id === node_id));
  let scheduled = 0;
  for (const { node_id } of (await get("/assets")).slice(0, 20)) {
    const { scenes }: Row = await server.get(key, `/assets/${node_id}/usage`);
    for (const scene of scenes) {
      assert.equal(
        scene.shoot_day_ids,
        idsOf(scene.node_id).map(({ id }) => id),
      );
      scheduled += scene.shoot_day_ids.length;
    }
  }
  assert.ok(scheduled > 0);
});

const others = suite("other lists");

others("/deliveries and /turnovers have nodes, and /activity filters by node", async () => {
  const rows = await get("/deliveries?include=nodes");
  assert.equal(without(rows, "nodes"), await get("/deliveries"));
  assert.ok(rows.some(({ nodes }) => nodes.some(({ label }: Row) => label)));
  const vendors = store.database
    .prepare("SELECT DISTINCT engagement_id FROM grants WHERE production_id = ? AND delivery_id IS NOT NULL")
    .pluck();
  let seen = 0;
  for (const engagement_id of vendors.all(production_id) as number[]) {
    const bound = mint(store, { production_id, engagement_id, scopes: ["read"] });
    const turnovers: Row[] = await server.get(bound, "/turnovers?include=nodes");
    assert.equal(turnovers, await server.get(bound, "/turnovers"));
    for (const { id, nodes } of turnovers) {
      const all = rows.find((row) => row.id === id)?.nodes.map(({ node_id }: Row) => node_id);
      for (const { node_id } of nodes) assert.ok(all.includes(node_id)); // what the engagement reaches of them
      seen += nodes.length;
    }
  }
  assert.ok(seen > 0);
  const activity = await get("/activity?limit=200");
  const node = activity.find(({ node_id }) => node_id !== null)?.node_id;
  const about = activity.filter(({ node_id }) => node_id === node);
  assert.equal((await get(`/activity?node_id=${node}&limit=200`)).slice(0, about.length), about);
});

others("/submissions has every vendor's work, newest first, by delivery and status, in pages", async () => {
  const rows = await get("/submissions");
  const lists: Row[] = [];
  for (const { id } of await get("/deliveries")) lists.push(...(await get(`/turnovers/${id}/submissions`)));
  assert.equal(new Set(rows.map(({ id }) => id)), new Set(lists.map(({ id }) => id)));
  for (const row of rows)
    assert.equal(
      row,
      lists.find(({ id }) => id === row.id),
    );
  const times = rows.map(({ created_at }) => created_at);
  assert.equal(times, times.toSorted().reverse());
  const [{ delivery_id, status }] = rows as [Row];
  const wanted = rows.filter((row) => row.delivery_id === delivery_id && row.status === status);
  assert.equal(await get(`/submissions?delivery_id=${delivery_id}&status=${status}`), wanted);
  await assertRefused(
    await server.ask(key, "/api/v1/submissions?status=late"),
    422,
    /^status must be some of submitted/,
  );
  const pages: Row[] = [];
  for await (const answer of answersOf((path) => server.ask(key, path), "/api/v1/submissions?limit=1"))
    pages.push(...((await answer.json()) as Row[]));
  assert.equal(pages, rows);
});

others("a list that does not know updated_since refuses it, and one that does takes it", async () => {
  for (const path of ["/people", "/deliveries", "/approvals", "/activity", "/vendors", "/schedule", "/submissions"])
    await assertRefused(
      await server.ask(key, `/api/v1${path}?updated_since=2026-01-01T00:00:00Z`),
      422,
      /does not know updated_since; the events of \/events say what changed/,
    );
  for (const path of ["/scenes", "/assets"])
    assert.is((await server.ask(key, `/api/v1${path}?updated_since=2026-01-01T00:00:00Z`)).status, 200);
  assert.is((await server.ask(key, "/api/v1/production?updated_since=2026-01-01T00:00:00Z")).status, 200);
});

const access = suite("what include adds");

access("is 403 for a bound key and without the scope read, and has nothing of another production", async () => {
  const engagement_id = one(store, "SELECT min(id) FROM engagements WHERE production_id = ?", production_id);
  const bound = mint(store, { production_id, engagement_id, scopes: ["read", "write"] });
  const edit = mint(store, { production_id, scopes: ["edit"] });
  const foreign = mint(store, { production_id: one(store, "SELECT id FROM productions WHERE id <> ?", production_id) });
  const paths = [
    "/deliveries?include=awaiting,nodes",
    "/vendors?include=access",
    "/script-changes?status=all&include=concerns",
  ];
  for (const path of ["/assets?include=versions,notes,still", "/scenes?include=department_notes,shoot_days"]) {
    for (const refused of [bound, edit]) assert.is((await server.ask(refused, `/api/v1${path}`)).status, 403, path);
    const own = new Set((await get(path)).map(({ node_id }) => node_id));
    const others: Row[] = await server.get(foreign, path);
    assert.ok(own.size > 0 && others.length > 0 && others.every(({ node_id }) => !own.has(node_id)), path);
  }
  const reader = mint(store, { production_id, scopes: ["read"] });
  assert.is((await server.ask(reader, "/api/v1/submissions")).status, 200);
  for (const refused of [edit, mint(store, { production_id, engagement_id, scopes: ["read", "write"] })])
    assert.is((await server.ask(refused, "/api/v1/submissions")).status, 403);
  for (const path of paths) {
    for (const refused of [bound, edit]) assert.is((await server.ask(refused, `/api/v1${path}`)).status, 403, path);
    const own = new Set((await get(path)).map(({ id }) => id));
    const others: Row[] = await server.get(foreign, path);
    assert.ok(own.size > 0 && others.every(({ id }) => !own.has(id)), path);
  }
  for (const path of ["/bundles/day?date=2026-11-23&missing=1", "/search?q=the&limit=1", "/assets/usage?label=the"])
    for (const refused of [bound, edit]) assert.is((await server.ask(refused, `/api/v1${path}`)).status, 403, path);
});

for (const one of [deliveries, vendors, changes, assets, scenes, approvals, usage, others, access]) one.run();
day.after(() => server.stop());
day.run();
