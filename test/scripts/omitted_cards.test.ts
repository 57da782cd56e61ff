// Where an OMITTED card stands, and the colour of what a draft omits, moves and renames.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scriptOfProduction } from "../../src/features/scripts/exporters.ts";
import { openImports, script } from "../support/import.ts";
import { fdx, fountain, heading } from "./scripts.ts";

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

test("that a draft moves alone, or that a scene passes, is asked about and stands where the draft has it", async () => {
  for (const [later, asked, order] of [
    [[harbour, quay, card], "2: moved after 3", "1 3 (2)"],
    [[card, harbour, quay], "2: moved to the beginning", "(2) 1 3"],
    [[harbour, quay, card, stair], "2: moved after 3", "1 3 (2) 2A"],
  ] as const) {
    const production = await openImports(script([harbour, loft, quay]));
    await production.import(script([harbour, card, quay]));
    await production.approve();
    await production.import(script(later), { color: "blue" });
    const [first] = production.changes();
    assert.equal([first?.kind, first?.summary], ["changed", asked]);
    assert.equal((await production.import(script(later))).changes, []);
    await production.approve();
    assert.is(await orderOf(production), order);
    assert.is((await production.export()).scenes.find(({ number }: any) => number === "2").revision_color, "blue");
    assert.equal((await production.import(script(later))).changes, []);
  }
});

test("whose move is dismissed stays, and is asked about again where the next draft has it elsewhere", async () => {
  const production = await openImports(script([harbour, loft, quay, tower]));
  await production.import(script([harbour, card, quay, tower]));
  await production.approve();
  await production.import(script([harbour, quay, card, tower]));
  await production.dismiss();
  assert.is(await orderOf(production), "1 (2) 3 2B");
  assert.equal((await production.import(script([harbour, quay, card, tower]))).changes, []);
  assert.equal((await production.import(script([harbour, card, quay, tower]))).changes, []);
  await production.import(script([harbour, quay, tower, card]));
  assert.equal(
    production.changes().map(({ summary }) => summary),
    ["2: moved after 2B"],
  );
});

test("has its number behind or in front of its word, in the languages of headings", async () => {
  for (const text of [
    "2 OMITTED 2",
    "2. OMITTED",
    "SCENE 2 OMITTED",
    "OMITTED 2",
    "SZENE 2 ENTFÄLLT",
    "GESTRICHEN #2#",
    "SUPPRIMÉE #2#",
    "欠番 #2#",
    "2 ENTFÄLLT",
    `${loft.split("\n")[0]?.replace(" #2#", "")} (OMITTED) #2#`,
  ]) {
    const production = await openImports(script([harbour, loft, quay]));
    const { warnings } = await production.import(script([harbour, text, stair, quay]));
    assert.equal(warnings, [], text);
    await production.approve();
    assert.is(await orderOf(production), "1 (2) 2A 3", text);
  }
});

test("is no set with such a name", async () => {
  const production = await openImports(
    script([harbour, "EXT. CAFE - CORTADO #2#\n\nA waiter waits.", "INT. MONITOR - DELETED #2A#\n\nA file.", quay]),
  );
  assert.is(await orderOf(production), "1 2 2A 3");
});

test("may be that of several scenes, also of those between the two that it names", async () => {
  for (const [text, numbers] of [
    ["OMITTED #2-3#", "2, 2A and 3"],
    ["2 THRU 3 OMITTED", "2, 2A and 3"],
    ["SCENES 2 AND 3 OMITTED", "2 and 3"],
    ["OMITTED #2, 2A & 3#", "2, 2A and 3"],
  ] as const) {
    const production = await openImports(script([harbour, loft, stair, quay]));
    const end = tower.replace("2B", "4");
    const { warnings } = await production.import(script([harbour, text, end]));
    assert.match(warnings.join(), `scenes: ${numbers}`);
    await production.approve();
    assert.is(await orderOf(production), "1 (2) (2A) (3) 4", text);
    assert.equal((await production.import(script([harbour, text, end]))).changes, []);
  }
  const production = await openImports(script([harbour, loft, stair, quay]));
  const { warnings } = await production.import(script([harbour, "OMITTED #2-3#", stair]));
  assert.match(warnings.join(), "2 scenes: 2 and 3");
  assert.equal(
    production.changes().map(({ kind, scene_number }) => [kind, scene_number]),
    [
      ["omitted", "2"],
      ["omitted", "3"],
    ],
  );
});

test("without a number, where no scene may have it, is named", async () => {
  const production = await openImports(script([harbour, loft, quay]));
  const { warnings } = await production.import(script([harbour, "OMITTED", quay]), { dry_run: true });
  assert.match(warnings.join(), '"OMITTED" looks like a scene heading');
});

test("in one line with another is named", async () => {
  for (const line of ["OMITTED #2# OMITTED #2A#", "2 OMITTED 2 2A OMITTED 2A", "SCENE 2 OMITTED. SCENE 2A OMITTED."]) {
    const production = await openImports(script([harbour, quay]));
    const { warnings } = await production.import(script([harbour, line, quay]), { dry_run: true });
    assert.match(warnings.join(), `${JSON.stringify(line)} looks like a scene heading`);
  }
  const { scenes, warnings } = fdx(`${heading("OMITTED 2 OMITTED 3", "2")}${heading("EXT. QUAY - DAY", "4")}`);
  assert.equal(
    scenes.map(({ number, omitted }) => [number, omitted]),
    [
      ["2", true],
      ["4", false],
    ],
  );
  assert.match(warnings.map(({ sentence }) => sentence).join(), /several cards, which are read as one/);
  const two = fountain("EXT. QUAY - DAY #1# EXT. PIER - DAY #2#", "", "Wind.");
  assert.match(two.warnings.map(({ sentence }) => sentence).join(), /has several numbers and is read as one scene, 2/);
});

test("that a draft leaves out stands before a new scene with a greater number, whether the card comes again or not", async () => {
  const production = await openImports(script([harbour, loft, quay]));
  await production.import(script([harbour, quay]));
  await production.approve();
  for (const draft of [
    [harbour, stair, quay],
    [harbour, stair, tower, quay],
    [harbour, card, stair, tower, quay],
  ]) {
    await production.import(script(draft));
    await production.approve();
  }
  assert.is(await orderOf(production), "1 (2) 2A 2B 3");
});

for (const format of ["fountain", "fdx"])
  for (const how of ["by a card", "by its absence", "by hand"])
    test(`of a scene that was omitted ${how} changes nothing where the exported ${format} file is read again`, async () => {
      const production = await openImports(script([harbour, loft, quay]));
      if (how === "by hand") {
        const omitted = { scenes: [{ number: "2", status: "omitted" }] };
        await production.import({ name: "hand.json", text: JSON.stringify(omitted) });
      } else {
        await production.import(script(how === "by a card" ? [harbour, card, quay] : [harbour, quay]));
        await production.approve();
      }
      const { store, production_id, rows } = production;
      const seen = () => rows("SELECT id, updated_at FROM nodes");
      const before = seen();
      const text = scriptOfProduction(store, { id: production_id, title: "The Test" }, format, undefined);
      const plan = await production.import({ name: `again.${format}`, text }, { now: "2027-01-01T00:00:00Z" });
      assert.equal([plan.changes, plan.warnings], [[], []]);
      assert.equal(seen(), before);
      await production.import(script([harbour, loft, quay]));
      await production.approve();
      assert.equal((await production.import(script([harbour, loft, quay]))).changes, []);
      assert.is(await orderOf(production), "1 2 3");
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
