// The index of the search is what the tables make of it, whatever changed them and in which order; the text of a script
// is indexed again only if it changed.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { indexSearch } from "../../src/core/store/migrations.ts";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, script } from "../support/import.ts";
import { now } from "../support/small_document.ts";

const test = suite("the index of the search");

const scene = (place: string, number: string, words: string): string =>
  `INT. ${place} - DAY #${number}#\n\nThe ${words} of the ${place.toLowerCase()} rings, and nobody answers it.`;
const first = [scene("MILL", "1", "bell"), scene("QUAY", "2", "telephone"), scene("YARD", "3", "gong")];
const second = [scene("QUAY", "2", "telegraph"), scene("MILL", "1", "bell"), scene("CELLAR", "4", "anvil")];

async function open() {
  const production = await openImports(script(first, "first.fountain"));
  const { store, blobs, production_id } = production;
  const { database } = store;
  const indexes = ["search", "search_labels", "search_scripts"];
  for (const index of indexes)
    database.exec(`CREATE VIRTUAL TABLE temp.words_of_${index} USING fts5vocab(main, ${index}, instance)`);
  /** Each word of the index with its place, and what is shown with it. */
  const index = (): string[] =>
    [
      "SELECT rowid, shown_label, shown_body, kind, production_id FROM search",
      "SELECT rowid, kind, production_id FROM search_labels",
      ...indexes.map((index) => `SELECT '${index}', doc, col, offset, term FROM words_of_${index}`),
    ].flatMap((sql) =>
      database
        .prepare(sql)
        .raw()
        .all()
        .map((row) => JSON.stringify(row)),
    );
  const asMade = (): string[] => {
    database.exec(`BEGIN; DELETE FROM search; DELETE FROM search_labels;
      DELETE FROM search_scripts WHERE rowid IN (SELECT doc FROM words_of_search_scripts);
      INSERT INTO search_changes SELECT id * 10 FROM nodes UNION SELECT node_id * 10 + 8 FROM script_scenes WHERE node_id IS NOT NULL
      UNION SELECT id * 10 + 1 FROM people UNION SELECT id * 10 + 7 FROM departments`);
    indexSearch(database);
    const made = index();
    database.exec("ROLLBACK");
    return made;
  };
  const blocks = () => JSON.stringify(database.prepare("SELECT id, hex(block) FROM search_scripts_data").raw().all());
  const undo = () =>
    undoChangeSet(
      localAdmin(store, now),
      blobs,
      { id: listSets(store, { production_id, limit: 1 })[0]?.id as number, dry_run: false },
      async (work) => store.writeSync(work),
    );
  return { ...production, index, asMade, blocks, undo };
}

const update = (document: object) => ({ name: "update.json", text: JSON.stringify({ ...document }) });

test("is what the tables make of it after each change, and only a text that changed is indexed again", async () => {
  const { index, asMade, blocks, undo, approve, dismiss, import: take, changes } = await open();
  const field = (fields: object) => take(update({ scenes: [{ number: "1", ...fields }] }));
  const asset = (fields: object) => take(update({ assets: [fields] }));
  const steps: [string, () => Promise<unknown>, "texts" | undefined][] = [
    ["a field", () => field({ synopsis: "He rings the bell." }), undefined],
    ["a slugline", () => field({ slugline: "INT. WINDMILL - NIGHT" }), undefined],
    ["a rename", () => field({ number: "1A", was: "1" }), undefined],
    ["its undo", undo, undefined],
    ["an asset of a scene", () => asset({ label: "Bell", kind: "prop" }), undefined],
    ["a draft", () => take(script(second, "second.fountain")), undefined],
    ["dismissing one change of it", () => dismiss([changes()[0]?.id as number]), undefined],
    ["approving the others", () => approve(), "texts"],
    ["their undo", undo, "texts"],
    ["the undo of that", undo, "texts"],
    ["a third draft", () => take(script(first, "third.fountain")), undefined],
    ["approving all of it", () => approve(), "texts"],
    ["an omitted scene", () => take(update({ scenes: [{ number: "2", status: "omitted" }] })), undefined],
    ["its undo", undo, undefined],
  ];
  for (const [what, step, texts] of steps) {
    const before = blocks();
    await step();
    assert.equal(index(), asMade(), what);
    assert.is(blocks() === before, texts === undefined, `${what}: whether texts were indexed again`);
  }
});

test.run();
