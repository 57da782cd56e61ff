// A scene that one episode of a series omits and another one adds with its text: one question, whichever draft comes
// first, and the scene keeps its id, its days and what people put on it.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { scriptOfProduction } from "../../src/features/scripts/exporters.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, type PaperFile } from "../support/import.ts";
import { sampleOf } from "../support/sampling.ts";
import { now } from "../support/small_document.ts";

type Row = Record<string, any>;

const draft = (episode: string, scenes: readonly string[]): PaperFile => ({
  name: `${episode}.fountain`,
  text: [`Title: Low Tide`, `Episode: ${episode}`, "", ...scenes.flatMap((scene) => [scene, ""])].join("\n"),
});
const slipway = (number: string, more = "") =>
  `EXT. SLIPWAY - DAY #${number}#\n\nPIET hauls the dinghy up alone.${more}\n\nPIET\nNobody ever looks at the knots.`;
const one = [
  "INT. CHANDLERY - DAY #1#\n\nRope on every hook. NORA counts coils.\n\nNORA\nForty-one.",
  "EXT. SLIPWAY - DUSK #2#\n\nA dinghy without a rope.\n\nNORA\nThere it is.",
  "INT. CHANDLERY - NIGHT #3#\n\nPIET\nLock it.",
];
const two = [
  "INT. CHANDLERY - MORNING #1#\n\nNORA\nForty-two.",
  slipway("2"),
  "EXT. MOLE - DAY #3#\n\nNORA and PIET, wind.\n\nNORA\nI looked.",
];
const lifted = {
  101: draft("101", [...one.slice(0, 2), slipway("2A"), ...one.slice(2)]),
  102: draft("102", [two[0] as string, "OMITTED #2#", two[2] as string]),
  102.5: draft("102", [two[0] as string, two[2] as string]),
};

async function open() {
  const made = await openImports(draft("101", one));
  await made.import(draft("102", two), { new_episode: true });
  await made.import({ name: "s.csv", text: 'Day,Date,Ep,Sc\n1,2026-12-01,102,"1, 2"\n' }, { as: "schedule" });
  await made.import({
    name: "put.json",
    text: JSON.stringify({
      scenes: [{ number: "2", episode: "102", assets: ["PIET", "Dinghy"] }],
      assets: [{ label: "Dinghy", kind: "prop" }],
    }),
  });
  const { store, production_id, blobs } = made;
  const [{ node_id }] = made.rows("SELECT node_id FROM scenes WHERE number = '2' AND episode_id = 2");
  const changes = (status?: "all") =>
    made
      .changes(status)
      .map(
        ({ kind, episode_code, scene_number, status: of }) =>
          `${kind} ${episode_code}/${scene_number}${status ? ` ${of}` : ""}`,
      );
  const text = (episode: string) =>
    scriptOfProduction(store, { id: production_id, title: "Low Tide" }, "fountain", episode);
  const undo = async (at = 0) => {
    const set = listSets(store, { production_id, limit: 10 })[at];
    await undoChangeSet(localAdmin(store, now), blobs, { id: set?.id as number, dry_run: false }, async (work) =>
      store.writeSync(work),
    );
  };
  const state = async () => {
    const { activity: _, ...document } = (await made.export()) as Row;
    const rows = made.rows(
      "SELECT episode_id, node_id, place, scene, approved, dismissed FROM script_scenes ORDER BY id",
    );
    const asked = made.rows(
      "SELECT id, kind, status, superseded_by, moved_by, node_id FROM script_changes ORDER BY id",
    );
    return JSON.stringify(
      [document, rows, asked],
      (key, value) => (/^(updated|decided)_at$/.test(key) ? undefined : value),
      1,
    );
  };
  return { ...made, node_id: node_id as number, kinds: changes, text, undo, state };
}

const test = suite("a scene that goes to another episode");

const orders = [
  ["101", "102"],
  ["102", "101"],
  ["102.5", "101"],
  ["101", "102.5"],
] as const;
for (const order of sampleOf(orders, 2))
  test(`is one change, with the drafts in the order ${order.join(", ")}`, async () => {
    const made = await open();
    const [first, second] = order;
    await made.import(lifted[first as unknown as 101]);
    const [waiting] = made.changes();
    const before = await made.state();
    await made.import(lifted[second as unknown as 101]);
    assert.equal(made.kinds(), ["moved 101/2A"]);
    const [move] = made.changes();
    assert.equal(
      [move?.node_id, move?.fields, move?.summary, move?.status],
      [
        made.node_id,
        { episode: { from: "102", to: "101" }, number: { from: "2", to: "2A" } },
        "101/2A: moved from 102/2",
        "pending",
      ],
    );
    const former = made.changes("all").find(({ id }) => id === waiting?.id);
    assert.equal([former?.status, former?.superseded_by], ["dismissed", move?.draft?.id]);
    for (const code of order)
      assert.equal((await made.import(lifted[code as unknown as 101])).changes, [], "the same drafts ask nothing else");
    assert.equal(made.kinds(), ["moved 101/2A"]);
    await made.undo();
    assert.is(await made.state(), before, "an undo of the second draft leaves the first question");
  });

