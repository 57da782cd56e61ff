// tallylight list: every section, with ids and the keys by which documents refer to things.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listedFields, listSection } from "../../src/features/documents/export/export.ts";
import { sectionNames, sections } from "../../src/features/documents/sections/sections.ts";
import { tallylight } from "../support/command.ts";
import { imported, smallDocument, writeDocument } from "../support/small_document.ts";

const document = smallDocument();
document.purchase_orders[1].number = "PO-7";
document.notes[0].text = "Hem\n  and cuffs";
const { store, folder } = await imported(writeDocument(document));

const listing = suite("list");

const keys: Readonly<Record<string, readonly string[]>> = {
  episodes: ["E1", "E2"],
  departments: ["costume", "vfx"],
  people: ["Ada", "Ben"],
  ingredients: ["Wool", "Wool #2"],
  scenes: ["E1/1", "E2/1"],
  assets: ["Coat", "Coat #2", "Hero"],
  schedule: ["2", "3"],
  vendors: ["Looms Ltd", "Pixel Co"],
  engagements: ["Weaving", "Weaving #2"],
  deliveries: ["Reel", "Reel #2"],
  approvals: ["Coat look", "Lock", "Ship", "First coat"],
  department_notes: ["costume / E1/1 / Needs steam.", "vfx / E2/1 / No date."],
  notes: ["Coat / Ada / 2026-01-05T08:00:00.000Z", "Hero / Ben / 2026-01-05T08:00:00.000Z"],
  purchase_orders: ["2100 / Looms Ltd / Cloth / 2026-01-09", "PO-7"],
  cost_reports: ["2026-01-05", "2026-01-12"],
  script_changes: ["E1 / 1 / changed / 2026-01-05T08:00:00.000Z", "9 / added / 2026-01-05T08:00:00.000Z"],
  jobs: ["2026-01-05T08:00:00.000Z / image / Coat", "2026-01-05T08:00:00.000Z / video / Sea"],
  activity: ["2026-01-05T08:00:00.000Z / scene.done / Ada", "2026-01-05T08:00:00.000Z / note.added / key"],
  storage: ["old", "stage"],
};

listing("covers every section of a document", () => assert.equal(Object.keys(keys), sectionNames));

for (const name of sectionNames)
  listing(`${name}: each row has the id of the database, its key and the main fields`, () => {
    const rows = listSection(store, 1, name);
    assert.equal(
      rows.map(({ key }) => key),
      keys[name],
    );
    const ids = store.database.prepare(`SELECT id FROM ${sections[name].table} WHERE production_id = 1`).pluck().all();
    for (const row of rows) {
      assert.ok(ids.includes(row.id));
      assert.equal(Object.keys(row), listedFields(name));
    }
  });

listing("prints a table with one line for each row, and the same as JSON", async () => {
  const argv = ["list", "notes", "--production", "Small", "--data", folder];
  const { out } = await tallylight(...argv);
  assert.is(out.trimEnd().split("\n").length, 3, out);
  assert.match(out, /Hem and cuffs/);
  const rows = JSON.parse((await tallylight(...argv, "--json")).out);
  assert.equal(rows, listSection(store, 1, "notes"));
  assert.is(rows[0].text, "Hem\n  and cuffs");
  assert.is((await tallylight("list", "cost-reports", "--production", "1", "--data", folder)).status, 0);
});

listing.run();
