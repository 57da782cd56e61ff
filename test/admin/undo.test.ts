// The undo of change sets: the former export, the former ids, and conflicts that are refused.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localAdmin } from "../../src/admin/admin.ts";
import { listSets } from "../../src/admin/history.ts";
import { undoChangeSet } from "../../src/admin/undo.ts";
import { HttpError } from "../../src/errors.ts";
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
  }
});

test.after(() => store.close());
test.run();
