// The second draft, the same one again, the reverse, and decisions between them.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports, type PaperFile, script } from "../support/import.ts";

const test = suite("drafts after drafts");

type Production = Awaited<ReturnType<typeof openImports>>;

const words = "rain cart lamp door river coat bell smoke letter horse quiet broken under against before slowly".split(
  " ",
);
/** The text of a scene, which no other name has. */
const textOf = (name: string): string =>
  Array.from(
    { length: 24 },
    (_, at) => `${words[(name.length * 7 + name.charCodeAt(at % name.length) * (at + 3)) % 16]}${name}`,
  ).join(" ");
/** A scene of a name under a number; `more` is further text. */
const scene = (name: string, number: string, more = ""): string =>
  `INT. ${name} - DAY #${number}#\n\n${textOf(name)}${more}`;
const names = (count: number) => Array.from({ length: count }, (_, at) => `ROOM${at + 1}`);
const numbered = (list: readonly string[]): string[] => list.map((name, at) => scene(name, `${at + 1}`));
const draft = (scenes: readonly string[], name = "later.fountain"): PaperFile => script(scenes, name);
const json = (document: object): PaperFile => ({ name: "a.json", text: JSON.stringify(document) });
const asked = (production: Production): string[] =>
  production.changes().map(({ kind, scene_number, fields }) => `${kind} ${scene_number}: ${Object.keys(fields)}`);
/** The scenes of a production: their numbers, with a mark for those that are omitted, and their sets. */
const shown = async (production: Production): Promise<string[]> =>
  (await production.export()).scenes.map(({ number, status, elements }: any) =>
    status === "omitted" ? `(${number})` : `${number} ${elements.set}`,
  );
const id = (production: Production, number: string): number =>
  production.changes().find(({ scene_number }) => scene_number === number)?.id as number;

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

test("a newer draft that differs only in a place asks about that place", async () => {
  const first = numbered(names(5));
  const added = scene("NEW", "2A");
  const production = await openImports(draft(first));
  await production.import(draft([...first.slice(0, 2), added, ...first.slice(2)], "blue.fountain"));
  const old = id(production, "2A");
  await production.import(draft([...first.slice(0, 4), added, ...first.slice(4)], "pink.fountain"));
  assert.is.not(id(production, "2A"), old);
  assert.equal(production.changes()[0]?.fields.order, { from: null, to: "4" });
  await production.approve();
  assert.equal(
    (await shown(production)).map((one) => one.split(" ")[0]),
    ["1", "2", "3", "4", "2A", "5"],
  );
  const moved = [...first.slice(0, 4), added];
  await production.import(draft([first[4] as string, ...moved], "blue.fountain"));
  await production.import(draft([...first.slice(0, 2), first[4] as string, ...moved.slice(2)], "pink.fountain"));
  await production.approve();
  assert.equal(
    (await shown(production)).map((one) => one.split(" ")[0]),
    ["1", "2", "5", "3", "4", "2A"],
  );
});

test("a dismissed addition that a later draft has elsewhere is asked once more, and no more", async () => {
  for (const decision of ["approve", "dismiss"] as const) {
    const first = numbered(names(4));
    const added = scene("NEW", "2A");
    const production = await openImports(draft(first));
    await production.import(draft([...first.slice(0, 2), added, ...first.slice(2)]));
    await production.dismiss();
    const later = draft([added, ...first]);
    await production.import(later);
    assert.equal(asked(production), ["added 2A: number,slugline,order"]);
    await production[decision]();
    assert.equal((await production.import(later)).changes, []);
    assert.equal((await production.import(draft(first))).changes.length, decision === "approve" ? 1 : 0);
  }
});

test("a scene that is added by hand after its addition was dismissed is that scene", async () => {
  const first = numbered(names(3));
  const later = draft([...first.slice(0, 2), scene("NEW", "2A"), ...first.slice(2)]);
  const production = await openImports(draft(first));
  await production.import(later);
  await production.dismiss();
  await production.import(json({ scenes: [{ number: "2A", slugline: "INT. NEW - DAY" }] }));
  assert.equal((await production.import(later)).changes, []);
  assert.equal((await production.import(later)).changes, []);
  await production.import(json({ scenes: [{ number: "9", slugline: "INT. OTHER - DAY" }] }));
  assert.equal((await production.import(later)).changes, [], "no draft ever had scene 9");
  await production.import(draft(first));
  assert.equal(asked(production), ["omitted 2A: omitted"]);
});

test("a draft that is as approved leaves nothing pending, whatever was dismissed or waits", async () => {
  const first = numbered(names(5));
  const changed = [first[4], first[0], scene("ROOM2", "2", " and more"), scene("NEW", "2A"), first[3]] as string[];
  for (const before of ["dismissed", "pending", "dismissed in part"]) {
    const production = await openImports(draft(first));
    await production.import(draft(changed));
    if (before === "dismissed") await production.dismiss();
    if (before === "dismissed in part")
      for (const change of production.changes().slice(0, 2)) await production.dismiss([change.id]);
    const scenes = await shown(production);
    await production.import(draft(first));
    assert.equal(asked(production), [], before);
    assert.equal(await shown(production), scenes);
    await production.import(draft(changed));
    await production.approve();
    assert.equal(
      (await shown(production)).filter((one) => !one.startsWith("(")).map((one) => one.split(" ")[0]),
      ["5", "1", "2", "2A", "4"],
    );
  }
});

test("what was dismissed is asked again with the next change of its scene", async () => {
  const first = numbered(names(2));
  const production = await openImports(draft(first));
  const night = (first[1] as string).replace("DAY", "NIGHT");
  await production.import(draft([first[0] as string, night]));
  await production.dismiss();
  await production.import(draft([first[0] as string, `${night} and more`]));
  assert.equal(asked(production), ["changed 2: slugline,text"]);
});

test("a scene that comes back without speakers has no cast", async () => {
  const first = [scene("A", "1"), `${scene("B", "2")}\n\nBEN\nHello there.`, scene("C", "3")];
  const production = await openImports(draft(first));
  await production.import(json({ scenes: [{ number: "2", elements: { props: ["Lamp"] } }] }));
  await production.import(draft([first[0], first[2]] as string[]));
  await production.approve();
  await production.import(draft([scene("A", "1"), scene("B", "2"), scene("C", "3")]));
  await production.approve();
  const { status, elements } = (await production.export()).scenes[1];
  assert.equal([status, elements.cast, elements.props, elements.set], ["planned", undefined, undefined, "B"]);
});

test("--color colours every change of its import", async () => {
  const first = numbered(names(5));
  const production = await openImports(draft(first));
  const later = [first[4], scene("NEW", "1A"), scene("ROOM2", "2", " and more"), first[2]] as string[];
  await production.import(draft(later), { color: "blue" });
  assert.equal(
    production.changes().map(({ kind, revision_color }) => [kind, revision_color]),
    production.changes().map(({ kind }) => [kind, "blue"]),
  );
  assert.ok(production.changes().some(({ kind }) => kind === "omitted"));
  await production.approve();
  const { scenes } = await production.export();
  assert.equal(scenes.map(({ number, revision_color = "white" }: any) => `${number} ${revision_color}`).sort(), [
    "1 blue",
    "1A blue",
    "2 blue",
    "3 white",
    "4 blue",
    "5 blue",
  ]);
});

test.run();
