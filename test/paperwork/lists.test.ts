// Lists and schedules as updates of a production, and problems by line.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listOfProduction } from "../../src/document/listing.ts";
import { exportKinds } from "../../src/formats/csv_out.ts";
import { listKinds } from "../../src/inputs.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";
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
  assert.equal(listKinds.length, 12);
});

test("a list without --as is refused with the kinds that there are", async () => {
  const production = await openImports(silverButton);
  assert.equal(await production.problems(csv("Name,Role\nA,B\n")), [
    `list.csv: --as must say what the file is: ${listKinds.join(", ")}`,
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
    ...{ document: "tallylight production", document_version: 1 },
    production: { title: "Empty" },
  });
  const draft = script(["INT. KITCHEN - DAY #7#\n\nTea."]);
  await production.import([csv("Scene,Day,Date\n7,1,2027-05-04\n"), draft], { as: "schedule" });
  const { scenes, schedule } = await production.export();
  assert.equal([scenes[0].number, schedule[0].scenes], ["7", ["7"]]);
});

test("--map gives a category of tags its department", async () => {
  const production = await openImports({
    ...{ document: "tallylight production", document_version: 1, production: { title: "Empty" } },
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

test.run();
