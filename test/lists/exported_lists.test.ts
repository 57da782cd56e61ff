// Lists of the demos that are written and read again after a rename, an omission and an undo; names of other scripts;
// clashes after a dismissal.
// Thorough: only --all runs it.
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { listOfProduction } from "../../src/features/lists/exporters.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, script } from "../support/import.ts";
import { exportKinds } from "../support/list_kinds.ts";
import { now } from "../support/small_document.ts";

type Production = Awaited<ReturnType<typeof openImports>>;

const update = ({ import: read }: Production, document: object) =>
  read({ name: "update.json", text: JSON.stringify(document) });
const undoLast = async (production: Production) => {
  const [{ id }] = production.rows("SELECT max(id) AS id FROM change_sets");
  await undoChangeSet(localAdmin(production.store, now), production.blobs, { id, dry_run: false }, async (work) =>
    production.store.writeSync(work),
  );
};

/** Every list is read again without a change. */
async function assertUnchanged(production: Production, when: string): Promise<void> {
  for (const kind of exportKinds) {
    const text = listOfProduction(production.store, production.production_id, kind);
    const { changes } = await production
      .import({ name: `${kind}.csv`, text }, { as: kind, dry_run: true })
      .catch((error) => {
        throw new Error(`${when}: ${error.message} ${JSON.stringify(error.problems)}\n${text}`);
      });
    assert.equal(changes, [], `${kind} ${when}`);
  }
}

const test = suite("lists that are written and read again");

for (const file of ["the-silver-button.json", "the-saknussemm-cipher.json"])
  test(`plan nothing after a rename, an omission and an undo: ${file}`, async () => {
    const production = await openImports(fileURLToPath(new URL(`../../fixtures/${file}`, import.meta.url)));
    await assertUnchanged(production, "at first");
    const { assets, people, scenes, schedule } = await production.export();
    const character = assets.find(({ kind }: { kind: string }) => kind === "character");
    const [day] = schedule.filter(({ scenes }: { scenes: string[] }) => scenes.length > 1);
    await update(production, {
      assets: [{ label: `${character.label}, formerly "12. X"`, was: character.label }],
      people: [{ name: "7 Anders; Li", was: people[0].name }],
    });
    await assertUnchanged(production, "after a rename");
    const [scene] = scenes.filter(({ number, episode }: Record<string, string>) =>
      day.scenes.includes(episode === undefined ? number : `${episode}/${number}`),
    );
    const { number, episode } = scene;
    await update(production, { scenes: [{ number, ...(episode && { episode }), status: "omitted" }] });
    await assertUnchanged(production, "after an omission");
    await undoLast(production);
    await undoLast(production);
    await assertUnchanged(production, "after two undos");
    production.store.close();
  });

test("keep names of other scripts, in casts, calls, breakdowns and one-liners", async () => {
  const production = await openImports({
    document: "tallylight production",
    document_version: 1,
    production: { title: "Names" },
    scenes: ["1", "2"].map((number) => ({ number, slugline: `INT. ROOM ${number} - DAY` })),
  });
  await production.import(
    { name: "cast.csv", text: "No.,Character,Actor\n1,葉赫那拉·蘭兒,鞏俐\n2,الدليل سالم,عمر\n" },
    { as: "cast" },
  );
  await production.import(
    { name: "needs.csv", text: "Scene,Category,Element\n1,Props,مصباح\n1,群众演员,十二名水手\n2,Cast,3. 太监\n" },
    { as: "breakdown" },
  );
  await production.import(
    {
      name: "line.csv",
      text: 'Day,Date,Scene,Cast,Location,Calls\n1,2026-05-04,1,"1, 2",بحيرة المنزلة,"06:30 الدليل سالم (مكياج)\n07:00 葉赫那拉·蘭兒"\n',
    },
    { as: "schedule" },
  );
  const { assets, scenes, schedule } = await production.export();
  const numbered = assets.filter(({ kind }: { kind: string }) => kind === "character");
  assert.equal(
    numbered.map(({ label, cast_number }: Record<string, string>) => [label, cast_number]),
    [
      ["葉赫那拉·蘭兒", "1"],
      ["الدليل سالم", "2"],
      ["太监", "3"],
    ],
  );
  assert.equal([...scenes[0].assets].sort(), ["الدليل سالم", "مصباح", "葉赫那拉·蘭兒"].sort());
  assert.equal(scenes[0].elements, { 群众演员: ["十二名水手"] });
  assert.equal(
    [schedule[0].location, schedule[0].calls],
    [
      "بحيرة المنزلة",
      [
        { who: "الدليل سالم", time: "06:30", note: "مكياج" },
        { who: "葉赫那拉·蘭兒", time: "07:00" },
      ],
    ],
  );
  await assertUnchanged(production, "with names of other scripts");
  assert.match(
    (
      await production.problems(
        { name: "crew.csv", text: "Name,Role,Department\n李明,摄影师,摄影\n" },
        { as: "people" },
      )
    )[0] as string,
    /"摄影" cannot be a new department/,
  );
  await production.import({ name: "d.csv", text: "Slug,Department\ncamera,摄影\n" }, { as: "departments" });
  await production.import({ name: "crew.csv", text: "Name,Role,Department\n李明,摄影师,摄影\n" }, { as: "people" });
  assert.is((await production.export()).people[0].department, "camera");
  production.store.close();
});

test("a clash stays while the omission that would end it is dismissed, is said once, and ends with its approval", async () => {
  const drafts = (count: number) =>
    ["1", "2", "3"].slice(0, count).map((n) => `INT. ROOM ${n} - DAY #${n}#\n\nADA\nLine ${n} of the play.`);
  const production = await openImports(script(drafts(3), "white.fountain"));
  const first = "Day,Date,Scene,Call,Wrap,Location\n1,2026-05-04,1,08:00,22:00,Pier\n2,2026-05-05,3,06:00,,Pier\n";
  const clash = "day 2: ADA is called at 06:00, 8 h after the wrap of day 1 at 22:00; the turnaround is 11 h";
  const read = async () => (await production.import({ name: "line.csv", text: first }, { as: "schedule" })).warnings;
  assert.equal(await read(), [clash]);
  assert.equal(await read(), []);
  await production.import(script(drafts(2), "blue.fountain"));
  await production.dismiss();
  assert.equal(await read(), []);
  const earlier = first.replace("06:00", "05:00");
  const { warnings } = await production.import({ name: "line.csv", text: earlier }, { as: "schedule" });
  assert.equal(warnings, [clash.replace("06:00, 8 h", "05:00, 7 h")]);
  await production.import(
    script(
      drafts(3).map((text) => text.replace("Line 3", "A line")),
      "pink.fountain",
    ),
  );
  await production.approve();
  await production.import(script(drafts(2), "yellow.fountain"));
  assert.is((await production.approve()).ids.length, 1);
  const { warnings: after } = await production.import({ name: "line.csv", text: first }, { as: "schedule" });
  assert.equal(after, []);
  production.store.close();
});

test.run();
