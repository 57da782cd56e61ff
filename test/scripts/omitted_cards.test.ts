// Where an OMITTED card stands, and the colour of what a draft omits, moves and renames.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports, script } from "../support/import.ts";

const test = suite("an omitted card");

const harbour = "INT. HARBOUR OFFICE - DAY #1#\n\nInes signs the log book and closes it with care.";
const loft = "INT. NET LOFT - DAY #2#\n\nOlav mends a torn net beside the stove while rain falls.";
const quay = "EXT. QUAY - NIGHT #3#\n\nThe ferry leaves without anybody on board.";
const card = "OMITTED #2#";
const stair = "EXT. LIGHTHOUSE STAIR - DUSK #2A#\n\nA stranger climbs two hundred steps with a lantern.";
const tower = "EXT. LIGHTHOUSE TOWER - NIGHT #2B#\n\nThe lamp goes out, and nobody is there to see it.";

type Production = Awaited<ReturnType<typeof openImports>>;
const orderOf = async ({ export: exported }: Production): Promise<string> =>
  (await exported()).scenes
    .map(({ number, status }: Record<string, string>) => (status === "omitted" ? `(${number})` : number))
    .join(" ");

test("keeps its place before a scene that the same draft adds after it", async () => {
  const production = await openImports(script([harbour, loft, quay]));
  await production.import(script([harbour, card, stair, quay]));
  await production.approve();
  assert.is(await orderOf(production), "1 (2) 2A 3");
  assert.equal((await production.import(script([harbour, card, stair, quay]))).changes, []);
});

test("of an earlier draft keeps its place too", async () => {
  const production = await openImports(script([harbour, loft, quay]));
  await production.import(script([harbour, card, quay]));
  await production.approve();
  await production.import(script([harbour, card, stair, quay]));
  await production.approve();
  assert.is(await orderOf(production), "1 (2) 2A 3");
});

test("that waits has the added scene after the scene that it omits", async () => {
  const production = await openImports(script([harbour, loft, quay]));
  await production.import(script([harbour, card, stair, quay]));
  const added = production.changes().filter(({ kind }) => kind === "added");
  await production.approve(added.map(({ id }) => id));
  assert.is(await orderOf(production), "1 2 2A 3");
  await production.approve();
  assert.is(await orderOf(production), "1 (2) 2A 3");
});

test("stays there over eight drafts, also at the beginning and beside another card", async () => {
  const production = await openImports(script([harbour, loft, quay]));
  const drafts = [
    [harbour, card, quay],
    [harbour, card, stair, quay],
    [harbour, card, stair, tower, quay],
    [harbour, card, "OMITTED #2A#", tower, quay],
    [harbour, card, "OMITTED #2A#", "INT. CELLAR - DAY #2AA#\n\nWater stands to the knee.", tower, quay],
    ["OMITTED #1#", card, "OMITTED #2A#", "INT. CELLAR - DAY #2AA#\n\nWater stands to the knee.", tower, quay],
  ];
  for (const draft of drafts) {
    await production.import(script(draft));
    await production.approve();
  }
  assert.is(await orderOf(production), "(1) (2) (2A) 2AA 2B 3");
  await production.import(
    script(["OMITTED #1#", "INT. PROLOGUE - DAY #A2#\n\nA bell.", ...(drafts.at(-1) ?? []).slice(1)]),
  );
  await production.approve();
  assert.is(await orderOf(production), "(1) A2 (2) (2A) 2AA 2B 3");
});

test.run();

const colours = suite("the colour of a draft");

colours("covers what it omits, moves, adds and renames without revision marks", async () => {
  const fileOf = (name: string) => ({
    name,
    text: readFileSync(new URL(`colours/${name}`, import.meta.url), "utf8"),
  });
  const production = await openImports(fileOf("salt-white.fdx"));
  await production.import(fileOf("salt-blue.fdx"));
  const found = production.changes().map(({ revision_color }) => revision_color);
  assert.equal([...new Set(found)], ["blue"]);
});

colours.run();
