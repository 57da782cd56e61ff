// A stored production is updated from partial documents: ids stay, history stays, and the plan says what happens.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Store } from "../../src/core/store/store.ts";
import { isThorough } from "../support/proportion.ts";
import { documentOf, type Json, openProduction, silverButton } from "../support/update.ts";

const whole = suite("a whole document");
const document = documentOf(silverButton);

for (const exact of [false, true])
  whole(`that was exported plans nothing, ${exact ? "exact" : "merged"}`, async () => {
    const production = await openProduction();
    const plan = await production.update(await production.export(), { exact });
    assert.equal(plan.changes, []);
    assert.equal([plan.counts.added, plan.counts.changed, plan.counts.removed], [0, 0, 0]);
    assert.ok(plan.counts.unchanged > 100);
  });

whole.run();

const merge = suite("merging");

merge("sets the fields that are given, and keeps the others", async () => {
  const production = await openProduction();
  const [scene] = document.scenes;
  const plan = await production.update({ scenes: [{ number: scene.number, synopsis: "New." }] });
  assert.is(plan.changes.length, 1);
  const [{ section, key, action, fields }] = plan.changes as any;
  assert.equal(
    [section, key, action, fields],
    ["scenes", scene.number, "change", { synopsis: { from: scene.synopsis ?? null, to: "New." } }],
  );
  const after = (await production.export()).scenes[0];
  assert.equal({ ...after, updated_at: 0 }, { ...scene, synopsis: "New.", updated_at: 0 });
});

merge("of null plans, and tells in its event, the default that the field gets; nothing if it has it", async () => {
  const production = await openProduction();
  const [{ number }] = document.scenes;
  const { title, accent } = document.production;
  await production.update({ scenes: [{ number, status: "active", revision_color: "pink" }] });
  const cleared = {
    scenes: [{ number, status: null, revision_color: null }],
    production: { accent: null, status: null },
  };
  const plan = await production.update(cleared);
  assert.equal(
    plan.changes.map(({ key, fields }: any) => [key, fields]),
    [
      [title, { accent: { from: accent, to: "slate" } }],
      [number, { status: { from: "active", to: "planned" }, revision_color: { from: "pink", to: "white" } }],
    ],
  );
  const [event] = production.rows("SELECT data FROM events WHERE type = 'scene.changed' ORDER BY id DESC LIMIT 1");
  assert.equal(JSON.parse(event.data).fields.status, { from: "active", to: "planned" });
  assert.equal((await production.update(cleared)).changes, []);
});

merge("reports no problem of a recorded still because another field or another thing has a problem", async () => {
  const production = await openProduction();
  const [one, other] = (await production.export()).assets;
  assert.ok(one.versions[0].media && other.versions[0].media);
  assert.equal(await production.problems([{ assets: [one, { ...other, kind: "Bad kind" }] }]), [
    `assets[1] (asset ${other.label}).kind must be a slug: lower-case letters, digits, - and _`,
  ]);
});

merge("gives a scene the elements of its new slugline, but for those that the document gives", async () => {
  const production = await openProduction();
  const { number, elements } = document.scenes[0];
  const elementsAfter = async (scene: object) => {
    await production.update({ scenes: [{ number, ...scene }] });
    return (await production.export()).scenes[0].elements;
  };
  const moved = { ...elements, day_night: "NIGHT" }; // the scene has no other element of its slugline
  assert.equal(await elementsAfter({ slugline: "EXT. DODGE -- NIGHT" }), moved);
  assert.equal(await elementsAfter({ slugline: "INT. DODGE", elements: { set: "THE DODGE" } }), { set: "THE DODGE" });
  assert.equal(await elementsAfter({ slugline: "INT. DODGE", elements: { set: "A", time_of_day: "DAWN" } }), {
    set: "A",
    time_of_day: "DAWN",
  });
  assert.equal(await elementsAfter({ slugline: "EXT. QUAY" }), { set: "QUAY" });
  assert.equal(await elementsAfter({ slugline: "INT. QUAY", elements: {} }), undefined);
  assert.equal(await elementsAfter({ slugline: "EXT. PIER - NIGHT" }), undefined);
});

