// A series as it goes on: a fifth episode, codes that change and that two episodes swap, and the undo of one episode's
// draft, which leaves the others.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, type PaperFile } from "../support/import.ts";
import { now } from "../support/small_document.ts";

type Row = Record<string, any>;

const scenesOf = (episode: string, more = "") => [
  `INT. CHANDLERY ${episode} - DAY #1#\n\nRope of ${episode} on every hook.${more}\n\nNORA\nForty-one of ${episode}.`,
  `EXT. SLIPWAY ${episode} - DUSK #2#\n\nA dinghy of ${episode}.\n\nPIET\nIt was late in ${episode}.`,
];
const draft = (episode: string, more = "", of = episode): PaperFile => ({
  name: `${episode}.fountain`,
  text: [`Title: Low Tide`, `Episode: ${episode}`, "", ...scenesOf(of, more).flatMap((scene) => [scene, ""])].join(
    "\n",
  ),
});
const document = (value: object): PaperFile => ({ name: "set.json", text: JSON.stringify(value) });

async function open() {
  const made = await openImports(draft("101"));
  await made.import([draft("102"), draft("103"), draft("104")], { new_episode: true });
  await made.import(
    { name: "s.csv", text: 'Day,Date,Ep,Sc\n1,2026-12-01,101,1\n1,2026-12-01,102,"1, 2"\n2,2026-12-02,103,1\n' },
    { as: "schedule" },
  );
  const { store, production_id, blobs } = made;
  const names = async () =>
    ((await made.export()) as Row).scenes.map(
      ({ episode, number, slugline }: Row) => `${episode}/${number} ${slugline}`,
    );
  const undo = async (at = 0) => {
    const set = listSets(store, { production_id, limit: 10 })[at];
    await undoChangeSet(localAdmin(store, now), blobs, { id: set?.id as number, dry_run: false }, async (work) =>
      store.writeSync(work),
    );
  };
  const changes = () =>
    made.changes().map(({ kind, episode_code, scene_number }) => `${kind} ${episode_code}/${scene_number}`);
  const state = async () => {
    const { activity: _, ...rest } = (await made.export()) as Row;
    return JSON.stringify(rest, (key, value) => (/^(updated|decided)_at$/.test(key) ? undefined : value), 1);
  };
  const schedule = async () =>
    ((await made.export()) as Row).schedule.map(({ day_number, scenes }: Row) => `${day_number}: ${scenes.join(" ")}`);
  return { ...made, names, undo, kinds: changes, state, schedule };
}

const test = suite("the episodes of a series");

test("a fifth episode comes later, and its scenes follow those of the others", async () => {
  const made = await open();
  const before = await made.names();
  assert.match(
    (await made.problems(draft("105"))).join(),
    /the title page says 105: there is no episode 105; episodes are 101, 102, 103,? and 104|episodes are 101, 102, 103, 104/,
  );
  await made.import(draft("105"), { new_episode: true });
  assert.equal(await made.names(), [...before, "105/1 INT. CHANDLERY 105 - DAY", "105/2 EXT. SLIPWAY 105 - DUSK"]);
  assert.equal((await made.import(draft("105"))).changes, []);
  await made.undo();
  assert.equal(await made.names(), before);
});

test("episodes whose codes are numbers stand in the order of these", async () => {
  const made = await openImports(draft("102"));
  await made.import([draft("110"), draft("101")], { new_episode: true });
  const { episodes, scenes } = (await made.export()) as Row;
  assert.equal(
    episodes.map(({ code }: Row) => code),
    ["101", "102", "110"],
  );
  assert.equal([...new Set(scenes.map(({ episode }: Row) => episode))], ["101", "102", "110"]);
});

test("a document that lists all episodes sets their order, and the scenes follow it", async () => {
  const made = await open();
  const before = [await made.names(), await made.state()];
  const codes = ["104", "101", "102", "103"];
  const plan = await made.import(document({ episodes: codes.map((code) => ({ code })) }));
  assert.equal(
    plan.changes.map(({ section, key, fields }) => [section, key, Object.keys(fields)]),
    [
      ["episodes", "104", ["order"]],
      ["scenes", "104/1", ["order"]],
      ["scenes", "104/2", ["order"]],
    ],
  );
  assert.equal([...new Set((await made.names()).map((name: string) => name.slice(0, 3)))], codes);
  assert.equal((await made.import(document({ episodes: codes.map((code) => ({ code })) }))).changes, []);
  await made.import(draft("100"), { new_episode: true });
  const { episodes } = (await made.export()) as Row;
  assert.equal(
    episodes.map(({ code }: Row) => code),
    [...codes, "100"],
    "an order that somebody made stays",
  );
  await made.undo();
  await made.undo(2);
  assert.equal([await made.names(), await made.state()], before);
});

test("a code changes: days, drafts and questions go with it", async () => {
  const made = await open();
  await made.import(draft("102", " Rain."));
  const before = await made.state();
  assert.equal(made.kinds(), ["changed 102/1"]);
  await made.import(document({ episodes: [{ code: "202", was: "102" }] }));
  assert.equal(made.kinds(), ["changed 202/1"]);
  assert.equal(await made.schedule(), ["1: 101/1 202/1 202/2", "2: 103/1"]);
  assert.match(
    (await made.problems(draft("102", " Rain."))).join(),
    /there is no episode 102; episodes are 101, .*202/,
  );
  assert.equal((await made.import(draft("202", " Rain.", "102"))).changes, []);
  await made.undo();
  assert.is(await made.state(), before);
});

test("two episodes swap their codes, and so do their days, drafts and questions", async () => {
  const made = await open();
  await made.import(draft("102", " Rain."));
  const before = await made.state();
  await made.import(
    document({
      episodes: [
        { code: "103", was: "102" },
        { code: "102", was: "103" },
      ],
    }),
  );
  assert.equal(made.kinds(), ["changed 103/1"]);
  const schedule = await made.schedule();
  assert.ok(schedule.includes("1: 101/1 103/1 103/2"), schedule.join());
  assert.ok(schedule.includes("2: 102/1"), schedule.join());
  const names = await made.names();
  assert.ok(names.includes("103/1 INT. CHANDLERY 102 - DAY"), names.join());
  assert.equal((await made.import(draft("103", " Rain.", "102"))).changes, []);
  assert.equal((await made.import(draft("102", "", "103"))).changes, []);
  await made.undo();
  assert.is(await made.state(), before);
});

test("an undo of one episode's draft leaves those of the others", async () => {
  const made = await open();
  await made.import(draft("101", " Fog."));
  const before = await made.state();
  await made.import(draft("102", " Rain."));
  await made.import(draft("103", " Snow."));
  assert.equal(made.kinds().toSorted(), ["changed 101/1", "changed 102/1", "changed 103/1"]);
  await made.undo(1);
  assert.equal(made.kinds().toSorted(), ["changed 101/1", "changed 103/1"]);
  assert.equal((await made.import(draft("103", " Snow."))).changes, []);
  await made.undo(1);
  assert.is(await made.state(), before);
  await made.import([draft("102", " Rain."), draft("104", " Hail.")]);
  await made.undo();
  assert.is(await made.state(), before);
});

test.run();
