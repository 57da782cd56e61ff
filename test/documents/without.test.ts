// What documents do in a program that has no lists, no schedules, no scripts or no history.
import "../../src/features.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Feature } from "../../src/core/feature.ts";
import { features, featuresUrl, installFeatures } from "../../src/core/features.ts";
import { lastChange } from "../../src/features/documents/recording.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, script } from "../support/import.ts";
import { now } from "../support/small_document.ts";
import { type Json, openProduction, silverButton } from "../support/update.ts";

const without = suite("documents without another feature");
const [all, address] = [features(), featuresUrl() as string];
without.after.each(() => installFeatures(all, address));

/** Removes features and those that need them. */
function remove(...names: string[]): void {
  const isLeft = ({ name, needs = [] }: Feature, left: ReadonlySet<string>) =>
    !names.includes(name) && needs.every((need) => left.has(need));
  const left = new Set<string>();
  for (const feature of all) if (isLeft(feature, left)) left.add(feature.name);
  installFeatures(
    all.filter(({ name }) => left.has(name)),
    address,
  );
}

const draft = script(["INT. MILL - DAY #1#"]);
const people = { name: "people.csv", text: "Name,Role\nAnn Lee,Gaffer\n" };
const dayOfShow = { people: [{ name: "Ann Lee", role: "Gaffer" }] };

without("its readers say which feature is not installed", async () => {
  const production = await openImports(silverButton);
  for (const [feature, files] of [
    ["lists", ["a.csv", "A.TSV"]],
    ["schedules", ["a.uss", "a.sex", "a.msd"]],
    ["scripts", ["a.fountain", "a.FDX"]],
  ] as const)
    for (const removed of [feature, "paperwork"]) {
      remove(removed);
      for (const name of files) {
        const refused = await production.import({ name, text: "Name\nAnn" }).catch(String);
        assert.match(
          String(refused),
          `this program reads no ${feature}: the feature ${feature} is not installed`,
          name,
        );
      }
    }
});

without("the others are read", async () => {
  remove("schedules", "scripts", "history");
  const production = await openImports(silverButton);
  assert.is((await production.import(people, { as: "people" })).counts.added, 1);
  remove("lists", "schedules", "history");
  assert.is((await openImports(draft)).rows("SELECT id FROM nodes").length, 1);
});

without("history nothing is kept, and everything is applied", async () => {
  remove("history");
  const production = await openProduction();
  const plan: Json = await production.update(dayOfShow);
  assert.equal([plan.counts.added, plan.change_set], [1, undefined]);
  const admin = { ...localAdmin(production.store, now), production_id: production.production_id };
  assert.is(await lastChange(admin, "people", plan.changes[0].id, "role"), undefined);
  const count = (table: string) => production.store.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  assert.equal([count("change_sets"), (count("events") as number) > 0], [0, true]);
});

without("scripts an undo takes back what a document did, and what a script did", async () => {
  const series = await openImports({ ...empty });
  const admin = localAdmin(series.store, now);
  const undo = (id: number) =>
    undoChangeSet(admin, series.blobs, { id, dry_run: false }, async (work) => series.store.writeSync(work));
  const drafted = (await series.import(draft)).change_set as number;
  remove("scripts");
  const listed = (await series.import({ name: "people.json", text: JSON.stringify(dayOfShow) })).change_set as number;
  assert.is((await undo(listed)).counts.removed, 1);
  assert.ok((await undo(drafted)).counts.removed > 0);
  const count = (table: string) => series.store.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  assert.equal([count("script_drafts"), count("script_scenes"), count("scenes")], [0, 0, 0]);
});

const empty = { document: "tallylight production", document_version: 1, production: { title: "The Empty" } };

without.run();
