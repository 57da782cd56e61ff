// Databases of version 1.2 with pending, approved and dismissed script changes go through the migrations, and lose none
// of them. They were made with that version: a film with a white draft, a blue one, of which some changes were decided,
// and a pink one; and an episode of a series.
// Thorough: only --all runs it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { temporaryFolder } from "../support/folder.ts";
import { importsInto, type PaperFile } from "../support/import.ts";
import { now } from "../support/small_document.ts";
import { openData } from "../support/template.ts";

const test = suite("drafts of version 1.2");

const kept = (name: string): Buffer => readFileSync(fileURLToPath(new URL(`former/${name}`, import.meta.url)));
const draft = (name: string, edit = (text: string) => text): PaperFile => ({ name, text: edit(kept(name).toString()) });

function open(database = "1.2.db.gz") {
  const folder = temporaryFolder();
  const file = join(folder, "tallylight.db");
  writeFileSync(file, gunzipSync(kept(database)));
  openStore(file, { unsaved: true }).close(); // which migrates it
  return importsInto(openData(folder));
}
type Production = ReturnType<typeof open>;

const recorded = [
  "1 dismissed 3B added after 3: INT. CAVE - DAY",
  "2 dismissed 4: text changed, pages 1/8 -> 2/8",
  "3 approved 5: slugline INT. MILL - DAY -> INT. MILL - NIGHT",
  "4 approved 6A added after 6: INT. DOCK - DAY",
  "5 dismissed 8: moved after 6A",
  "6 pending 9: text changed",
  "7 approved 10: text changed, cast ADA -> nobody, pages 2/8 -> 1/8",
  "8 pending 2: text changed",
  "9 dismissed 3A added after 3: INT. NEST - DAY",
  "10 pending 10: moved after 4",
  "11 pending 6: omitted",
  "12 pending 1, 2, 3: character RAY -> RAYMOND in 3 scenes",
];
const changesOf = (production: Production): string[] =>
  production
    .changes("all")
    .toSorted((one, other) => one.id - other.id)
    .map(({ id, status, summary }) => `${id} ${status} ${summary}`);
const scenesOf = async (production: Production): Promise<string[]> =>
  (await production.export()).scenes.map(
    ({ number, status, elements }: any) => `${number}${status === "omitted" ? " omitted" : ""} ${elements.cast ?? ""}`,
  );

test("are all there, and the newest draft asks nothing else, before and after each decision", async () => {
  const production = open();
  assert.equal(changesOf(production), recorded);
  const again = async () => {
    const { changes, warnings } = await production.import(draft("pink.fountain"));
    const titlePage = 'what the title page says in these lines was not read: "author: Ida Holt"';
    assert.equal([changes, warnings], [[], [`pink.fountain: ${titlePage}`]]);
  };
  await again();
  assert.equal(changesOf(production), recorded);
  for (const { id } of production.changes()) {
    await production.approve([id]);
    await again();
  }
  assert.equal(production.changes(), []);
  assert.equal(await scenesOf(production), [
    ...["1 RAYMOND", "2 RAYMOND", "3 RAYMOND", "4 ", "10 ", "5 ", "6 omitted ADA", "6A ADA", "7 ", "8 ", "9 "],
  ]);
});

test("of an episode are all there, and its newest draft asks nothing else, before and after each decision", async () => {
  const production = open("1.2-series.db.gz");
  const episode = "101";
  assert.equal(changesOf(production), [
    "1 dismissed 3: text changed",
    "2 approved 3: text changed",
    "3 approved 5: text changed, pages 1/8 -> 2/8",
    "4 approved 8C added after 8: INT. QUAY - DAY",
    "5 dismissed 4: slugline INT. WELL - DAY -> INT. WELL - NIGHT",
    "6 dismissed 5B added after 5: INT. DOCK - NIGHT",
    "7 dismissed 25: number 6 -> 25",
    "8 pending 5A added after 5: INT. LOFT - DAY",
    "9 pending 25: number 6 -> 25, moved after 8C",
    "10 pending 8, 8C: character DOT -> DOTMOND in 2 scenes",
  ]);
  const again = async () => {
    const { changes, warnings } = await production.import(draft("series.fountain"), { episode });
    assert.equal([changes, warnings], [[], []]);
  };
  await again();
  for (const { id } of production.changes()) {
    await production.approve([id]);
    await again();
  }
  assert.equal(production.changes(), []);
  assert.equal(await scenesOf(production), [
    ...["1 ", "2 RAY", "3 ADA,RAY", "4 CLEM,EVE", "5 RAY", "5A CLEM,DOTMOND", "7 ADA", "8 ADA,DOTMOND,EVE,RAY"],
    ...["8C CLEM,DOTMOND", "25 CLEM,EVE"],
  ]);
});

test("are dismissed, and what was dismissed before and now is asked with the next change of its scene alone", async () => {
  const production = open();
  await production.dismiss();
  assert.equal((await production.import(draft("pink.fountain"))).changes, []);
  const later = draft("pink.fountain", (text) => text.replace("Rain.", "Hail.").replace("Snow.", "Ice."));
  await production.import(later);
  assert.equal(
    production.changes().map(({ summary }) => summary.replace(/, pages.*/, "")),
    ["2: text changed", "4: text changed"],
  );
  await production.import(draft("white.fountain"));
  assert.equal(
    production.changes().map(({ summary }) => summary.replace(/, (?:cast|pages).*/, "")),
    ["5: slugline INT. MILL - NIGHT -> INT. MILL - DAY", "6A: omitted", "10: text changed"],
  );
});

test("whose decision was recorded by that version can be read and not undone", async () => {
  const production = open();
  const { store, blobs } = production;
  const [{ id }] = production.rows("SELECT max(id) AS id FROM change_sets WHERE source = 'script changes'");
  const before = changesOf(production);
  const error = await undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, async (work) =>
    store.writeSync(work),
  ).catch((error) => error);
  assert.is(error.status, 409);
  assert.match(error.message, /is of an older version, which can be read and not undone; nothing was changed$/);
  assert.equal(changesOf(production), before);
});

test.run();
