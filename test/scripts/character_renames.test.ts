// A character that a later draft calls by another name: one script change for all of its scenes.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, script } from "../support/import.ts";
import { now } from "../support/small_document.ts";

const test = suite("a renamed character");

const scenes = [
  "INT. KITCHEN - DAY #1#\n\nAda pours the tea. Ada's hands shake.\n\nADA\nHe is late again.\n\nBEN\nWho?",
  "EXT. YARD - NIGHT #2#\n\nRain falls on the handcart.\n\nBEN\nLeave it there.",
  "INT. ATTIC - DAWN #3#\n\nDust, trunks, and Ada at the window.\n\nADA\nThere he is.",
  "EXT. QUAY - DAY #4#\n\nAda waves. Nobody waves back.\n\nADA\nAdam? Come back.",
];
const renamed = scenes.map((one) => one.replaceAll("ADA", "IDA").replace(/\bAda\b/g, "Ida"));
const draft = (list: readonly string[], name: string) => script(list, name);

async function open() {
  const production = await openImports(draft(scenes, "white.fountain"));
  await production.import({ name: "cast.csv", text: "No,Character,Actor\n1,ADA,Cora Lind\n" }, { as: "cast" });
  return production;
}
const castOf = async ({ export: exported }: Awaited<ReturnType<typeof open>>) => {
  const document: any = await exported();
  return {
    casts: document.scenes.map(({ elements, assets }: any) => [elements.cast, assets]),
    characters: document.assets.map(({ label, cast_number, performer }: any) => [label, cast_number, performer]),
  };
};

test("has the colour of the draft in the scenes that the draft renames, and an undo gives back the former one", async () => {
  const production = await open();
  const colors = async () => (await production.export()).scenes.map((scene: any) => scene.revision_color);
  await production.import(draft([...renamed.slice(0, 3), scenes[3] as string], "blue.fountain"), { color: "blue" });
  await production.approve();
  assert.equal(await colors(), ["blue", "white", "blue", "white"]);
  const [{ id }] = production.rows("SELECT max(id) AS id FROM change_sets");
  await undoChangeSet(localAdmin(production.store, now), production.blobs, { id, dry_run: false }, async (work) =>
    production.store.writeSync(work),
  );
  assert.equal(await colors(), ["white", "white", "white", "white"]);
});

test("is one change with its scenes, and approving it renames it everywhere", async () => {
  const production = await open();
  const ids = production.rows("SELECT id FROM nodes WHERE kind = 'character' ORDER BY id");
  await production.import(draft(renamed, "blue.fountain"));
  const changes = production.changes();
  assert.equal(
    changes.map(({ kind, scene_number, summary, fields }) => [kind, scene_number, summary, fields]),
    [
      [
        ...["changed", "1, 3, 4", "1, 3, 4: character ADA -> IDA in 3 scenes"],
        { character: { from: "ADA", to: "IDA" }, scenes: { from: null, to: ["1", "3", "4"] } },
      ],
    ],
  );
  assert.equal((await castOf(production)).casts[0], [
    ["ADA", "BEN"],
    ["ADA", "BEN"],
  ]);
  const { plan } = await production.approve();
  assert.equal(
    plan?.changes.filter(({ section }) => section !== "script_changes").map(({ section, key }) => `${section} ${key}`),
    ["scenes 1", "scenes 3", "scenes 4", "assets IDA"],
  );
  assert.equal(await castOf(production), {
    casts: [
      [
        ["IDA", "BEN"],
        ["IDA", "BEN"],
      ],
      [["BEN"], ["BEN"]],
      [["IDA"], ["IDA"]],
      [["IDA"], ["IDA"]],
    ],
    characters: [
      ["IDA", "1", "Cora Lind"],
      ["BEN", undefined, undefined],
    ],
  });
  assert.equal(production.rows("SELECT id FROM nodes WHERE kind = 'character' ORDER BY id"), ids);
});

test("is not asked about in a scene that somebody else leaves in the same decision", async () => {
  for (const follow of [false, true]) {
    const production = await open();
    const withoutBen = renamed.map((one) => one.replace("\n\nBEN\nWho?", ""));
    await production.import(draft(withoutBen, "blue.fountain"));
    const { plan } = await production.approve(undefined, { follow });
    assert.equal(plan?.warnings, []);
    assert.equal((await castOf(production)).casts[0], [["IDA"], ["IDA"]]);
  }
});