merge("reports what a thing lacks to every document that names it", async () => {
  const production = await openProduction();
  const [one, other] = [{ scenes: [{ number: "999" }] }, { scenes: [{ number: "999", synopsis: "New." }] }];
  const sentence = "scenes[0] (scene 999).slugline is required";
  assert.equal(await production.problems([one, other]), [sentence, sentence]);
});

/** To store and index 30,000 people takes a second. */
const largest = isThorough ? merge : merge.skip;
largest("adds up to 30,000 people, and changes and removes people of a production that has more", async () => {
  const production = await openProduction();
  const { database } = production.store;
  const most = 30_000;
  const stored = database.prepare("SELECT count(*) FROM people WHERE production_id = 1").pluck().get() as number;
  database
    .prepare(
      `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO people (production_id, name, role, is_hod, is_admin) SELECT 1, 'Extra ' || i, 'extra', 0, 0 FROM n`,
    )
    .run(most - 1 - stored);
  const person = (name: string) => ({ name, role: "extra" });
  const says = (at: number, name: string) =>
    `people[${at}] (person ${name}) must not be added: a production has at most 30,000 people`;
  assert.equal(await production.problems([{ people: [person("Ann"), person("Ben")] }]), [says(1, "Ben")]);
  assert.is((await production.update({ people: [person("Ann")] })).counts.added, 1);
  database
    .prepare("INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (1, 'Former', 'extra', 0, 0)")
    .run(); // an earlier version had no limit
  assert.is((await production.update({ people: [{ name: "Former", role: "runner" }] })).counts.changed, 1);
});

merge("gives added things ids that references in the same document can name", async () => {
  const production = await openProduction();
  const [scene] = document.scenes;
  const assets = [{ label: "Rope 1", kind: "prop" }];
  const vendors = ["Rope Works"];
  const purchase_orders = [
    { account: "2700", vendor: "Rope Works", description: "Rope", amount: 9, status: "open", date: "2026-03-01" },
  ];
  const scenes = [{ number: scene.number, assets: [...scene.assets, "Rope 1"] }];
  const plan = await production.update({ assets, vendors, purchase_orders, scenes });
  assert.equal([plan.counts.added, plan.counts.changed], [3, 1]);
  const after = await production.export();
  assert.ok(after.scenes[0].assets.includes("Rope 1"));
  assert.is(after.purchase_orders.find(({ description }: any) => description === "Rope").vendor, "Rope Works");
});

merge("keeps an engagement with its vendor, whose name may change", async () => {
  const production = await openProduction();
  const [{ vendor, title, ref }] = document.engagements;
  const other = document.vendors.find((name: string) => name !== vendor);
  const engagements = (vendor: string) => [{ vendor, title, ...(ref && { ref }) }];
  assert.equal(await production.problems({ engagements: engagements(other) }), [
    `engagements[0] (engagement ${ref ?? title}).vendor contradicts what was recorded: this engagement is of ${vendor}; end it, and add another one with its own title or ref`,
  ]);
  await production.update({ vendors: [{ name: "Renamed Ltd", was: vendor }], engagements: engagements("Renamed Ltd") });
  assert.is((await production.export()).engagements[0].vendor, "Renamed Ltd");
  const added = { vendor: other, title, ref: "another" };
  assert.is((await production.update({ engagements: [added] })).counts.added, 1);
});

merge("adds scenes at one place as long as anybody wants, also once no number is left between two others", async () => {
  const production = await openProduction();
  const [{ number: first }, { number: second }] = document.scenes;
  const numbers = async () => (await production.export()).scenes.map(({ number }: Json) => number);
  const before = await numbers();
  const added = Array.from({ length: 24 }, (_, at) => `NEW${at}`);
  for (const number of added) {
    const plan = await production.update({ scenes: [{ number: first }, { number, slugline: "INT. NEW - DAY" }] });
    assert.equal(
      plan.changes.map(({ key, action }) => [key, action]),
      [[number, "add"]],
    );
  }
  assert.is(before.indexOf(second), 1);
  assert.equal(await numbers(), [first, ...added.toReversed(), ...before.slice(1)]);
});

merge.run();

const events = suite("the events of a document");
const typesOf = (production: Json, after: number) =>
  production.rows(`SELECT type, data FROM events WHERE id > ${after} ORDER BY id`).map(({ type }: Json) => type);
