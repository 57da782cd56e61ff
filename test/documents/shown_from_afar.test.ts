// The time of the last change of a scene or an asset moves with everything that its row in a list shows, also from
// afar.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { type Json, openProduction } from "../support/update.ts";

const test = suite("the time of the last change");

const production = await openProduction();
const { rows, store, blobs, production_id } = production;
const times = (): Map<number, string> =>
  new Map(rows("SELECT id, updated_at FROM nodes").map(({ id, updated_at }) => [id, updated_at]));

let hour = 0;
/** The nodes whose time `work` moves, which is the time that it is given. */
async function moved(work: (now: string) => Promise<unknown> | unknown): Promise<number[]> {
  const before = times();
  const now = `2027-01-01T${String(++hour).padStart(2, "0")}:00:00.000Z`;
  await work(now);
  const changed = [...times()].filter(([id, at]) => at !== before.get(id));
  assert.ok(changed.every(([, at]) => at === now));
  return changed.map(([id]) => id);
}

const ids = (sql: string): number[] => rows(sql).map(({ id }) => id);

test("moves for the assets of a renamed department, and the scenes that it has notes on", async () => {
  const [{ slug, id }] = rows("SELECT slug, id FROM departments WHERE id IN (SELECT department_id FROM nodes)");
  const shown = ids(
    `SELECT id FROM nodes WHERE department_id = ${id} UNION SELECT node_id FROM department_notes WHERE department_id = ${id} ORDER BY 1`,
  );
  assert.ok(shown.length > 0);
  const found = await moved((now) => production.update({ departments: [{ slug: "renamed", was: slug }] }, { now }));
  assert.equal(
    found.toSorted((one, other) => one - other),
    shown,
  );
  assert.equal(
    await moved((now) => production.update({ departments: [{ slug: "renamed", mission: "Other." }] }, { now })),
    [],
  );
});

test("moves for the scenes that come onto a shoot day or leave it", async () => {
  const { schedule, scenes } = await production.export();
  const [{ day_number, scenes: strips }] = schedule;
  const another = scenes.find(({ number }: Json) => !strips.includes(number)).number;
  const changed = [...strips.slice(1), another];
  const found = await moved((now) => production.update({ schedule: [{ day_number, scenes: changed }] }, { now }));
  const numbers = rows(`SELECT number FROM scenes WHERE node_id IN (${found})`).map(({ number }) => number);
  assert.equal(numbers.toSorted(), [strips[0], another].toSorted());
});

test("moves for the scene of a department's note and the asset of a note", async () => {
  const { departments, scenes, assets } = await production.export();
  const document = {
    department_notes: [{ department: departments[0].slug, scene: scenes[0].number, summary: "Mind the tide." }],
    notes: [
      {
        asset: assets[0].ref ?? assets[0].label,
        text: "Bluer.",
        author: "Ada",
        created_at: "2026-11-20T08:00:00.000Z",
      },
    ],
  };
  assert.is((await moved((now) => production.update(document, { now }))).length, 2);
});

test("moves for the asset of a version whose status an approval sets, and again where the decision is taken back", async () => {
  const { assets, people } = await production.export();
  const asset = assets.find(({ versions }: Json) => versions?.[0]?.status === "wip");
  const name = asset.ref ?? asset.label;
  const decided = { status: "approved", decided_at: "2026-11-20T08:00:00.000Z" };
  const steps = [{ person: people[0].name, ...decided }];
  const approval = { title: "The first version", asset: name, version: 1, status: "approved", steps };
  const [id] = await moved((now) => production.update({ approvals: [approval] }, { now }));
  assert.is(rows(`SELECT label FROM nodes WHERE id = ${id}`)[0].label, asset.label);
});

test("is the time of the commit, with that of a thing that comes back and of the audit; a delivery is sent when its update was asked for", async () => {
  const at = (hours: number) => `2028-01-01T0${hours}:00:00.000Z`;
  const committed = async (document: Json, now: string) => production.update(document, { now: at(1), committed: now });
  await committed(
    { deliveries: [{ title: "Reel", status: "draft" }], assets: [{ label: "Kelp", kind: "prop" }] },
    at(2),
  );
  const { changes } = await committed({ deliveries: [{ title: "Reel", status: "sent" }] }, at(3));
  assert.equal(changes[0]?.fields.sent_at, { from: null, to: at(1) });
  assert.is(rows("SELECT sent_at FROM deliveries WHERE title = 'Reel'")[0].sent_at, at(1));
  const given = { deliveries: [{ title: "Reel 2", status: "sent", sent_at: at(1) }] };
  assert.equal((await committed(given, at(4))).changes[0]?.fields.sent_at, { from: null, to: at(1) });

  const undo = async (now: string) => {
    const [{ id } = { id: 0 }] = listSets(store, { production_id, limit: 1 });
    await undoChangeSet(localAdmin(store, at(1)), blobs, { id, dry_run: false }, async (work) =>
      store.writeSync(() => work(now)),
    );
  };
  await committed({ assets: [] }, at(4));
  const all = (await production.export()).assets.filter(({ label }: Json) => label !== "Kelp");
  await production.update({ assets: all }, { now: at(1), committed: at(5), exact: true });
  await undo(at(6));
  assert.is(rows("SELECT updated_at FROM nodes WHERE label = 'Kelp'")[0].updated_at, at(6));
  const audit = rows("SELECT action, created_at FROM audit ORDER BY id DESC LIMIT 2");
  assert.equal(audit, [
    { action: "production.undone", created_at: at(6) },
    { action: "production.updated", created_at: at(5) },
  ]);
});

test.run();
