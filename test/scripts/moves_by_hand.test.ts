// A scene of a series that somebody sets into another episode takes its text, its place and its strips along.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { scriptOfProduction } from "../../src/features/scripts/exporters.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, type PaperFile } from "../support/import.ts";
import { now } from "../support/small_document.ts";

type Row = Record<string, any>;

const draft = (episode: string, scenes: readonly string[]): PaperFile => ({
  name: `${episode}.fountain`,
  text: [`Title: Low Tide`, `Episode: ${episode}`, "", ...scenes.flatMap((scene) => [scene, ""])].join("\n"),
});
const scene = (set: string, number: string, text: string) => `INT. ${set} - DAY #${number}#\n\n${text}`;
const two = [scene("CHANDLERY", "9", "Rope on every hook."), scene("SLIPWAY", "10", "PIET hauls the dinghy up alone.")];
const three = [
  scene("MOLE", "11", "Wind."),
  scene("LOFT", "12", "Sails."),
  scene("QUAY", "13", "Crates."),
  scene("YARD", "14", "Dogs."),
];
const move = (fields: Row) => ({ name: "set.json", text: JSON.stringify({ scenes: [fields] }) });

async function open() {
  const made = await openImports(draft("102", two));
  await made.import(draft("103", three), { new_episode: true });
  await made.import({ name: "s.csv", text: 'Day,Date,Ep,Sc\n1,2026-12-01,102,"9, 10"\n' }, { as: "schedule" });
  const { store, production_id, blobs } = made;
  const text = (episode: string) =>
    scriptOfProduction(store, { id: production_id, title: "Low Tide" }, "fountain", episode);
  const names = async () =>
    ((await made.export()) as Row).scenes.map(({ episode, number }: Row) => `${episode}/${number}`).join(" ");
  const undo = async (at = 0) => {
    const set = listSets(store, { production_id, limit: 10 })[at];
    await undoChangeSet(localAdmin(store, now), blobs, { id: set?.id as number, dry_run: false }, async (work) =>
      store.writeSync(work),
    );
  };
  return { ...made, text, names, undo };
}

const test = suite("a scene that is set into another episode");

test("stands after the one whose number comes before, with its text, and nothing stays under the former number", async () => {
  const made = await open();
  const before = [await made.names(), made.text("102"), made.text("103"), made.rows("SELECT * FROM strips")];
  const { changes, warnings } = await made.import(move({ was: "102/10", number: "12B", episode: "103" }));
  assert.equal(
    changes.map(({ key, fields }) => [key, Object.keys(fields).toSorted()]),
    [["103/12B", ["episode", "number", "order"]]],
  );
  assert.equal(warnings, []);
  assert.is(await made.names(), "102/9 103/11 103/12 103/12B 103/13 103/14");
  assert.match(
    made.text("103"),
    /LOFT - DAY #12#\n\nSails\.\n\n.*SLIPWAY - DAY #12B#\n\nPIET hauls the dinghy up alone\./,
  );
  assert.not.match(made.text("102"), /SLIPWAY/);
  assert.equal(made.rows("SELECT * FROM strips"), before[3]);
  for (const [code, scenes] of [
    ["102", two],
    ["103", three],
  ] as const)
    assert.equal(
      (await made.import(draft(code, scenes), { dry_run: true })).changes,
      [],
      "the same drafts ask nothing",
    );
  await made.undo();
  assert.equal([await made.names(), made.text("102"), made.text("103"), made.rows("SELECT * FROM strips")], before);
  for (const [code, scenes] of [
    ["102", two],
    ["103", three],
  ] as const)
    assert.equal((await made.import(draft(code, scenes))).changes, []);
});

test("is the scene of the draft that has it there, and one that has it again under the former number asks", async () => {
  const made = await open();
  await made.import(move({ was: "102/10", number: "12B", episode: "103" }));
  const [{ node_id }] = made.rows("SELECT node_id FROM scenes WHERE number = '12B'");
  const with12B = [
    ...three.slice(0, 2),
    scene("SLIPWAY", "12B", "PIET hauls the dinghy up alone. Rain."),
    ...three.slice(2),
  ];
  await made.import(draft("103", with12B));
  assert.equal(
    made.changes().map(({ kind, node_id: of, summary }) => [kind, of, summary.replace(/, pages.*/, "")]),
    [["changed", node_id, "103/12B: text changed"]],
  );
  await made.approve();
  assert.match(made.text("103"), /alone\. Rain\./);
  await made.import(draft("102", [two[0] as string, scene("SLIPWAY", "10", "PIET hauls. Snow.")]));
  assert.equal(
    made.changes().map(({ kind, scene_number, episode_code }) => [kind, episode_code, scene_number]),
    [["added", "102", "10"]],
  );
});

test("is named with its episode where an undo is refused because of it", async () => {
  const made = await open();
  await made.import(draft("102", [two[0] as string, scene("SLIPWAY", "10", "PIET hauls the dinghy up. Rain.")]));
  await made.approve();
  await made.import(move({ was: "102/10", number: "12B", episode: "103" }));
  await made.undo(1).then(
    () => assert.unreachable(),
    (error: Row) => assert.match(JSON.stringify([error.message, error.lines, error.conflicts]), /scene .{0,2}103\/12B/),
  );
});

test("whose text waits for a decision there does not wait any more, and that is said", async () => {
  const made = await open();
  await made.import(draft("102", [two[0] as string, scene("SLIPWAY", "10", "PIET hauls the dinghy up. Rain.")]));
  assert.is(made.changes().length, 1);
  const { warnings } = await made.import(move({ was: "102/10", number: "12B", episode: "103" }));
  assert.match(warnings.join("\n"), /1 script change waits no more/);
  assert.equal(made.changes(), []);
  await made.undo();
  assert.is(made.changes().length, 1);
});

test.run();
