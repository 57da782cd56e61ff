// The ids of other programs for assets, in documents and in lists.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { writeList } from "../../src/features/lists/exporters.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { knownNames, readList, silverButton } from "../support/lists.ts";
import { now, smallDocument, writeDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

/** A production with two props, of which the first has an id. */
async function open() {
  const document: Json = smallDocument();
  document.assets.push({ label: "Rope", kind: "prop", external_id: "sg-7" }, { label: "Lamp", kind: "prop" });
  const production = await openProduction(writeDocument(document));
  const idOf = async (label: string): Promise<string | undefined> =>
    (await production.export()).assets.find((asset: Json) => asset.label === label)?.external_id;
  return { ...production, idOf };
}
const prop = (label: string, external_id: string | null) => ({ label, kind: "prop", external_id });

const ids = suite("external_id in documents");

ids("is stored, exported, compared after NFC, and cleared by null", async () => {
  const { update, idOf } = await open();
  assert.is(await idOf("Rope"), "sg-7");
  await update({ assets: [prop("Lamp", "e\u0301-1")] });
  assert.is(await idOf("Lamp"), "\u00e9-1");
  const again = await update({ assets: [prop("Lamp", "\u00e9-1"), { label: "Rope" }] });
  assert.equal(again.counts.changed, 0);
  await update({ assets: [prop("Rope", null)] });
  assert.is(await idOf("Rope"), undefined);
});

ids("two assets exchange theirs, and the undo gives them back", async () => {
  const { update, idOf, store, blobs, production_id } = await open();
  await update({ assets: [prop("Lamp", "sg-8")] });
  await update({ assets: [prop("Rope", "sg-8"), prop("Lamp", "sg-7")] });
  assert.equal([await idOf("Rope"), await idOf("Lamp")], ["sg-8", "sg-7"]);
  const [{ id = 0 } = {}] = listSets(store, { production_id, limit: 1 });
  const write = async (work: Json) => store.writeSync(work);
  await undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, write as Json);
  assert.equal([await idOf("Rope"), await idOf("Lamp")], ["sg-7", "sg-8"]);
});

ids("one that another asset has is refused by its name, within a document and against what is stored", async () => {
  const { problems, idOf } = await open();
  assert.match(
    (await problems({ assets: [prop("Lamp", "sg-7")] })).join("; "),
    /external_id must be that of one asset, and "Rope" has it/,
  );
  assert.match((await problems({ assets: [prop("Lamp", "x"), prop("New", "x")] })).join("; "), /"(?:Lamp|New)" has it/);
  assert.is(await idOf("Lamp"), undefined);
});

ids("stand in the column External ID of a list of assets, which plans nothing when it is read again", async () => {
  const document = structuredClone(silverButton);
  for (const [at, asset] of document.assets.slice(0, 3).entries()) asset.external_id = `sg-${at}`;
  const text = writeList("assets", document);
  assert.match(text, /External ID/);
  const { document: read } = readList("assets", text, { known: knownNames(document) });
  const idsOf = ({ assets = [] }: { assets?: Json[] }) => assets.map(({ label, external_id }) => [label, external_id]);
  assert.equal(idsOf(read), idsOf(document));
});

const versioned = (...external_ids: (string | undefined)[]) => ({
  label: "Rope",
  kind: "prop",
  versions: external_ids.map((external_id, at) => ({ version: at + 1, external_id })),
});

ids("of versions are stored, exported and kept; one that another version has is refused", async () => {
  const { update, problems, export: exported } = await open();
  const versions = async () =>
    (await exported()).assets
      .find(({ label }: Json) => label === "Rope")
      .versions.map(({ external_id }: Json) => external_id);
  await update({ assets: [versioned("pub-1", undefined)] });
  assert.equal(await versions(), ["pub-1", undefined]);
  assert.is((await update({ assets: [versioned("pub-1", undefined)] })).counts.changed, 0);
  assert.is((await update({ assets: [versioned(undefined, undefined)] })).counts.changed, 0);
  assert.equal(await versions(), ["pub-1", undefined]);
  const taken = /external_id must be that of one of the versions, and another one has "pub-1"/;
  const lamp = { label: "Lamp", kind: "prop", versions: [{ version: 1, external_id: "pub-1" }] };
  assert.match((await problems({ assets: [lamp] })).join("; "), taken);
  assert.match(
    (await problems({ assets: [versioned("pub-2", undefined)] })).join("; "),
    /contradicts what was recorded/,
  );
});

