// The undo of drafts and of script decisions: the stored text, the pending changes and the scenes are as before.
// Thorough: only --all runs it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets, shownSet } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { root } from "../support/command.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";
import { scriptState } from "../support/script_state.ts";
import { now } from "../support/small_document.ts";
import type { Json } from "../support/update.ts";

const test = suite("the undo of scripts");

const scene = (name: string, number: string, more = "") =>
  `INT. ${name} - DAY #${number}#\n\n${Array.from({ length: 12 }, (_, at) => `${name}${at}`.toLowerCase()).join(" ")}.${more}`;
const names = ["MILL", "QUAY", "KITCHEN", "YARD", "TOWER"];
const draft = (scenes: readonly string[]): PaperFile => script(scenes, "later.fountain");
const first = names.map((name, at) => scene(name, `${at + 1}`));
/** 2 rewritten, 3 cut, 6 added, 1 moved to the end. */
const second = [scene("QUAY", "2", " A bell rings."), first[3], scene("CELLAR", "6"), first[4], first[0]] as string[];

async function open(from: object = draft(first)) {
  const production = await openImports(from);
  const { store, blobs, production_id } = production;
  const admin = localAdmin(store, now);
  const undo = (id: number, options = {}) =>
    undoChangeSet(admin, blobs, { id, dry_run: false, ...options }, async (work) => store.writeSync(work));
  const last = () => listSets(store, { production_id, limit: 1 })[0]?.id as number;
  /** The document, the script and the decisions; without the activity and without times. */
  const state = async () => {
    const { activity: _, ...document } = await production.export();
    const script = scriptState(store, production_id);
    return JSON.stringify({ document, script }, (key, value) => (key === "updated_at" ? undefined : value), 1);
  };
  const refused = async (id: number, expected: RegExp) => {
    const before = await state();
    const error: Json = await undo(id).then(
      () => assert.unreachable("it was not refused"),
      (error) => error,
    );
    assert.is(error.status, 409, error.stack);
    assert.match(error.message, expected);
    assert.is(await state(), before, "nothing was written");
  };
  return { ...production, admin, undo, last, state, refused };
}

const addedIn = (production: Json): number => production.changes().find(({ kind }: Json) => kind === "added").id;

for (const [what, decide] of [
  ["approving everything", (production: Json) => production.approve()],
  ["dismissing everything", (production: Json) => production.dismiss()],
  ["approving one", (production: Json) => production.approve([production.changes()[0].id])],
  ["dismissing one", (production: Json) => production.dismiss([production.changes()[0].id])],
] as const)
  test(`${what} is undone, done again and undone with its draft`, async () => {
    const production = await open();
    const { undo, last, state } = production;
    const start = await state();
    await production.import(draft(second));
    const [imported, drafted] = [await state(), last()];
    assert.ok(production.changes().length > 3);
    await decide(production);
    const [decided, decision] = [await state(), last()];
    await production.refused(
      drafted,
      new RegExp(`script change \\d+: status was changed since by change set ${decision} of admin`),
    );
    if (what === "dismissing everything")
      await production.refused(drafted, /the stored text of scene "\w+": decision was changed since by change set/);
    await undo(decision);
    assert.is(await state(), imported);
    await undo(last());
    assert.is(await state(), decided);
    await undo(decision);
    const back = last();
    await undo(drafted);
    assert.is(await state(), start);
    const redo = last();
    await undo(redo);
    assert.is(await state(), imported);
    assert.is(JSON.parse(shownSet(production.admin, back)).undone_by, null);
  });

test("the next draft is compared as if the undone one had not happened", async () => {
  const [production, other] = [await open(), await open()];
  await production.import(draft(second));
  await production.undo(production.last());
  const third = [...first.slice(0, 4), scene("TOWER", "5", " Nobody comes.")];
  const asked = async (one: typeof production) => {
    await one.import(draft(third));
    return one
      .changes()
      .map(({ kind, scene_number, fields }: Json) => `${kind} ${scene_number} ${JSON.stringify(fields)}`);
  };
  assert.equal(await asked(production), await asked(other));
});

test("the first draft of a production is undone, with its scenes and its text", async () => {
  const production = await open({
    document: "tallylight production",
    document_version: 1,
    production: { title: "Empty" },
  });
  const start = await production.state();
  await production.import(draft(first));
  const later = await production.state();
  await production.undo(production.last());
  assert.is(await production.state(), start);
  await production.undo(production.last());
  assert.is(await production.state(), later);
});

