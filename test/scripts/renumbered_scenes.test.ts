// Scenes that get other numbers in a later draft: all at once, one by one, exchanged, and numbers of omitted scenes.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports } from "../support/import.ts";
import { draft, id, json, names, numbered, scene, shown } from "../support/numbered_scenes.ts";

const test = suite("numbers of scenes in later drafts");

test("a draft that numbers every later scene one further is approved at once", async () => {
  const list = names(24);
  const production = await openImports(draft(numbered(list)));
  const longer = [...list.slice(0, 2), "CELLAR", ...list.slice(2)];
  await production.import(draft(numbered(longer)));
  assert.is(production.changes().length, 23);
  await production.approve();
  assert.equal(
    await shown(production),
    longer.map((name, at) => `${at + 1} ${name}`),
  );
  assert.equal((await production.import(draft(numbered(longer)))).changes, []);
});

test("a renumbered draft is approved one by one from the end; from the start, the message names what frees each number", async () => {
  const list = names(6);
  const production = await openImports(draft(numbered(list)));
  const longer = [...list.slice(0, 2), "CELLAR", ...list.slice(2)];
  await production.import(draft(numbered(longer)));
  const error = await production.approve([id(production, "5")]).catch((error) => error);
  const [six, seven] = [id(production, "6"), id(production, "7")];
  assert.is(
    error.message,
    `there is a scene 5 already, whose number script change ${id(production, "5")} takes: approve script changes ${six} and ${seven} with it; nothing was changed`,
  );
  const first = await production.approve([id(production, "3")]).catch((error) => error);
  const four = id(production, "4");
  assert.match(first.message, new RegExp(`approve script changes ${four} to ${four + 3} with it`));
  for (const number of ["7", "6", "5", "4", "3"]) await production.approve([id(production, number)]);
  assert.equal(
    await shown(production),
    longer.map((name, at) => `${at + 1} ${name}`),
  );
});

test("two scenes exchange their numbers together, and neither alone", async () => {
  const production = await openImports(draft([scene("A", "1"), scene("B", "2"), scene("C", "3")]));
  await production.import(draft([scene("A", "1"), scene("B", "3"), scene("C", "2")]));
  const [one, other] = production.changes().map((change) => change.id) as [number, number];
  for (const [tried, needed] of [
    [one, other],
    [other, one],
  ] as const)
    assert.match(
      (await production.approve([tried]).catch((error) => error)).message,
      new RegExp(`approve script change ${needed} with it`),
    );
  await production.approve();
  assert.equal(await shown(production), ["1 A", "3 B", "2 C"]);
});

test("a scene takes the number of an omitted one, twice", async () => {
  const list = ["A", "B", "C", "D"];
  const production = await openImports(draft(numbered(list)));
  const schedule = [{ day_number: 1, date: "2026-05-04", scenes: ["2", "3"] }];
  await production.import(json({ schedule }));
  await production.import(draft(numbered(["A", "C", "D"])));
  const omission = production.changes().find(({ kind }) => kind === "omitted")?.id as number;
  await production.approve([omission]);
  await production.approve([id(production, "2")]);
  await production.approve();
  assert.equal(await shown(production), ["1 A", "(2 (omitted))", "2 C", "3 D"]);
  assert.equal((await production.export()).schedule[0].scenes, ["2 (omitted)", "2"]);
  assert.equal((await production.import(draft(numbered(["A", "C", "D"])))).changes, []);
  await production.import(draft(numbered(["A", "D"])));
  await production.approve();
  assert.equal(await shown(production), ["1 A", "(2 (omitted))", "(2 (omitted 2))", "2 D"]);
  await production.import(draft(numbered(list)));
  await production.approve();
  assert.equal(await shown(production), ["1 A", "2 B", "3 C", "4 D"]);
});

test("a number that the first import invented is free for the scene that really has it", async () => {
  const first = [scene("A", "44"), "INT. B - DAY\n\nAn unnumbered one with its own words.", scene("C", "45")];
  const production = await openImports(draft(first));
  assert.equal(await shown(production), ["44 A", "44A B", "45 C"]);
  const later = [first[0] as string, scene("NEW", "44A"), first[1] as string, first[2] as string];
  await production.import(draft(later));
  await production.approve();
  assert.equal(await shown(production), ["44 A", "44A NEW", "44B B", "45 C"]);
  assert.equal((await production.import(draft(later))).changes, []);
});

test("scenes 1A and 1a of a production without a draft are those of the script", async () => {
  const first = draft(["1", "1A", "1a", "A1"].map((number) => `INT. HOUSE - DAY #${number}#`));
  const whole = await (await openImports(first)).export();
  const production = await openImports(whole);
  assert.equal((await production.import(first)).changes, []);
  assert.equal((await production.import(first)).changes, []);
});

test.run();
