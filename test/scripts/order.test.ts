// Which files order scenes, and where a scene goes that no file places.
// Thorough: only --all runs it.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/command.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";
import { openProduction } from "../support/update.ts";

const test = suite("the order of scenes");

const scenes = Array.from({ length: 12 }, (_, at) => `INT. ROOM ${at + 1} - DAY #${at + 1}#\n\nSomebody sings ${at}.`);
const first = script(scenes);
const json = (document: object): PaperFile => ({ name: "a.json", text: JSON.stringify(document) });
const numbers = async ({ export: exported }: Awaited<ReturnType<typeof openImports>>): Promise<string> =>
  (await exported()).scenes.map(({ number }: { number: string }) => number).join(" ");

const days = [
  [12, 3, 7],
  [1, 2, 11],
  [10, 9, 8],
  [6, 5, 4],
];
const oneLiner: PaperFile = {
  name: "board.csv",
  text: [
    "Scene,Pages",
    ...days.flatMap((day, at) => [
      ...day.map((number) => `${number},2/8`),
      `END OF DAY ${at + 1} - 2026-03-0${at + 1},`,
    ]),
  ].join("\n"),
};

test("a schedule of all scenes leaves them where the script has them", async () => {
  const production = await openImports(first);
  await production.import(oneLiner, { as: "schedule" });
  assert.is(await numbers(production), "1 2 3 4 5 6 7 8 9 10 11 12");
  assert.equal((await production.export()).schedule[0].scenes, ["12", "3", "7"]);
  assert.equal((await production.import(first)).changes, []);
});

const board = (list: readonly (readonly (string | number)[])[]): PaperFile => ({
  name: "board.csv",
  text: [
    "Scene,Pages",
    ...list.flatMap((day, at) => [...day.map((number) => `${number},`), `END OF DAY ${at + 1} - 2026-03-0${at + 1},`]),
  ].join("\n"),
});
const scheduled = async ({ export: exported }: Awaited<ReturnType<typeof openImports>>): Promise<string[][]> =>
  (await exported()).schedule.map(({ scenes }: { scenes?: string[] }) => scenes ?? []);

test("a scene of a shorter schedule leaves the day that it was on", async () => {
  const production = await openImports(first);
  await production.import(
    board([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ]),
    { as: "schedule" },
  );
  const shorter = board([
    [1, 2, 3, 7],
    [4, 5, 6, 8],
  ]);
  const plan = await production.import(shorter, { as: "schedule" });
  assert.equal(
    plan.changes.map(({ key }) => key),
    ["1", "2", "3"],
  );
  assert.equal(await scheduled(production), [["1", "2", "3", "7"], ["4", "5", "6", "8"], ["9"]]);
  assert.equal((await production.import(shorter, { as: "schedule" })).changes, []);
});

test("of several schedules in one import, each takes its scenes from where the one before left them", async () => {
  const production = await openImports(first);
  const list = (name: string, ...rows: string[]): PaperFile => ({ name, text: ["Day,Date,Scene", ...rows].join("\n") });
  const files = [
    list("a.csv", "1,2026-03-01,1", "1,2026-03-01,2"),
    list("b.csv", "1,2026-03-01,3", "2,2026-03-02,2"),
    list("c.csv", "3,2026-03-03,1", "3,2026-03-03,2"),
  ];
  await production.import(files, { as: "schedule" });
  assert.equal(await scheduled(production), [["3"], [], ["1", "2"]]);
});

test("a part of a scene stays on its other day, and the plan names both", async () => {
  const production = await openImports(first);
  await production.import(
    board([
      [1, 2, 3],
      [4, 5, 6],
    ]),
    { as: "schedule" },
  );
  const { warnings } = await production.import(board([[1, 2, 3, "5 pt 2"]]), { as: "schedule" });
  assert.equal(warnings, ["scene 5 is now on day 1 and still on day 2"]);
  assert.equal(await scheduled(production), [
    ["1", "2", "3", "5"],
    ["4", "5", "6"],
  ]);
});

test("a first draft that agrees with every scene says that its text is stored, once", async () => {
  const whole = await (await openImports(first)).export();
  const production = await openImports({
    document: whole.document,
    document_version: 1,
    production: whole.production,
    scenes: whole.scenes,
    assets: whole.assets,
  });
  const plan = await production.import(first, { dry_run: true });
  assert.equal([plan.changes, plan.warnings], [[], ["the text of 12 scenes is stored for the next comparison"]]);
  await production.import(first);
  const again = await production.import(first);
  assert.equal([again.changes, again.warnings], [[], []]);
});

