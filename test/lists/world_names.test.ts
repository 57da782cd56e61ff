// Names of the world in lists: what a reference means, what is another thing, and which slugs names give.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slugOf } from "../../src/features/names/names.ts";
import { documentOf, names, problemsOf, warningsOf } from "../support/lists.ts";

const assets = [
  { label: "करण", kind: "character" },
  { label: "パパ", kind: "character" },
  { label: "БОЙ", kind: "character" },
  { label: "Zoé", kind: "character", performer: "Anaïs Ek" },
  { label: "Åsa", kind: "character", performer: "Bo Ek", cast_number: "4" },
  { label: "Asá", kind: "character", performer: "Bo Ek" },
  { label: "Café sign", kind: "prop" },
];
const known = names({
  scenes: ["1", "2"],
  assets,
  people: [
    { name: "Sean O'Brien", role: "Grip" },
    { name: "Işıl Demir", role: "Loader" },
  ],
  vendors: [{ name: "Café Noir" }],
});
const calls = (...lines: string[]) => {
  const text = `Day,Date,Scenes,Calls\n1,2026-12-01,1,"${lines.join("\n")}"\n`;
  return { who: () => documentOf("schedule", text, { known }).schedule?.[0]?.calls?.map(({ who }) => who), text };
};

const references = suite("a name in a call");

references("names nobody where a mark or a letter is another", () => {
  const { who, text } = calls("07:00 किरण", "08:00 ハハ", "09:00 БОИ");
  assert.equal(who(), ["किरण", "ハハ", "БОИ"]);
  assert.equal(warningsOf("schedule", text, { known }), []);
});

references("names who is called so in another form, and a character by the performer", () => {
  const { who } = calls("07:00 SEAN O’BRIEN", "08:00 anaïs  ek", "09:00 ZOE\u0301", "10:00 IŞIL DEMİR");
  assert.equal(who(), ["Sean O'Brien", "Zoé", "Zoé", "Işıl Demir"]);
});

references("names the only one that differs in accents alone, which is said", () => {
  const { who, text } = calls("07:00 Zoe", "08:00 Anais Ek");
  assert.equal(who(), ["Zoé", "Zoé"]);
  assert.equal(warningsOf("schedule", text, { known }), [
    'line 2, column Calls: "Zoe" was read as "Zoé"',
    'line 2, column Calls: "Anais Ek" was read as "Zoé"',
    'line 2: "Zoé" is called twice on day 1: 07:00 on line 2 and 08:00 here; both are kept, and a list of the cast shows the first',
  ]);
});

references("is a question where several differ in accents alone, or a performer has two parts", () => {
  const refused = (line: string) => problemsOf("schedule", calls(line).text, { known });
  assert.equal(refused("07:00 Asa"), ['line 2, column Calls: "Asa" may be "Åsa" or "Asá"; write one of them']);
  assert.equal(refused("07:00 Bo Ek"), ['line 2, column Calls: "Bo Ek" may be "Åsa" or "Asá"; write one of them']);
});

references.run();

const things = suite("a name in a list");

things("of a breakdown is that of the only asset of its kind that differs in accents, which is said", () => {
  const text = "Scene,Category,Element\n1,Props,Cafe sign\n2,Props,CAFÉ SIGN\n";
  const { scenes = [], assets: added } = documentOf("breakdown", text, { known });
  assert.equal([scenes.map((scene) => scene.assets), added], [[["Café sign"], ["Café sign"]], undefined]);
  assert.equal(warningsOf("breakdown", text, { known }), ['line 2: "Cafe sign" was read as "Café sign"']);
  const several = "Scene,Category,Element\n1,Cast,Asa\n";
  assert.equal(problemsOf("breakdown", several, { known }), ['line 2: "Asa" may be "Åsa" or "Asá"; write one of them']);
});

