// Later drafts after script changes were dismissed or approved: what is asked again, where a scene goes, and what an
// undo gives back.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, type PaperFile } from "../support/import.ts";
import { asked, draft, id, json, names, numbered, scene, shown } from "../support/numbered_scenes.ts";
import { now, smallDocument } from "../support/small_document.ts";
import type { Json } from "../support/update.ts";

const test = suite("decided changes and later drafts");

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

test("the length that a draft has beside a dismissed place is not set when the same draft comes again, and that of the next draft is", async () => {
  const { document, document_version } = smallDocument();
  const scenes = ["1", "2"].map((number) => ({ number, slugline: `INT. ROOM${number} - DAY`, status: "active" }));
  const single = { title: "Rooms", format: "single" };
  const production = await openImports({ document, document_version, production: single, scenes });
  const turned = numbered(names(2)).toReversed();
  await production.import(draft(turned));
  assert.equal(asked(production), ["changed 2: order,pages"]);
  await production.dismiss();
  assert.equal((await production.import(draft(turned))).changes, []);
  const [first = "", second = ""] = turned;
  const longer = `${first}${" And on it goes.".repeat(200)}`;
  const later = await production.import(draft([longer, second]));
  assert.equal(
    later.changes.map(({ section, key, fields }) => [section, key, Object.keys(fields)]),
    [["scenes", "2", ["elements"]]],
  );
  assert.equal((await production.import(draft([longer, second]))).changes, []);
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

test("an omitted card that stands elsewhere, beside a scene that moves, plans nothing again", async () => {
  const scenes = numbered(names(9));
  const at = (...numbers: number[]) => numbers.map((number) => scenes[number - 1] as string);
  const production = await openImports(draft(scenes));
  const later = draft([...at(1, 2, 3, 6), ".OMITTED #5#", ...at(4, 7, 8, 9)]);
  await production.import(later);
  assert.equal(asked(production), ["changed 6: order", "omitted 5: omitted,order"]);
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

test("a scene that somebody omitted by hand comes back with the draft that has it again, whatever was dismissed", async () => {
  const scenes = numbered(names(6));
  const without = scenes.toSpliced(4, 1);
  const production = await openImports(draft(scenes));
  await production.import(draft(without));
  await production.dismiss();
  await production.import(json({ scenes: [{ number: "5", status: "omitted" }] }));
  await production.import(draft(without));
  assert.equal(asked(production), []);
  await production.import(draft(scenes));
  assert.equal(asked(production), ["changed 5: omitted"]);
  assert.equal((await production.import(draft(scenes))).changes, []);
  await production.approve();
  assert.is((await shown(production))[4], "5 ROOM5");
  assert.equal((await production.import(draft(scenes))).changes, []);
});

test("what waits is asked anew by the same draft if somebody changed by hand what it would change", async () => {
  const first = numbered(names(2));
  const later = draft([first[0] as string, (first[1] as string).replace("DAY", "NIGHT")]);
  const production = await openImports(draft(first));
  await production.import(later);
  const old = id(production, "2");
  await production.import(json({ scenes: [{ number: "2", slugline: "INT. LOFT - DAY" }] }));
  assert.is((await production.approve().catch((error) => error)).status, 409);
  await production.import(later);
  const [change] = production.changes();
  assert.equal(change?.fields, { slugline: { from: "INT. LOFT - DAY", to: "INT. ROOM2 - NIGHT" } });
  assert.is.not(change?.id, old);
  assert.equal((await production.import(later)).changes, []);
  await production.approve();
  assert.is((await production.export()).scenes[1].slugline, "INT. ROOM2 - NIGHT");
});

test("a scene that was left out and dismissed, and is then omitted by hand, is asked about when a draft has it again", async () => {
  const first = numbered(names(6));
  const without = draft(first.toSpliced(4, 1));
  const production = await openImports(draft(first));
  await production.import(without);
  await production.dismiss();
  await production.import(json({ scenes: [{ number: "5", status: "omitted" }] }));
  await production.import(without);
  assert.equal(asked(production), []);
  await production.import(draft(first));
  assert.equal(asked(production), ["changed 5: omitted"]);
});

test("a rename that nobody decided is asked by the draft after it too, which leaves the former name in one scene", async () => {
  const cued = (who: string) => numbered(names(4)).map((one) => `${one}\n\n${who}\nHello.`);
  const [former, newer] = [cued("RAY"), cued("RAYMOND")];
  const production = await openImports(draft(former));
  await production.import(draft(newer));
  await production.import(draft(newer.with(2, former[2] as string)));
  assert.equal(
    production.changes().map(({ summary }) => summary),
    ["1, 2, 4: character RAY -> RAYMOND in 3 of 4 scenes, not in 3"],
  );
});

for (const [what, change] of [
  ["all its scenes change", () => true],
  ["most of its scenes change", (at: number) => at < 3],
] as const)
  test(`a dismissed rename is asked once, also where ${what} later`, async () => {
    const cued = (who: string) => numbered(names(4)).map((one) => `${one}\n\n${who}\nHello.`);
    const production = await openImports(draft(cued("RAY")));
    await production.import(draft(cued("RAYMOND")));
    await production.dismiss();
    const later = cued("RAYMOND").map((one, at) => (change(at) ? `${one}\n\nRAYMOND\nIt rains in ${at + 1}.` : one));
    await production.import(draft(later));
    const aboutNames = () => asked(production).filter((one) => /cast|character/.test(one));
    const changes = later.filter((_, at) => change(at));
    assert.is(asked(production).length, changes.length);
    assert.equal(aboutNames(), []);
    await production.approve();
    const { scenes } = await production.export();
    assert.equal(
      scenes.map(({ elements }: Json) => elements.cast),
      scenes.map(() => ["RAY"]),
    );
    await production.import(draft(later.map((one) => `${one}\n\nThe end.`)));
    assert.equal(aboutNames(), []);
    await production.import(draft([later[0] as string, ...cued("RAY").slice(1)]));
    assert.equal(aboutNames(), [], "it holds for the one scene that has the new name still");
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

test("a dismissed place that a later draft takes back is forgotten, also where that draft changes the scene", async () => {
  const first = numbered(names(3));
  const [one, two, three] = first as [string, string, string];
  const production = await openImports(draft(first));
  await production.import(draft([three, one, two]));
  await production.dismiss();
  const back = draft([one, two, `${three}\n\nRain.`]);
  await production.import(back);
  assert.equal(asked(production), ["changed 3: text"]);
  await production.approve();
  const drafts = () => production.rows("SELECT id FROM script_drafts").length;
  const before = drafts();
  assert.equal((await production.import(back)).changes, []);
  assert.is(drafts(), before, "nothing is written");
});

test.run();
