// The undo of change sets: the former export, the former ids, and conflicts that are refused.
// Thorough: only --all runs it.
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HttpError } from "../../src/core/errors.ts";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { mint } from "../support/app.ts";
import { root } from "../support/command.ts";
import { now } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const test = suite("undo");
const production = await openProduction();
const { store, blobs, production_id } = production;
const admin = localAdmin(store, now);
const undo = (id: number, options = {}) =>
  undoChangeSet(admin, blobs, { id, dry_run: false, ...options }, async (work) => store.writeSync(work));
const last = (): number => listSets(store, { production_id, limit: 1 })[0]?.id ?? 0;
const start: Json = await production.export();
const withoutTimes = (document: Json) =>
  JSON.stringify({ ...document, activity: [] }, (key, value) => (key === "updated_at" ? undefined : value));
const state = async () => withoutTimes(await production.export());

async function refused(id: number, expected: RegExp): Promise<void> {
  const before = JSON.stringify(await production.export());
  try {
    await undo(id);
  } catch (error) {
    assert.instance(error, HttpError);
    assert.is((error as HttpError).status, 409, (error as Error).message);
    assert.match((error as Error).message, expected);
    assert.is(JSON.stringify(await production.export()), before, "nothing was written");
    return;
  }
  throw new Error("the undo was not refused");
}

const [first, second, third] = start.scenes;
const [day, other] = start.schedule;
const unused = { label: "A spare lantern", kind: "prop" };
const updates: [string, Json, Json?][] = [
  ["a status", { scenes: [{ number: first.number, status: first.status === "done" ? "active" : "done" }] }],
  [
    "an added scene with its strip",
    {
      scenes: [{ number: first.number }, { number: "1A", slugline: "EXT. QUAY - DAWN" }],
      schedule: [{ day_number: day.day_number, scenes: [...day.scenes, "1A"] }],
    },
  ],
  ["a renumbered scene", { scenes: [{ number: "99Z", was: second.number }] }],
  [
    "two scenes that exchange their numbers",
    {
      scenes: [
        { number: second.number, was: first.number },
        { number: first.number, was: second.number },
      ],
    },
  ],
  [
    "two swapped days",
    {
      schedule: [
        { day_number: day.day_number, date: other.date },
        { day_number: other.day_number, date: day.date },
      ],
    },
  ],
  [
    "another order of the script",
    { scenes: [third, first, second, ...start.scenes.slice(3)].map(({ number }: Json) => ({ number })) },
  ],
  [
    "an added person and a title",
    { production: { logline: "Another one." }, people: [{ name: "Isla Rae", role: "Script supervisor" }] },
  ],
  ["an added asset", { assets: [unused] }],
  [
    "a specification with a hash, which is no medium",
    { deliveries: [{ title: start.deliveries[0].title, spec: [{ sha256: "0".repeat(64) }] }] },
  ],
  [
    "an order and a vendor",
    {
      vendors: ["Lamp & Sons"],
      purchase_orders: [
        {
          number: "N1",
          account: "1",
          vendor: "Lamp & Sons",
          description: "Lamps",
          amount: 5,
          status: "open",
          date: "2026-01-02",
        },
      ],
    },
  ],
];

for (const [what, document] of updates)
  test(`of ${what} gives the former state, and its undo the later one`, async () => {
    const before = await state();
    await production.update(document);
    const [after, id] = [await state(), last()];
    assert.is.not(after, before);
    await undo(id, { dry_run: true });
    assert.is(await state(), after, "a dry run writes nothing");
    await undo(id);
    assert.is(await state(), before);
    const own = last();
    await refused(id, /is undone already, by change set/);
    await undo(own);
    assert.is(await state(), after);
    await undo(id);
    assert.is(await state(), before);
  });

test("of removed things gives them their former ids", async () => {
  await production.update({ assets: [unused] });
  const idOf = () => production.rows("SELECT id FROM nodes WHERE label = 'A spare lantern'")[0]?.id;
  const [id, before] = [idOf(), await state()];
  const { assets } = await production.export();
  await production.update({ assets: assets.filter(({ label }: Json) => label !== unused.label) }, { exact: true });
  assert.is(idOf(), undefined);
  await production.update({ assets: [{ label: "A later one", kind: "prop" }] });
  const later = last();
  await undo(later - 1);
  assert.is(idOf(), id);
  await undo(later);
  assert.is(await state(), before);
});

