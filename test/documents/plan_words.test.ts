// What the plan says: each thing and each changed member, in the same words by the command, on the pages and in the
// history.
// Thorough: only --all runs it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { factsOfChange } from "../../src/features/documents/plan_words.ts";
import { openTestServer } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openAsAdmin } from "../support/pages.ts";
import { writeDocument } from "../support/small_document.ts";
import type { Json } from "../support/update.ts";

const test = suite("the words of a plan");

const long = "The company moves over the ridge after the second set-up, and the unit base stays where it was ";
const document = {
  document: "tallylight production",
  document_version: 1,
  production: { title: "Words" },
  people: [
    { name: "Ada Lund", role: "Gaffer" },
    { name: "Ben Okri", role: "Grip" },
  ],
  scenes: [
    {
      number: "1",
      slugline: "INT. MILL - DAY",
      synopsis: `${long}today.`,
      elements: { pages: "2", cast: ["ADA", "BEN"] },
    },
    { number: "2", slugline: "EXT. RIDGE - DUSK" },
  ],
  assets: [{ label: "Lamp", kind: "prop" }],
  schedule: [{ day_number: 1, date: "2026-02-02", scenes: ["1"], calls: [{ who: "Ada Lund", time: "07:00" }] }],
  approvals: [{ title: "Mill", scene: "1", steps: [{ person: "Ada Lund" }, { person: "Ben Okri" }] }],
};
const changed = {
  people: [{ name: "Cy Rhys", role: "Runner" }],
  scenes: [
    { number: "1", synopsis: `${long}tomorrow.`, elements: { pages: "2 1/8", cast: ["BEN", "CY"] }, assets: ["Lamp"] },
  ],
  schedule: [
    {
      day_number: 1,
      calls: [
        { who: "Ada Lund", time: "07:30" },
        { who: "Cy Rhys", time: "06:00", note: "van" },
      ],
    },
  ],
  approvals: [{ title: "Mill", steps: [{ person: "Cy Rhys" }, { person: "Ada Lund" }, { person: "Ben Okri" }] }],
};
const words = [
  "+ person Cy Rhys: role Runner",
  "~ scene 1",
  "    synopsis: … where it was today. -> … where it was tomorrow.",
  "    pages: 2 -> 2 1/8",
  "    cast: added CY; removed ADA",
  "    assets: added Lamp",
  "~ day 1",
  "    calls Ada Lund time: 07:00 -> 07:30",
  "    calls: added Cy Rhys (time 06:00, note van)",
  "~ approval Mill",
  "    steps: added Cy Rhys",
];
const withoutIds = (text: string): string[] =>
  text
    .replace(/ \(id \d+\)/g, "")
    .split("\n")
    .filter((line) => /^[+~-] | {4}/.test(line));

async function open(): Promise<{ folder: string; file: string }> {
  const folder = temporaryFolder();
  await tallylight("import", writeDocument(document as Json), "--data", folder);
  const file = join(folder, "changed.json");
  writeFileSync(file, JSON.stringify(changed));
  return { folder, file };
}

test("are those of the members that change, and of what is added by its fields", async () => {
  const { folder, file } = await open();
  const update = ["import", file, "--production", "1", "--data", folder];
  assert.equal(withoutIds((await tallylight(...update, "--dry-run")).out), words);
  assert.equal(withoutIds((await tallylight(...update)).out), words);
  const [set] = await answerOf("history", "--production", "1", "--data", folder);
  assert.equal(withoutIds((await tallylight("history", String(set.id), "--data", folder)).out), words);
  for (const told of [
    "day 1: calls Ada Lund time 07:00 -> 07:30, calls added Cy Rhys (time 06:00, note van)",
    "pages 2 -> 2 1/8, cast added CY; removed ADA, assets added Lamp",
    "Mill: steps added Cy Rhys",
  ])
    assert.ok(set.summary.includes(told), `${told} in ${set.summary}`);
  const taken = withoutIds((await tallylight("undo", String(set.id), "--data", folder)).out);
  assert.ok(taken.includes("    pages: 2 1/8 -> 2"));
  assert.ok(taken.includes("    calls: removed Cy Rhys (time 06:00, note van)"));
  assert.ok(taken.includes("- person Cy Rhys"));
});

