// What a call sheet needs of documents: the cast, the calls and banners of a day, and assets that list their scenes.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { now, smallDocument, writeDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const calls = [
  {
    who: "Hero",
    time: "07:30",
    pickup: "05:45",
    makeup: "06:15",
    costume: "O/C",
    on_set: "08:00",
    note: "Make-up first.",
  },
  { who: "Ben", time: "06:00" },
  { who: "costume", time: "05:45" },
  { who: "Divers", time: "O/C" },
];
const banners = [{ before: "E2/1", text: "COMPANY MOVE" }, { text: "WRAP DRINKS" }];

/** A production with a day that has everything. */
async function open(change: (document: Json) => void = () => {}) {
  const document: Json = smallDocument();
  Object.assign(document.schedule[0], { location: "Quay", notes: "Bring\nboots.", wrap: "19:30", calls, banners });
  Object.assign(document.assets[2], { cast_number: "1", performer: "Cora Lind" });
  change(document);
  const production = await openProduction(writeDocument(document));
  const { store, blobs, production_id } = production;
  return {
    ...production,
    day: async (): Promise<Json> => (await production.export()).schedule[0],
    called: async (): Promise<string[]> => (await production.export()).schedule[0].calls.map(({ who }: Json) => who),
    /** Undoes a change set: the last one, or the one before it and so on. */
    undoLast: (which = 1) => {
      const id = listSets(store, { production_id, limit: which }).at(-1)?.id ?? 0;
      const write = async (work: Json) => store.writeSync(work);
      return undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, write as Json);
    },
  };
}

const sheet = suite("the fields of a call sheet");

sheet("are exported as they were imported", async () => {
  const { day, export: exported, update } = await open();
  const { location, notes, wrap, calls: own, banners: between } = await day();
  assert.equal([location, notes, wrap, own, between], ["Quay", "Bring\nboots.", "19:30", calls, banners]);
  const { assets } = await exported();
  assert.equal([assets[2].cast_number, assets[2].performer], ["1", "Cora Lind"]);
  assert.equal((await update(await exported())).changes, []);
  assert.equal(
    (await update({ schedule: [{ day_number: 2, banners: [{ ...banners[0] }, { before: null, ...banners[1] }] }] }))
      .changes,
    [],
  );
});

sheet("have lines in their order, two of one label too, and an undo gives the former ones back", async () => {
  const { day, update, undoLast } = await open();
  const lines = [
    { label: "Base", text: "Yard" },
    { label: "Weather", text: "Rain" },
    { label: "Base", text: "Trucks: upper field" },
  ];
  await update({ schedule: [{ day_number: 2, lines }] });
  assert.equal((await day()).lines, lines);
  assert.equal((await update({ schedule: [{ day_number: 2, lines }] })).changes, []);
  await update({ schedule: [{ day_number: 2, lines: null }] });
  assert.is((await day()).lines, undefined);
  await undoLast();
  assert.equal((await day()).lines, lines);
});

sheet("follow the renames of what is called, and of the scene that follows a banner", async () => {
  const { update, called, day } = await open();
  const { changes } = await update({
    assets: [{ label: "Heroine", was: "Hero" }],
    people: [{ name: "Benno", was: "Ben" }],
    departments: [{ slug: "clothes", was: "costume" }],
    scenes: [{ number: "9", was: "E2/1" }],
  });
  assert.equal(
    changes.map(({ section }) => section),
    ["departments", "people", "scenes", "assets"],
  );
  assert.equal(await called(), ["Heroine", "Benno", "clothes", "Divers"]);
  assert.is((await day()).banners[0].before, "E2/9");
});

sheet("say it where somebody is called twice", async () => {
  const { update } = await open();
  const twice = ["Heroine", "Divers", "heroine"].map((who, at) => ({ who, time: `0${at + 6}:00` }));
  const { warnings } = await update({ schedule: [{ day_number: 2, calls: twice }] });
  assert.ok(
    warnings.some((one) =>
      /^day 2 calls Heroine twice: 06:00 and 08:00; a list of the cast shows the first$/.test(one),
    ),
    warnings.join(),
  );
});

sheet("keep a call that names nothing as a text, with a warning, until something has the name", async () => {
  const { update, called, rows } = await open();
  const { warnings } = await update({ schedule: [{ day_number: 2, location: "Pier" }] });
  assert.equal(warnings, ["day 2 calls what is no asset, person or department: Divers"]);
  const named = () => rows("SELECT node_id, who FROM day_calls WHERE position = 4")[0];
  assert.is(named().who, "Divers");
  await update({ assets: [{ label: "Divers", kind: "character" }] });
  assert.is(named().who, null);
  await update({ assets: [{ label: "The divers", was: "Divers" }] });
  assert.is((await called())[3], "The divers");
});

sheet("hold what they call: it cannot be removed", async () => {
  const { problems, update } = await open();
  const without = { people: [{ name: "Ada", role: "Designer" }] };
  assert.match((await problems(without, { exact: true })).join("; "), /cannot be removed: it is named by .*/);
  await update({ schedule: [{ day_number: 2, calls: [] }] });
  assert.not.match((await problems(without, { exact: true }).catch(() => [])).join("; "), /shoot day/);
});