const lastEvent = (production: Json): number => production.rows("SELECT ifnull(max(id), 0) AS id FROM events")[0].id;

events("say which grants were added, changed and revoked, and when an engagement ended", async () => {
  const production = await openProduction();
  const [{ title, vendor }] = document.engagements;
  let last = lastEvent(production);
  await production.update({ engagements: [{ title, vendor, ended_at: "2030-01-01T00:00:00.000Z" }] });
  assert.equal(typesOf(production, last), ["engagement.changed"]);
  last = lastEvent(production);
  await production.update({ engagements: [{ title, vendor, grants: [{ verb: "read", scene: "1" }] }] });
  const types = typesOf(production, last);
  const live = document.engagements[0].grants.filter(
    ({ revoked_at, expires_at = "9" }: Json) => revoked_at === undefined && expires_at > "2026-11",
  ).length;
  assert.equal(
    [
      types.filter((type: string) => type === "grant.revoked").length,
      types.filter((type: string) => type === "grant.added").length,
    ],
    [live, 1],
  );
  last = lastEvent(production);
  await production.update({ engagements: [{ title, vendor, grants: [] }] });
  assert.equal(typesOf(production, last), ["engagement.changed", "grant.revoked"]);
  const [{ data }] = production.rows(`SELECT data FROM events WHERE id > ${last} AND type = 'grant.revoked'`);
  const { node_id } = production.rows("SELECT node_id FROM scenes WHERE number = '1'")[0];
  const { id: engagement_id } = production.rows(`SELECT id FROM engagements WHERE title = '${title}'`)[0];
  assert.equal(JSON.parse(data), {
    engagement_id,
    verb: "read",
    node_id,
    department_id: null,
    delivery_id: null,
    expires_at: null,
  });
  last = lastEvent(production);
  await production.update({ engagements: [{ title, vendor, ended_at: "2026-01-01T00:00:00.000Z" }] });
  assert.equal(typesOf(production, last), ["engagement.ended"]);
  const ended = production.rows(`SELECT data FROM events WHERE id > ${last}`)[0].data;
  assert.equal(JSON.parse(ended), { vendor, title });
});

events("say that a filespace was installed only of the one that is active then", async () => {
  const production = await openProduction();
  const last = lastEvent(production);
  await production.update({ storage: [{ filespace: "new" }] });
  assert.equal(typesOf(production, last), ["storage.installed"]);
  const [{ data }] = production.rows(`SELECT data FROM events WHERE id > ${last}`);
  assert.equal(JSON.parse(data), { filespace: "new" });
});

events.run();

const revisions = suite("if_revision");

const reportFile = ({ database }: Store) => {
  const { changes } = database
    .prepare(
      `INSERT INTO asset_files (production_id, install_id, path, state, detected_at)
       SELECT production_id, id, 'in/new.mxf', 'present', '2026-11-01T00:00:00.000Z' FROM storage_installs LIMIT 1`,
    )
    .run();
  assert.is(changes, 1);
};

revisions("compares only what the update would change", async () => {
  const production = await openProduction();
  const { store } = production;
  const change = { scenes: [{ number: "1", synopsis: "Other." }] };
  const { revision: if_revision } = await production.update(change, { dry_run: true });
  store.writeSync(() => {
    store.database.exec("UPDATE people SET role = 'Other' WHERE id = 1");
    store.database.exec(
      "INSERT INTO activity (production_id, verb, summary, actor, created_at) VALUES (1, 'x', 'x', 'x', '2026-11-01T00:00:00.000Z')",
    );
    reportFile(store);
  });
  assert.is((await production.update(change, { if_revision })).counts.changed, 1);
  const back = { scenes: [{ number: "1", synopsis: "Another." }] };
  const refused = await production.update(back, { if_revision }).catch(({ message }) => message);
  assert.match(refused, /: what this would change is another by now; nothing was changed$/);
});

revisions("of an update of the storage is not made stale by the agent", async () => {
  const production = await openProduction();
  const { store } = production;
  const change = { storage: [{ filespace: "new" }] };
  const { revision: if_revision } = await production.update(change, { dry_run: true });
  store.writeSync(() => reportFile(store));
  await production.update(change, { if_revision });
});

revisions.run();
