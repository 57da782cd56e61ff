// Which files order scenes, and where a scene goes that no file places.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports, type PaperFile, script } from "../support/import.ts";

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

test("a script and a schedule in one import: the script orders", async () => {
  const production = await openImports({
    ...{ document: "tallylight production", document_version: 1, production: { title: "The Test" } },
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

test.run();
