// What clashes on a shoot day: of a day and others, in the plan of an update, and in the bundle of the day.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { castClashes, type DaySheet, sharedScenes } from "../../src/features/clashes/clashes.ts";
import { mint, openTestServer } from "../support/app.ts";
import { inProportion } from "../support/proportion.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Row = Record<string, any>;

const [ada, ben] = [
  { id: 1, label: "Ada" },
  { id: 2, label: "Ben" },
];
const scene = (name: string, ...characters: { id: number; label: string }[]) => ({ name, characters });
const day = (day_number: number, date: string, more: Partial<DaySheet> = {}): DaySheet => ({
  day_number,
  date,
  scenes: [scene(`${day_number}`, ada, ben)],
  ...more,
});

const clashes = suite("what clashes");

clashes("a call within the turnaround is said with the rest that remains, and one after it is not", () => {
  const before = day(1, "2026-11-23", { wrap: "21:00" });
  const said = (general_call: string, turnaround = 11) =>
    castClashes(day(2, "2026-11-24", { general_call }), [before], turnaround);
  assert.equal(said("07:30"), [
    "Ada and Ben are called at 07:30, 10.5 h after the wrap of day 1 at 21:00; the turnaround is 11 h",
  ]);
  assert.equal(said("08:00"), []);
  assert.equal(said("07:30", 10), []);
  assert.equal(said("O/C"), []);
  assert.equal(castClashes(day(2, "2026-11-24", { general_call: "07:30" }), [day(1, "2026-11-23")], 11), []);
});

clashes("an own call counts before the general call, and who does not work on the earlier day is free", () => {
  const before = day(1, "2026-11-23", { wrap: "21:00", scenes: [scene("1", ada)] });
  const calls = [{ who: "Ada", time: "06:00" }];
  assert.equal(castClashes(day(2, "2026-11-24", { general_call: "09:00", calls }), [before], 11), [
    "Ada is called at 06:00, 9 h after the wrap of day 1 at 21:00; the turnaround is 11 h",
  ]);
  const late = day(2, "2026-11-24", { general_call: "06:00", calls: [{ who: "Ada", time: "09:00" }] });
  assert.equal(castClashes(late, [before], 11), []);
  const twice = [{ who: "Ada", time: "O/C" }, { who: "Ada", time: "09:00" }, ...calls];
  assert.match(castClashes(day(2, "2026-11-24", { calls: twice }), [before], 11).join(), /^Ada is called at 06:00/);
});

clashes("a wrap before the call is after midnight, and a later call may even be before it", () => {
  const night = day(1, "2026-11-23", { general_call: "18:00", wrap: "04:00" });
  assert.equal(castClashes(day(2, "2026-11-24", { general_call: "14:00" }), [night], 11), [
    "Ada and Ben are called at 14:00, 10 h after the wrap of day 1 at 04:00; the turnaround is 11 h",
  ]);
  assert.equal(castClashes(day(2, "2026-11-24", { general_call: "03:00" }), [night], 11), [
    "Ada and Ben are called at 03:00, before the wrap of day 1 at 04:00; the turnaround is 11 h",
  ]);
});

clashes(
  "a character who is on call wraps with the others after midnight, and one of two with one name has their own call",
  () => {
    const night = day(1, "2026-11-23", { general_call: "18:00", wrap: "04:00", calls: [{ who: "Ada", time: "O/C" }] });
    assert.equal(castClashes(day(2, "2026-11-24", { general_call: "14:00" }), [night], 11), [
      "Ada and Ben are called at 14:00, 10 h after the wrap of day 1 at 04:00; the turnaround is 11 h",
    ]);
    const guards = [3, 4].map((id) => ({ id, label: "Guard" }));
    const before = day(1, "2026-11-23", { wrap: "20:00", scenes: [scene("1", ...guards)] });
    const calls = [
      { who: "Guard", time: "09:00", node_id: 3 },
      { who: "Guard", time: "06:00", node_id: 4 },
    ];
    assert.equal(castClashes(day(2, "2026-11-24", { calls, scenes: [scene("2", ...guards)] }), [before], 11), [
      "Guard is called at 06:00, 10 h after the wrap of day 1 at 20:00; the turnaround is 11 h",
    ]);
  },
);