test("a later draft stands against the undo of the one before it, and against that of its decisions", async () => {
  const production = await open();
  await production.import(draft(second));
  const drafted = production.last();
  await production.approve();
  const decided = production.last();
  await production.import(draft(first));
  const later = production.last();
  await production.refused(decided, new RegExp(`by change set ${later} of admin`));
  await production.refused(drafted, /by change set \d+ of admin/);
});

test("a decision is operations on rows, as every change is", async () => {
  const production = await open();
  await production.import(draft(second));
  await production.approve();
  const tables = production.rows(
    `SELECT DISTINCT of_table FROM change_operations WHERE set_id = ${production.last()} ORDER BY 1`,
  );
  const names = tables.map(({ of_table }: Json) => of_table);
  for (const name of ["nodes", "scenes", "script_changes", "script_scenes"]) assert.ok(names.includes(name), name);
  assert.is(production.rows("SELECT max(length(script)) AS most FROM change_sets")[0]?.most, 2);
});

test("a change set that kept what it did to the script beside its operations can be read, and not undone", async () => {
  const production = await open();
  await production.import(draft(second));
  const id = production.last();
  const { database } = production.store;
  database.exec(`UPDATE change_sets SET script = '[{"table":"script_drafts","id":2,"from":null}]' WHERE id = ${id}`);
  database.exec(readFileSync(join(root, "sql/migrations/0170_script_operations.sql"), "utf8"));
  await production.refused(id, /is of an older version, which can be read and not undone/);
  assert.ok(JSON.parse(shownSet(production.admin, id)).changes.length > 3);
  await production.approve();
  await production.undo(production.last());
});

test("a draft that was imported since stands against the return of one before it, until it is undone itself", async () => {
  const production = await open();
  await production.import(draft(second));
  const imported = await production.state();
  await production.undo(production.last());
  const undone = production.last();
  await production.import(draft(second));
  const again = production.last();
  await production.refused(
    undone,
    new RegExp(
      `the draft later.fountain cannot come back: later.fountain was imported since by change set ${again} of`,
    ),
  );
  await production.undo(again);
  await production.undo(undone);
  assert.is(await production.state(), imported);
});

test("a scene that changed since stands against the undo of the approval, and an id is not given twice", async () => {
  const production = await open();
  await production.import(draft([scene("MILL", "1", " A bell rings."), ...first.slice(1)]));
  const drafted = production.last();
  const id = production.changes()[0]?.id as number;
  await production.undo(drafted);
  await production.import(draft([scene("MILL", "1", " Two bells ring."), ...first.slice(1)]));
  assert.ok((production.changes()[0]?.id as number) > id);
  await production.refused(drafted, /is undone already/);
});

test("a plan says what becomes of the script, and a dry run writes nothing", async () => {
  const production = await open();
  await production.import(draft(second));
  await production.approve([addedIn(production)]);
  const before = await production.state();
  const plan = await production.undo(production.last(), { dry_run: true });
  assert.is(await production.state(), before);
  assert.equal(plan.changes.map(({ section, action }) => `${action} ${section}`).sort(), [
    "change script_changes",
    "remove scenes",
  ]);
  assert.match(plan.warnings.join(), /the stored text of 1 scene is as it was before/);
});

test("what was added to a scene since keeps the approval that added it", async () => {
  const production = await open();
  await production.import(draft(second));
  await production.approve([addedIn(production)]);
  const approved = production.last();
  await production.import({
    name: "day.json",
    text: JSON.stringify({ schedule: [{ day_number: 1, date: "2026-12-01", scenes: ["6"] }] }),
  });
  await production.refused(approved, /scene "6"|shoot day "1"/);
});

test("a decision that adds a scene with a number that it frees is undone, and not where a shoot day has the scene", async () => {
  const production = await open();
  const { undo, last, state, refused } = production;
  const renumbered = [...first.slice(0, 3), scene("CELLAR", "4"), scene("YARD", "5"), scene("TOWER", "6")];
  await production.import(draft(renumbered));
  const before = await state();
  await production.approve();
  const after = await state();
  await undo(last());
  assert.is(await state(), before);
  await undo(last());
  assert.is(await state(), after);
  const decided = last();
  const day = { day_number: 1, date: "2026-12-01", scenes: ["4"] };
  await production.import({ name: "day.json", text: JSON.stringify({ schedule: [day] }) });
  await refused(decided, /scene 4 cannot be removed: it is named by shoot day "1"/);
});

test.run();
