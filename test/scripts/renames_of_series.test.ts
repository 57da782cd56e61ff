// A character of a series whom a draft of one episode calls by another name: it is asked whether the name holds in all
// episodes, and what other episodes call the character stays a name of it there.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports, type PaperFile } from "../support/import.ts";

type Row = Record<string, any>;

const draft = (episode: string, scenes: readonly string[]): PaperFile => ({
  name: `${episode}.fountain`,
  text: [`Title: Low Tide`, `Episode: ${episode}`, "", ...scenes.flatMap((scene) => [scene, ""])].join("\n"),
});
const one = [
  "INT. CHANDLERY - DAY #1#\n\nRope on every hook.\n\nNORA\nForty-one.",
  "EXT. SLIPWAY - DUSK #2#\n\nA dinghy.\n\nNORA\nThere it is.\n\nPIET\nIt was late.",
  "INT. CHANDLERY - NIGHT #3#\n\nPIET\nLock it.",
];
const two = [
  "INT. CHANDLERY - MORNING #1#\n\nNORA\nForty-two.",
  "EXT. SLIPWAY - DAY #2#\n\nPIET hauls.\n\nPIET\nNobody looks.",
  "EXT. MOLE - DAY #3#\n\nNORA and PIET, wind.\n\nNORA\nI looked.",
];
const norah = two.map((scene) => scene.replaceAll("NORA", "NORAH"));

async function open() {
  const made = await openImports(draft("101", one));
  await made.import(draft("102", two), { new_episode: true });
  await made.import({ name: "cast.csv", text: "No,Character,Performer\n1,NORA,Ines Ward\n" }, { as: "cast" });
  const { warnings } = await made.import(draft("102", norah));
  return { ...made, warnings };
}
const state = async ({ export: exported }: Pick<Awaited<ReturnType<typeof open>>, "export">) => {
  const { scenes, assets } = (await exported()) as Row;
  return {
    scenes: Object.fromEntries(
      scenes.map(({ episode, number, elements, assets }: Row) => [`${episode}/${number}`, [elements.cast, assets]]),
    ),
    characters: assets.map(({ label, performer }: Row) => [label, performer]),
  };
};
const refusal = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => assert.unreachable(),
    (error: Row) => error,
  );

const test = suite("renames in a series");

test("are asked about, and an approval that does not say how they are meant is refused", async () => {
  const made = await open();
  assert.match(
    made.warnings.join("\n"),
    /the draft calls NORA NORAH; NORA is in 2 scenes of 101, too: an approval says/,
  );
  const before = await state(made);
  const { status, message } = await refusal(made.approve());
  assert.is(status, 422);
  assert.match(
    message,
    /script change \d+ renames NORA to NORAH in 102, and NORA is in 2 scenes of 101, too: say `rename`, which is `everywhere`, or `episode` for a new character/,
  );
  assert.equal(await state(made), before);
  await made.dismiss();
  assert.equal(await state(made), before);
});

test("everywhere give the character its name in all episodes", async () => {
  const made = await open();
  await made.approve(undefined, { rename: "everywhere" });
  const { scenes, characters } = await state(made);
  assert.equal(characters, [
    ["NORAH", "Ines Ward"],
    ["PIET", undefined],
  ]);
  assert.equal(scenes["101/2"], [
    ["NORAH", "PIET"],
    ["NORAH", "PIET"],
  ]);
  assert.equal(scenes["102/1"], [["NORAH"], ["NORAH"]]);
});

test("of one episode make a new character there, and leave the others", async () => {
  const made = await open();
  const before = await state(made);
  await made.approve(undefined, { rename: "episode" });
  const { scenes, characters } = await state(made);
  assert.equal(characters, [
    ["NORA", "Ines Ward"],
    ["PIET", undefined],
    ["NORAH", undefined],
  ]);
  for (const name of ["101/1", "101/2", "101/3", "102/2"]) assert.equal(scenes[name], before.scenes[name]);
  assert.equal(scenes["102/1"], [["NORAH"], ["NORAH"]]);
  assert.equal(scenes["102/3"], [["NORAH"], ["NORAH"]]);
  for (const [code, scenes] of [
    ["101", one],
    ["102", norah],
  ] as const)
    assert.equal((await made.import(draft(code, scenes))).changes, []);
  assert.equal(made.changes(), []);
});