clashes("two days of one date clash at the same time and at unknown times, not one after the other", () => {
  const date = "2026-11-24";
  const main = day(1, date, { general_call: "07:00", wrap: "12:00" });
  const said = (more: Partial<DaySheet>) =>
    castClashes(day(2, date, { scenes: [scene("2", ben)], ...more }), [main], 11);
  assert.equal(said({ general_call: "11:00", wrap: "18:00" }), ["Ben is also on day 1 at the same time"]);
  assert.equal(said({}), ["Ben is also on day 1 at the same time"]);
  assert.equal(said({ general_call: "12:00", wrap: "18:00" }), []);
});

clashes("scenes of two days are said together", () => {
  const one = day(1, "2026-11-24", { scenes: [scene("5"), scene("6"), scene("7")] });
  const two = day(2, "2026-11-25", { scenes: [scene("5"), scene("7")] });
  assert.equal(sharedScenes(one, [two]), ["scenes 5 and 7 are also on day 2"]);
  assert.equal(sharedScenes(two, [day(3, "2026-11-26", { scenes: [scene("7")] })]), ["scene 7 is also on day 3"]);
});

const server = await openTestServer();
const { store, get, ask } = server;
const { feature, otherProduction, production } = seedDataOf(store);
const series = feature === production ? otherProduction : production;

const post = async (production_id: number, document: object, query = ""): Promise<Row> => {
  const key = mint(store, { production_id, scopes: ["admin"], label: "AD" });
  const headers = { "content-type": "application/json" };
  const response = await ask(key, `/api/v1/admin/import${query}`, {
    method: "POST",
    headers,
    body: JSON.stringify(document),
  });
  assert.is(response.status, 200);
  return (await response.json()) as Row;
};
const bundleOf = async (production_id: number, number: number): Promise<Row> => {
  const key = mint(store, { production_id });
  const { id } = (await get(key, "/schedule")).find(({ day_number }: Row) => day_number === number);
  return get(key, `/bundles/day/${id}`);
};
const exported = async (production_id: number) =>
  get(mint(store, { production_id, scopes: ["admin"], label: "Export" }), "/admin/export");

const stored = suite("clashes of a production");

const early = "David Balfour is called at 07:00, 8.5 h after the wrap of day 27 at 22:30; the turnaround is 11 h";

stored("the bundle of a day names them, also on a series, and its ETag follows them", async () => {
  const { clashes, etag } = await bundleOf(feature, 28);
  assert.equal(clashes, [early]);
  assert.equal((await bundleOf(series, 8)).clashes, ["scene 103/8 is also on day 9"]);
  assert.equal((await bundleOf(series, 9)).clashes, [
    "Axel is called at 09:00, 10 h after the wrap of day 8 at 23:00; the turnaround is 11 h",
    "scene 103/8 is also on day 8",
  ]);
  const { warnings } = await post(feature, { schedule: [{ day_number: 27, wrap: "19:00" }] });
  assert.equal(warnings, []);
  const later = await bundleOf(feature, 28);
  assert.equal(later.clashes, []);
  assert.is.not(later.etag, etag);
});

stored("a plan says what its update brings about, once, and what it takes away is silent", async () => {
  const late = { schedule: [{ day_number: 27, wrap: "22:30" }] };
  assert.equal((await post(feature, late, "?dry_run=1")).warnings, [`day 28: ${early}`]);
  assert.equal((await post(feature, late)).warnings, [`day 28: ${early}`]);
  assert.equal((await post(feature, late)).warnings, []);
  const free = { schedule: [{ day_number: 28, calls: [] }] };
  assert.equal((await post(feature, free)).warnings, [
    "day 28: David Balfour is called at 08:00, 9.5 h after the wrap of day 27 at 22:30; the turnaround is 11 h",
  ]);
});

stored("a new character in a scene, and an omitted scene that returns, are found too", async () => {
  const assets = (await exported(feature)).scenes.find(({ number }: Row) => number === "9").assets;
  const { warnings } = await post(feature, { scenes: [{ number: "9", assets: [...assets, "Mr. Riach"] }] });
  assert.equal(warnings, [
    "day 28: David Balfour and Mr. Riach are called at 08:00, 9.5 h after the wrap of day 27 at 22:30; the turnaround is 11 h",
  ]);
  await post(feature, { scenes: [{ number: "9", status: "omitted" }] });
  assert.equal((await bundleOf(feature, 28)).clashes, []);
  const back = await post(feature, { scenes: [{ number: "9", status: "active" }] });
  assert.is(back.warnings.length, 1);
});