things("of people or things is another one if accents differ, with a warning", () => {
  const people = "Name,Role\nSean O’Brien,Grip\nIsil Demir,Runner\n";
  assert.equal(
    documentOf("people", people, { known }).people?.map(({ name }) => name),
    ["Sean O'Brien", "Isil Demir"],
  );
  assert.equal(warningsOf("people", people, { known }), [
    'line 3: "Isil Demir" is new; the production has "Işıl Demir"',
  ]);
  const warned = (kind: "assets" | "vendors" | "cast", text: string) => warningsOf(kind, text, { known });
  assert.equal(warned("assets", "Asset,Kind\nCafe sign,prop\n"), [
    'line 2: "Cafe sign" is new; the production has "Café sign"',
  ]);
  assert.equal(warned("vendors", "Vendor\nCafe Noir\n"), [
    'line 2: "Cafe Noir" is new; the production has "Café Noir"',
  ]);
  assert.equal(warned("cast", "Character,Actor\nZoe,Cy\n"), ['line 2: "Zoe" is new; the production has "Zoé"']);
});

things("that is new is one, with a warning where it may name several", () => {
  const lists = {
    assets: "Asset,Kind\nRope; Lamp,prop\n",
    cast: 'Character\n"Rope\nLamp"\n',
    people: "Name,Role\nRope; Lamp,Grip\n",
    vendors: 'Vendor\n"Rope\nLamp"\n',
    departments: "Department,Slug\nRope; Lamp,rope\n",
  } as const;
  // The keys of the literal above.
  for (const kind of Object.keys(lists) as (keyof typeof lists)[]) {
    const given = warningsOf(kind, lists[kind], { known });
    assert.equal(given.length, 1, kind);
    assert.match(given[0] as string, /^line [23]: "Rope[; \s]+Lamp" is read as one name; if it names several/, kind);
  }
  const stored = { known: names({ assets: [{ label: "Rope; Lamp", kind: "prop" }] }) };
  assert.equal(warningsOf("assets", "Asset,Kind\nRope; Lamp,prop\n", stored), []);
});

things.run();

const slugs = suite("the slug of a name");

slugs("can be read where its letters are Latin, and is asked for otherwise", () => {
  assert.equal(
    ["Søren", "Łódź", "Ærø", "Straße", "Þór & Đorđe", "Régie"].map((name) => slugOf(name, "-")),
    ["soren", "lodz", "aero", "strasse", "thor-dorde", "regie"],
  );
  assert.equal(
    ["美术部", "Свет", "美术部 A", "Design 設計"].map((name) => slugOf(name, "-")),
    ["", "", "", "design"],
  );
  const [problem = ""] = problemsOf("departments", "Department\n美术部\n", { known });
  assert.match(problem, /no Latin letters or digits for a slug; add a column Slug$/);
  const { departments } = documentOf("departments", "Slug,Department\nart,美术部\n", { known });
  assert.equal(departments, [{ slug: "art", name: "美术部" }]);
});

slugs("is that of the department whose name stands as a heading, in any script", () => {
  const departments = [
    { slug: "art", name: "美术部" },
    { slug: "camera", name: "Камера" },
    { slug: "sound", name: "الصوت" },
    { slug: "hair", name: "Μακιγιάζ" },
  ];
  const production = { known: names({ departments }) };
  const crew =
    "Name,Role\n美术部,\nLi Na,Painter\nКАМЕРА,\nOlga,Operator\nالصوت,\nSami,Mixer\nΜΑΚΙΓΙΑΖ,\nEleni,Artist\n";
  assert.equal(
    documentOf("people", crew, production).people?.map(({ department }) => department),
    ["art", "camera", "sound", "hair"],
  );
  assert.equal(warningsOf("people", crew, production), []);
  assert.equal(warningsOf("people", "Name,Role\n美术部,\nLi Na,Painter\n", { known }), [
    'line 2: "美术部" is alone in its row and was read as a heading; the people below it have no department until a list of departments with a column Slug has it',
  ]);
  // Where a heading in Latin letters is new, the department is.
  assert.equal(documentOf("people", "Name,Role\nŁÓDŹ UNIT,\nLi Na,Painter\n", { known }).departments, [
    { slug: "lodz-unit", name: "ŁÓDŹ UNIT" },
  ]);
});

slugs.run();
