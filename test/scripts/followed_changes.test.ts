// What follows a decision on the schedule and of links: asked, or done with it. Afterwards everything that shows the
// show agrees.
// Thorough: only --all runs it.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shootDatesOf } from "../../src/features/cast/cast_days.ts";
import { dayOutOfDaysText } from "../../src/features/cast/day_out_of_days.ts";
import { listOfProduction } from "../../src/features/lists/exporters.ts";
import { scriptOfProduction } from "../../src/features/scripts/exporters.ts";
import { mint, openTestServer } from "../support/app.ts";
import { openImports, script } from "../support/import.ts";
import { exportKinds } from "../support/list_kinds.ts";
import { openAsAdmin } from "../support/pages.ts";

const test = suite("what follows a decision");

const speech = (who: string, set: string) => `${who}\nThis is the ${set} of which ${who.toLowerCase()} spoke.`;
const scene = (number: string, set: string, ...cast: string[]) =>
  `INT. ${set} - DAY #${number}#\n\nThe ${set.toLowerCase()} is cold, and someone waits in the ${set.toLowerCase()}.\n\n${cast.map((one) => speech(one, set)).join("\n\n")}`;
const first = [
  scene("1", "HALL", "ADA"),
  scene("2", "YARD", "ADA", "BEN"),
  scene("3", "QUAY", "BEN"),
  scene("4", "LOFT", "CLEM"),
  scene("5", "MILL", "ADA"),
];
const split = [
  "INT. YARD - DAY #2#\n\nThe yard is cold, and someone waits in the yard.",
  `INT. YARD - DAY #2A#\n\n${speech("ADA", "YARD")}\n\n${speech("BEN", "YARD")}`,
];
const edits: Readonly<Record<string, string[]>> = {
  "a split": first.toSpliced(1, 1, ...split),
  "an omitted scene": first.toSpliced(3, 1),
  "a card": first.with(3, ".OMITTED #4#"),
  "a new scene": first.toSpliced(2, 0, scene("2B", "PIER", "DOT", "ADA")),
  "a character who leaves": first.with(1, scene("2", "YARD", "ADA")),
  "a character who comes": first.with(2, scene("3", "QUAY", "BEN", "DOT")),
  "a renamed character": first.map((one) => one.replaceAll("ADA", "IDA").replaceAll("ada", "ida")),
  "another slugline": first.with(4, (first[4] as string).replace("MILL - DAY", "MILL - NIGHT")),
  "another text": first.with(4, `${first[4]}\n\nRain.`),
  "a move": first.toSpliced(0, 1).toSpliced(3, 0, first[0] as string),
  "another number": first.with(4, (first[4] as string).replace("#5#", "#6#")),
  "a merge": first.toSpliced(2, 2, `${first[2]}\n\n${(first[3] as string).replace(/^.*\n\n/, "")}`),
};
const schedule = "Scene,Pages\n1,1\n2,1\nEnd of Day 1 - 2026-05-05\n3,1\n4,1\n5,1\nEnd of Day 2 - 2026-05-06";

/** What other lists than those of the script and the schedule have, about its scenes where they are about any. */
const rest = {
  departments: [{ slug: "costume", name: "Costume", cluster: "physical", mission: "Clothes.", privacy: "open" }],
  people: [{ name: "Ida Holt", role: "Designer", department: "costume" }],
  vendors: ["Looms Ltd"],
  assets: [{ label: "Coat", kind: "costume", department: "costume", scenes: ["2", "4", "5"] }],
  deliveries: [
    { title: "Yard plates", status: "ready", kind: "external", external_to: "Looms Ltd", scenes: ["2", "4"] },
    { title: "Mill plates", status: "draft", kind: "internal", scenes: ["5"] },
  ],
  approvals: [
    { title: "The yard", mode: "chain", scene: "2", steps: [{ person: "Ida Holt" }] },
    { title: "The loft", mode: "chain", scene: "4", steps: [{ person: "Ida Holt" }] },
  ],
  purchase_orders: [
    { account: "2100", vendor: "Looms Ltd", description: "Cloth", amount: 12.5, status: "open", date: "2026-01-09" },
  ],
  cost_reports: [
    {
      week_of: "2026-01-12",
      active: true,
      lines: [{ account: "2100", department: "costume", budget: 50, figures: { actual: 12 } }],
    },
  ],
};

