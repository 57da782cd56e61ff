// What waits after a document made what a draft asks, and after it took that away again: each change keeps its id.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, script } from "../support/import.ts";
import { now } from "../support/small_document.ts";

const test = suite("an update by documents of scenes about which a draft asks");

const scene = (number: string, set: string, text = "", ...cast: string[]) =>
  `INT. ${set} - DAY #${number}#\n\nThe ${set.toLowerCase()} is cold, and someone waits.${text}${cast.map((one) => `\n\n${one}\nThis is the ${set}.`).join("")}`;
const first = [
  scene("1", "HALL", "", "RAY"),
  scene("2", "YARD", "", "RAY"),
  scene("3", "QUAY", "", "RAY", "BEN"),
  scene("4", "LOFT"),
];
const night = (text: string) => text.replace("- DAY", "- NIGHT");

async function open(later: readonly string[]) {
  const production = await openImports(script(first, "white.fountain"));
  const { store, blobs, production_id, rows } = production;
  const write = async <T>(work: () => T): Promise<T> => store.writeSync(work);
  await production.import(script(later, "blue.fountain"));
  const waiting = () => production.changes().map(({ id, summary }) => [id, summary]);
  return {
    ...production,
    waiting,
    byHand: (...scenes: object[]) => production.import({ name: "hand.json", text: JSON.stringify({ scenes }) }),
    again: () => production.import(script(later, "blue.fountain")),
    undo() {
      const [{ id }] = rows(`SELECT max(id) AS id FROM change_sets WHERE production_id = ${production_id}`);
      return undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, write);
    },
    events: () => rows("SELECT type FROM events WHERE type GLOB 'script_change.*'").map(({ type }) => type),
  };
}

const answered = /^1 script change waits no more: the production has what the draft asks$/;
const moved = [first[3], first[0], first[1], first[2]] as string[]; // there are four
const order = (...numbers: number[]) => numbers.map((number) => ({ number: `${number}` }));
const slugline = (time: string) => [{ number: "2", slugline: `INT. YARD - ${time}` }];
const cases: [what: string, later: string[], made: object[], away: object[]][] = [
  ["another slugline", first.with(1, night(first[1] as string)), slugline("NIGHT"), slugline("DAY")],
  ["an omission", first.toSpliced(3, 1), [{ number: "4", status: "omitted" }], [{ number: "4", status: "planned" }]],
  ["another number", first.with(3, scene("5", "LOFT")), [{ number: "5", was: "4" }], [{ number: "4", was: "5" }]],
  ["a place", moved, order(4, 1, 2, 3), order(1, 2, 3, 4)],
];
for (const [what, later, made, away] of cases)
  test(`leaves nothing pending if it makes ${what}, and asks again if it takes that away`, async () => {
    const production = await open(later);
    const asked = production.waiting();
    const plan = await production.byHand(...made);
    assert.ok(plan.warnings.some((one) => answered.test(one)));
    assert.equal(production.waiting(), []);
    const [change] = production.changes("dismissed");
    assert.is(change?.superseded_by, change?.draft?.id, "its own draft");
    assert.is((await production.approve([change?.id as number]).catch((error) => error)).status, 409);
    await production.undo();
    assert.equal(production.waiting(), asked, "undone");
    await production.byHand(...made);
    assert.ok((await production.byHand(...away)).warnings.includes("1 script change waits again"));
    assert.equal(production.waiting(), asked, "taken away");
    const again = await production.again();
    assert.equal([again.changes, again.warnings, production.waiting()], [[], [], asked], "the same draft");
    await production.approve();
    assert.equal(
      production.events().map((type) => type.split(".")[1]),
      ["detected", "dismissed", "detected", "dismissed", "detected", "approved"],
    );
  });

test("leaves the rest of a change of which it makes a part, and the rest is approved", async () => {
  const production = await open(first.with(1, night(scene("2", "YARD", " It rains.", "RAY"))));
  const [[id]] = production.waiting() as [[number, string]];
  assert.match(production.waiting().join(), /slugline INT. YARD - DAY -> INT. YARD - NIGHT, text changed/);
  await production.byHand({ number: "2", slugline: "INT. YARD - NIGHT" });
  assert.equal(production.waiting(), [[id, "2: text changed"]]);
  await production.byHand({ number: "2", slugline: "INT. YARD - DAY" });
  assert.match(production.waiting().join(), /slugline INT. YARD - DAY -> INT. YARD - NIGHT, text changed/);
  await production.byHand({ number: "2", slugline: "INT. YARD - NIGHT" });
  await production.approve([id]);
  assert.equal((await production.again()).changes, []);
  assert.equal(production.waiting(), []);
});

test("that adds the scene that a draft adds leaves nothing pending, and the next draft has its text", async () => {
  const production = await open([...first, scene("5", "MILL")]);
  assert.is(production.waiting().length, 1);
  await production.byHand({ number: "5", slugline: "INT. MILL - DAY" });
  assert.equal(production.waiting(), []);
  assert.equal(
    (await production.again()).changes.filter(({ section }) => section === "script_changes"),
    [],
  );
  assert.equal(production.waiting(), []);
});

test("that renames a character as a draft does leaves nothing pending", async () => {
  const production = await open(first.map((one) => one.replaceAll("RAY", "RAYMOND")));
  assert.match(production.waiting().join(), /character RAY -> RAYMOND/);
  const assets = [{ label: "RAYMOND", was: "RAY" }];
  await production.import({ name: "hand.json", text: JSON.stringify({ assets }) });
  assert.equal(production.waiting(), []);
});

test("that makes something else of it leaves the change, whose approval is refused", async () => {
  const production = await open(first.with(1, night(first[1] as string)));
  const asked = production.waiting();
  await production.byHand({ number: "2", slugline: "INT. BARN - DAY" });
  assert.equal(production.waiting(), asked);
  assert.is((await production.approve().catch((error) => error)).status, 409);
});

test("that changes another scene, or nothing that drafts compare, leaves what waits", async () => {
  const production = await open(first.with(1, night(first[1] as string)));
  const asked = production.waiting();
  await production.byHand({ number: "3", slugline: "INT. PIER - DAY" }, { number: "2", synopsis: "Cold." });
  assert.equal(production.waiting(), asked);
});

test("of an episode concerns the drafts of that episode", async () => {
  const production = await openImports(script(first, "white.fountain"), { episode: "101" });
  const later = first.with(1, night(first[1] as string));
  await production.import({
    name: "a.json",
    text: JSON.stringify({ episodes: [{ code: "101" }, { code: "102", title: "Two" }] }),
  });
  for (const [episode, scenes] of [
    ["102", first],
    ["101", later],
    ["102", later],
  ] as const)
    await production.import(script(scenes, "draft.fountain"), { episode });
  assert.is(production.changes().length, 2);
  const hand = [{ episode: "101", number: "2", slugline: "INT. YARD - NIGHT" }];
  await production.import({ name: "hand.json", text: JSON.stringify({ scenes: hand }) });
  assert.equal(
    production.changes().map(({ episode_code }) => episode_code),
    ["102"],
  );
});

test.run();