test("the first import names the numbers that it invented", async () => {
  const production = await openImports({
    document: "tallylight production",
    document_version: 1,
    production: { title: "The Test" },
  });
  const bare = script([...scenes.slice(0, 3), "INT. ATTIC - DAY\n\nNobody sings."]);
  const { warnings } = await production.import(bare, { dry_run: true });
  assert.equal(warnings, ["the script has no number for a scene: numbered 3A"]);
  const none = await production.import(script(scenes.map((scene) => scene.replace(/ #\d+#/, ""))));
  assert.equal(none.warnings, ["the script has no number for 12 scenes: numbered 1 to 12"]);
});

test("a script and a schedule in one import: the script orders", async () => {
  const production = await openImports({
    document: "tallylight production",
    document_version: 1,
    production: { title: "The Test" },
  });
  await production.import([oneLiner, first].toReversed(), { as: "schedule" });
  assert.is(await numbers(production), "1 2 3 4 5 6 7 8 9 10 11 12");
});

test("a draft that changes the synopsis of every scene moves none", async () => {
  const production = await openImports(first);
  await production.import(json({ scenes: [...scenes.keys()].reverse().map((at) => ({ number: `${at + 1}` })) }));
  assert.is(await numbers(production), "12 11 10 9 8 7 6 5 4 3 2 1", "a document's own list orders");
  const longer = scenes.map((scene) => scene.replace("#\n\n", "#\n\n= A synopsis\n\n"));
  const plan = await production.import(script(longer));
  assert.equal(
    plan.changes.map(({ fields }) => Object.keys(fields)),
    Array(12).fill(["synopsis"]),
  );
  assert.is(await numbers(production), "12 11 10 9 8 7 6 5 4 3 2 1");
});

test("a scene that is added without a place goes where its number belongs", async () => {
  const production = await openImports(first);
  for (const number of ["A5", "5A", "13", "A1"])
    await production.import(json({ scenes: [{ number, slugline: "INT. HALL - DAY" }] }));
  assert.is(await numbers(production), "A1 1 2 3 4 A5 5 5A 6 7 8 9 10 11 12 13");
});

test("scenes that one document adds without a place go each where its number belongs, on a series in its episode", async () => {
  const production = await openImports(first);
  const added = (scenes: [string, string?][]) =>
    json({ scenes: scenes.map(([number, episode]) => ({ number, episode, slugline: "INT. CELLAR - NIGHT" })) });
  await production.import(added([["A5"], ["9A"], ["3A"], ["99"]]));
  assert.is(await numbers(production), "1 2 3 3A 4 A5 5 6 7 8 9 9A 10 11 12 99");
  await production.import(
    json({ scenes: [{ number: "7" }, ...["X1", "2Z"].map((number) => ({ number, slugline: "I" }))] }),
  );
  assert.is(await numbers(production), "1 2 3 3A 4 A5 5 6 7 X1 2Z 8 9 9A 10 11 12 99", "after the scene before them");

  const series = await openProduction(join(root, "fixtures/the-saknussemm-cipher.json"));
  const codes = async (): Promise<string[]> =>
    (await series.export()).scenes.map(
      ({ episode, number }: { episode: string; number: string }) => `${episode}/${number}`,
    );
  const before = await codes();
  const inEpisodes = [
    ["102", "3B"],
    ["103", "A1"],
    ["101", "14"],
  ];
  const document = {
    episodes: [{ code: "104", title: "The last one" }],
    scenes: [...inEpisodes, ["104", "2"], ["104", "1"]].map(([episode, number]) => ({
      episode,
      number,
      slugline: "INT. CELLAR - NIGHT",
    })),
  };
  await series.update(document);
  const expected = before.flatMap((name) => {
    if (name === "102/3A") return [name, "102/3B"];
    if (name === "103/1") return ["103/A1", name];
    return name === "101/13" ? [name, "101/14"] : [name];
  });
  assert.equal(await codes(), [...expected, "104/2", "104/1"], "the scenes of a new episode stay as they are listed");
  assert.equal((await series.update(document)).changes, []);
});

test("of a list of every scene of one episode in another order, the plan says that it orders nothing", async () => {
  const production = await openProduction(join(root, "fixtures/the-saknussemm-cipher.json"));
  const { scenes } = await production.export();
  const [{ episode }] = scenes;
  const own = scenes.filter((scene: { episode: string }) => scene.episode === episode);
  const sentence = `the scenes of episode ${episode} stay in their order: only a script, or a list of every scene of the production, orders scenes`;
  const warned = async (list: object[]) => (await production.update({ scenes: list })).warnings.includes(sentence);
  assert.is(await warned(own.toReversed()), true);
  assert.is(await warned(own.toReversed()), true, "the second time, too");
  assert.equal((await production.export()).scenes, scenes);
  assert.is(await warned(own), false);
  assert.is(await warned(own.slice(1).toReversed()), false, "a part of them says nothing of their order");
  assert.is(await warned(scenes.toReversed()), false);
  assert.equal((await production.export()).scenes[0].number, scenes.at(-1).number);
});

test("a move stays a question beside a scene whose addition was dismissed", async () => {
  const room = (number: string) =>
    `INT. ROOM ${number} - DAY #${number}#\n\nSomebody sings song ${number} in room ${number}.`;
  const draft = (...list: string[]) => script(list.map(room));
  const production = await openImports(draft("1", "2", "3", "4"));
  await production.import(draft("1", "2", "2A", "3", "4"));
  await production.dismiss(production.changes().map(({ id }) => id));
  await production.import(draft("1", "2A", "3", "2", "4"));
  const pending = production.changes();
  assert.equal(
    pending.map(({ summary }) => summary),
    ["2A added after 1: INT. ROOM 2A - DAY", "3: moved after 2A"],
  );
  assert.equal((await production.import(draft("1", "2A", "3", "2", "4"))).changes, []);
  assert.equal(production.changes(), pending);
  for (const { id } of pending) {
    await production.dismiss([id]);
    const left = production.changes();
    assert.equal((await production.import(draft("1", "2A", "3", "2", "4"))).changes, []);
    assert.equal(production.changes(), left);
  }
});

test.run();