stored("two days that come onto one date, and a day without a location, are said", async () => {
  const { warnings } = await post(feature, { schedule: [{ day_number: 30, date: "2026-11-27", location: null }] });
  assert.equal(warnings, [
    "days 29 and 30 are both on 2026-11-27",
    "day 30: no location is given",
    "day 29: David Balfour and Alan Breck Stewart are also on day 30 at the same time",
    "day 30: David Balfour and Alan Breck Stewart are also on day 29 at the same time",
  ]);
  const { clashes } = await bundleOf(feature, 30);
  assert.equal(clashes, [
    "David Balfour and Alan Breck Stewart are also on day 29 at the same time",
    "no location is given",
  ]);
});

stored("a scene that comes onto two days is said by the plan and by both days", async () => {
  const { warnings } = await post(feature, {
    schedule: [
      { day_number: 5, scenes: ["42", "54"] },
      { day_number: 6, scenes: ["46", "54"] },
    ],
  });
  assert.equal(warnings, ["scene 54 is now on days 5 and 6"]);
  assert.equal((await bundleOf(feature, 5)).clashes, ["scene 54 is also on day 6"]);
  assert.equal((await bundleOf(feature, 6)).clashes, ["scene 54 is also on day 5"]);
});

stored(
  "the document of a production with clashes changes nothing when it is imported again, and says nothing of what clashed before",
  async () => {
    const { changes, warnings } = await post(feature, await exported(feature), "?dry_run=1");
    assert.equal({ changes, warnings }, { changes: [], warnings: ["days 29 and 30 are both on 2026-11-27"] });
  },
);

stored("a new name of a character is no new clash", async () => {
  const clashed = (await bundleOf(feature, 28)).clashes.concat((await bundleOf(feature, 10)).clashes).join();
  const assets: Row[] = await get(mint(store, { production_id: feature }), "/assets?kind=character");
  const renamed = assets.filter(({ label }) => clashed.includes(label));
  assert.ok(renamed.length > 0, clashed);
  const document = { assets: renamed.map(({ label }) => ({ label: `${label} the Younger`, was: label })) };
  const { changes, warnings } = await post(feature, document, "?dry_run=1");
  assert.is(changes.length, renamed.length);
  assert.equal(warnings, []);
});

stored("the cast of a day is that of its scenes, with the codes of the day out of days", async () => {
  for (const production_id of [feature, series]) {
    const key = mint(store, { production_id });
    const codes = new Map<string, string>();
    for (const { node_id, days } of await get(key, "/cast/days"))
      for (const { shoot_day_id, work } of days) if (work !== "H") codes.set(`${shoot_day_id} ${node_id}`, work);
    const seen = new Map<string, string>();
    const assets = new Map((await get(key, "/assets?kind=character")).map((asset: Row) => [asset.node_id, asset]));
    for (const { id, calls = [] } of await get(key, "/schedule")) {
      const { cast, scenes }: Row = await get(key, `/bundles/day/${id}`);
      for (const member of cast) {
        const { node_id, work } = member;
        seen.set(`${id} ${node_id}`, work);
        const { label, cast_number = null, performer = null } = assets.get(node_id) as Row;
        const call = calls.find((one: Row) => one.node_id === node_id)?.time ?? null;
        const live = scenes.filter(
          (one: Row) => one.status !== "omitted" && one.assets.some((a: Row) => a.node_id === node_id),
        );
        const expected = live.map(({ node_id, number, episode_id, episode_code }: Row) =>
          episode_id === undefined ? { node_id, number } : { node_id, number, episode_id, episode_code },
        );
        assert.equal(member, { node_id, label, cast_number, performer, call, scenes: expected, work });
      }
    }
    assert.equal(new Map([...seen].sort()), new Map([...codes].sort()));
  }
});

stored.after(() => server.stop());
clashes("are found in time in proportion to the calls and to the scenes of other days", () =>
  inProportion("the clashes of a day", (scale) => {
    const cast = Array.from({ length: 3_000 * scale }, (_, id) => ({ id, label: `One ${id}` }));
    const calls = cast.map(({ id, label }) => ({ who: label, time: "07:00", node_id: id }));
    const scenes = Array.from({ length: 3_000 * scale }, (_, at) => scene(`${at}`));
    const one = day(2, "2026-11-24", { calls, scenes: [scene("0", ...cast), ...scenes] });
    const others = Array.from({ length: 1_000 * scale }, (_, at) => day(at, "2026-12-01", { scenes: [scene("0")] }));
    assert.is(sharedScenes(one, others).length, others.length);
    assert.is(castClashes(one, [day(1, "2026-11-23", { wrap: "21:00", calls, scenes: one.scenes })], 11).length, 1);
  }),
);

clashes.run();
stored.run();
