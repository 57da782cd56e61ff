// Updates by operations on rows: each operation must find what it expects.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { HttpError } from "../../src/core/errors.ts";
import type { ProductionId } from "../../src/core/ids.ts";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import type { Plan } from "../../src/features/documents/planned.ts";
import { createFrom, removeThing, updateFrom } from "../../src/features/documents/production_update.ts";
import { partialDocument } from "../../src/features/documents/read/read.ts";
import { checkedDocument } from "../../src/features/documents/read/whole.ts";
import type { WritePlan } from "../../src/features/documents/update_input.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { erasePerson } from "../../src/features/productions/erasure.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { root } from "../support/command.ts";
import { sampleOf } from "../support/sampling.ts";
import { joined, now, smallDocument } from "../support/small_document.ts";
import { type Json, openProduction, silverButton } from "../support/update.ts";

/** A production whose changes are operations, with what its tests ask. */
async function open(file?: string) {
  const production = await openProduction(file);
  const { store, blobs } = production;
  const write: WritePlan = async (work) => store.writeSync(work);
  return {
    ...production,
    undo: (id: number | undefined): Promise<Plan> =>
      // an applied plan has one
      undoChangeSet(localAdmin(store, now), blobs, { id: id as number, dry_run: false }, write),
    remove: (section: "assets" | "people" | "scenes", id: number): Promise<Plan> =>
      removeThing(localAdmin(store, now), blobs, { section, id, production_id: production.production_id }, write),
    /** An update before whose transactions something else is written. */
    async contested(document: Json, meanwhile: (attempt: number) => unknown): Promise<[Plan, number]> {
      const given = await partialDocument(document, "given.json", production.folder);
      let attempts = 0;
      const contested: WritePlan = async (work) => {
        await meanwhile(++attempts);
        return store.writeSync(work);
      };
      const request = { production_id: production.production_id };
      return [await updateFrom(localAdmin(store, now), blobs, [given], request, contested), attempts];
    },
  };
}

/** A document without what tells of the changes themselves. */
const contentOf = ({ activity: _, ...document }: Json): string =>
  JSON.stringify(document).replace(/"updated_at":"[^"]*"/g, '"updated_at":""');
const refusal = (work: Promise<unknown>): Promise<HttpError> =>
  work.then(
    () => assert.unreachable("it was not refused"),
    (error: HttpError) => error,
  ) as Promise<HttpError>; // what is thrown is one

const changes: readonly [what: string, document: Json][] = [
  ["fields", { scenes: [{ number: "1", synopsis: "She waits.", status: "active" }] }],
  ["a rename and what follows it", { assets: [{ label: "Ottilie", was: "OTTILIE", kind: "character" }] }],
  [
    "links, strips and a new scene",
    {
      scenes: [
        { number: "1", assets: [] },
        { number: "900", slugline: "INT. NEW - DAY" },
      ],
    },
  ],
  ["lists", { schedule: [{ day_number: 1, scenes: [], banners: [{ text: "Move" }], notes: "Rain cover" }] }],
  [
    "money",
    {
      purchase_orders: [{ account: "9", vendor: "Loom", description: "D", amount: 3, date: "2026-05-01" }],
      vendors: ["Loom"],
    },
  ],
  ["people", { people: [{ name: "Una Rae", role: "Runner" }] }],
];

const test = suite("updates by operations");

test("change, take back and do again what the rows were", async () => {
  const production = await open();
  for (const [what, document] of sampleOf(changes, 3)) {
    const isKnown =
      what !== "a rename and what follows it" ||
      production.rows("SELECT 1 FROM nodes WHERE label = 'OTTILIE'").length > 0;
    if (!isKnown) continue;
    const before = contentOf(await production.export());
    const plan = await production.update(document);
    const after = contentOf(await production.export());
    assert.is.not(after, before, what);
    const undone = await production.undo(plan.change_set);
    assert.is(contentOf(await production.export()), before, `${what} taken back`);
    await production.undo(undone.change_set);
    assert.is(contentOf(await production.export()), after, `${what} done again`);
  }
});

test("create a production whose ids another one took since it was made ready", async () => {
  const { store, blobs } = await open();
  const titled = (title: string) => {
    const document: Json = smallDocument();
    return checkedDocument(
      { ...document, production: { ...document.production, title } },
      `${title}.json`,
      join(root, "fixtures"),
    );
  };
  const admin = localAdmin(store, now);
  const ids: number[] = [];
  const write: WritePlan = async (work) => {
    ids.push((await createFrom(admin, blobs, titled("Second"))).production_id);
    return store.writeSync(() => work());
  };
  ids.push((await createFrom(admin, blobs, titled("Third"), { write })).production_id);
  const [second, third] = await Promise.all(ids.map((id) => joined(exportDocument(store, blobs, id as ProductionId))));
  assert.is(third, second?.replace("Second", "Third"));
});

