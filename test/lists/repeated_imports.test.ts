// Casts, breakdowns and one-liners that are imported again: the same list, the next one, after a rename, and after an
// undo.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dayOutOfDaysText } from "../../src/features/cast/day_out_of_days.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports } from "../support/import.ts";
import { now } from "../support/small_document.ts";

const scenes = ["1", "2", "3"].map((number) => ({ number, slugline: `INT. ROOM ${number} - DAY` }));
const production = await openImports({
  document: "tallylight production",
  document_version: 1,
  production: { title: "Once more" },
  scenes,
  people: [{ name: "Ann", role: "DoP" }],
  assets: ["Mara", "Tom"].map((label, at) => ({ label, kind: "character", cast_number: `${at + 1}` })),
});
const read = (as: "cast" | "breakdown" | "schedule", text: string) =>
  production.import({ name: `${as}.csv`, text }, { as });
const update = (document: object) => production.import({ name: "a.json", text: JSON.stringify(document) });
const planned = ({ changes }: Awaited<ReturnType<typeof read>>) =>
  changes.map(({ action, key, fields }) => [action, key, Object.keys(fields).join(" ")].join(" "));
const undoLast = async () => {
  const [{ id }] = production.rows("SELECT max(id) AS id FROM change_sets");
  await undoChangeSet(localAdmin(production.store, now), production.blobs, { id, dry_run: false }, async (work) =>
    production.store.writeSync(work),
  );
};

const maren = { label: "Maren", cast_number: "1", performer: null };

const test = suite("lists that are imported again");

const oneLiner = `Day,Date,Scene,Cast,Location,Calls
1,2026-05-04,1,1-2,Pier,"07:00 1 (make-up)
O/C Ann"
1,2026-05-04,2,1,Pier,
`;

test("a one-liner plans nothing again, and means a renamed character by its number", async () => {
  assert.equal(planned(await read("schedule", oneLiner)).slice(0, 2), ["change 1 assets", "change 2 assets"]);
  assert.equal(planned(await read("schedule", oneLiner)), []);
  await update({ assets: [{ label: "Maren", was: "Mara" }] });
  assert.equal(planned(await read("schedule", oneLiner)), []);
  const [day] = (await production.export()).schedule;
  assert.equal(day.calls, [
    { who: "Maren", time: "07:00", note: "make-up" },
    { who: "Ann", time: "O/C" },
  ]);
});

test("another performer is one field, which an undo gives back, and which the list brings again", async () => {
  const cast = "No.,Character,Actor\n1,Maren,Dora Lind\n";
  assert.equal(planned(await read("cast", cast)), ["change Maren performer"]);
  assert.equal(planned(await read("cast", cast)), []);
  await undoLast();
  assert.equal(planned(await read("cast", cast)), ["change Maren performer"]);
});

test("the number of a new character is stored without the point behind it, and a day out of days is no cast list", async () => {
  assert.equal(planned(await read("cast", "Nr.;Rolle\n4.;Greta\n")), ["add Greta label kind status cast_number"]);
  const { assets } = await production.export();
  assert.is(assets.find(({ label }: { label: string }) => label === "Greta").cast_number, "4");
  assert.equal(planned(await read("cast", "Nr.;Rolle\n4.;Greta\n")), []);
  await undoLast();
  const days = dayOutOfDaysText([{ ...maren, days: [], totals: { work: 0, hold: 0, total: 0 } }], []);
  for (const as of ["cast", undefined] as const)
    assert.equal(await production.problems({ name: "days.csv", text: days }, { as }), [
      "days.csv: the file is a day out of days, which is for people; import the schedule and the cast list",
    ]);
});

test("names that a scene has in another case or order change nothing, and a new one is added beside them", async () => {
  await update({ scenes: [{ number: "2", elements: { cast: ["MARA", "Tom Finch", "Zoë"] } }] });
  const castPlanned = async (cast: string) => {
    const { changes } = await read("schedule", `Day,Date,Scene,Cast\n1,2026-05-04,2,"${cast}"\n`);
    return changes.flatMap(({ section, fields }) => (section === "scenes" ? [fields.elements] : []));
  };
  const elements = (cast: readonly string[]) => ({ cast });
  assert.equal(await castPlanned("tom  finch; zoe\u0308; Mara"), []);
  const [first] = await castPlanned("tom finch; Jo; mara");
  assert.equal(first, {
    from: elements(["MARA", "Tom Finch", "Zoë"]),
    to: elements(["Tom Finch", "Jo", "MARA"]),
  });
});

