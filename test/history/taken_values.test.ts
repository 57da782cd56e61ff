// The undo of a change set that would give back a unique value which another thing has by now: it is refused, and names
// both.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HttpError } from "../../src/core/errors.ts";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { now, smallDocument, writeDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const small: Json = smallDocument();
const production = await openProduction(
  writeDocument({ ...small, purchase_orders: [{ ...small.purchase_orders[0], number: "P1" }] }),
);
const { store, blobs, production_id } = production;
const admin = localAdmin(store, now);
const undo = (id: number) => undoChangeSet(admin, blobs, { id, dry_run: false }, async (work) => store.writeSync(work));
const last = (): number => listSets(store, { production_id, limit: 1 })[0]?.id ?? 0;

const [order] = small.purchase_orders;
/** What is changed and undone, what takes the value in between, and what the refusal says. */
const cases: Record<string, { before: Json; first: Json; since: Json; says: RegExp }> = {
  "the slug of a department": {
    before: { departments: [{ slug: "sound", name: "Sound" }] },
    first: { departments: [{ slug: "sounds", was: "sound" }] },
    since: { departments: [{ slug: "sound", name: "Sound again" }] },
    says: /^department "sounds": slug is that of department "sound" by now by change set \d+ of admin; nothing was changed$/,
  },
  "the name of a person": {
    before: { people: [{ name: "Dee", role: "Grip" }] },
    first: { people: [{ name: "Dee Dee", was: "Dee" }] },
    since: { people: [{ name: "dee", role: "Runner" }] },
    says: /^person "Dee Dee": name is that of person "dee" by now/,
  },
  "the name of a vendor": {
    before: { vendors: ["Rig Ltd"] },
    first: { vendors: [{ name: "Rigs Ltd", was: "Rig Ltd" }] },
    since: { vendors: ["Rig Ltd"] },
    says: /^vendor "Rigs Ltd": name is that of vendor "Rig Ltd" by now/,
  },
  "the code of an episode": {
    before: { episodes: [{ code: "E8", title: "Eight" }] },
    first: { episodes: [{ code: "E9", was: "E8" }] },
    since: { episodes: [{ code: "E8", title: "Again" }] },
    says: /^episode "E9": code is that of episode "E8" by now/,
  },
  "the number of a scene": {
    before: { scenes: [{ number: "70", episode: "E1", slugline: "INT. A - DAY" }] },
    first: { scenes: [{ number: "71", episode: "E1", was: "E1/70" }] },
    since: { scenes: [{ number: "70", episode: "E1", slugline: "INT. B - DAY" }] },
    says: /^scene "E1\/71": number is that of scene "E1\/70" by now/,
  },
  "the number of a day": {
    before: { schedule: [{ day_number: 70, date: "2026-05-05" }] },
    first: { schedule: [{ day_number: 71, was: 70 }] },
    since: { schedule: [{ day_number: 70, date: "2026-05-06" }] },
    says: /^shoot day "71": day_number is that of shoot day "70" by now/,
  },
  "the week of a report": {
    before: { cost_reports: [{ week_of: "2026-07-06" }] },
    first: { cost_reports: [{ week_of: "2026-07-13", was: "2026-07-06" }] },
    since: { cost_reports: [{ week_of: "2026-07-06" }] },
    says: /^cost report "2026-07-13": week_of is that of cost report "2026-07-06" by now/,
  },
  "the ref of an asset": {
    before: { assets: [{ label: "Oar", ref: "Oar A", kind: "prop" }] },
    first: { assets: [{ label: "Oar", ref: "Oar B", was: "Oar A" }] },
    since: { assets: [{ label: "Oar", ref: "Oar A", kind: "prop" }] },
    says: /^asset "Oar B": ref is that of asset "Oar A" by now/,
  },
  "the name of a person in another form": {
    before: { people: [{ name: "Fay", role: "Grip" }] },
    first: { people: [{ name: "Fay Fay", was: "Fay" }] },
    since: { people: [{ name: "\uff26\uff41\uff59", role: "Runner" }] },
    says: /^person "Fay Fay": name is that of person "\uff26\uff41\uff59" by now/,
  },
};

/** Refuses an undo, which changes nothing. */
async function refused(id: number, says: RegExp): Promise<void> {
  const stored = JSON.stringify(await production.export());
  const error = await undo(id).catch((thrown: unknown) => thrown);
  assert.instance(error, HttpError);
  assert.is((error as HttpError).status, 409);
  assert.match((error as HttpError).message, says);
  assert.is(JSON.stringify(await production.export()), stored, "nothing was changed");
}