test("plan nothing for an export, and the same for a dry run as for the update", async () => {
  const production = await open();
  assert.equal((await production.update(await production.export())).counts.changed, 0);
  const document = { scenes: [{ number: "1", synopsis: "New." }], people: [{ name: "Una Rae", role: "Runner" }] };
  const before = JSON.stringify(await production.export());
  const [{ n }] = production.rows("SELECT count(*) AS n FROM events");
  const planned = await production.update(document, { dry_run: true });
  assert.is(JSON.stringify(await production.export()), before);
  assert.equal(production.rows("SELECT count(*) AS n FROM events"), [{ n }]);
  assert.ok(planned.changes.some(({ id }) => id === null));
  const applied = await production.update(document, { if_revision: planned.revision });
  assert.equal(
    applied.changes.map(({ key, fields }) => [key, fields]),
    planned.changes.map(({ key, fields }) => [key, fields]),
  );
  const refused = await refusal(
    production.update({ people: [{ name: "Ida", role: "x" }] }, { if_revision: planned.revision }),
  );
  assert.match(refused.message, /^the production is at revision .*; nothing was changed$/);
});

test("are prepared again where others changed the same field, and refused if that never ends", async () => {
  const production = await open();
  const mine = { scenes: [{ number: "1", synopsis: "Mine." }] };
  const theirs = (text: string) =>
    production.store.database.prepare("UPDATE scenes SET synopsis = ? WHERE number = '1'").run(text);
  const meddle = (until: number) => (attempt: number) => {
    if (attempt <= until) production.store.writeSync(() => theirs(`Theirs ${attempt}.`));
  };
  const [plan, attempts] = await production.contested(mine, meddle(1));
  assert.equal([attempts, plan.changes[0]?.fields.synopsis], [2, { from: "Theirs 1.", to: "Mine." }]);
  const refused = await refusal(
    production.contested({ scenes: [{ number: "1", synopsis: "Mine again." }] }, meddle(99)),
  );
  assert.equal([refused.status, refused.headers["retry-after"]], [503, "5"]);
  assert.equal(production.rows("SELECT synopsis FROM scenes WHERE number = '1'"), [{ synopsis: "Theirs 8." }]);
});

test("add nothing twice that others added meanwhile under the same name", async () => {
  const production = await open();
  const lamp = { assets: [{ label: "Signal lamp", kind: "prop" }] };
  const [plan, attempts] = await production.contested(
    { assets: [{ ...lamp.assets[0], status: "active" }] },
    (attempt) => (attempt === 1 ? production.update(lamp) : undefined),
  );
  assert.equal([attempts, plan.counts.added, plan.counts.changed], [2, 0, 1]);
  assert.equal(production.rows("SELECT count(*) AS n FROM nodes WHERE label = 'Signal lamp'"), [{ n: 1 }]);
});

test("leave the time of a scene whose notes a complete list says again", async () => {
  const production = await open();
  const { department_notes } = await production.export();
  const [first, ...others] = department_notes as Json[];
  const at = "2032-01-01T00:00:00.000Z";
  const changed = { ...first, summary: "Another summary." };
  await production.update({ department_notes: [changed, ...others] }, { exact: true, now: at });
  const { scenes } = await production.export();
  assert.equal(
    scenes.filter(({ updated_at }: Json) => updated_at === at).map(({ number }: Json) => number),
    [first.scene],
  );
});

test("of one field read few rows, whatever the production has", async () => {
  const production = await open(silverButton);
  const { database } = production.store;
  let read = 0;
  const { prepare } = database;
  const counting = (statement: Json): Json =>
    Object.assign(statement, {
      all: (...values: unknown[]) => {
        const rows = Object.getPrototypeOf(statement).all.apply(statement, values);
        read += rows.length;
        return rows;
      },
    });
  // with the types of it
  database.prepare = ((text: string) => counting(prepare.call(database, text))) as typeof prepare;
  const [{ scenes }] = production.rows("SELECT count(*) AS scenes FROM scenes");
  await production.update({ scenes: [{ number: "12", synopsis: "She waits." }] });
  assert.ok(read < scenes / 2, `${read} rows of ${scenes} scenes`);
});

test("remove nothing that something refers to, and say what does", async () => {
  const production = await open();
  const [{ id }] = production.rows(
    "SELECT min(to_node_id) AS id FROM node_links WHERE to_node_id NOT IN (SELECT node_id FROM versions)",
  );
  const refused = await refusal(production.remove("assets", id));
  assert.match(JSON.stringify((refused as Json).problems), /cannot be removed: it is named by (?:scene|asset) /);
  const added = await production.update({ assets: [{ label: "Loose prop", kind: "prop" }] });
  const { counts } = await production.remove("assets", added.changes[0]?.id as number);
  assert.is(counts.removed, 1);
});

