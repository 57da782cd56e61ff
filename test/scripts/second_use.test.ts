// The second draft, the same one again, the reverse, and decisions between them.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localAdmin } from "../../src/core/admin.ts";
import { migrations } from "../../src/core/store/migrations.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { writeFdx } from "../support/fdx_writer.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";
import { now } from "../support/small_document.ts";

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

test("an estimate never replaces a known page count, also of a scene that comes back", async () => {
  const first = numbered(names(3));
  const production = await openImports(draft(first));
  const lengths = async () =>
    (await production.export()).scenes.map(({ elements }: any) => [elements.pages, elements.pages_estimated]);
  const estimates = await lengths();
  assert.equal(new Set(estimates.map(([, estimated]: unknown[]) => estimated)), new Set([true]));
  const schedule = { name: "a.csv", text: "Scene,Pages\n1,2 3/8\n2,1 1/8\nEnd of Day 1 - 2026-05-05" };
  await production.import(schedule, { as: "schedule" });
  const known = [["2 3/8", undefined], ["1 1/8", undefined], estimates[2]];
  assert.equal(await lengths(), known);
  const longer = `${first[0]} ${textOf("MORE")}`;
  for (const scenes of [
    [longer, ...first.slice(1)],
    [longer, first[2] as string],
    [longer, ...first.slice(1)],
  ]) {
    await production.import(draft(scenes));
    await production.approve();
    assert.equal(await lengths(), known);
    assert.equal((await production.import(draft(scenes))).changes, []);
  }
  assert.equal((await production.import(schedule, { as: "schedule" })).changes, []);
});

test("a list gives a delivery another recipient: a department, somebody outside, and the department again", async () => {
  const production = await openImports(draft(numbered(names(1))));
  await production.import(json({ departments: [{ slug: "costume", name: "Costume" }] }));
  const recipients: unknown[] = [];
  for (const to of ["Costume", "Costume", "Looms Ltd", "Looms Ltd", "Costume", ""]) {
    const list = { name: "a.csv", text: `Delivery,Status,To\nReel,ready,${to}` };
    const { changes } = await production.import(list, { as: "deliveries" });
    const [{ kind, external_to, to_department }] = (await production.export()).deliveries;
    recipients.push([changes.length, kind, external_to ?? to_department]);
    assert.ok(external_to === undefined || to_department === undefined);
  }
  assert.equal(recipients, [
    [1, "internal", "costume"],
    [0, "internal", "costume"],
    [1, "external", "Looms Ltd"],
    [0, "external", "Looms Ltd"],
    [1, "internal", "costume"],
    [0, "internal", "costume"],
  ]);
});

