// Lists and schedules as updates of a production, and problems by line.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listOfProduction } from "../../src/features/lists/exporters.ts";
import { knownKinds } from "../../src/features/lists/lists.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";
import { exportKinds } from "../support/list_kinds.ts";
import { fixture } from "../support/lists.ts";
import { silverButton } from "../support/update.ts";

const test = suite("lists and schedules");

const csv = (text: string, name = "list.csv"): PaperFile => ({ name, text });
const paper = (name: string): PaperFile => ({ name, text: fixture(`paperwork/${name}`) });

test("a crew list adds the people who are new", async () => {
  const production = await openImports(silverButton);
  const { changes, warnings } = await production.import(paper("crew-list.csv"), { as: "people" });
  assert.equal(
    changes.filter(({ action }) => action === "add").map(({ key }) => key),
    ["Ailsa Ferrier", "Tam Rossiter"],
  );
  assert.ok(warnings.some((warning) => warning.startsWith("crew-list.csv, line 10: nobody is named")));
  assert.equal((await production.import(paper("crew-list.csv"), { as: "people" })).changes, []);
});

test("a one-liner sets days, and what the elements have beside keeps", async () => {
  const production = await openImports(silverButton);
  const before = (await production.export()).scenes;
  await production.import(paper("one-liner.csv"), { as: "schedule" });
  const { scenes, schedule } = await production.export();
  for (const [at, scene] of scenes.entries()) assert.is(scene.elements?.set, before[at].elements?.set, scene.number);
  assert.ok(schedule.length >= 30);
  assert.equal((await production.import(paper("one-liner.csv"), { as: "schedule" })).changes, []);
});

test("the other lists are read as what --as says", async () => {
  const production = await openImports(silverButton);
  await production.import(paper("purchase-orders.csv"), { as: "purchase-orders" });
  await production.import(paper("cost-report.csv"), { as: "cost-report", week: "2026-11-23" });
  const { purchase_orders, cost_reports, vendors } = await production.export();
  assert.is(purchase_orders.filter(({ number }: any) => /^TSB-/.test(number ?? "")).length, 4);
  assert.equal(
    cost_reports.filter(({ active }: any) => active).map(({ week_of }: any) => week_of),
    ["2026-11-23"],
  );
  assert.ok(vendors.includes("Torosay Chandlers"));
  assert.equal(knownKinds.length, 12);
});

test("a list without --as is read as what its headings say, which is said, and refused where they say two things", async () => {
  const production = await openImports(silverButton);
  const plan = await production.import(csv("Name,Role\nA B,Grip\n"));
  assert.equal(
    plan.changes.map(({ section, key }: any) => [section, key]),
    [["people", "A B"]],
  );
  assert.ok(plan.warnings.includes("list.csv: by its headings, it was read as a list: people"), plan.warnings.join());
  assert.equal(await production.problems(csv("Name,Kind,Status\nA,B,open\n")), [
    `list.csv: --as must say what the file is: ${knownKinds.join(", ")}; its headings may be those of deliveries or assets`,
  ]);
  assert.equal(await production.problems(csv("Foo,Bar\nA,B\n")), [
    `list.csv: --as must say what the file is: ${knownKinds.join(", ")}`,
  ]);
});

test("all problems of all files come at once, by file, line and column", async () => {
  const production = await openImports(silverButton);
  const draft = script(["INT. A #1#\n\nx", "INT. B #1#\n\ny"], "pink.fountain");
  const oneliner = csv("Scene,Pages,Day\n1,1 9/8,1\n15X,1,1\n", "oneliner.csv");
  const problems = await production.problems([draft, oneliner], { as: "schedule" });
  assert.match(problems[0] as string, /^pink\.fountain, line \d+: scene number 1 appears twice, first on line \d+$/);
  assert.is(problems[1], 'oneliner.csv, line 2, column Pages: "1 9/8" is not a number of eighths');
  assert.match(problems[2] as string, /^oneliner\.csv, line 3: scene 15X is not in the script; nearest/);
});

test("a spreadsheet is refused with how to save it", async () => {
  const production = await openImports(silverButton);
  const [problem] = await production.problems(
    { name: "crew.xlsx", text: Buffer.from("504b030414000600", "hex") },
    { as: "people" },
  );
  assert.match(problem as string, /^crew\.xlsx: .*save it as CSV/);
});

test("a date that could be two is asked for, and --dates answers", async () => {
  const production = await openImports(silverButton);
  const list = csv("Scene,Day,Date\n1,41,03/04/27\n");
  assert.match((await production.problems(list, { as: "schedule" }))[0] as string, /could be two dates; add --dates/);
  const { changes } = await production.import(list, { as: "schedule", dates: "dmy" });
  assert.is(changes.find(({ key }) => key === "41")?.fields.date?.to, "2027-04-03");
});

test("a map is kept under its name, and used by it", async () => {
  const production = await openImports(silverButton);
  const list = csv("Who,Job\nIsla Rae,Runner\n");
  await production.import(list, { as: "people", map: ["Who=name", "Job=role", "crew"] });
  const again = await production.import(csv("Who,Job\nIan Rae,Runner\n"), { as: "people", map: ["crew"] });
  assert.equal(
    again.changes.map(({ key }) => key),
    ["Ian Rae"],
  );
  assert.match(
    (await production.problems(list, { as: "people", map: ["crw"] }))[0] as string,
    /there is no map crw; .*crew/,
  );
});