test("is none where a draft writes the same name in another form", async () => {
  for (const [from, to] of [
    ["ADA-MAY", "ADA\u2011MAY"],
    ["İDA", "IDA"],
    ["ＡＤＡ", "ADA"],
  ] as const) {
    const of = (name: string) =>
      draft(
        ["1", "2"].map((at) => `INT. ROOM - DAY #${at}#\n\nx\n\n${name}\nHello.`),
        "again.fountain",
      );
    const production = await openImports(of(from));
    await production.import(of(to));
    assert.ok(production.changes().every(({ fields }) => fields.character === undefined && fields.cast === undefined));
    await production.approve();
    assert.equal((await production.import(of(to))).changes, []);
    assert.equal((await castOf(production)).characters, [[from, undefined, undefined]]);
  }
});

test("is asked once: the same draft again, and the next one, leave it pending", async () => {
  const production = await open();
  await production.import(draft(renamed, "blue.fountain"));
  const [first] = production.changes();
  assert.equal((await production.import(draft(renamed, "blue.fountain"))).changes, []);
  const pink = renamed.map((one) => one.replace("Leave it there.", "Take it away."));
  await production.import(draft(pink, "pink.fountain"));
  assert.equal(
    production
      .changes()
      .map(({ scene_number }) => scene_number)
      .sort(),
    ["1, 3, 4", "2"],
  );
  assert.ok(production.changes().some(({ id }) => id === first?.id));
  await production.approve();
  assert.equal((await production.import(draft(pink, "pink.fountain"))).changes, []);
  assert.equal(production.changes(), []);
});

test("that is dismissed keeps its name, and is not asked again by the same draft", async () => {
  const production = await open();
  const before = await castOf(production);
  await production.import(draft(renamed, "blue.fountain"));
  await production.dismiss();
  assert.equal(await castOf(production), before);
  assert.equal((await production.import(draft(renamed, "blue.fountain"))).changes, []);
  assert.equal(production.changes(), []);
});

test("stands beside other changes of its scenes, which do not repeat it", async () => {
  const production = await open();
  const more = renamed.map((one) => one.replace("There he is.", "There he is!\n\nCLEM\nWhere?"));
  await production.import(draft(more, "blue.fountain"));
  assert.equal(
    production
      .changes()
      .map(({ scene_number, fields }) => [scene_number, Object.keys(fields)])
      .sort(),
    [
      ["1, 3, 4", ["character", "scenes"]],
      ["3", ["text", "cast", "pages"]],
    ],
  );
  await production.approve();
  const { casts, characters } = await castOf(production);
  assert.equal(casts[2], [
    ["IDA", "CLEM"],
    ["IDA", "CLEM"],
  ]);
  assert.equal(
    characters.map(([label]: any) => label),
    ["IDA", "BEN", "CLEM"],
  );
  assert.equal((await production.import(draft(more, "blue.fountain"))).changes, []);
});

test("is approved before or after the other changes of its scenes, and after an undo again", async () => {
  const more = renamed.map((one) => one.replace("There he is.", "There he is!\n\nCLEM\nWhere?"));
  for (const order of [
    ["1, 3, 4", "3"],
    ["3", "1, 3, 4"],
  ]) {
    const production = await open();
    await production.import(draft(more, "blue.fountain"));
    const idOf = (number = "") =>
      production.changes().find(({ scene_number }) => scene_number === number)?.id as number;
    const [first, second] = order;
    await production.approve([idOf(first)]);
    const [set] = production.rows("SELECT max(id) AS id FROM change_sets");
    const { store, blobs } = production;
    const undone = { id: set.id, dry_run: false };
    await undoChangeSet(localAdmin(store, now), blobs, undone, async (work) => store.writeSync(work));
    await production.approve([idOf(first)]);
    assert.equal((await production.import(draft(more, "blue.fountain"))).changes, []);
    await production.approve([idOf(second)]);
    assert.equal((await castOf(production)).casts[2], [
      ["IDA", "CLEM"],
      ["IDA", "CLEM"],
    ]);
    assert.equal((await production.import(draft(more, "blue.fountain"))).changes, []);
  }
});

