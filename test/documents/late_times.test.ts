// The time of the last change of what a long transaction wrote is that of its end.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createFrom, updateFrom } from "../../src/features/documents/production_update.ts";
import { partialDocument } from "../../src/features/documents/read/read.ts";
import { checkedDocument } from "../../src/features/documents/read/whole.ts";
import type { WritePlan } from "../../src/features/documents/update_input.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { now, smallDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const [begun, ended] = ["2032-01-01T00:00:00.000Z", "2032-01-01T00:00:02.000Z"];
const said = "2031-01-01T00:00:00.000Z";

const test = suite("the times of a long transaction");

const open = async (end: string) => {
  const production = await openProduction();
  const { store } = production;
  const write: WritePlan = async (work) => store.writeSync(() => work(begun, () => end));
  const timesOf = (production_id: number): Json[] =>
    production.rows(
      `SELECT label, updated_at FROM nodes WHERE production_id = ${production_id} AND updated_at > '2030' ORDER BY id`,
    );
  return { ...production, write, timesOf, admin: localAdmin(store, now) };
};

test(`are the end in an update, but for a time that the document says`, async () => {
  const { admin, blobs, folder, production_id, write, timesOf } = await open(ended);
  const document = {
    scenes: [{ number: "1", synopsis: "Rain." }],
    assets: [
      { label: "Lamp", kind: "prop" },
      { label: "Rope", kind: "prop", updated_at: said },
    ],
  };
  const given = await partialDocument(document, "given.json", folder);
  await updateFrom(admin, blobs, [given], { production_id }, write);
  const times = timesOf(production_id);
  assert.equal(times.slice(1), [
    { label: "Lamp", updated_at: ended },
    { label: "Rope", updated_at: said },
  ]);
  assert.is(times[0]?.updated_at, ended);
});

test(`are those of the commit in a short update`, async () => {
  const { admin, blobs, folder, production_id, write, timesOf } = await open(begun);
  const given = await partialDocument({ assets: [{ label: "Lamp", kind: "prop" }] }, "given.json", folder);
  await updateFrom(admin, blobs, [given], { production_id }, write);
  assert.equal(timesOf(production_id), [{ label: "Lamp", updated_at: begun }]);
});

test(`are the end in a creation`, async () => {
  const { admin, blobs, folder, write, rows } = await open(ended);
  const document: Json = smallDocument();
  const scenes = document.scenes.map((one: Json) => ({ ...one, updated_at: said }));
  const assets = document.assets.map(({ updated_at: _, created_at: __, ...one }: Json) => one);
  const read = checkedDocument({ ...document, scenes, assets }, "small.json", folder);
  const { production_id } = await createFrom(admin, blobs, read, { write });
  const times = (kind: string) =>
    rows(`SELECT DISTINCT updated_at FROM nodes WHERE production_id = ${production_id} AND ${kind}`);
  assert.equal(times("kind = 'scene'"), [{ updated_at: said }]);
  assert.equal(times("kind <> 'scene'"), [{ updated_at: ended }]);
});

test.run();
