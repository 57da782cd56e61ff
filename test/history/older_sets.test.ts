// Change sets of versions that kept an inverse beside the changes: they are carried over, and undone as those of today.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { root } from "../support/command.ts";
import { now } from "../support/small_document.ts";
import { documentOf, type Json, openProduction } from "../support/update.ts";

const test = suite("change sets of older versions");
const migration = readFileSync(join(root, "sql/migrations/0078_one_difference.sql"), "utf8");

/** A change set as older versions stored it: what was removed has no fields, and stands in the inverse. */
function olderForm({ changes, ids, script, ...set }: Json): Json {
  const former: Json = {};
  const { names, before } = JSON.parse(ids);
  const older = JSON.parse(changes).map((change: Json, at: number) => {
    const { section, id, action, fields } = change;
    if (section === "scenes" && id in before) former[at] = { after: before[id] };
    if (action !== "remove") return change;
    const { order, ...values } = fields;
    const item = Object.fromEntries(Object.entries(values).map(([name, { from }]: any) => [name, from]));
    former[at] = { ...former[at], item, ...(order && { position: order.from }) };
    return { ...change, fields: {} };
  });
  const inverse = { names, former, ...(script !== null && { script: JSON.parse(script) }) };
  return { ...set, changes: JSON.stringify(older), inverse: JSON.stringify(inverse) };
}

async function openOlder() {
  const production = await openProduction(join(root, "fixtures/the-saknussemm-cipher.json"));
  const { store, blobs, production_id, update } = production;
  const undo = (id: number) =>
    undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, async (work) => store.writeSync(work));
  const last = () => listSets(store, { production_id, limit: 1 })[0]?.id as number;
  const { database } = store;
  return {
    ...production,
    undo,
    last,
    /** Returns the id of its change set. */
    update: (document: Json, options = {}) => update(document, options).then(last),
    state: async () =>
      JSON.stringify({ ...(await production.export()), activity: [] }, (key, value) =>
        key === "updated_at" ? undefined : value,
      ),
    upgrade() {
      const sets = production.rows("SELECT id, changes, ids, script FROM change_sets").map(olderForm);
      database.exec("ALTER TABLE change_sets RENAME COLUMN ids TO inverse; ALTER TABLE change_sets DROP COLUMN script");
      const put = database.prepare("UPDATE change_sets SET changes = :changes, inverse = :inverse WHERE id = :id");
      for (const set of sets) put.run(set);
      database.exec(migration);
    },
  };
}

test("give back what was removed, with its id and its place", async () => {
  const production = await openOlder();
  const { update, upgrade, undo, state } = production;
  const { episodes, people, scenes } = documentOf(join(root, "fixtures/the-saknussemm-cipher.json"));
  const [first] = scenes;
  const states = [await state()];
  const ids: number[] = [];
  const step = async (id: number) => {
    ids.push(id);
    states.push(await state());
  };
  await step(
    await update({
      departments: [{ slug: "old", name: "Old" }],
      episodes: [{ code: "001", title: "Before" }],
      people: [{ name: "Xan Old", role: "Gaffer", department: "old" }],
      assets: [{ label: "Old lamp", kind: "prop", department: "old" }],
    }),
  );
  await step(await update({ departments: [{ slug: "new", was: "old" }] }));
  await step(await update({ people, episodes }, { exact: true }));
  assert.is(production.rows("SELECT count(*) AS n FROM change_sets WHERE removed = 2")[0]?.n, 1);
  await step(await update({ scenes: [...scenes.slice(1), first] }));
  upgrade();
  for (const id of ids.toReversed()) {
    states.pop();
    await undo(id);
    assert.is(await state(), states.at(-1));
  }
});

test("give a scene back that an undo removed, after the one that it followed", async () => {
  const { update, upgrade, undo, last, state } = await openOlder();
  const added = await update({ scenes: [{ number: "2A", episode: "101", slugline: "INT. CELLAR - DAY" }] });
  const before = await state();
  await undo(added);
  upgrade();
  await undo(last());
  assert.is(await state(), before);
});

test.run();