/** Removes a thing of a section by a document that lists the others. */
async function without(section: string, keeps: (item: Json) => boolean): Promise<void> {
  const { [section]: items } = await production.export();
  await production.update({ [section]: items.filter(keeps) }, { exact: true });
}

const test = suite("the undo that would give back");

for (const [what, { before, first, since, says }] of Object.entries(cases))
  test(`${what}, which another thing has by now, is refused`, async () => {
    await production.update(before);
    await production.update(first);
    const id = last();
    await production.update(since);
    await refused(id, says);
  });

test("the number of a removed order, which another one has by now, is refused", async () => {
  await production.update({ purchase_orders: [{ ...order, number: "P7", description: "Seven" }] });
  await without("purchase_orders", ({ number }) => number !== "P7");
  const id = last();
  await production.update({ purchase_orders: [{ ...order, number: "P7", description: "Other" }] });
  await refused(id, /^purchase order "P7": number is that of purchase order "P7" by now by change set/);
});

test("the active report, which is another one by now, is refused", async () => {
  await production.update({ cost_reports: [{ week_of: "2026-08-03", active: true }] });
  await without("cost_reports", ({ week_of }) => week_of !== "2026-08-03");
  const id = last();
  await production.update({ cost_reports: [{ week_of: "2026-08-10", active: true }] });
  await refused(id, /^cost report "2026-08-03": active is that of cost report "2026-08-10" by now/);
});

test("an asset whose external_id another one has by now is refused", async () => {
  await production.update({ assets: ["Bell", "Buoy"].map((label) => ({ label, kind: "prop" })) });
  const name = (label: string) =>
    store.database.exec(`UPDATE nodes SET external_id = 'dcc-1' WHERE label = '${label}'`);
  name("Bell");
  await without("assets", ({ label }) => label !== "Bell");
  const id = last();
  name("Buoy");
  await refused(id, /^asset "Bell": external_id is that of asset "Buoy" by now; nothing was changed$/);
  store.database.exec("UPDATE nodes SET external_id = NULL WHERE label = 'Buoy'");
  await undo(id);
  assert.equal(production.rows("SELECT label FROM nodes WHERE external_id = 'dcc-1'"), [{ label: "Bell" }]);
});

test("a label that another asset has by now is done, because labels are told apart by refs", async () => {
  await production.update({ assets: [{ label: "Tin", kind: "prop" }] });
  await production.update({ assets: [{ label: "Tin box", was: "Tin" }] });
  const id = last();
  await production.update({ assets: [{ label: "Tin", kind: "prop" }] });
  await undo(id);
  const { assets } = await production.export();
  const refs = assets.filter(({ label }: Json) => label === "Tin").map(({ ref }: Json) => ref ?? null);
  assert.equal(refs, [null, "Tin #2"]);
});

test("two numbers that were exchanged is done", async () => {
  await production.update({
    schedule: [
      { day_number: 80, date: "2026-06-06" },
      { day_number: 81, date: "2026-06-07" },
    ],
  });
  const before = JSON.stringify((await production.export()).schedule);
  await production.update({
    schedule: [
      { day_number: 80, was: 81 },
      { day_number: 81, was: 80 },
    ],
  });
  await undo(last());
  assert.is(JSON.stringify((await production.export()).schedule), before);
});

test("the number of a scene that leaves it for one that comes from another episode is done, and done again", async () => {
  await production.update({
    episodes: [{ code: "E7", title: "Seven" }],
    scenes: [
      { number: "90", episode: "E1", slugline: "INT. BARN - DAY" },
      { number: "91", episode: "E7", slugline: "INT. LOFT - DAY" },
    ],
  });
  const scenes = () =>
    production.rows("SELECT slugline, number, episode_id FROM scenes WHERE number IN ('90', '91') ORDER BY node_id");
  const before = scenes();
  await production.update({
    scenes: [
      { number: "91", was: "E1/90", episode: "E1" },
      { number: "90", was: "E7/91", episode: "E1" },
    ],
  });
  const after = scenes();
  assert.is.not(JSON.stringify(after), JSON.stringify(before));
  for (const expected of [before, after, before]) {
    await undo(last());
    assert.equal(scenes(), expected);
  }
});

test.run();