test("of a reference to what is called __proto__ follows its new name", async () => {
  const start = await state();
  const [number, label] = [third.number, "__proto__"];
  await production.update({ assets: [{ label, kind: "prop" }] });
  const added = last();
  const before = await state();
  await production.update({ scenes: [{ number, assets: [...(third.assets ?? []), label] }] });
  const linked = last();
  await production.update({ assets: [{ label: "A prototype", was: label }] });
  const renamed = last();
  await undo(linked);
  await undo(renamed);
  assert.is(await state(), before);
  await undo(added);
  assert.is(await state(), start);
});

test("in reverse order gives the start", async () => {
  const before = await state();
  const ids: number[] = [];
  for (const [, document] of updates.slice(0, 3)) {
    await production.update(document);
    ids.push(last());
  }
  for (const id of ids.reverse()) await undo(id);
  assert.is(await state(), before);
});

test("is refused for a field that was changed again, with the set and who made it", async () => {
  await production.update({ scenes: [{ number: third.number, synopsis: "One." }] });
  const one = last();
  await production.update({ scenes: [{ number: third.number, synopsis: "Two." }] });
  await refused(
    one,
    new RegExp(`^scene "${third.number}": synopsis was changed since by change set ${one + 1} of admin`),
  );
  await undo(last());
  await undo(one);
});

test("is refused while something since refers to what would go", async () => {
  await production.update({ assets: [{ label: "A rope", kind: "prop" }] });
  const added = last();
  await production.update({ scenes: [{ number: third.number, assets: [...(third.assets ?? []), "A rope"] }] });
  await refused(added, /A rope.* cannot be removed: it is named by scene/);
});

