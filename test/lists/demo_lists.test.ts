// The demo's paperwork, in the form that a production uses.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemText } from "../../src/features/documents/refusals.ts";
import { faultsOf, fixture, readList, silverButton } from "../support/lists.ts";

const paperwork = suite("the paperwork of The Silver Button");
const paper = (name: string): Buffer => fixture(`paperwork/${name}`);

paperwork("has a one-liner with the demo's shoot days", () => {
  const { document, warnings } = readList("schedule", paper("one-liner.csv"));
  assert.equal(warnings.map(problemText), [
    'the columns "I/E", "Set", "D/N" and "Description" were ignored: the script says it; --map takes it from the file',
    "the lengths of 2 scenes were ignored: the file has one length for several scenes, or several lengths for one scene",
    'the 2 rows above the headings were not read: "THE SILVER BUTTON", "One-line schedule, revised 18 November 2026"',
  ]);
  for (const { day_number, date, scenes } of document.schedule ?? []) {
    const day = silverButton.schedule.find((each) => each.day_number === day_number);
    assert.equal({ date, scenes }, { date: day?.date, scenes: day?.scenes });
  }
  assert.is(document.schedule?.length, 5);
});

paperwork("has the script's lengths and casts on the one-liner", () => {
  const { scenes = [] } = readList("schedule", paper("one-liner.csv")).document;
  for (const { number, elements } of scenes) {
    const scene = silverButton.scenes.find((each) => each.number === number);
    assert.equal({ ...scene?.elements, ...elements }, scene?.elements, number);
  }
  assert.is(scenes.length, 9);
});

paperwork("has a crew list with two new people and an open position", () => {
  const { document, warnings } = readList("people", paper("crew-list.csv"));
  const known = new Set(silverButton.people.map(({ name }) => name));
  assert.equal(
    document.people
      ?.filter(({ name }) => !known.has(name as string))
      .map(({ name, role, department }) => [name, role, department]),
    [
      ["Ailsa Ferrier", "Standby Props", "props"],
      ["Tam Rossiter", "Boat Handler", "marine"],
    ],
  );
  assert.equal(warnings.map(problemText), [
    'the columns "Phone" and "E-mail" were ignored: contact details are not stored',
    'line 10: nobody is named as "Boat Handler"; the row was ignored',
  ]);
});

paperwork("has a cost report for the next week", () => {
  const { document, warnings } = readList("cost-report", paper("cost-report.csv"), { week: "2026-11-23" });
  assert.equal(warnings, [
    { sentence: 'the row above the headings was not read: "The Silver Button - weekly cost report"' },
    { line: 9, sentence: '"Total marine" is a total and was skipped' },
  ]);
  assert.equal(
    document.cost_reports?.map(({ week_of, active, lines }) => [week_of, active, lines?.length]),
    [
      ["2026-11-16", false, undefined],
      ["2026-11-23", true, 6],
    ],
  );
});

paperwork("has purchase orders, one of them from a new vendor", () => {
  const { document, warnings } = readList("purchase-orders", paper("purchase-orders.csv"));
  assert.equal(warnings, []);
  assert.equal(
    document.purchase_orders?.map(({ number, amount, status }) => [number, amount, status]),
    [
      ["TSB-0231", 6400, "open"],
      ["TSB-0232", 2235, "partial"],
      ["TSB-0233", -450, "closed"],
      ["TSB-0234", 318.75, "open"],
    ],
  );
  assert.equal(
    document.vendors?.filter((vendor) => !silverButton.vendors.includes(vendor)),
    ["Torosay Chandlers"],
  );
});

paperwork("gives partial documents that are valid by the schema of whole ones", () => {
  const files = {
    schedule: "one-liner",
    people: "crew-list",
    "cost-report": "cost-report",
    "purchase-orders": "purchase-orders",
  } as const;
  for (const [kind, name] of Object.entries(files) as [keyof typeof files, string][])
    assert.equal(faultsOf(readList(kind, paper(`${name}.csv`), { week: "2026-11-23" }).document), [], kind);
});

paperwork.run();