test("on the pages are the same", async () => {
  const { folder, file } = await open();
  await tallylight("import", file, "--production", "1", "--data", folder);
  const server = await openTestServer({ data: folder });
  try {
    const page = await (await openAsAdmin(server, 1)).text("/settings/history/2");
    // A page says the id of a person beside the name.
    const text = page
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ")
      .replace(/ person \d+ /g, " ");
    for (const told of [
      "Person Cy Rhys is added role Runner",
      "Scene 1 changes",
      "pages 2 → 2 1/8",
      "cast added CY ; removed ADA",
      "calls Ada Lund time 07:00 → 07:30",
      "calls added Cy Rhys (time 06:00, note van)",
      "steps added Cy Rhys",
    ])
      assert.ok(text.includes(told), `${told} in ${text}`);
  } finally {
    await server.stop();
  }
});

test("of what is not changed are none, and the order of a list is told as such", async () => {
  const { folder } = await open();
  const set = ["set", "scenes", "1", "--production", "1", "--data", folder];
  const again = await tallylight(...set, 'elements={"cast":["ADA","BEN"],"pages":"2"}');
  assert.equal(withoutIds(again.out), []);
  const turned = await tallylight(...set, 'elements={"cast":["BEN","ADA"],"pages":"2"}');
  assert.equal(withoutIds(turned.out), ["~ scene 1", "    cast: in another order: BEN, ADA"]);
  assert.equal(withoutIds((await tallylight(...set, "pages=1 1/2")).out), ["~ scene 1", "    pages: 2 -> 1 4/8"]);
  assert.match(
    (await tallylight(...set, "pages=9/8")).err,
    /pages: "9\/8" is not a length in eighths of a page; write/,
  );
  assert.is((await tallylight(...set, "pages=2")).status, 0);
  const cleared = await tallylight(...set, "elements=null");
  assert.equal(withoutIds(cleared.out), ["~ scene 1", "    cast: removed BEN, ADA", "    pages: 2 -> nothing"]);
});

test("of a banner are its own, before the scene that follows, in the plan, in the history and of its undo", async () => {
  const { folder } = await open();
  const banners = (value: object) =>
    tallylight("set", "schedule", "1", `banners=${JSON.stringify(value)}`, "--production", "1", "--data", folder);
  const move = { before: "1", text: "COMPANY MOVE" };
  const added = await banners([move, { text: "WRAP DRINKS" }]);
  assert.equal(withoutIds(added.out), ["~ day 1", "    banners: added COMPANY MOVE (before scene 1), WRAP DRINKS"]);
  const moved = await banners([{ ...move, before: "2" }, { text: "WRAP DRINKS" }]);
  assert.equal(withoutIds(moved.out), ["~ day 1", "    banners COMPANY MOVE before: 1 -> 2"]);
  const [set] = await answerOf("history", "--production", "1", "--data", folder);
  assert.match(set.summary, "banners COMPANY MOVE before 1 -> 2");
  const { out } = await tallylight("undo", String(set.id), "--data", folder);
  assert.equal(withoutIds(out), ["~ day 1", "    banners COMPANY MOVE before: 2 -> 1"]);
});

test("of a script change are its sentence", async () => {
  const { folder } = await open();
  const script = (text: string) => {
    const path = join(folder, "draft.fountain");
    writeFileSync(path, `INT. MILL - DAY #1#\n\n${text}\n\nEXT. RIDGE - DUSK #2#\n\nWind.\n`);
    return tallylight("import", path, "--production", "1", "--data", folder);
  };
  await script("Dust.");
  const { out } = await script("Flour.");
  assert.match(out, /^\+ script change 1: text changed \(id \d+\)$/m);
  const [set] = await answerOf("history", "--production", "1", "--data", folder);
  assert.is(set.summary, "Script changes: 1: text changed");
});

test("say what a field is where nothing was said of it", async () => {
  const { folder } = await open();
  const set = (...fields: string[]) =>
    tallylight("set", "people", "Ada Lund", ...fields, "--production", "1", "--data", folder);
  assert.equal(withoutIds((await set("active=false", "is_admin=true")).out), [
    "~ person Ada Lund",
    "    is admin: no -> yes",
    "    active: yes -> no",
  ]);
  assert.equal(withoutIds((await set("active=true", "is_admin=false")).out), [
    "~ person Ada Lund",
    "    is admin: yes -> no",
    "    active: no -> yes",
  ]);
});

test("a decision about the script is said by its status, without its time", () => {
  const status = { from: "pending", to: "approved" };
  const fields = { status, decided_at: { from: null, to: "2026-02-02T08:00:00.000Z" } };
  const facts = factsOfChange({ section: "script_changes", key: "2 / changed / now", action: "change", fields });
  assert.equal(facts, [{ name: "status", ...status }]);
});

test.run();