test("of two at once, one is done and the other is refused", async () => {
  const before = await state();
  await production.update({ production: { logline: "Twice." } });
  const id = last();
  const results = await Promise.allSettled([undo(id), undo(id)]);
  assert.equal(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const { reason } = results.find(({ status }) => status === "rejected") as PromiseRejectedResult;
  assert.match(reason.message, /is undone already, by change set/);
  assert.is(await state(), before);
});

test("of something that got a new name since keeps the name, and is refused for the name itself", async () => {
  const [one] = (await production.export()).people;
  await production.update({ people: [{ name: one.name, role: "Another role" }] });
  const role = last();
  await production.update({ people: [{ name: "Somebody Else", was: one.name }] });
  const name = last();
  await undo(role);
  const { people } = await production.export();
  assert.is(people.find((person: Json) => person.name === "Somebody Else").role, one.role);
  await production.update({ people: [{ name: "A Third", was: "Somebody Else" }] });
  await refused(name, new RegExp(`name was changed since by change set ${last()} of admin`));
  await undo(last());
  await undo(name);
});

/** What was added and then got something that no document has, or that stays recorded. */
const grown: [string, Json, (id: number) => void, RegExp][] = [
  [
    "a person with a key",
    { people: [{ name: "Key Holder", role: "Grip" }] },
    (person_id) => void mint(store, { production_id, person_id }),
    /Key Holder.* cannot be removed: it is bound to a key/,
  ],
  [
    "an asset with a note",
    { assets: [{ label: "A noted prop", kind: "prop" }] },
    (id) =>
      store.writeSync(() =>
        store.database
          .prepare(
            "INSERT INTO notes (production_id, node_id, text, author, created_at) VALUES (?, ?, 'Rust.', 'A', ?)",
          )
          .run(production_id, id, now),
      ),
    /A noted prop.* cannot be removed: it is named by note/,
  ],
  [
    "an asset with a version",
    { assets: [{ label: "A versioned prop", kind: "prop" }] },
    () => void 0,
    /A versioned prop": versions was changed since by change set/,
  ],
];
for (const [what, document, grow, sentence] of grown)
  test(`of ${what} is refused, and nothing that was done since is lost`, async () => {
    const { changes } = await production.update(document);
    const added = last();
    grow(changes[0]?.id as number);
    if (what.endsWith("version"))
      await production.update({ assets: [{ label: "A versioned prop", versions: [{ version: 1, created_at: now }] }] });
    await refused(added, sentence);
  });

test("names a scene by the code that its episode has after the undo, whichever set gave the code", async () => {
  const series = await openProduction(join(root, "fixtures/the-saknussemm-cipher.json"));
  const ofSeries = { store: series.store, production_id: series.production_id };
  const lastSet = (): number => listSets(series.store, { ...ofSeries, limit: 1 })[0]?.id as number;
  const take = async (id = lastSet()) => {
    const write = async <T>(work: () => T) => series.store.writeSync(work);
    await undoChangeSet(localAdmin(series.store, now), series.blobs, { id, dry_run: false }, write);
  };
  const seriesState = async () => withoutTimes(await series.export());
  const { schedule } = await series.export();
  const [{ day_number, scenes }] = schedule;
  const strip = (...names: string[]) => ({ schedule: [{ day_number, scenes: names }] });
  const added = { number: "88X", episode: "101", slugline: "INT. CELLAR - NIGHT" };
  await series.update({ scenes: [added], ...strip(...scenes, "101/88X") });
  const before = await seriesState();
  await take();
  const removal = lastSet();
  const code = { episodes: [{ code: "201", was: "101" }] };
  await series.update(code);
  const renaming = lastSet();
  await take(removal);
  assert.equal((await series.export()).schedule[0].scenes, ["201/2", "201/4", "201/88X"]);
  await take(renaming);
  assert.is(await seriesState(), before);
  const swapped = {
    episodes: [
      { code: "102", was: "101" },
      { code: "101", was: "102" },
    ],
  };
  const number = { scenes: [{ number: "88Y", episode: "201", was: "201/88X" }] };
  for (const document of [
    { ...code, ...strip("201/4", "201/88X", "201/2") },
    { ...code, ...number, ...strip("201/4", "201/88Y", "201/2") },
    { ...swapped, ...strip("102/4", "102/88X", "102/2") },
  ]) {
    await series.update(document);
    const after = await seriesState();
    await take();
    assert.is(await seriesState(), before);
    await take();
    assert.is(await seriesState(), after);
    await take();
  }
});

test("is refused for the order of a scene that was moved again, with the set that moved it", async () => {
  const before = await state();
  const { scenes } = await production.export();
  const own = scenes.filter(({ episode }: Json) => episode === scenes[0].episode);
  const [a, b, c, d, ...rest] = own;
  const orderBy = (list: Json[]) =>
    production.update({ scenes: list.map(({ number, episode }: Json) => ({ number, ...(episode && { episode }) })) });
  await orderBy([d, a, b, c, ...rest]);
  const one = last();
  await orderBy([a, b, d, c, ...rest]);
  const later = last();
  await refused(one, new RegExp(`^scene "${d.number}": order was changed since by change set ${later} of admin`));
  await undo(later);
  await undo(one);
  assert.is(await state(), before);
});

test("of a scene's addition, undone itself, gives the scene and its activity entries back", async () => {
  await production.update({ scenes: [{ number: first.number }, { number: "7X", slugline: "EXT. MOOR - DUSK" }] });
  const added = last();
  const id = production.rows("SELECT node_id FROM scenes WHERE number = '7X'")[0]?.node_id;
  store.writeSync(() =>
    store.database
      .prepare(
        "INSERT INTO activity (production_id, verb, summary, actor, node_id, created_at) VALUES (?, 'a.b', 'Seen', 'A', ?, ?)",
      )
      .run(production_id, id, now),
  );
  await undo(added);
  const entry = () => production.rows("SELECT node_id FROM activity WHERE summary = 'Seen'");
  assert.equal(entry(), [{ node_id: null }], "the entry stays");
  await undo(last());
  assert.is(production.rows("SELECT node_id FROM scenes WHERE number = '7X'")[0]?.node_id, id);
  assert.equal(entry(), [{ node_id: id }]);
  await undo(added);
  assert.equal(entry(), [{ node_id: null }]);
});

test("of what the storage agent reported is refused, and the undo of something else keeps its rows", async () => {
  await production.update({
    assets: [{ label: "A stored prop", kind: "prop", versions: [{ version: 1, created_at: now }] }],
  });
  const added = last();
  await production.update({
    storage: [{ filespace: "a new one", files: [{ path: "prop.mov", state: "present", detected_at: now }] }],
  });
  const stored = last();
  await production.update({ storage: [{ filespace: "an empty one" }] });
  const empty = last();
  store.writeSync(() =>
    store.database
      .prepare(
        "INSERT INTO asset_files (production_id, install_id, path, state, detected_at) SELECT production_id, id, 'reported.mov', 'present', ? FROM storage_installs WHERE filespace = 'an empty one'",
      )
      .run(now),
  );
  await refused(empty, /an empty one.* cannot be undone: what the storage agent reported stays recorded/);
  await refused(stored, /a new one.* cannot be undone: what the storage agent reported stays recorded/);
  const rows = () => production.rows("SELECT * FROM asset_files ORDER BY id");
  const before = JSON.stringify(rows());
  assert.is.not(before, "[]");
  await refused(added, /A stored prop/);
  await production.update({ people: [{ name: "A Loader", role: "Loader" }] });
  await undo(last());
  assert.is(JSON.stringify(rows()), before);
});

test("of something that was granted since is refused", async () => {
  await production.update({ assets: [{ label: "A granted prop", kind: "prop" }] });
  const added = last();
  const { engagements } = await production.export();
  const { vendor, title, ref } = engagements.find(({ ended_at }: Json) => ended_at === undefined);
  await production.update({
    engagements: [{ vendor, title, ...(ref && { ref }), grants: [{ verb: "read", asset: "A granted prop" }] }],
  });
  await refused(added, /A granted prop.* cannot be removed: it is named by engagement/);
});

test("of removed media gives them back, after a start of the server too, and is refused once their bytes are gone", async () => {
  const media = { label: "oilcloth.jpg", kind: "image", base64: "c2FtcGxl", created_by: "Ada", created_at: now };
  await production.update({ ingredients: [{ label: "Oilcloth", kind: "swatch", media }] });
  const added = last();
  const before = await state();
  const bytes = () =>
    production.rows(
      "SELECT m.id, m.label, b.sha256 FROM media m JOIN blobs b USING (sha256) WHERE m.label = 'oilcloth.jpg'",
    );
  const [medium] = bytes();
  for (const removal of [{ label: "Oilcloth", media: null }, undefined]) {
    if (removal !== undefined) await production.update({ ingredients: [removal] });
    else {
      const { ingredients } = await production.export();
      await production.update(
        { ingredients: ingredients.filter(({ label }: Json) => label !== "Oilcloth") },
        { exact: true },
      );
    }
    const removed = last();
    assert.equal(bytes(), []);
    blobs.sweep();
    await undo(removed, { dry_run: true });
    await undo(removed);
    assert.is(await state(), before);
    assert.equal(bytes(), [medium]);
    assert.is(blobs.read(medium?.sha256 as string).toString(), "sample");
  }
  await production.update({ ingredients: [{ label: "Oilcloth", media: null }] });
  await refused(added, /Oilcloth": media was changed since by change set/);
  const removed = last();
  const file = blobs.fileOf(medium?.sha256 as string);
  renameSync(file, `${file}.gone`);
  await refused(
    removed,
    /^\w+ "[^"]*Oilcloth[^"]*" cannot be undone: the bytes of its former media are gone, so import the file again instead;/,
  );
  renameSync(`${file}.gone`, file);
  store.writeSync(() => store.database.exec("DELETE FROM change_sets"));
  blobs.sweep();
  assert.is(existsSync(file), false);
});

test("reads what is stored without the write lock", async () => {
  const media = { label: "satin.jpg", kind: "image", base64: "c2F0aW4=" };
  await production.update({ ingredients: [{ label: "Satin", kind: "swatch", media }] });
  await production.update({ ingredients: [{ label: "Satin", media: null }] });
  const other = new Database(store.file);
  let asked = 0;
  const find = blobs.sizeOf.bind(blobs);
  blobs.sizeOf = (sha256) => {
    other.pragma("busy_timeout = 0");
    other.exec("BEGIN IMMEDIATE; ROLLBACK"); // throws while another connection has the lock
    asked++;
    return find(sha256);
  };
  await undo(last());
  blobs.sizeOf = find;
  other.close();
  assert.ok(asked > 0);
});

const added = (after: string, number: string) => ({
  scenes: [{ number: after }, { number, slugline: "INT. NEW - DAY" }],
});
const numbers = async (): Promise<string[]> => (await production.export()).scenes.map(({ number }: Json) => number);

test("puts a scene back after the one that it followed, though all scenes have other numbers by now", async () => {
  const before = await numbers();
  await production.update(added(before[19] ?? "", "BACK"));
  await undo(last());
  const redo = last();
  const others = Array.from({ length: 24 }, (_, at) => `NEW${at}`);
  for (const number of others) await production.update(added(before[0] ?? "", number));
  await undo(redo);
  const expected = [before[0], ...others.toReversed(), ...before.slice(1, 20), "BACK", ...before.slice(20)];
  assert.equal(await numbers(), expected);
  const returned = last();
  await undo(returned);
  assert.equal(
    await numbers(),
    expected.filter((number) => number !== "BACK"),
  );
  await undo(last());
  assert.equal(await numbers(), expected);
});

test("puts a scene back where no number is left between its neighbours, and is undone itself", async () => {
  const before = await numbers();
  const [one = "", next = ""] = before.slice(30);
  await production.update(added(one, "BACK2"));
  await undo(last());
  const redo = last();
  const others = Array.from({ length: 10 }, (_, at) => `TIGHT${at}`);
  for (const number of others) await production.update(added(one, number));
  const plan = await undo(redo);
  assert.equal(
    plan.changes.map(({ key, action }) => [key, action]),
    [["BACK2", "add"]],
    "the others keep their order",
  );
  const after = await numbers();
  assert.equal(after, [...before.slice(0, 31), "BACK2", ...others.toReversed(), next, ...before.slice(32)]);
  await undo(last());
  assert.equal(
    await numbers(),
    after.filter((number) => number !== "BACK2"),
  );
});

test("puts a scene back where it stood last, not where it was added", async () => {
  const before = await numbers();
  await production.update(added(before[5] ?? "", "WALKS"));
  const addition = last();
  const walked = [...before.slice(0, 20), "WALKS", ...before.slice(20)];
  await production.update({ scenes: walked.map((number) => ({ number })) });
  await undo(addition);
  assert.equal(await numbers(), before);
  await undo(last());
  assert.equal(await numbers(), walked);
  await undo(last());
});

test("turns an order round and back, also of the scene that stays in the middle", async () => {
  const before = await numbers();
  const turned = [...before.slice(0, 3).toReversed(), ...before.slice(3)];
  const five = [...turned.slice(0, 2).toReversed(), ...turned.slice(2)];
  for (const order of [turned, before.toReversed(), five]) {
    const start = await numbers();
    await production.update({ scenes: order.map((number) => ({ number })) });
    const changed = await numbers();
    for (const expected of [start, changed, start]) {
      await undo(last());
      assert.equal(await numbers(), expected);
    }
  }
});

test("turns an order round of which one scene has the same number as before once all are numbered again", async () => {
  const before = await numbers();
  const setPlaces = (sql: string) => production.store.writeSync(() => production.store.database.exec(sql));
  setPlaces("UPDATE scenes SET script_order = -script_order");
  setPlaces(`UPDATE scenes SET script_order = 1024 * at FROM
    (SELECT node_id AS id, row_number() OVER (ORDER BY script_order DESC) AS at FROM scenes) WHERE id = node_id`);
  setPlaces("UPDATE scenes SET script_order = script_order / 1024 WHERE script_order <= 2048");
  const [one = "", two = "", three = "", four = "", five = "", ...rest] = before;
  const turned = [five, four, three, one, two, ...rest];
  const { changes } = await production.update({ scenes: turned.map((number) => ({ number })) });
  const moved = changes.map(({ key, fields }) => [key, fields.order]);
  assert.equal(moved, [
    [three, { from: 3, to: 3 }],
    [four, { from: 4, to: 2 }],
    [five, { from: 5, to: 1 }],
  ]);
  for (const expected of [before, turned, before]) {
    await undo(last());
    assert.equal(await numbers(), expected);
  }
});

test("leaves a scene at the end where it stands, once all scenes were numbered again", async () => {
  const before = await numbers();
  const ends = before.slice(-6);
  const orderedBy = (places: number[]) => places.map((at) => ends[at] ?? "");
  const order = (places: number[]) =>
    production.update({ scenes: [...before.slice(0, -6), ...orderedBy(places)].map((number) => ({ number })) });
  const standing = async () => (await numbers()).slice(-6);
  await order([0, 2, 3, 5, 1, 4]);
  await undo(last());
  const redo = last();
  await order([0, 1, 2, 4, 3, 5]);
  await undo(redo);
  assert.equal(await standing(), orderedBy([0, 2, 4, 3, 5, 1]));
  await undo(last());
  const again = last();
  const others = Array.from({ length: 12 }, (_, at) => `DENSE${at}`);
  for (const number of others) await production.update(added(before[0] ?? "", number));
  await undo(again);
  assert.equal(await standing(), orderedBy([0, 2, 4, 3, 5, 1]));
  for (const places of [
    [0, 1, 2, 4, 3, 5],
    [0, 2, 4, 3, 5, 1],
  ]) {
    await undo(last());
    assert.equal(await standing(), orderedBy(places));
  }
});

test("says from where scenes move as the page of the scenes showed it, with those that go", async () => {
  const before = await numbers();
  const [one = "", two = "", three = "", ...rest] = before;
  const added = { number: "GOES", slugline: "INT. NEW - DAY" };
  await production.update({ scenes: [added, ...[three, one, two, ...rest].map((number) => ({ number }))] });
  assert.equal((await numbers()).slice(0, 4), ["GOES", three, one, two]);
  const { changes } = await undo(last());
  assert.equal(
    changes.map(({ key, action, fields }) => [key, action, fields.order]),
    [
      ["GOES", "remove", undefined],
      [three, "change", { from: 2, to: 3 }],
    ],
  );
  assert.equal(await numbers(), before);
});

test("takes a move back though scenes were numbered again since", async () => {
  const before = await numbers();
  const [one = "", walker = ""] = [before[50], before[20]];
  const rest = before.filter((number) => number !== walker);
  await production.update({ scenes: [...rest.slice(0, 40), walker, ...rest.slice(40)].map((number) => ({ number })) });
  const move = last();
  const others = Array.from({ length: 12 }, (_, at) => `CLOSE${at}`);
  for (const number of others) await production.update(added(one, number));
  await undo(move);
  assert.equal(await numbers(), [...before.slice(0, 51), ...others.toReversed(), ...before.slice(51)]);
});

test("puts scenes back beside those that stayed, where the one before them was moved away since", async () => {
  const before = await numbers();
  const three = ["MANY1", "MANY2", "MANY3"];
  const scenes = [{ number: before[40] }, ...three.map((number) => ({ number, slugline: "INT. NEW - DAY" }))];
  await production.update({ scenes });
  await undo(last());
  const redo = last();
  const moved = [...before.slice(0, 40), ...before.slice(41), before[40]];
  await production.update({ scenes: moved.map((number) => ({ number })) });
  assert.equal(await numbers(), moved);
  await undo(redo);
  assert.equal(await numbers(), [...moved.slice(0, 40), ...three, ...moved.slice(40)]);
  await undo(last());
  assert.equal(await numbers(), moved);
});

test("is checked like an update: no step of a person who left comes back", async () => {
  const [ada, ben] = start.people.map(({ name }: Json) => name);
  await production.update({ approvals: [{ title: "Gloves", steps: [{ person: ada }] }] });
  await production.update({ approvals: [{ title: "Gloves", steps: [{ person: ben }] }] });
  const changed = last();
  await production.update({ people: [{ name: ada, active: false }] });
  await refused(changed, /steps\[0\].* must not name ".*", who left the production/);
  await production.update({ people: [{ name: ada, active: true }] });
  await undo(changed);
});

test("is refused for engagements, and with a stale revision", async () => {
  await production.update({ vendors: ["Net Makers"] });
  await production.update({ engagements: [{ vendor: "Net Makers", title: "Nets" }] });
  await refused(last(), /engagements are ended, not undone/);
  await production.update({ production: { logline: "Once more." } });
  try {
    await undo(last(), { if_revision: "stale" });
    assert.unreachable();
  } catch (error) {
    assert.is((error as HttpError).status, 409);
    assert.match((error as HttpError).message, /^the production is at revision .*; nothing was changed$/);
  }
});

test.after(() => store.close());
test.run();