async function open(later: readonly string[]) {
  const production = await openImports(script(first, "white.fountain"));
  await production.import({ name: "a.csv", text: schedule }, { as: "schedule" });
  await production.import({ name: "a.json", text: JSON.stringify(rest) });
  await production.import(script(later, "blue.fountain"));
  return production;
}
type Production = Awaited<ReturnType<typeof open>>;

const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/**
 * Compares the script, the scenes, the schedule, the days, the day out of days, the call sheets, the bundles and
 * everything that is exported.
 */
async function assertAgreement(production: Production, later: readonly string[]): Promise<void> {
  const { production_id, store } = production;
  const server = await openTestServer({ data: dirname(store.file) });
  const key = mint(server.store, { production_id, scopes: ["read"] });
  const get = async (path: string): Promise<any> => (await server.ask(key, `/api/v1${path}`)).json();
  const admin = await openAsAdmin(server, production_id);
  const document = await production.export();
  const scenes = await get("/scenes");
  const standing = scenes.filter(({ status }: any) => status !== "omitted");
  const casts = new Map<string, string[]>();
  for (const { node_id, number, slugline, elements } of standing) {
    const { scene, assets } = await get(`/bundles/scene/${node_id}`);
    assert.equal([scene.number, scene.slugline, scene.elements], [number, slugline, elements]);
    const linked = assets.filter(({ kind }: any) => kind === "character").map(({ label }: any) => label);
    assert.equal(sorted(linked), sorted(elements.cast ?? []), `the links of ${number}`);
    const { elements: printed } = await get(`/scenes/${node_id}/script`);
    const cues = printed.filter(({ type }: any) => type === "character").map(({ text }: any) => text);
    assert.equal(sorted(cues), sorted(linked), `the script of ${number}`);
    casts.set(number, sorted(linked));
  }
  const days = await get("/schedule");
  const worked = new Map<string, number[]>();
  for (const { id, day_number, scenes: strips } of days) {
    const day = await get(`/bundles/day/${id}`);
    const numbers = day.scenes.map(({ number }: any) => number);
    assert.equal(numbers, document.schedule[day_number - 1].scenes);
    assert.is(strips.length, numbers.length);
    assert.ok(
      numbers.every((number: string) => casts.has(number)),
      `day ${day_number} has omitted scenes: ${numbers}`,
    );
    const playing = sorted(numbers.flatMap((number: string) => casts.get(number)));
    assert.equal(sorted(day.cast.map(({ label }: any) => label)), playing);
    const sheet = await admin.text(`/days/${id}/sheet`);
    for (const name of playing) assert.ok(sheet.includes(name), `${name} is on the sheet of day ${day_number}`);
    for (const name of playing) worked.set(name, [...(worked.get(name) ?? []), day_number]);
  }
  const characters = await get("/cast/days");
  for (const { label, days } of characters) {
    const working = days.filter(({ work }: any) => work !== "H").map(({ day_number }: any) => day_number);
    assert.equal(working, worked.get(label) ?? [], `the days of ${label}`);
  }
  const text = dayOutOfDaysText(characters, shootDatesOf(store, { production_id }));
  for (const name of worked.keys()) assert.ok(text.includes(name));
  assert.is(exportKinds.length, 11, "each kind of list is read again");
  for (const kind of exportKinds) {
    const csv = listOfProduction(store, production_id, kind);
    assert.ok(csv.split("\n").length > 2, `${kind} has rows`);
    const again = await production.import({ name: "again.csv", text: csv }, { as: kind });
    assert.equal(again.changes, [], `${kind} read again`);
  }
  for (const format of ["fountain", "fdx"]) {
    const file = scriptOfProduction(store, { id: production_id, title: "The Test" }, format, undefined);
    assert.equal((await production.import({ name: `a.${format}`, text: file })).changes, [], `${format} read again`);
  }
  assert.equal((await production.import(script(later, "blue.fountain"))).changes, []);
  assert.equal(production.changes(), []);
  await server.stop();
}