const fiveScenes = ["HALL", "YARD", "QUAY", "LOFT", "MILL"].map(
  (set, at) => `INT. ${set} - DAY #${at + 1}#\n\nThe ${set} is empty but for Ray.\n\nRAY\nNobody in the ${set} then.`,
);
const asRaymond = (one: string) => one.replaceAll("RAY", "RAYMOND").replaceAll("Ray.", "Raymond.");
const mostly = fiveScenes.map((one, at) => (at === 2 ? one : asRaymond(one)));
async function openRay() {
  const production = await openImports(draft(fiveScenes, "white.fountain"));
  await production.import({ name: "cast.csv", text: "No,Character,Actor\n7,RAY,Cora Lind\n" }, { as: "cast" });
  return production;
}

test("in most of the scenes is one change that names the others, and they keep the former name", async () => {
  const production = await openRay();
  await production.import(draft(mostly, "blue.fountain"));
  const [change, ...others] = production.changes();
  assert.is(change?.summary, "1, 2, 4, 5: character RAY -> RAYMOND in 4 of 5 scenes, not in 3");
  assert.equal(change?.fields.except, { from: null, to: ["3"] });
  assert.equal(others, []);
  await production.approve();
  const { casts, characters } = await castOf(production);
  const [raymond, ray] = ["RAYMOND", "RAY"].map((name) => [[name], [name]]);
  assert.equal(casts, [raymond, raymond, ray, raymond, raymond]);
  assert.equal(characters, [
    ["RAYMOND", "7", "Cora Lind"],
    ["RAY", undefined, undefined],
  ]);
  assert.equal((await production.import(draft(mostly, "blue.fountain"))).changes, []);
});

test("in most of the scenes holds for all of them where it is approved everywhere", async () => {
  const production = await openRay();
  await production.import(draft(mostly, "blue.fountain"));
  await production.approve(undefined, { everywhere: true });
  const { casts, characters } = await castOf(production);
  assert.equal(casts, Array(5).fill([["RAYMOND"], ["RAYMOND"]]));
  assert.equal(characters, [["RAYMOND", "7", "Cora Lind"]]);
  assert.equal((await production.import(draft(mostly, "blue.fountain"))).changes, []);
  await production.import(draft(fiveScenes.map(asRaymond), "pink.fountain"));
  assert.equal(production.changes(), [], "the next draft has the name that was approved");
});

test("that nobody decided is asked again by a draft that keeps the former name in one scene", async () => {
  const production = await openRay();
  await production.import(draft(fiveScenes.map(asRaymond), "blue.fountain"));
  assert.equal(
    production.changes().map(({ scene_number }) => scene_number),
    ["1, 2, 3, 4, 5"],
  );
  await production.import(draft(mostly, "pink.fountain"));
  assert.equal(
    production.changes().map(({ scene_number }) => scene_number),
    ["1, 2, 4, 5"],
  );
  await production.import(
    draft(
      fiveScenes.map((one, at) => (at === 2 ? asRaymond(one) : one)),
      "green.fountain",
    ),
  );
  assert.equal(
    production.changes().map(({ summary }) => summary.replace(/, pages.*/, "")),
    ["3: text changed, cast RAY -> RAYMOND"],
  );
  await production.import(draft(fiveScenes, "yellow.fountain"));
  assert.equal(production.changes(), []);
});

test("that was dismissed asks nothing where a draft goes back to the former name", async () => {
  const production = await openRay();
  await production.import(draft(fiveScenes.map(asRaymond), "blue.fountain"));
  await production.dismiss();
  await production.import(draft(fiveScenes, "pink.fountain"));
  assert.equal(production.changes(), []);
  await production.import(draft(fiveScenes.map(asRaymond), "green.fountain"));
  assert.is(production.changes().length, 1, "it is asked again by a draft that has it again");
});

test("is none where another character takes only some of the scenes, or the production does not know the name", async () => {
  const production = await open();
  const some = [renamed[0] as string, ...scenes.slice(1)];
  await production.import(draft(some, "blue.fountain"));
  assert.ok(production.changes().every(({ fields }) => !("character" in fields)));
});

const byHand = (document: object) => ({ name: "a.json", text: JSON.stringify(document) });
const toIda = { label: "IDA", was: "ADA" };

