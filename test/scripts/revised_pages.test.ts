// Revised pages: where new scenes go, and that the same pages plan nothing again.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports } from "../support/import.ts";
import { draft, names, numbered, scene, shown } from "../support/numbered_scenes.ts";

const test = suite("revised pages");

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

const [cellar, attic] = [scene("CELLAR", "2A"), scene("ATTIC", "1A")];
const three = numbered(names(3));
const [one = "", two = "", other = ""] = three;
const pagesOfRevisions: Record<
  string,
  { whole?: string[]; dismisses?: true; pages: string[]; asked: string[]; stand: string[] }
> = {
  "new scenes alone, in another order than their numbers": {
    pages: [cellar, attic],
    asked: ["2A added after 2", "1A added after 2A"],
    stand: ["1", "2", "2A", "1A", "3"],
  },
  "a new scene after an omitted card": {
    whole: [one, ".OMITTED #2#", other],
    pages: [".OMITTED #2#", scene("CELLAR", "1C")],
    asked: ["2", "1C added after 2"],
    stand: ["1", "1C", "3"],
  },
  "a scene that is moved on after the dismissal of a move": {
    whole: [two, one, other],
    dismisses: true,
    pages: [one, other, two],
    asked: ["2"],
    stand: ["1", "3", "2"],
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
