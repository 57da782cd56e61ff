// Two forms of one name are one name, at every door: in case, in spaces, and in how an accent is composed.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { castPlace, sameName } from "../../src/core/wording.ts";
import { idOf } from "../../src/features/names/name_lookup.ts";
import { findProduction } from "../../src/graph/find_production.ts";
import { findDecider } from "../../src/graph/people.ts";
import { writeDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const forms = suite("forms of a name");
const document = {
  document: "tallylight production",
  document_version: 1,
  production: { title: "Été à Groß" },
  departments: [{ slug: "camera", name: "Camera" }],
  people: [
    { name: "René Groß", role: "DP" },
    { name: "Ada", role: "Grip" },
  ],
  scenes: [{ number: "12A", slugline: "INT. SHED", assets: ["Zoë Müller"] }],
  assets: [{ label: "Zoë Müller", kind: "character" }],
  vendors: ["Café Noir"],
  deliveries: [{ title: "Reel Ä" }],
  approvals: [{ title: "Look Ö", steps: [{ person: "René Groß" }] }],
  schedule: [{ day_number: 1, date: "2026-02-02", scenes: ["12A"] }],
};
const open = () => openProduction(writeDocument(document as Json));
const formsOf = (name: string): string[] => [
  ...[name.normalize("NFD"), name.toUpperCase(), name.toLowerCase(), ` ${name.replaceAll(" ", "\u00a0 ")} `],
  name.normalize("NFD").toUpperCase().replaceAll(" ", "\t"),
];

forms("are one in documents: they name the stored thing, which keeps its spelling", async () => {
  const production = await open();
  const before = await production.export();
  for (const at of [0, 1, 2, 3, 4]) {
    const form = (name: string) => formsOf(name)[at] as string;
    const same = {
      departments: [{ slug: "camera", name: "Camera" }],
      people: [{ name: form("René Groß"), department: null }],
      assets: [{ label: form("Zoë Müller"), scenes: [form("12A")] }],
      scenes: [{ number: form("12A"), assets: [form("Zoë Müller")] }],
      vendors: [form("Café Noir")],
      deliveries: [{ title: form("Reel Ä") }],
      approvals: [{ title: form("Look Ö"), steps: [{ person: form("René Groß") }] }],
      schedule: [{ day_number: 1, scenes: [form("12A")] }],
    };
    assert.equal((await production.update(same)).changes, [], JSON.stringify(same));
  }
  assert.equal((await production.export()).assets, before.assets);
});

forms("are one in a new document, which cannot have a thing twice", async () => {
  const twice = { ...document, assets: [...document.assets, { label: "ZOË MÜLLER".normalize("NFD"), kind: "prop" }] };
  try {
    await openProduction(writeDocument(twice as Json));
    assert.unreachable();
  } catch (error) {
    assert.match((error as { lines?: string[] }).lines?.join() ?? String(error), /problem|same thing/);
  }
});

forms("change with `was`, and what refers to them follows", async () => {
  const production = await open();
  const rename = {
    assets: [{ label: "ZOË MÜLLER", was: "zoë  müller".normalize("NFD") }],
    scenes: [{ number: "12a", assets: ["Zoë Müller"] }],
  };
  await production.update(rename);
  const { assets, scenes } = await production.export();
  assert.equal([assets[0].label, scenes[0].assets], ["ZOË MÜLLER", ["ZOË MÜLLER"]]);
  assert.equal((await production.update(rename)).changes, []);
});

forms("are refused for another thing, and a script may have scenes 1A and 1a", async () => {
  const production = await open();
  assert.match(
    (await production.problems({ people: [{ name: "ADA", was: "René Groß" }] }))[0] as string,
    /same thing|must be different/,
  );
  const both = { scenes: ["12A", "12a"].map((number) => ({ number, slugline: "INT. SHED" })) };
  await production.update(both);
  assert.equal((await production.update(both)).changes, []);
  assert.is((await production.export()).scenes.length, 2);
});

forms("are one on the command line and in requests", async () => {
  const { store } = await open();
  const caller = { production_id: 1, person_id: null };
  for (const name of formsOf("René Groß")) {
    assert.is(idOf(store, "person", name, 1), idOf(store, "person", "René Groß", 1));
    assert.is(findDecider(store, caller, name)?.name, "René Groß");
  }
  for (const name of formsOf("Zoë Müller"))
    assert.is(idOf(store, "asset", name, 1), idOf(store, "asset", "Zoë Müller"));
  for (const name of formsOf("Reel Ä")) assert.is(idOf(store, "delivery", name, 1), 1);
  for (const title of formsOf("Été à Groß")) assert.is(findProduction(store, title).id, 1);
  for (const vendor of formsOf("Café Noir")) {
    const { id } = store.statement("find_vendor").get({ production_id: 1, name: vendor }) as { id: number };
    assert.is(id, 1);
  }
});

forms("differ where letters differ", () => {
  for (const [one, other] of [
    ["Zoe", "Zoë"],
    ["Ann", "Anna"],
    ["1.9", "19"],
    ["A B", "AB"],
    ["Ø", "O"],
  ] as const)
    assert.is.not(sameName(one), sameName(other));
});

forms("are sorted as a cast list is", () => {
  const cast = [
    ...(["1", "#2", "02A", "2B", "10", "10A", "10b", "7.2", "7.10", "X1"] as const).map(
      (number) => [number, "Z"] as const,
    ),
    ...[
      ["3", "B"],
      ["3", "a"],
      [null, "Bob"],
      [null, "ann"],
    ].map((one) => one as [string | null, string]),
  ];
  const sorted = cast.toSorted(([a, b], [c, d]) => (castPlace(a, b) < castPlace(c, d) ? -1 : 1));
  assert.equal(
    sorted.map(([number, name]) => number ?? name),
    ["1", "#2", "02A", "2B", "3", "3", "7.2", "7.10", "10", "10A", "10b", "X1", "ann", "Bob"],
  );
});

forms.run();