test("everywhere leave the former name a name of the character for the drafts of the other episodes", async () => {
  const made = await open();
  await made.approve(undefined, { rename: "everywhere" });
  assert.equal((await made.import(draft("101", one))).changes, [], "the same draft asks nothing");
  const pink = one.map((scene) => scene.replace("PIET\nLock it.", "PIET\nLock it.\n\nNORA\nI did."));
  await made.import(draft("101", [...pink, "EXT. MOLE - DAY #4#\n\nNORA\nMorning."]));
  assert.equal(
    made.changes().map(({ scene_number, fields }) => [scene_number, fields.cast]),
    [
      ["3", { from: ["PIET"], to: ["PIET", "NORAH"] }],
      ["4", { from: null, to: ["NORAH"] }],
    ],
  );
  await made.approve();
  const { scenes, characters } = await state(made);
  assert.equal(characters, [
    ["NORAH", "Ines Ward"],
    ["PIET", undefined],
  ]);
  assert.equal(scenes["101/3"], [
    ["PIET", "NORAH"],
    ["NORAH", "PIET"],
  ]);
  assert.equal(scenes["101/4"], [["NORAH"], ["NORAH"]]);
  const without = one.map((scene) => scene.replace("\n\nNORA\nThere it is.", ""));
  await made.import(draft("101", [...without.slice(0, 2), ...pink.slice(2), "EXT. MOLE - DAY #4#\n\nNORA\nMorning."]));
  const { plan } = await made.approve();
  assert.equal(plan?.warnings, []);
  assert.equal((await state(made)).scenes["101/2"], [["PIET"], ["PIET"]]);
});

test("everywhere are no question of the draft of another episode that has the new name, too, and another name is one", async () => {
  const made = await open();
  await made.approve(undefined, { rename: "everywhere" });
  const renamed = (name: string) => one.map((scene) => scene.replaceAll("NORA", name));
  assert.equal((await made.import(draft("101", renamed("NORAH")))).changes, []);
  assert.equal(made.changes(), []);
  const other = await open();
  await other.approve(undefined, { rename: "everywhere" });
  await other.import(draft("101", renamed("ELLA")));
  assert.equal(
    other.changes().map(({ summary }) => summary),
    ["101/1, 2: character NORA -> ELLA in 2 scenes"],
  );
  assert.match((await refusal(other.approve())).message, /NORA is in 2 scenes of 102, too/);
  await other.approve(undefined, { rename: "everywhere" });
  const { scenes, characters } = await state(other);
  assert.equal(characters[0], ["ELLA", "Ines Ward"]);
  assert.equal(
    [scenes["101/1"], scenes["102/1"]],
    [
      [["ELLA"], ["ELLA"]],
      [["ELLA"], ["ELLA"]],
    ],
  );
  assert.equal((await other.import(draft("102", norah))).changes, []);
});

test("to a character whom the production has are that one: the scenes are linked to it", async () => {
  const made = await open();
  await made.approve(undefined, { rename: "episode" });
  await made.import(draft("102", two));
  assert.equal(
    made.changes().map(({ summary }) => summary),
    ["102/1, 3: character NORAH -> NORA in 2 scenes"],
  );
  await made.approve();
  const { scenes } = await state(made);
  assert.equal([scenes["102/1"], scenes["102/3"], scenes["101/1"]], Array(3).fill([["NORA"], ["NORA"]]));
  assert.equal((await made.import(draft("102", two))).changes, []);
});

test("of a character who is in no other episode are approved as in a feature", async () => {
  const made = await openImports(draft("101", one));
  await made.import(
    draft(
      "101",
      one.map((scene) => scene.replaceAll("NORA", "ELLA")),
    ),
  );
  await made.approve();
  assert.equal((await state(made)).characters, [
    ["ELLA", undefined],
    ["PIET", undefined],
  ]);
});

test.run();