sheet("warn of two characters with one number, and of a banner before a scene of another day", async () => {
  const { update } = await open();
  const twice = await update({ assets: [{ label: "Villain", kind: "character", cast_number: "1" }] });
  assert.equal(twice.warnings, ['"Hero" and "Villain" have the same cast number, 1']);
  const { warnings } = await update({ schedule: [{ day_number: 3, banners: [{ before: "E1/1", text: "LUNCH" }] }] });
  assert.equal(warnings, ["day 3 has a banner before a scene that is not on it: E1/1"]);
});

sheet("are refused with their places", async () => {
  const { problems } = await open();
  const bad = {
    day_number: 2,
    wrap: "25:00",
    calls: [{ who: "Hero", time: "25:00", pickup: "seven" }],
    banners: [{ before: "7", text: "x" }],
  };
  assert.equal(
    (await problems({ schedule: [bad], assets: [{ label: "Coat", performer: "Nobody" }] })).map((one) =>
      one.replace(/ \(.*?\)/, ""),
    ),
    [
      "assets[0].performer is allowed only on an asset of kind character",
      "schedule[0].wrap must be a time of day such as 19:30",
      'schedule[0].banners[0].before names no scene: "7"',
      'schedule[0].calls[0].time must be a time of day such as 07:30, or O/C, W/N, HOLD or TBC, not "25:00"',
      'schedule[0].calls[0].pickup must be a time of day such as 07:30, or O/C, W/N, HOLD or TBC, not "seven"',
    ],
  );
});

sheet("change by one field when an actor is replaced, and the undo gives the former one back", async () => {
  const { update, export: exported, undoLast } = await open();
  const { changes } = await update({ assets: [{ label: "Hero", performer: "Dora Lind" }] });
  assert.equal(
    changes.map(({ key, fields }) => [key, fields]),
    [["Hero", { performer: { from: "Cora Lind", to: "Dora Lind" } }]],
  );
  await undoLast();
  assert.is((await exported()).assets[2].performer, "Cora Lind");
  await update({ schedule: [{ day_number: 2, calls: [], banners: [], location: null, wrap: null, notes: null }] });
  await undoLast();
  assert.equal((await exported()).schedule[0].calls, calls);
  assert.equal((await exported()).schedule[0].banners, banners);
});

sheet.run();

const scenes = suite("scenes of an asset");
const assetsOf = async (exported: () => Promise<Json>): Promise<string[][]> =>
  (await exported()).scenes.map(({ assets = [] }: Json) => assets);

scenes("are the assets of scenes, in a document that is imported as a whole", async () => {
  const { export: exported } = await open(({ assets }) => {
    assets[1].scenes = ["E2/1"];
    assets[2].scenes = ["E1/1", "E2/1"];
  });
  assert.equal(await assetsOf(exported), [
    ["Coat", "Hero"],
    ["Coat #2", "Hero"],
  ]);
  assert.ok((await exported()).assets.every((asset: Json) => !("scenes" in asset)));
});

scenes(
  "replace the scenes that have the asset, the same again plans nothing, and an undo gives them back",
  async () => {
    const { update, export: exported, undoLast } = await open();
    const list = { assets: [{ label: "Coat", scenes: ["E2/1"] }] };
    const { changes } = await update(list, { now: "2027-01-01T00:00:00.000Z" });
    assert.equal(
      changes.map(({ section, key, fields }) => [section, key, fields]),
      [
        ["scenes", "E1/1", { assets: { from: ["Coat", "Coat #2"], to: ["Coat #2"] } }],
        ["scenes", "E2/1", { assets: { from: null, to: ["Coat"] } }],
      ],
    );
    assert.equal(await assetsOf(exported), [["Coat #2"], ["Coat"]]);
    assert.ok((await exported()).scenes.every(({ updated_at }: Json) => updated_at === "2027-01-01T00:00:00.000Z"));
    assert.equal((await update(list)).changes, []);
    await update({ assets: [{ label: "Coat", scenes: null }] });
    assert.equal(await assetsOf(exported), [["Coat #2"], []]);
    await undoLast();
    await undoLast(3);
    assert.equal(await assetsOf(exported), [["Coat", "Coat #2"], []]);
  },
);

scenes("stay as they are where the asset does not list them, with --exact too", async () => {
  const { update, export: exported } = await open();
  const { assets } = await exported();
  assert.equal((await update({ assets }, { exact: true })).changes, []);
});

scenes("follow scenes that the same update adds, omits no other with --exact, and must exist", async () => {
  const { update, problems, export: exported } = await open();
  const { assets } = await exported();
  const exact = assets.map((asset: Json) => (asset.label === "Hero" ? { ...asset, scenes: ["E2/1"] } : asset));
  await update({ assets: exact }, { exact: true });
  assert.equal(
    (await exported()).scenes.map(({ status }: Json) => status),
    ["done", "omitted"],
  );
  await update([
    { assets: [{ label: "Hero", scenes: ["E1/4"] }] },
    { scenes: [{ number: "4", episode: "E1", slugline: "INT. BARN" }] },
  ]);
  assert.equal(await assetsOf(exported), [["Coat", "Coat #2"], ["Hero"], []]);
  assert.equal(await problems({ assets: [{ label: "Hero", scenes: ["E1/1", "77"] }] }), [
    'assets[0] (asset Hero).scenes[1] names no scene: "77"',
  ]);
});

scenes.run();