test("a script and a schedule of its scenes are one import", async () => {
  const production = await openImports({
    document: "tallylight production",
    document_version: 1,
    production: { title: "Empty" },
  });
  const draft = script(["INT. KITCHEN - DAY #7#\n\nTea."]);
  await production.import([csv("Scene,Day,Date\n7,1,2027-05-04\n"), draft], { as: "schedule" });
  const { scenes, schedule } = await production.export();
  assert.equal([scenes[0].number, schedule[0].scenes], ["7", ["7"]]);
});

test("--map gives a category of tags its department", async () => {
  const production = await openImports({
    document: "tallylight production",
    document_version: 1,
    production: { title: "Empty" },
    departments: [{ slug: "property", name: "Property" }],
  });
  const fdx = { name: "a.fdx", text: fixture("paperwork/the-silver-button.fdx") };
  assert.match(
    (await production.problems(fdx, { map: ["Props=prop"] }))[0] as string,
    /to the department prop, which does not exist/,
  );
  await production.import(fdx, { map: ["Props=property"] });
  const { assets } = await production.export();
  assert.ok(
    assets.filter(({ kind }: any) => kind === "prop").every(({ department }: any) => department === "property"),
  );
});

for (const kind of exportKinds)
  test(`an exported list of ${kind} changes nothing when it is imported`, async () => {
    const production = await openImports(silverButton);
    const text = listOfProduction(production.store, production.production_id, kind);
    assert.ok(text.split("\n").length > 5);
    const { changes } = await production.import(csv(text), { as: kind });
    assert.equal(changes, []);
  });

const small = {
  document: "tallylight production",
  document_version: 1,
  production: { title: "Small" },
  departments: [{ slug: "art", name: "Art" }],
  people: [{ name: "Ada Lune", role: "Buyer" }],
  vendors: ["Looms"],
  assets: [
    { label: "French coat", kind: "costume" },
    { label: "Gun", kind: "prop" },
  ],
  deliveries: [{ title: "Reel 1", kind: "internal" }],
};
const json = (document: object): PaperFile => ({ name: "a.json", text: JSON.stringify(document) });
const order = (vendor: string, number: string) =>
  csv(
    `PO,Vendor,Description,Account,Amount,Date,Status\n${number},${vendor},Cloth,2100,10,2026-01-09,open\n`,
    "orders.csv",
  );
const addedIn = ({ changes }: { changes: { action: string; section: string; key: string }[] }) =>
  changes.flatMap(({ action, section, key }) => (action === "add" ? [`${section} ${key}`] : []));

test("a list that names a thing by its former name adds it with a warning that names the thing", async () => {
  const production = await openImports(small);
  await production.import(json({ vendors: [{ name: "Weavers", was: "Looms" }] }));
  await production.import(json({ vendors: [{ name: "Weavers Ltd", was: "Weavers" }] }));
  for (const vendor of ["LOOMS", "Weavers"]) {
    const plan = await production.import(order(vendor, "P1"), { as: "purchase-orders", dry_run: true });
    assert.equal(addedIn(plan), [`vendors ${vendor}`, "purchase_orders P1"]);
    assert.equal(
      plan.warnings.filter((warning) => / had /.test(warning)),
      [`the vendor "${vendor}" is added, although "Weavers Ltd" had that name before it was renamed`],
    );
  }
  const known = await production.import(order("weavers ltd", "P2"), { as: "purchase-orders" });
  assert.equal([addedIn(known), known.warnings], [["purchase_orders P2"], []]);
  await production.import(json({ people: [{ name: "Ada Quint", was: "Ada Lune" }] }));
  const crew = await production.import(csv("Name,Role\nAda Lune,Buyer\nNew One,Grip\n"), { as: "people" });
  assert.equal(
    crew.warnings.filter((warning) => / had /.test(warning)),
    ['the person "Ada Lune" is added, although "Ada Quint" had that name before it was renamed'],
  );
  const again = await production.import(csv("Name,Role\nAda Lune,Buyer\nNew One,Grip\n"), { as: "people" });
  assert.equal([again.changes, again.warnings], [[], []]);
  // Also where another file of the same import renames it.
  const rename = json({ vendors: [{ name: "Threads", was: "Weavers Ltd" }] });
  const both = await production.import([rename, order("Weavers Ltd", "P3")], { as: "purchase-orders" });
  assert.equal(
    both.warnings.filter((warning) => / had /.test(warning)),
    ['the vendor "Weavers Ltd" is added, although "Threads" had that name before it was renamed'],
  );
});

test("a list means a stored asset or delivery in other letters", async () => {
  const production = await openImports(small);
  const assets = (text: string, more = {}) =>
    production.import(csv(`Asset,Status\n${text}`), { as: "assets", ...more });
  assert.equal(addedIn(await assets("FRENCH COAT ,done\n")), []);
  assert.equal((await assets("french coat,done\n")).changes, []);
  assert.equal((await assets("gun,planned\n")).changes, []);
  const [twice] = await production.problems(csv("Asset\nHelm\nHELM\n"), { as: "assets" });
  assert.match(twice as string, /line 3: "HELM" appears twice, first on line 2/);
  const reels = { as: "deliveries" } as const;
  const plan = await production.import(csv("Title,Assets,Status\nREEL 1,FRENCH COAT,ready\n"), reels);
  assert.equal(addedIn(plan), []);
  const [reel] = (await production.export()).deliveries;
  assert.equal([reel.title, reel.assets, reel.status], ["Reel 1", ["French coat"], "ready"]);
});

test("a list gives a delivery another recipient: a department, somebody outside, and the department again", async () => {
  const production = await openImports(script(["INT. ROOM 1 - DAY #1#\n\nSomebody sings."]));
  await production.import({
    name: "a.json",
    text: JSON.stringify({ departments: [{ slug: "costume", name: "Costume" }] }),
  });
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

test.run();
