// The undo of a change set that wrote rows of every table of the sections: none of them is left, and the undo of that
// gives each back with its id.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RowOperation } from "../../src/features/documents/changes/row_operation.ts";
import { type Field, layoutOf } from "../../src/features/documents/sections/form.ts";
import { type SectionName, sectionNames, sections } from "../../src/features/documents/sections/sections.ts";
import { turnedOperations } from "../../src/features/history/turning.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { now, smallDocument, writeDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

/** What is recorded is never taken back, so it is left out. */
const taken = sectionNames.filter((name) => sections[name].lasts === undefined);
const { document, document_version, production: all, ...small }: Json = smallDocument();
const { current_episode: _, ...own } = all;

const production = await openProduction(writeDocument({ document, document_version, production: own }));
const { store, blobs } = production;
const undo = async (id: number): Promise<number> => {
  const write = async (work: () => Json) => store.writeSync(() => work());
  const { change_set } = await undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, write);
  return change_set as number; // it is applied
};

/** The tables of lists, and of lists in these, but for recorded ones, as those of former rounds. */
const tablesOf = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ part, item }) =>
    part === undefined || part.recorded || part.round !== undefined
      ? []
      : [part.table, ...tablesOf(item?.fields ?? [])],
  );
const tables = [
  ...new Set([
    "media",
    ...taken.flatMap((name) => {
      const { table, rest } = sections[name];
      return [table, ...(rest === undefined ? [] : [rest.table]), ...tablesOf(layoutOf(name).fields)];
    }),
  ]),
].sort();

/** All rows of these tables, but for the times of the last change. */
const state = (): Json =>
  Object.fromEntries(
    tables.map((table) => [
      table,
      production.rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`).map(({ updated_at: _, ...row }) => row),
    ]),
  );

const [scene] = small.scenes;
const [{ name: person }] = small.people;
const scenes = [`${scene.episode}/${scene.number}`];
/** What the small document does not have, and approvals without decisions, which are recorded. */
const others: Json = {
  schedule: [
    {
      ...{ day_number: 90, date: "2027-03-03", scenes, parts: [{ scene: scenes[0], text: "pt 1" }] },
      calls: [{ who: person, time: "07:00" }],
      ...{ banners: [{ text: "Lunch" }], lines: [{ label: "Weather", text: "Rain" }] },
    },
  ],
  approvals: [{ title: "Everything", steps: [{ person }] }],
};
const given = (name: SectionName): Json[] =>
  [...(name === "approvals" ? [] : (small[name] ?? [])), ...(others[name] ?? [])].map((thing) =>
    typeof thing === "string" ? thing : withoutRecords(name, thing),
  );

/** A thing of a section without what is recorded of it. */
const withoutRecords = (name: SectionName, thing: Json): Json =>
  Object.fromEntries(Object.entries(thing).filter(([field]) => !sections[name].recorded.includes(field)));

const test = suite("the undo of rows of every table");

test("leaves none of them, and undone itself gives each back with its id, again and again", async () => {
  const before = state();
  const { change_set: id } = await production.update(Object.fromEntries(taken.map((name) => [name, given(name)])));
  const written: RowOperation[] = turnedOperations(store, id as number);
  assert.equal([...new Set(written.map(({ table }) => table))].sort(), tables);
  const after = state();
  let last = id as number;
  for (const expected of [before, after, before, after]) {
    last = await undo(last);
    assert.equal(state(), expected);
  }
});

test.run();