test("by hand has its name in the cast of every scene, an undo takes that back, and a draft with the name asks nothing", async () => {
  const production = await open();
  const before = await castOf(production);
  const { changes } = await production.import(byHand({ assets: [toIda] }));
  assert.equal(
    changes.map(({ section, key, fields }) => [section, key, Object.keys(fields)]),
    [
      ["assets", "IDA", ["label"]],
      ["scenes", "1", ["elements"]],
      ["scenes", "3", ["elements"]],
      ["scenes", "4", ["elements"]],
    ],
  );
  const after = await castOf(production);
  assert.equal(after.casts[0], [
    ["IDA", "BEN"],
    ["IDA", "BEN"],
  ]);
  const [{ id }] = production.rows("SELECT max(id) AS id FROM change_sets");
  await undoChangeSet(localAdmin(production.store, now), production.blobs, { id, dry_run: false }, async (work) =>
    production.store.writeSync(work),
  );
  assert.equal(await castOf(production), before);
  await production.import(byHand({ assets: [toIda] }));
  assert.equal((await production.import(byHand({ assets: [toIda] }))).changes, []);
  await production.import(draft(renamed, "blue.fountain"));
  assert.equal(production.changes(), []);
  assert.equal(await castOf(production), after);
});

test("by hand leaves the elements that the same document says, and the cast where another character has the former name", async () => {
  const production = await open();
  await production.import(byHand({ assets: [toIda], scenes: [{ number: "3", elements: { cast: ["ADA"] } }] }));
  const { casts } = await castOf(production);
  assert.equal(
    casts.map(([names]: any) => names),
    [["IDA", "BEN"], ["BEN"], ["ADA"], ["IDA"]],
  );
  await production.import(
    byHand({ assets: [{ label: "IDRIS", was: "IDA" }], scenes: [{ number: "4", elements: { stunts: ["Fall"] } }] }),
  );
  assert.equal((await castOf(production)).casts[3][0], ["IDRIS"]);
  await production.import(byHand({ assets: [{ ref: "other", label: "Ben", kind: "character" }] }));
  await production.import(byHand({ assets: [{ label: "BENNO", was: "BEN" }] }));
  assert.equal((await castOf(production)).casts[1], [["BEN"], ["BENNO"]]);
});

test("and another one, who always speak together, are two changes and none of a scene", async () => {
  const together = (one: string, other: string) =>
    ["HALL", "YARD", "QUAY"].map(
      (set, at) => `INT. ${set} - DAY #${at + 1}#\n\nIt is cold.\n\n${one}\nI wait.\n\n${other}\nSo do I.`,
    );
  const production = await openImports(draft(together("ADA", "BEN"), "white.fountain"));
  await production.import(draft(together("IDA", "BOB"), "blue.fountain"));
  assert.equal(
    production.changes().map(({ summary }) => summary),
    ["1, 2, 3: character ADA -> IDA in 3 scenes", "1, 2, 3: character BEN -> BOB in 3 scenes"],
  );
  const again = async () =>
    assert.equal((await production.import(draft(together("IDA", "BOB"), "blue.fountain"))).changes, []);
  await again();
  await production.approve([production.changes()[1]?.id as number]);
  assert.equal((await castOf(production)).casts[0], [
    ["ADA", "BOB"],
    ["ADA", "BOB"],
  ]);
  await again();
  await production.approve();
  await again();
  assert.equal(production.changes(), []);
  assert.equal((await castOf(production)).casts[2], [
    ["IDA", "BOB"],
    ["IDA", "BOB"],
  ]);
});

test("whose rename was dismissed keeps the former name in a scene that is approved, and the same draft asks nothing", async () => {
  const production = await open();
  await production.import(draft(renamed, "blue.fountain"));
  await production.dismiss();
  const later = draft(
    [`${renamed[0]}\n\nDORA\nMe.`, ...renamed.slice(1), "INT. LOFT - DAY #5#\n\nIDA\nHere I am."],
    "pink.fountain",
  );
  await production.import(later);
  assert.equal(
    production.changes().map(({ scene_number }) => scene_number),
    ["1", "5"],
  );
  await production.approve();
  const { casts } = await castOf(production);
  assert.equal(
    [casts[0], casts[4]],
    [
      [
        ["ADA", "BEN", "DORA"],
        ["ADA", "BEN", "DORA"],
      ],
      [["ADA"], ["ADA"]],
    ],
  );
  assert.equal((await production.import(later)).changes, []);
  assert.equal(production.changes(), []);
});

test.run();