test("the next breakdown replaces its lists, adds its links and takes none away", async () => {
  const next = "Scene,Category,Element\n1,Stunts,Dive\n2,Props,Oars\n";
  await read("breakdown", "Scene,Category,Element\n1,Stunts,Fall\n1,Props,Oars\n");
  assert.equal(planned(await read("breakdown", next)), ["change 1 elements", "change 2 assets"]);
  assert.equal(planned(await read("breakdown", next)), []);
  const [one, two] = (await production.export()).scenes;
  assert.equal([one.elements, one.assets], [{ stunts: ["Dive"] }, ["Maren", "Tom", "Oars"]]);
  assert.equal(two.assets, ["Maren", "Oars"]);
  await undoLast();
  assert.equal((await production.export()).scenes[0].elements, { stunts: ["Fall"] });
});

test("a number beside a name is given once: again, after a rename and after an undo it plans what is missing, and moves nothing", async () => {
  const numbered = "Scene,Category,Element\n3,Cast,9. Nurse\n";
  const given = ["add Nurse ", "change 3 assets"];
  const seen = async () =>
    planned(await read("breakdown", numbered)).map((line) => line.replace(/(?<=add Nurse ).*/, ""));
  assert.equal((await seen()).sort(), given);
  assert.equal(await seen(), []);
  await undoLast();
  assert.equal((await seen()).sort(), given);
  await update({ assets: [{ label: "Nurse", cast_number: "4" }] });
  assert.equal(await seen(), []);
  assert.is(
    (await production.export()).assets.find(({ label }: { label: string }) => label === "Nurse").cast_number,
    "4",
  );
});

test("a former name is a new character, with a warning that names the one that had it", async () => {
  const { warnings } = await read("breakdown", "Scene,Category,Element\n3,Cast,MARA\n");
  assert.equal(warnings, ['the asset "MARA" is added, although "Maren" had that name before it was renamed']);
});

test.after(() => production.store.close());
test("a name in a cast links its character, by a list and by a document, and stands once; who is taken out is said", async () => {
  const linked = async (number: string) => {
    const { scenes } = await production.export();
    const scene = scenes.find((one: { number: string }) => one.number === number);
    return [scene.elements.cast, scene.assets.filter((asset: string) => ["Iris", "Owen", "Una"].includes(asset))];
  };
  await update({
    scenes: ["4", "5"].map((number) => ({ number, slugline: `INT. ROOM ${number} - DAY` })),
    assets: ["Iris", "Owen"].map((label) => ({ label, kind: "character" })),
  });
  const named = 'Day,Date,Scene,Cast\n2,2026-05-05,4,"Owen, Una"\n2,2026-05-05,4,"OWEN"\n';
  await read("schedule", named);
  assert.equal(await linked("4"), [["Owen", "Una"], ["Owen"]]);
  assert.equal(planned(await read("schedule", named)), []);
  const twice = { scenes: [{ number: "5", elements: { cast: ["IRIS", "Iris", "Owen"] }, assets: ["Owen"] }] };
  await update(twice);
  assert.equal(await linked("5"), [
    ["IRIS", "Owen"],
    ["Iris", "Owen"],
  ]);
  assert.equal(planned(await update(twice)), [], "the same document again");
  await undoLast();
  assert.is((await production.export()).scenes.at(-1).assets, undefined, "after the undo");
  await update(twice);
  await read("cast", "Character\nUna\n");
  assert.equal(
    await linked("4"),
    [
      ["Owen", "Una"],
      ["Owen", "Una"],
    ],
    "a character who comes later",
  );
  const { warnings } = await read("cast", "Character,Scenes\nOwen,5\n");
  assert.equal(
    warnings.filter((warning) => warning.includes("linked")),
    ['"Owen" is in the cast of 4 and not linked to it any more: no day calls this character for that scene'],
  );
  await read("schedule", named);
  assert.equal(
    await linked("4"),
    [
      ["Owen", "Una"],
      ["Owen", "Una"],
    ],
    "as a cast number does",
  );
});

test.run();