const answering = suite("answers of submissions in documents");

/** A document with a delivery that has these submissions. */
function withSubmissions(...submissions: Json[]): Json {
  const document: Json = smallDocument();
  document.deliveries.unshift({ title: "Cloth", kind: "external", external_to: "Looms Ltd", submissions });
  return document;
}
const submitted = (title: string, more: Json = {}): Json => ({
  engagement: "Weaving",
  title,
  created_at: `2026-11-0${title}T00:00:00.000Z`,
  ...more,
});

answering("name the earlier one by its number, and come out as they went in", async () => {
  const {
    store,
    update,
    export: exported,
  } = await openProduction(
    writeDocument(
      withSubmissions(submitted("1"), submitted("2", { engagement: "Weaving #2" }), submitted("3", { answers: 1 })),
    ),
  );
  const said = async () =>
    (await exported()).deliveries[0].submissions.map(({ title, answers }: Json) => [title, answers]);
  const stored = () =>
    store.database
      .prepare(
        `SELECT (SELECT title FROM submissions WHERE id = s.answers) FROM submissions s
         WHERE delivery_id = (SELECT id FROM deliveries WHERE title = 'Cloth') ORDER BY id`,
      )
      .pluck()
      .all();
  assert.equal(stored(), [null, null, "1"]);
  assert.equal(await said(), [
    ["1", undefined],
    ["2", undefined],
    ["3", 1],
  ]);
  const whole = await exported();
  assert.equal((await update({ deliveries: whole.deliveries })).counts.changed, 0);
  const { store: copy, export: again } = await openProduction(writeDocument(whole));
  assert.equal((await again()).deliveries, whole.deliveries);
  assert.is(copy.database.prepare("SELECT count(*) FROM submissions WHERE answers IS NOT NULL").pluck().get(), 1);
});

answering("count in the list of the document, which may have fewer and others than are stored", async () => {
  const {
    update,
    problems,
    export: exported,
  } = await openProduction(
    writeDocument(withSubmissions(submitted("1"), submitted("2"), submitted("3", { answers: 2 }))),
  );
  const said = async () =>
    (await exported()).deliveries[0].submissions.map(({ title, answers }: Json) => [title, answers]);
  const given = (...submissions: Json[]) => ({ deliveries: [{ title: "Cloth", submissions }] });
  await update(given(submitted("3"), submitted("4", { answers: 1 })));
  assert.equal(await said(), [
    ["1", undefined],
    ["2", undefined],
    ["3", 2],
    ["4", 3],
  ]);
  assert.is((await update(given(submitted("2"), submitted("3", { answers: 1 })))).counts.changed, 0);
  const contradiction = await problems(given(submitted("1"), submitted("3", { answers: 1 })));
  assert.match(contradiction.join("; "), /contradicts what was recorded: the submission "3"/);
});

answering("are refused where they name no earlier one of the engagement", async () => {
  const { problems } = await openProduction(
    writeDocument(withSubmissions(submitted("1", { engagement: "Weaving #2" }))),
  );
  const given = (...submissions: Json[]) => ({ deliveries: [{ title: "Cloth", submissions }] });
  const sentence = /answers must be the number of an earlier submission of the same engagement in this list/;
  for (const submissions of [
    [submitted("2", { answers: 1 })],
    [submitted("2", { answers: 2 }), submitted("3")],
    [submitted("2"), submitted("3", { answers: 9 })],
    [submitted("1", { engagement: "Weaving #2" }), submitted("2", { answers: 1 })],
  ])
    assert.match((await problems(given(...submissions))).join("; "), sentence);
});

ids.run();
answering.run();