const ordersInOne = [
  [102, 101],
  [101, 102],
  [102.5, 101],
] as const;
for (const order of sampleOf(ordersInOne, 2))
  test(`is one change where one import has both drafts, ${order.join(" first, then ")}`, async () => {
    const made = await open();
    const before = await made.state();
    const files = order.map((code, at) => ({ ...lifted[code], name: `${at}.fountain` }));
    await made.import(files);
    assert.equal(made.kinds(), ["moved 101/2A"]);
    assert.equal(made.kinds("all").toSorted(), [
      "added 101/2A dismissed",
      "moved 101/2A pending",
      "omitted 102/2 dismissed",
    ]);
    assert.equal((await made.import(files)).changes, []);
    await made.undo(0);
    assert.is(await made.state(), before);
    await made.import(files);
    await made.dismiss();
    assert.equal(made.kinds().toSorted(), ["added 101/2A", "omitted 102/2"]);
    await made.undo(0);
    await made.approve();
    assert.is(made.rows("SELECT node_id FROM scenes WHERE number = '2A'")[0].node_id, made.node_id);
  });

test("keeps its id, its days and what people put on it, and its former number stays as an omitted scene", async () => {
  for (const order of [
    ["101", "102"],
    ["102", "101"],
    ["101", "102.5"],
  ] as const) {
    const made = await open();
    for (const code of order) await made.import(lifted[code as unknown as 101]);
    const before = await made.state();
    await made.approve();
    const { scenes } = (await made.export()) as Row;
    assert.equal(
      scenes.map(({ episode, number, status }: Row) => `${episode}/${number}${status === "omitted" ? " omitted" : ""}`),
      ["101/1", "101/2", "101/2A", "101/3", "102/1", "102/2 omitted", "102/3"],
    );
    const [row] = made.rows("SELECT node_id FROM scenes WHERE number = '2A'");
    assert.is(row.node_id, made.node_id);
    assert.equal(scenes[2].assets.toSorted(), ["Dinghy", "PIET"]);
    assert.equal(made.rows(`SELECT shoot_day_id FROM strips WHERE node_id = ${made.node_id}`).length, 1);
    assert.match(made.text("101"), /#2A#\n\nPIET hauls the dinghy up alone\./);
    assert.not.match(made.text("102"), /hauls/);
    assert.equal(made.kinds(), []);
    for (const code of order)
      assert.equal(
        (await made.import(lifted[code as unknown as 101])).changes,
        [],
        `the same draft of ${code} asks nothing`,
      );
    await made.undo();
    assert.is(await made.state(), before);
  }
});

test("that somebody dismisses is two questions again, with their ids, and the same drafts leave them so", async () => {
  const made = await open();
  await made.import(lifted[101]);
  const [added] = made.changes();
  await made.import(lifted[102]);
  const before = await made.state();
  await made.dismiss();
  assert.equal(made.kinds(), ["added 101/2A", "omitted 102/2"]);
  assert.ok(made.changes().some(({ id }) => id === added?.id));
  for (const code of [101, 102] as const) assert.equal((await made.import(lifted[code])).changes, []);
  assert.equal(made.kinds(), ["added 101/2A", "omitted 102/2"]);
  await made.undo();
  assert.is(await made.state(), before);
  await made.dismiss();
  await made.approve();
  const { scenes } = (await made.export()) as Row;
  assert.is(scenes.length, 7);
});

test("whose omission was approved comes back where the other episode adds it", async () => {
  for (const code of [102, 102.5] as const) {
    const made = await open();
    await made.import(lifted[code]);
    await made.approve();
    const before = await made.state();
    await made.import(lifted[101]);
    assert.equal(made.kinds(), ["moved 101/2A"]);
    await made.approve();
    const { scenes } = (await made.export()) as Row;
    assert.equal(
      scenes.map(({ episode, number, status }: Row) => `${episode}/${number} ${status}`),
      [
        "101/1 planned",
        "101/2 planned",
        "101/2A planned",
        "101/3 planned",
        "102/1 planned",
        "102/2 omitted",
        "102/3 planned",
      ],
    );
    assert.equal(made.rows("SELECT node_id FROM scenes WHERE number = '2A'")[0].node_id, made.node_id);
    await made.undo();
    await made.undo(2);
    assert.is(await made.state(), before);
  }
});

test("is two questions no more when a later draft has it in its former place, or other text", async () => {
  const made = await open();
  await made.import(lifted[101]);
  await made.import(lifted[102]);
  await made.import(draft("102", two));
  assert.equal(made.kinds(), ["added 101/2A"]);
  await made.import(lifted[102]);
  assert.equal(made.kinds(), ["moved 101/2A"]);
  await made.import(draft("101", one));
  assert.equal(made.kinds(), ["omitted 102/2"]);
  await made.import(draft("101", [...one.slice(0, 2), slipway("2A", " Rain now."), ...one.slice(2)]));
  assert.equal(made.kinds(), ["moved 101/2A"]);
  await made.approve();
  assert.match(made.text("101"), /alone\. Rain now\./);
});

test("waits no more when somebody does it by hand", async () => {
  const made = await open();
  await made.import(lifted[101]);
  await made.import(lifted[102]);
  const before = await made.state();
  const { warnings } = await made.import({
    name: "set.json",
    text: JSON.stringify({ scenes: [{ was: "102/2", number: "2A", episode: "101" }] }),
  });
  assert.match(warnings.join("\n"), /waits? no more/);
  assert.equal(made.kinds(), []);
  await made.undo();
  assert.is(await made.state(), before);
});

const first103 = draft("103", [
  "INT. LOFT - DAY #1#\n\nNORA\nUp here.",
  slipway("2"),
  "INT. LOFT - NIGHT #3#\n\nPIET\nLights out.",
]);

for (const order of sampleOf(["omission first", "omission approved", "one import", "one import, the other way"], 2))
  test(`goes into an episode that has no script yet as one change, and keeps its id: ${order}`, async () => {
    const made = await open();
    const before = await made.state();
    const flags = { new_episode: true };
    if (order === "omission first" || order === "omission approved") await made.import(lifted[102]);
    if (order === "omission approved") await made.approve();
    const between = await made.state();
    const files = order === "one import" ? [lifted[102], first103] : [first103, lifted[102]];
    const { warnings } = await made.import(order.startsWith("one") ? files : first103, flags);
    assert.equal(made.kinds(), ["moved 103/2"]);
    assert.match(warnings.join("\n"), /103\/2 has the text of 102\/2, which that episode omits/);
    const scenes = async () =>
      ((await made.export()) as Row).scenes.map(
        ({ episode, number, status }: Row) => `${episode}/${number}${status === "omitted" ? " omitted" : ""}`,
      );
    assert.equal((await scenes()).slice(-2), ["103/1", "103/3"]);
    assert.equal((await made.import(first103)).changes, [], "the same draft asks nothing else");
    const waiting = await made.state();
    await made.undo();
    assert.is(await made.state(), order.startsWith("one") ? before : between, "an undo of the draft");
    await made.import(order.startsWith("one") ? files : first103, flags);
    assert.equal(made.kinds(), ["moved 103/2"]);
    await made.approve();
    assert.equal(await scenes(), [
      "101/1",
      "101/2",
      "101/3",
      "102/1",
      "102/2 omitted",
      "102/3",
      "103/1",
      "103/2",
      "103/3",
    ]);
    const moved = made.rows(
      "SELECT node_id FROM scenes s JOIN episodes e ON e.id = s.episode_id WHERE s.number = '2' AND e.code = '103'",
    );
    assert.equal(moved, [{ node_id: made.node_id }]);
    assert.is(made.rows(`SELECT shoot_day_id FROM strips WHERE node_id = ${made.node_id}`).length, 1);
    assert.match(made.text("103"), /hauls the dinghy up alone/);
    assert.not.match(made.text("102"), /hauls/);
    assert.equal((await made.import(first103)).changes, []);
    assert.equal(made.kinds(), []);
    await made.undo();
    assert.equal(made.kinds(), ["moved 103/2"]);
    assert.is(JSON.parse(await made.state())[0].scenes.length, JSON.parse(waiting)[0].scenes.length);
    await made.dismiss();
    const two = made.kinds().toSorted();
    assert.equal(two, order === "omission approved" ? ["added 103/2"] : ["added 103/2", "omitted 102/2"]);
    await made.approve();
    assert.is((await scenes()).length, 9);
    assert.equal((await made.import(first103)).changes, []);
  });

test("of a first draft that no other episode omits is added unasked; an omission says that both exist, and how they are one", async () => {
  for (const code of [102, 102.5] as const) {
    const made = await open();
    const { warnings } = await made.import(first103, { new_episode: true });
    assert.equal([made.kinds(), warnings], [[], []]);
    const { warnings: said } = await made.import(lifted[code]);
    assert.equal(made.kinds(), ["omitted 102/2"]);
    assert.match(
      said.join("\n"),
      /103\/2 has the text of 102\/2, which the draft omits: they are two scenes\. .* `tallylight set scenes 103\/2 status=omitted "number=2 \(omitted\)"`, then `tallylight set scenes 102\/2 episode=103 number=2`$/,
    );
    assert.equal((await made.import(lifted[code])).warnings, [], "the same draft says nothing else");
    const set = (scene: Row) => made.import({ name: "set.json", text: JSON.stringify({ scenes: [scene] }) });
    await set({ was: "103/2", number: "2 (omitted)", episode: "103", status: "omitted" });
    await set({ was: "102/2", number: "2", episode: "103" });
    assert.equal(made.kinds(), []);
    const placed = made.rows(
      "SELECT node_id FROM scenes s JOIN episodes e ON e.id = s.episode_id WHERE e.code = '103' AND s.number = '2'",
    );
    assert.equal(placed, [{ node_id: made.node_id }]);
    assert.is(made.rows(`SELECT shoot_day_id FROM strips WHERE node_id = ${made.node_id}`).length, 1);
    for (const file of [first103, lifted[code]]) assert.equal((await made.import(file)).changes, []);
    assert.match(made.text("103"), /#2#\n\nPIET hauls the dinghy up alone/);
  }
});

test.run();
