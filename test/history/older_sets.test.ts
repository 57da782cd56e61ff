// Change sets of 1.3 and before, which have no operations: they can be read and searched, and no longer undone.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findSet, listSets, shownSet } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { formerNamesOf } from "../../src/features/names/former_names.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { now } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const test = suite("change sets of 1.3");

async function openOlder() {
  const production = await openProduction();
  const { store, production_id } = production;
  await production.update({ people: [{ name: "Ada Marsh", role: "Gaffer" }] });
  await production.update({ people: [{ name: "Ada Holt", was: "Ada Marsh" }] });
  store.writeSync(() =>
    store.database.exec("DELETE FROM change_operations; UPDATE change_sets SET schema_number = NULL"),
  );
  const [{ id }] = listSets(store, { production_id, limit: 1 }) as [Json];
  const admin = localAdmin(store, now);
  const undo = (set: number) =>
    undoChangeSet(admin, production.blobs, { id: set, dry_run: false }, async (work) => store.writeSync(work));
  return { ...production, admin, id, undo };
}

test("are listed and shown as they were, and still tell former names", async () => {
  const { admin, store, production_id, id } = await openOlder();
  const [{ fields, action }] = findSet(admin, id).changes as [Json];
  assert.equal([action, fields.name], ["change", { from: "Ada Marsh", to: "Ada Holt" }]);
  const shown = JSON.parse(shownSet(admin, id)) as Json;
  assert.equal([shown.counts.changed, shown.changes.length], [1, 1]);
  const former = formerNamesOf(store, { production_id, section: "people", field: "name" });
  assert.ok(former.some(({ name }) => name === "Ada Marsh"));
});

test("are refused by an undo with a sentence, which leaves everything; those of today are undone beside them", async () => {
  const { id, undo, update, rows } = await openOlder();
  await undo(id).then(
    () => assert.unreachable("it was undone"),
    ({ status, message }: Json) => {
      assert.is(status, 409);
      const sentence = `change set ${id} is of an older version, which can be read and not undone; nothing was changed`;
      assert.is(message, sentence);
    },
  );
  const { change_set } = await update({ people: [{ name: "Ada Holt", role: "Grip" }] });
  await undo(change_set as number); // an applied plan has one
  assert.equal(rows("SELECT name, role FROM people WHERE name LIKE 'Ada%'"), [{ name: "Ada Holt", role: "Gaffer" }]);
});

test.run();