test("a later draft and a document with scenes of the same script are imported one after the other", async () => {
  const first = numbered(names(3));
  const production = await openImports(draft(first));
  const scenes = json({ scenes: [{ number: "2", status: "omitted" }] });
  const later = draft([first[0], first[2]] as string[]);
  assert.match(
    (await production.import([scenes, later]).catch((error) => error)).problems[0].sentence,
    /^a later draft is compared with the stored scenes, and \S+ has scenes of the same script: import one after the other$/,
  );
  await production.import(scenes);
  assert.equal((await production.import(later)).changes, []);
  assert.equal((await production.import(later)).changes, []);
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

test("of two changes that wait, the one that somebody makes by hand waits no more, and the other keeps its id", async () => {
  const first = numbered(names(9));
  const [one, two, three, four, five, six, seven, eight, nine] = first as [string, ...string[]];
  const moved = draft([eight, one, two, four, five, six, three, seven, nine] as string[]);
  const cut = draft([one, two, scene("HALL", "3"), four, five, six, seven, eight] as string[]);
  const order = [1, 2, 4, 5, 6, 3, 7, 8, 9].map((number) => ({ number: `${number}` }));
  const cases: [given: PaperFile, byHand: object, done: string, left: string][] = [
    [moved, { scenes: order }, "3", "8"],
    [cut, { scenes: [{ number: "9", status: "omitted" }] }, "9", "3"],
  ];
  for (const [given, byHand, done, left] of cases) {
    const production = await openImports(draft(first));
    await production.import(given);
    const [gone, kept] = [id(production, done), id(production, left)];
    assert.is(production.changes().length, 2);
    await production.import(json(byHand));
    await production.import(given);
    assert.equal(
      production.changes().map(({ id }) => id),
      [kept],
    );
    assert.ok(production.changes("dismissed").some(({ id, superseded_by }) => id === gone && superseded_by !== null));
    assert.equal((await production.import(given)).changes, []);
    await production.approve([kept]);
    assert.equal((await production.import(given)).changes, []);
    assert.equal(asked(production), []);
  }
});

test("a change whose place follows a scene that is not there says where it will be", async () => {
  const [one, two, three, four, five] = numbered(names(5)) as [string, string, string, string, string];
  const production = await openImports(draft([one, two, three, four, five]));
  const sentences = () => production.changes().map(({ summary }) => summary);
  await production.import(draft([one, two, scene("NEW", "2A"), three, four, five]));
  await production.dismiss();
  await production.import(draft([one, two, scene("NEW", "2A"), five, three, four]));
  assert.equal(sentences(), ["5: moved after 2A (2A is not there: after 2)"]);
  await production.approve();
  assert.equal(
    (await shown(production)).map((scene) => scene.split(" ")[0]),
    ["1", "2", "5", "3", "4"],
  );
  const moved = draft([four, one, two, five, three]);
  await production.import(moved);
  assert.equal(sentences(), ["4: moved to the beginning"]);
  await production.dismiss();
  await production.import(draft([four, scene("HALL", "4A"), one, two, five, three]));
  assert.equal(sentences(), ["4A added after 4: INT. HALL - DAY (4 is not there: to the beginning)"]);
  await production.approve();
  assert.equal((await shown(production))[0], "4A HALL");
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
  const ids = production.changes().map(({ id }) => id);
  for (const again of [{ color: "blue" }, {}]) {
    await production.import(draft(later), again);
    assert.equal(
      production.changes().map(({ id }) => id),
      ids,
      "the same again",
    );
  }
  for (const color of ["pink", "blue"]) {
    await production.import(draft(later), { color });
    const pending = production.changes().filter(({ status }) => status === "pending");
    assert.equal(
      pending.map(({ revision_color }) => revision_color),
      Array(ids.length).fill(color),
    );
  }
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

test("a list that the draft no longer has goes, and lists that no draft had stay", async () => {
  const tagged = (speech: string, ...words: string[]): PaperFile => ({
    name: "draft.fdx",
    text: `<FinalDraft DocumentType="Script" Template="No" Version="6"><Content>
${[...words, "cane"]
  .map(
    (word, at) =>
      `<Paragraph Number="${at + 1}" Type="Scene Heading"><Text>INT. ROOM ${at + 1} - DAY</Text></Paragraph>
<Paragraph Type="Action"><Text>Somebody takes the </Text><Text${word === "" ? "" : ' TagNumber="1"'}>thing</Text></Paragraph>${
        at === 0 ? speech : ""
      }`,
  )
  .join("\n")}
</Content><TagData><TagCategories><TagCategory Id="05c556eb-6bc1-4a3a-b09f-f8b5ba1b6afa" Name="Props" Number="1"/></TagCategories>
<TagDefinitions><TagDefinition CatId="05c556eb-6bc1-4a3a-b09f-f8b5ba1b6afa" Id="00000000-0000-4000-8000-000000000001" Label="Thing" Number="1"/></TagDefinitions>
<Tags><Tag Number="1"><DefId>00000000-0000-4000-8000-000000000001</DefId></Tag></Tags></TagData></FinalDraft>`,
  });
  const speech =
    '<Paragraph Type="Character"><Text>ADA</Text></Paragraph><Paragraph Type="Dialogue"><Text>Mine.</Text></Paragraph>';
  const lists = async (production: Production) =>
    (await production.export()).scenes.map(({ elements: { cast, props, vehicles } }: any) => [cast, props, vehicles]);
  const bare = { ...{ document: "tallylight production", document_version: 1, production: { title: "The Test" } } };
  const production = await openImports({
    ...bare,
    scenes: [1, 2, 3].map((number) => ({
      ...{ number: `${number}`, slugline: `INT. ROOM ${number} - DAY` },
      elements: number === 2 ? { props: ["Rope"], vehicles: ["Cart"] } : {},
    })),
  });
  await production.import(tagged(speech, "thing", ""));
  await production.approve();
  const first = await lists(production);
  assert.equal(first[1], [undefined, ["Rope"], ["Cart"]], "what was typed stays");
  assert.equal(first[0]?.[1], ["Thing"]);
  await production.import(tagged(speech, "", ""));
  assert.equal((await lists(production))[0]?.[1], undefined);
  assert.equal((await lists(production))[1], [undefined, ["Rope"], ["Cart"]]);
  await production.import(tagged("", "", ""));
  await production.approve();
  assert.equal((await lists(production))[0], [undefined, undefined, undefined]);
  assert.equal((await production.import(tagged("", "", ""))).changes, []);
});

test("a pending change whose tags differ in a newer draft is asked again", async () => {
  const fdx = (tag: boolean): PaperFile => ({
    name: "draft.fdx",
    text: writeFdx(
      {
        ...{ title: "", title_page: new Map(), problems: [], warnings: [] },
        scenes: ["Rain on a lamp.", "Rain on a bell."].map((text, at) => ({
          ...{ number: `${at + 1}`, line: 0, slugline: `INT. R${at} - DAY`, synopsis: null, omitted: false },
          ...{ paragraphs: [{ type: "action", text }], characters: [], eighths: null },
          ...{ script_day: null, tags: new Map(), revision: null },
        })),
      },
      {
        tags: [
          { category: "Props", label: "Bell", words: /bell/, scenes: new Set(["2"]) },
          { category: "Props", label: "Lamp", words: /lamp/, scenes: new Set(tag ? ["1"] : []) },
        ],
      },
    ),
  });
  const production = await openImports(draft([`INT. R0 - DAY #1#\n\nSun.`, `INT. R1 - DAY #2#\n\nRain on a bell.`]));
  await production.import(fdx(false));
  await production.import(fdx(true));
  await production.approve();
  assert.equal(
    (await production.export()).scenes.map(({ elements }: any) => elements.props),
    [["Lamp"], ["Bell"]],
  );
  assert.equal((await production.import(fdx(true))).changes, []);
});

test("revised pages that begin with a new scene place it among the known ones", async () => {
  const first = numbered(names(9));
  const production = await openImports(draft(first));
  const pages = draft([scene("NEW", "7A"), scene("NEWER", "7B"), first[7] as string], "pages.fountain");
  await production.import(pages, { pages: true });
  const summaries = () => production.changes().map(({ summary }) => String(summary).split(":")[0]);
  assert.equal(summaries(), ["7A added after 7", "7B added after 7A"]);
  assert.equal(
    production.changes().map(({ fields }) => fields.order),
    [
      { from: null, to: "7" },
      { from: null, to: "7A" },
    ],
  );
  assert.equal((await production.import(pages, { pages: true })).changes, []);
  const alone = draft([scene("EARLY", "A1"), scene("OTHER", "3A"), scene("LATE", "10")], "pages.fountain");
  await production.import(alone, { pages: true });
  assert.equal((await production.import(alone, { pages: true })).changes, []);
  assert.equal(summaries(), [
    ...["7A added after 7", "7B added after 7A", "A1 added first", "3A added after 3", "10 added after 9"],
  ]);
  await production.approve();
  assert.equal(
    (await shown(production)).map((one) => one.split(" ")[0]),
    ["A1", "1", "2", "3", "3A", "4", "5", "6", "7", "7A", "7B", "8", "9", "10"],
  );
  assert.equal((await production.import(alone, { pages: true })).changes, []);
  assert.equal((await production.import(pages, { pages: true })).changes, []);
});

test("an addition that waited when the version changed is not asked again by the same draft", async () => {
  const first = numbered(names(4));
  const later = draft([
    scene("NEW", "A1"),
    ...first.slice(0, 2),
    scene("NEWER", "2A"),
    scene("LAST", "2B"),
    ...first.slice(2),
  ]);
  const production = await openImports(draft(first));
  await production.import(later);
  const { database } = production.store;
  const waiting = production.changes();
  const migration = migrations().find(({ name }) => name.includes("script_added_places"));
  database.exec("UPDATE script_changes SET fields = json_remove(fields, '$.order')"); // as the former version stored it
  database.exec(String(migration?.text));
  assert.equal(production.changes(), waiting);
  assert.equal((await production.import(later)).changes, []);
  assert.equal(production.changes(), waiting);
});

test("scenes 1A and 1a of a production without a draft are those of the script", async () => {
  const first = draft(["1", "1A", "1a", "A1"].map((number) => `INT. HOUSE - DAY #${number}#`));
  const whole = await (await openImports(first)).export();
  const production = await openImports(whole);
  assert.equal((await production.import(first)).changes, []);
  assert.equal((await production.import(first)).changes, []);
});

test("an omitted card that stands elsewhere, beside a scene that moves, plans nothing again", async () => {
  const scenes = numbered(names(9));
  const at = (...numbers: number[]) => numbers.map((number) => scenes[number - 1] as string);
  const production = await openImports(draft(scenes));
  const later = draft([...at(1, 2, 3, 6), ".OMITTED #5#", ...at(4, 7, 8, 9)]);
  await production.import(later);
  assert.equal(asked(production), ["changed 6: order", "omitted 5: omitted"]);
  assert.equal((await production.import(later)).changes, []);
  await production.approve([id(production, "5")]);
  assert.equal((await production.import(later)).changes, [], "after the omission was approved");
  await production.approve();
  assert.equal((await production.import(later)).changes, [], "after everything was approved");
  assert.equal(
    (await shown(production)).filter((one) => !one.startsWith("(")),
    [1, 2, 3, 6, 4, 7, 8, 9].map((number) => `${number} ROOM${number}`),
  );
});

test("a place that is dismissed is not asked again because the scene before it waits for its own", async () => {
  const scenes = numbered(names(9));
  const at = (...numbers: number[]) => numbers.map((number) => scenes[number - 1] as string);
  for (const first of ["3", "7"]) {
    const production = await openImports(draft(scenes));
    const later = draft(at(1, 2, 7, 4, 5, 6, 3, 8, 9));
    await production.import(later);
    assert.equal(asked(production), ["changed 7: order", "changed 3: order"]);
    await production.dismiss([id(production, first)]);
    assert.equal((await production.import(later)).changes, [], `${first} is dismissed`);
    await production.approve();
    assert.equal((await production.import(later)).changes, [], "the other one is approved");
  }
});

test("the same draft plans nothing after any dismissed moves, and each move is asked once", async () => {
  const list = "1 2 3 3A 4 5 6";
  const exchanged: readonly (readonly string[])[] = [
    ["6 1 2 3 4 5 3A", "6 1 5 3 4 2 3A"],
    ["1 6 2 3A 3 4 5", "1 6 5 3A 3 4 2"],
    ["3A 1 2 3 4 6 5", "3A 1 6 3 4 2 5"],
    ["5 2 3 1 6 3A 4", "5 6 3 1 3A 2 4", "5 6 1 3A 2 4 3"],
    ["6 5 4 3 2 3A 1", "1 2 3A 3 4 5 6", "4 3A 6 5 3 2 1"],
  ];
  const of = (numbers: string) => draft(numbers.split(" ").map((number) => scene(`ROOM${number}`, number)));
  for (const drafts of exchanged) {
    const production = await openImports(of(list));
    for (const numbers of drafts) {
      await production.import(of(numbers));
      for (const { id, summary } of production.changes()) {
        const pending = production.changes();
        assert.equal((await production.import(of(numbers))).changes, [], `${numbers}, before ${summary}`);
        assert.equal(production.changes(), pending);
        await production.dismiss([id]);
      }
      assert.equal((await production.import(of(numbers))).changes, [], `${numbers}, all dismissed`);
      assert.equal(production.changes(), []);
    }
    await production.import(of(list));
    assert.equal(production.changes(), [], "the first draft again is as the production has it");
  }
});

test("what is asked stays the same question whatever is decided beside it", async () => {
  const of = (numbers: string) =>
    draft(numbers.split(" ").map((one) => (/^o/.test(one) ? `.OMITTED #${one.slice(1)}#` : scene(`ROOM${one}`, one))));
  const production = await openImports(of("1 2 3 4 5 6"));
  const find = (summary: RegExp) => [production.changes().find((one) => summary.test(one.summary))?.id as number];
  for (const numbers of ["1 2 o3 3A 4 5 6", "4 6 o3 3A 3B 1 5 2", "4 1 o3 3A 3B 6 5 2"])
    await production.import(of(numbers));
  await production.dismiss(find(/^4: moved to the beginning/));
  await production.import(of("4 o1 o3 3A 3B 6 5 2"));
  const last = of("4 o1 o3 3A 3B 6 5 2 2A");
  await production.import(last);
  for (const [decision, summary] of [
    ["dismiss", /^1: omitted/],
    ["approve", /^3B added/],
  ] as const) {
    await production[decision](find(summary));
    const pending = production.changes();
    assert.equal((await production.import(last)).changes, []);
    assert.equal(production.changes(), pending);
  }
});

test("the place of a scene that comes back is not asked after it was dismissed", async () => {
  const of = (numbers: string) =>
    draft(numbers.split(" ").map((one) => (/^o/.test(one) ? `.OMITTED #${one.slice(1)}#` : scene(`ROOM${one}`, one))));
  const production = await openImports(of("1 2 3 4"));
  for (const numbers of ["2 3 4 1", "o2 3 4 1"]) {
    await production.import(of(numbers));
    await production.approve();
  }
  await production.import(of("o2 1 4 3"));
  const last = of("3 1 4 2");
  await production.import(last);
  const back = production.changes().find(({ summary }) => /^2: in the script again/.test(summary));
  await production.dismiss([back?.id as number]);
  const pending = production.changes();
  assert.ok(pending.length > 0);
  assert.equal((await production.import(last)).changes, []);
  assert.equal(production.changes(), pending);
});

test("an undo of before the places were stored gives a text back that a draft removed", async () => {
  const production = await openImports(draft(numbered(names(3))));
  const longer = draft([...numbered(names(3)), scene("CELLAR", "4")]);
  await production.import(longer);
  await production.dismiss();
  await production.import(draft(numbered(names(3))));
  const { store, blobs } = production;
  const [{ id, inverse }] = production.rows("SELECT id, inverse FROM change_sets ORDER BY id DESC LIMIT 1");
  assert.match(inverse, /"stands":/);
  const older = inverse.replace(/"stands":[01],/g, "");
  store.database.prepare("UPDATE change_sets SET inverse = ? WHERE id = ?").run(older, id);
  await undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, async (work) => store.writeSync(work));
  assert.equal((await production.import(longer)).changes, []);
});

test("a draft whose stored text somebody removed since is undone with a sentence that names no unknown number", async () => {
  const production = await openImports(draft(numbered(names(6))));
  const later = draft([...numbered(names(6)), scene("CELLAR", "7")]);
  await production.import(later);
  await production.dismiss();
  const [dismissal] = production.rows("SELECT max(id) AS id FROM change_sets");
  await production.import(draft(numbered(names(6))));
  const { store, blobs } = production;
  const undone = { id: dismissal.id, dry_run: false };
  const error = await undoChangeSet(localAdmin(store, now), blobs, undone, async (work) => store.writeSync(work)).catch(
    (error) => error,
  );
  assert.match(error.message, /^the stored text of a scene was removed since by change set \d+ of /);
});

const [cellar, attic] = [scene("CELLAR", "2A"), scene("ATTIC", "1A")];
const three = numbered(names(3));
const [one = "", two = "", other = ""] = three;
const pagesOfRevisions: Record<
  string,
  { whole?: string[]; dismisses?: true; pages: string[]; asked: string[]; stand: string[] }
> = {
  "new scenes alone, in another order than their numbers": {
    ...{ pages: [cellar, attic], asked: ["2A added after 2", "1A added after 2A"] },
    stand: ["1", "2", "2A", "1A", "3"],
  },
  "a new scene after an omitted card": {
    ...{ whole: [one, ".OMITTED #2#", other], pages: [".OMITTED #2#", scene("CELLAR", "1C")] },
    ...{ asked: ["2", "1C added after 2"], stand: ["1", "1C", "3"] },
  },
  "a scene that is moved on after the dismissal of a move": {
    ...{ whole: [two, one, other], dismisses: true, pages: [one, other, two], asked: ["3"], stand: ["1", "3", "2"] },
  },
};
for (const [name, { whole, dismisses, pages: scenes, asked: questions, stand }] of Object.entries(pagesOfRevisions))
  test(`revised pages plan nothing again after any decision: ${name}`, async () => {
    const pages = draft(scenes, "pages.fountain");
    for (const decisions of [["approve"], ["dismiss"], ["approve", "dismiss"], ["dismiss", "approve"]] as const) {
      const production = await openImports(draft(three));
      if (whole !== undefined) await production.import(draft(whole));
      if (dismisses) await production.dismiss();
      await production.import(pages, { pages: true });
      const summaries = production.changes().map(({ summary }) => String(summary).split(":")[0]);
      assert.equal(summaries, questions);
      for (const [at, { id }] of production.changes().entries()) {
        assert.equal((await production.import(pages, { pages: true })).changes, []);
        await production[decisions[at % decisions.length] as "approve"]([id]);
      }
      assert.equal((await production.import(pages, { pages: true })).changes, []);
      if (decisions.join() !== "approve") continue;
      const live = (await production.export()).scenes.filter(({ status }: any) => status !== "omitted");
      assert.equal(
        live.map(({ number }: any) => number),
        stand,
      );
    }
  });

test.run();
