// The undo of a change set that would give back a reference to what was removed since: it is refused, also as a dry
// run, and names both.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HttpError } from "../../src/core/errors.ts";
import { removeThing } from "../../src/features/documents/production_update.ts";
import type { SectionName } from "../../src/features/documents/sections/sections.ts";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { applied } from "../support/random_updates.ts";
import { now } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const production = await openProduction();
const { store, blobs, folder, production_id, update, export: exported } = production;
const admin = localAdmin(store, now);
const write = async <T>(work: () => T): Promise<T> => store.writeSync(() => work());
const undo = (id: number, dry_run = false) => undoChangeSet(admin, blobs, { id, dry_run }, write);
const last = (): number => listSets(store, { production_id, limit: 1 })[0]?.id ?? 0;
const untimed = async () =>
  JSON.stringify(await exported(), (key, value) => (/^(?:updated_at|activity)$/.test(key) ? undefined : value));

await update({
  scenes: [{ number: "Z1", slugline: "INT. ZOO - DAY" }],
  people: [{ name: "Zoe Zed", role: "Grip" }],
  assets: ["prop", "costume", "character"].map((kind) => ({ label: `Z ${kind}`, kind })),
  vendors: ["Z Ltd"],
  departments: [{ slug: "zoo", name: "Zoo" }],
  deliveries: [{ title: "Z reel", status: "draft" }],
});

const scene: Gone = ["scenes", "nodes", "label", "INT. ZOO - DAY", 'scene "Z1"'];
const prop: Gone = ["assets", "nodes", "label", "Z prop", 'asset "Z prop"'];
const person: Gone = ["people", "people", "name", "Zoe Zed", 'person "Zoe Zed"'];
const department: Gone = ["departments", "departments", "slug", "zoo", 'department "zoo"'];
const vendor: Gone = ["vendors", "vendors", "name", "Z Ltd", 'vendor "Z Ltd"'];
/** What is removed, where it is stored, and what a sentence calls it. */
type Gone = [section: SectionName, table: string, column: string, value: string, called: string];

const day = { day_number: 99, date: "2027-01-01" };
const order = { account: "1", vendor: "Z Ltd", description: "Rope", amount: 5, date: "2026-11-01" };
/** What refers, the thing that does, and what it refers to. */
const cases: Record<string, [change: Json, thing: string, gone: Gone]> = {
  "the assets of a scene": [{ scenes: [{ number: "Z1", assets: ["Z prop"] }] }, 'scene "Z1"', prop],
  "the costumes of a character": [
    { assets: [{ label: "Z character", costumes: ["Z costume"] }] },
    'asset "Z character"',
    ["assets", "nodes", "label", "Z costume", 'asset "Z costume"'],
  ],
  "the department of a new person": [
    { people: [{ name: "Yan", role: "Grip", department: "zoo" }] },
    'person "Yan"',
    department,
  ],
  "the department of an asset": [{ assets: [{ label: "Z prop", department: "zoo" }] }, 'asset "Z prop"', department],
  "a step of an approval": [{ approvals: [{ title: "Z", steps: [{ person: "Zoe Zed" }] }] }, 'approval "Z"', person],
  "the asset of an approval": [
    { approvals: [{ title: "Z", asset: "Z prop", steps: [{ person: "Zoe Zed" }] }] },
    'approval "Z"',
    prop,
  ],
  "the scenes of a delivery": [{ deliveries: [{ title: "Z reel", scenes: ["Z1"] }] }, 'delivery "Z reel"', scene],
  "the scenes of a day": [{ schedule: [{ ...day, scenes: ["Z1"] }] }, 'shoot day "99"', scene],
  "a call of a day": [{ schedule: [{ ...day, calls: [{ who: "Z prop", time: "07:00" }] }] }, 'shoot day "99"', prop],
  "the vendor of an order": [{ purchase_orders: [order] }, 'purchase order "1 / Z Ltd / Rope / 2026-11-01"', vendor],
  "a line of a cost report": [
    { cost_reports: [{ week_of: "2027-03-01", lines: [{ account: "1", department: "zoo" }] }] },
    'cost report "2027-03-01"',
    department,
  ],
  "the scene of a note": [
    { department_notes: [{ department: "zoo", scene: "Z1", summary: "Loud." }] },
    'department note "zoo / Z1 / Loud."',
    scene,
  ],
};

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.instance(error, HttpError);
    assert.is((error as HttpError).status, 409);
    return (error as HttpError).message;
  }
  throw new Error("it was not refused");
}

const test = suite("the undo of a reference to what was removed since");

for (const [what, [change, thing, [section, table, column, value, called]]] of Object.entries(cases))
  test(`is refused for ${what}, and done once that is back`, async () => {
    await update(change);
    const changed = await untimed();
    await undo(last());
    const redo = last();
    const sql = `SELECT id FROM ${table} WHERE production_id = ? AND ${column} = ?`;
    const id = store.database.prepare(sql).pluck().get(production_id, value) as number; // it is stored
    await removeThing(admin, blobs, { production_id, section, id }, write);
    const removal = last();
    const before = await untimed();
    const sentence = `${thing}: ${called} was removed since by change set ${removal} of admin; nothing was changed`;
    assert.is(await refusal(undo(redo, true)), sentence);
    assert.is(await refusal(undo(redo)), sentence);
    assert.is(await untimed(), before, "a refused undo writes nothing");
    await undo(removal);
    await undo(redo);
    assert.is(await untimed(), changed);
    await undo(last());
  });

test("is refused for a draft that asks whether to omit a scene, and done once that is back", async () => {
  const text = "Title: Zoo\n\nINT. CAGE - DAY #Z2#\n\nThe lion sleeps.\n";
  await applied({ admin, blobs, folder }, production_id, { documents: [], draft: { episode: undefined, text } });
  const asked = await untimed();
  await undo(last());
  const redo = last();
  const sql = "SELECT node_id FROM scenes WHERE production_id = ? AND number = 'Z1'";
  const id = store.database.prepare(sql).pluck().get(production_id) as number; // it is stored
  await removeThing(admin, blobs, { production_id, section: "scenes", id }, write);
  const removal = last();
  const message = await refusal(undo(redo, true));
  assert.match(
    message,
    new RegExp(`^script change \\d+: scene "Z1" was removed since by change set ${removal} of admin`),
  );
  assert.is(await refusal(undo(redo)), message);
  await undo(removal);
  await undo(redo);
  assert.is(await untimed(), asked);
});

test.run();
