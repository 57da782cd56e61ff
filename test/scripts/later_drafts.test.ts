// What a later draft brings to the scenes of a production: page counts, casts, lists, colours and tags.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { writeFdx } from "../support/fdx_writer.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";
import { draft, json, names, numbered, type Production, scene, textOf } from "../support/numbered_scenes.ts";

const test = suite("what later drafts change");

test("an estimate never replaces a known page count, also of a scene that comes back", async () => {
  const first = numbered(names(3));
  const production = await openImports(draft(first));
  const lengths = async () =>
    (await production.export()).scenes.map(({ elements }: any) => [elements.pages, elements.pages_estimated]);
  const estimates = await lengths();
  assert.equal(new Set(estimates.map(([, estimated]: unknown[]) => estimated)), new Set([true]));
  const asEstimated = estimates[2]?.[0];
  const text = `Scene,Pages\n1,2 3/8\n2,1 1/8\n3,${asEstimated}\nEnd of Day 1 - 2026-05-05`;
  const schedule = { name: "a.csv", text };
  await production.import({ name: "a.csv", text: text.replace("3,", "3,~") }, { as: "schedule" });
  assert.equal((await lengths())[2], estimates[2], "what an export wrote of an estimate is one");
  await production.import(schedule, { as: "schedule" });
  const known = [
    ["2 3/8", undefined],
    ["1 1/8", undefined],
    [asEstimated, undefined],
  ];
  assert.equal(await lengths(), known);
  const longer = `${first[0]} ${textOf("MORE")}`;
  for (const scenes of [
    [longer, ...first.slice(1)],
    [longer, first[2] as string],
    [longer, ...first.slice(1)],
  ]) {
    await production.import(draft(scenes));
    assert.not(
      production.changes().some(({ fields }) => "pages" in fields),
      "says a length that stays",
    );
    await production.approve();
    assert.equal(await lengths(), known);
    assert.equal((await production.import(draft(scenes))).changes, []);
  }
  assert.equal((await production.import(schedule, { as: "schedule" })).changes, []);
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

test("a scene that comes back without speakers has no cast, and keeps what a person put on it", async () => {
  const first = [scene("A", "1"), `${scene("B", "2")}\n\nBEN\nHello there.`, scene("C", "3")];
  const production = await openImports(draft(first));
  await production.import(json({ scenes: [{ number: "2", elements: { props: ["Lamp"] } }] }));
  await production.import(draft([first[0], first[2]] as string[]));
  await production.approve();
  await production.import(draft([scene("A", "1"), scene("B", "2"), scene("C", "3")]));
  await production.approve();
  const { status, elements } = (await production.export()).scenes[1];
  assert.equal([status, elements.cast, elements.props, elements.set], ["planned", undefined, ["Lamp"], "B"]);
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
  for (const again of [{ color: "blue" }, { color: "Blue pages" }, {}]) {
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
  const bare = { document: "tallylight production", document_version: 1, production: { title: "The Test" } };
  const production = await openImports({
    ...bare,
    scenes: [1, 2, 3].map((number) => ({
      number: `${number}`,
      slugline: `INT. ROOM ${number} - DAY`,
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
        title: "",
        title_page: new Map(),
        color: null,
        problems: [],
        warnings: [],
        counts: {},
        scenes: ["Rain on a lamp.", "Rain on a bell."].map((text, at) => ({
          number: `${at + 1}`,
          line: 0,
          slugline: `INT. R${at} - DAY`,
          synopsis: null,
          omitted: false,
          paragraphs: [{ type: "action", text }],
          characters: [],
          eighths: null,
          script_day: null,
          tags: new Map(),
          revision: null,
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

test("a draft has the colour of its title page, or of the revision set in which Final Draft wrote it, if the import gives none", async () => {
  const hall = (text: string) => `INT. HALL - DAY #1#\n\n${text}`;
  const titled = (page: string, text: string) => ({
    name: "a.fountain",
    text: `Title: The Test\n${page}\n\n${hall(text)}`,
  });
  for (const [page, color] of [
    ["Revision: Blue Rev. (03/30/26)", "blue"],
    ["Draft: 2nd Pink Draft", "2nd pink"],
    ["Draft date: Goldenrod, 30 March 2026", "goldenrod"],
    ["Revision: Production Draft\nDraft date: 2026-03-30", "white"],
    ["Draft: Tan's version", "white"],
  ] as const) {
    const production = await openImports(script([hall("Rain.")]));
    await production.import(titled(page, "Hail."));
    const [change] = production.changes();
    assert.equal([change?.draft?.color, change?.revision_color], [color, color], page);
    await production.approve();
    assert.is((await production.export()).scenes[0].revision_color, color);
  }
  const given = await openImports(script([hall("Rain.")]));
  await given.import(titled("Revision: Blue", "Hail."), { color: "cherry" });
  assert.equal([given.changes()[0]?.draft?.color, given.changes()[0]?.revision_color], ["cherry", "cherry"]);
  for (const [mode, color] of [
    ["Yes", "pink"],
    ["No", "white"],
  ]) {
    const sets = '<Revision ID="1" Name="Blue Rev."/><Revision ID="2" Name="Pink Rev. (05/05/26)"/>';
    const content =
      '<Paragraph Number="1" Type="Scene Heading"><Text>INT. HALL - DAY</Text></Paragraph><Paragraph Type="Action"><Text>Hail.</Text></Paragraph>';
    const production = await openImports(script([hall("Rain.")]));
    const text = `<FinalDraft Version="6"><Content>${content}</Content><Revisions ActiveSet="2" RevisionMode="${mode}">${sets}</Revisions></FinalDraft>`;
    await production.import({ name: "a.fdx", text });
    const [change] = production.changes();
    assert.equal([change?.draft?.color, change?.revision_color], [color, color], mode);
  }
});

test.run();