for (const [name, later] of Object.entries(edits))
  test(`everything agrees after ${name} was approved with what follows`, async () => {
    const production = await open(later);
    assert.ok(production.changes().length > 0);
    const { plan } = await production.approve(undefined, { follow: true });
    assert.equal(plan?.warnings, []);
    await assertAgreement(production, later);
  });

test("is asked in sentences where it is not done", async () => {
  const asked = async (edit: string) => (await (await open(edits[edit] as string[])).approve()).plan?.warnings;
  assert.equal(await asked("a split"), [
    "scene 2A is on no shoot day, and scene 2 is on day 1; to put it after 2, undo the decision and repeat it with `follow`",
  ]);
  assert.equal(await asked("an omitted scene"), ["scene 4 becomes omitted and is still on day 2"]);
  assert.equal(await asked("another text"), []);
});

test("goes with the numbers that the same decision changes", async () => {
  const later = [
    first[0] as string,
    ...split,
    first[2] as string,
    (first[3] as string).replace("#4#", "#7#"),
    first[4] as string,
  ];
  const production = await open(later);
  await production.import(
    { name: "b.csv", text: "Scene\n1\n2\n4\nEnd of Day 1 - 2026-05-05\n3\n5\nEnd of Day 2 - 2026-05-06" },
    { as: "schedule" },
  );
  await production.approve(undefined, { follow: true });
  assert.equal((await production.export()).schedule[0].scenes, ["1", "2", "2A", "7"]);
});

test("keeps the id and the strip of a scene that was split, and puts the new part after it", async () => {
  const production = await open(edits["a split"] as string[]);
  const [{ id }] = production.rows("SELECT node_id AS id FROM scenes WHERE number = '2'");
  await production.approve(undefined, { follow: true });
  assert.equal((await production.export()).schedule[0].scenes, ["1", "2", "2A"]);
  assert.equal(production.rows("SELECT node_id AS id FROM scenes WHERE number = '2'"), [{ id }]);
});

test("a file that lacks most scenes of the script is asked about: it may have revised pages alone", async () => {
  const many = Array.from({ length: 12 }, (_, at) => scene(`${at + 1}`, `ROOM${at + 1}`, "ADA"));
  const production = await openImports(script(many));
  const { warnings } = await production.import(script(many.slice(0, 3)), { dry_run: true });
  assert.equal(warnings, [
    "the file lacks 9 of the 12 scenes of the script, which omits them: if it has only revised pages, import it with --pages",
  ]);
  assert.equal((await production.import(script(many.slice(0, 9)), { dry_run: true })).warnings, []);
  assert.equal((await production.import(script(many.slice(0, 3)), { pages: true })).warnings, []);
});

test("the script of an episode that a series does not have adds it where that is asked", async () => {
  const series = await openImports(script(first), { episode: "101" });
  const [problem] = await series.problems(script(first), { episode: "102" });
  assert.match(
    problem as string,
    /--episode says 102: there is no episode 102; episodes are 101; --new-episode adds it/,
  );
  await series.import(script(first), { episode: "102", new_episode: true });
  const { episodes, scenes } = await series.export();
  assert.equal([episodes.map(({ code }: any) => code), scenes.length], [["101", "102"], 10]);
  assert.equal((await series.import(script(first), { episode: "102", new_episode: true })).changes, []);
});

test("a cue of two known names is both, and one that no other cue has is a name", async () => {
  const production = await openImports(
    script([...first, "INT. HALL - DAY #6#\n\nADA & BEN\nNo!\n\nSALT & PEPPER\nYes!"]),
  );
  const { scenes, assets } = await production.export();
  assert.equal(scenes[5].elements.cast, ["ADA", "BEN", "SALT & PEPPER"]);
  assert.equal(
    assets.map(({ label }: any) => label),
    ["ADA", "BEN", "CLEM", "SALT & PEPPER"],
  );
});

test.run();