test("turned round: name what was changed since, and by which change set", async () => {
  const production = await open();
  const first = await production.update({ scenes: [{ number: "1", synopsis: "One.", status: "active" }] });
  const second = await production.update({ scenes: [{ number: "1", synopsis: "Two." }] });
  const refused = await refusal(production.undo(first.change_set));
  assert.is(refused.status, 409);
  assert.match(
    refused.message,
    new RegExp(`^scene "1": synopsis was changed since by change set ${second.change_set} of .*; nothing was changed$`),
  );
  await production.undo(second.change_set);
  assert.is((await production.undo(first.change_set)).counts.changed, 1);
});

test("turned round: are refused for a set of another schema, and for one without operations", async () => {
  const production = await open();
  const { change_set } = await production.update({ scenes: [{ number: "1", synopsis: "One." }] });
  const setNumber = (number: number | null) =>
    production.store.writeSync(() =>
      production.store.database
        .prepare("UPDATE change_sets SET schema_number = ? WHERE id = ?")
        .run(number, change_set),
    );
  setNumber(1);
  assert.match(
    (await refusal(production.undo(change_set))).message,
    /is from before an upgrade that changed scenes, and cannot be undone/,
  );
  setNumber(null);
  assert.match(
    (await refusal(production.undo(change_set))).message,
    /is of an older version, which can be read and not undone/,
  );
});

test("turned round: are checked as documents are: a step does not come back for somebody who left", async () => {
  const production = await open();
  await production.update({
    people: [
      { name: "Ada Marsh", role: "Gaffer" },
      { name: "Ben Holt", role: "Grip" },
    ],
  });
  const stepOf = (person: string) => ({ approvals: [{ title: "The rig", steps: [{ person }] }] });
  await production.update(stepOf("Ada Marsh"));
  const { change_set } = await production.update(stepOf("Ben Holt"));
  await production.update({ people: [{ name: "Ada Marsh", active: false }] });
  const refused = await refusal(production.undo(change_set));
  assert.is(refused.status, 409);
  assert.match(refused.message, /Ada Marsh/);
  await production.update({ people: [{ name: "Ada Marsh", active: true }] });
  assert.is((await production.undo(change_set)).counts.changed, 1);
});

for (const name of ["Una Rae", "Unara"])
  test(`turned round: an erased person stays erased: ${name}`, async () => {
    const production = await open();
    const { store, production_id, rows } = production;
    await production.update({ people: [{ name, role: "Runner" }] });
    const scenes = [{ number: "1", elements: { ...(await production.export()).scenes[0].elements, stand_in: name } }];
    const { change_set } = await production.update({
      scenes,
      approvals: [{ title: "Una decides", steps: [{ person: name }] }],
      schedule: [{ day_number: 1, calls: [{ who: name, time: "06:00", note: name }], notes: name }],
    });
    await production.update({ scenes: [{ number: "1", elements: { pages: "1" } }] });
    const said = name.includes(" ") ? `["${name} waits` : name; // looks like JSON, and is none
    await production.update({ schedule: [{ day_number: 1, notes: said }] });
    await production.update({ schedule: [{ day_number: 1, calls: [], notes: "Rain" }] });
    const [{ id }] = rows(`SELECT id FROM people WHERE name = '${name}'`);
    erasePerson(localAdmin(store, now), production_id as ProductionId, id);
    const named = () =>
      ["change_sets", "change_operations", "events", "activity", "approvals", "shoot_days", "day_calls"].filter(
        (table) => JSON.stringify(rows(`SELECT * FROM ${table}`)).includes(name),
      );
    assert.equal(named(), []);
    const newest = () => rows("SELECT max(id) AS id FROM change_sets")[0].id;
    await production.undo(newest());
    assert.equal(named(), []);
    assert.match(JSON.stringify(rows("SELECT who, note FROM day_calls")), /Person removed/);
    const refused = await refusal(production.undo(change_set));
    assert.is(refused.status, 409);
    assert.is.not(refused.message.includes(name), true);
  });

test("turned round: a person who is named in a new step by then stays", async () => {
  const production = await open();
  const added = await production.update({ people: [{ name: "Una Rae", role: "Runner" }] });
  await production.update({ approvals: [{ title: "Una decides", steps: [{ person: "Una Rae" }] }] });
  const refused = await refusal(production.undo(added.change_set));
  assert.is(refused.status, 409);
  assert.match(refused.message, /person Una Rae cannot be removed: it is named by approval "Una decides"/);
});

test.run();
