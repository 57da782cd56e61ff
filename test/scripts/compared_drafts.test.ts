// What changed between two drafts, and which changes need a decision.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { draftOf, laterDraft, type ScriptDraft } from "../../src/features/scripts/compare/drafts.ts";
import { comparedText } from "../../src/features/scripts/compare/scene_text.ts";
import type { Script } from "../../src/features/scripts/script.ts";
import { changesOfScript, compareDrafts } from "../support/compared_drafts.ts";
import { fdx, fountain, heading, paragraph } from "./scripts.ts";

const test = suite("comparing drafts");

const keptDraft = (script: Script): ScriptDraft => draftOf(script);
const draft = (...scenes: [heading: string, text: string][]): ScriptDraft =>
  keptDraft(fountain(...scenes.flatMap(([heading, text]) => [heading, "", text, ""])));
const summaries = (before: ScriptDraft, after: ScriptDraft, pagesOnly = false): string[] =>
  compareDrafts(before, after, { pages: pagesOnly ? new Set(after.scenes.keys()) : undefined }).changes.map(
    ({ kind, number, fields, hint }) =>
      `${kind} ${number}: ${Object.keys(fields).join(", ")}${hint === undefined ? "" : ` (${hint})`}`,
  );

const a: [string, string] = ["INT. A - DAY #1#", "Anna waits for the train and reads a book about the sea."];
const b: [string, string] = ["INT. B - DAY #2#", "Ben counts the money twice and finds that there is none of it."];
const c: [string, string] = ["INT. C - DAY #3#", "Cara opens a window and sees the whole harbour on fire."];

test("the same draft has no changes", () => {
  const { changes, silent } = compareDrafts(draft(a, b, c), draft(a, b, c));
  assert.equal([changes, silent.map(({ fields }) => fields)], [[], [{}, {}, {}]]);
});

test("an added and an omitted scene have the scene that they follow", () => {
  const added = compareDrafts(draft(a, c), draft(a, ["INT. B - DAY #1A#", b[1]], c)).changes;
  assert.equal(
    added.map(({ kind, number, fields }) => [kind, number, fields.order?.to]),
    [["added", "1A", "1"]],
  );
  const omitted = compareDrafts(draft(a, b, c), draft(a, c)).changes;
  assert.equal(
    omitted.map(({ kind, number, before, after }) => [kind, number, before, after]),
    [["omitted", "2", 1, null]],
  );
});

test("an OMITTED card omits its scene and keeps the scene's heading and length", () => {
  assert.equal(compareDrafts(draft(a, b, c), draft(a, ["OMITTED #2#", ""], c)).changes[0]?.fields, {
    omitted: { from: false, to: true },
  });
  assert.equal(summaries(draft(a, ["OMITTED #2#", ""], c), draft(a, c)), []);
  assert.equal(summaries(draft(a, ["OMITTED #2#", ""], c), draft(a, b, c)), ["changed 2: omitted, slugline, pages"]);
});

test("a changed number is a change of the number, not an omitted and an added scene", () => {
  const { changes } = compareDrafts(draft(a, b, c), draft(a, ["INT. B - DAY #1A#", b[1]], c));
  assert.equal(
    changes.map(({ kind, fields }) => [kind, fields]),
    [["changed", { number: { from: "2", to: "1A" } }]],
  );
});

test("changes of slugline, text and cast are distinguished, and the text is not shown", () => {
  assert.equal(summaries(draft(a, b), draft(["INT. A - NIGHT #1#", a[1]], b)), ["changed 1: slugline"]);
  const spoken = draft([a[0], `${a[1]}\n\nANNA\nWhere is it?`], b);
  const [change] = compareDrafts(draft(a, b), spoken).changes;
  assert.equal(change?.fields.text, { from: null, to: "changed" });
  assert.equal(change?.fields.cast, { from: [], to: ["ANNA"] });
});

test("the case of headings and the order of the cast are not changes", () => {
  const before = draft([a[0], "ANNA\nYes.\n\nBEN\nNo."]);
  const after: ScriptDraft = {
    scenes: before.scenes.map((scene) => ({ ...scene, slugline: "Int. A - Day", cast: ["Ben", "Anna"] })),
  };
  assert.equal(summaries(before, after), []);
});

test("the smallest possible set of scenes counts as moved", () => {
  const { changes } = compareDrafts(draft(a, b, c), draft(b, c, a));
  assert.equal(
    changes.map(({ number, fields }) => [number, fields]),
    [["1", { order: { from: null, to: "3" } }]],
  );
});

test("a change of only the length is silent", () => {
  const length = (text: string) =>
    keptDraft(
      fdx(
        `<Paragraph Number="1" Type="Scene Heading"><SceneProperties Length="${text}"/><Text>INT. A</Text></Paragraph>`,
      ),
    );
  const { changes, silent } = compareDrafts(length("3/8"), length("4/8"));
  assert.equal([changes, silent.map(({ fields }) => fields)], [[], [{ pages: { from: "3/8", to: "4/8" } }]]);
});

test("an estimate does not replace a known length, and a missing synopsis does not remove one", () => {
  const known = draft(a);
  Object.assign(known.scenes[0]!, { eighths: 12, estimated: false, synopsis: "She waits." });
  assert.equal(
    compareDrafts(known, draft(a)).silent.map(({ fields }) => fields),
    [{}],
  );
});

test("differences in paragraphs, quotes and spaces between programs are not changes", () => {
  const one = fdx(
    heading("INT. A", "1") +
      paragraph("Action", "She’s late. It rains…") +
      paragraph("Shot", "THE CLOCK") +
      paragraph("Transition", "Cut to:"),
  );
  const other = fountain("INT. A #1#", "", "She's  late.", "", "It rains...", "", "THE CLOCK", "", "CUT TO:");
  assert.equal(summaries(keptDraft(one), keptDraft(other)), []);
});

test("a scene that may have been renumbered has a hint in both changes", () => {
  const words = (from: number) => Array.from({ length: 100 }, (_, at) => `word${from + at}`).join(" ");
  const [before, after] = [draft(a, ["INT. X #41#", words(0)]), draft(a, ["INT. Y #42#", words(60)])];
  assert.equal(summaries(before, after), [
    "omitted 41: omitted (perhaps now 42)",
    "added 42: number, slugline, order (perhaps 41, renumbered)",
  ]);
});

test("a scene that is missing from revised pages is not omitted", () => {
  const pages = draft([b[0], `${b[1]} He laughs.`]);
  assert.equal(summaries(draft(a, b, c), pages, true), ["changed 2: text"]);
  assert.equal(summaries(draft(a, b, c), pages), ["omitted 1: omitted", "changed 2: text", "omitted 3: omitted"]);
});

test("a production with scenes but without a draft takes the text of scenes that match in number and slugline", () => {
  const bare: ScriptDraft = {
    scenes: draft(a, b, c).scenes.map((scene) => ({
      ...scene,
      text: null,
      cast: ["Anna"],
      eighths: 3,
      estimated: false,
    })),
  };
  const { changes, silent } = compareDrafts(bare, draft(a, ["INT. B - NIGHT #2#", b[1]], c));
  assert.equal(
    changes.map(({ number, fields }) => [number, fields]),
    [["2", { slugline: { from: "INT. B - DAY", to: "INT. B - NIGHT" } }]],
  );
  assert.equal(
    silent.map(({ fields }) => fields),
    [{}, {}],
  );
});

test("A-scenes keep the draft's order", () => {
  const script = fountain("INT. A #1#", "", "INT. B #A2#", "", "INT. C #2#", "", "INT. D #1A#", "");
  assert.equal(
    keptDraft(script).scenes.map(({ number }) => number),
    ["1", "A2", "2", "1A"],
  );
});

const unnumbered = (...scenes: [heading: string, text: string][]) =>
  fountain(...scenes.flatMap(([heading, text]) => [heading.replace(/ #.*/, ""), "", text, ""]));

test("a later draft of an unnumbered script keeps the scenes' numbers", () => {
  const before = keptDraft(unnumbered(a, b, c));
  const added: [string, string] = ["INT. D", "Dora sings in the dark to nobody at all."];
  const { draft: after } = laterDraft(unnumbered(added, a, added, c), before);
  assert.equal(
    after.scenes.map(({ number }) => number),
    ["A1", "1", "1A", "3"],
  );
  assert.equal(summaries(before, after), [
    "added A1: number, slugline, order",
    "omitted 2: omitted",
    "added 1A: number, slugline, order",
  ]);
});

test("a new scene without a number does not get the number of an omitted scene", () => {
  const before = draft(a, ["INT. B - DAY #1A#", b[1]], c);
  const script = fountain(a[0], "", a[1], "", "INT. D", "", "Dora sings.", "", c[0], "", c[1]);
  assert.equal(
    laterDraft(script, before).draft.scenes.map(({ number }) => number),
    ["1", "1B", "3"],
  );
});

test("a numbered card omits the scene of its number, also if a new scene without a number is like that", () => {
  const [short, like, card] = [
    ["INT. B - DAY #2#", "Ben waits."],
    ["INT. B - DAY", "Ben waits again."],
    ["OMITTED #2#", ""],
  ] as [typeof a, typeof a, typeof a]; // there are three
  const changes = (...scenes: (typeof a)[]) =>
    changesOfScript(draft(a, short, c), fountain(...scenes.flatMap(([heading, text]) => [heading, "", text, ""]))).map(
      ({ kind, number }) => `${kind} ${number}`,
    );
  assert.equal(changes(a, like, card, c), ["added 1A", "omitted 2"]);
  assert.equal(changes(a, card, like, c), ["omitted 2", "added 2A"]);
  const again: (typeof a)[] = [
    ["INT. D - DAY #1#", "Dora sings."],
    ["INT. A - DAY #2#", a[1]],
    ["OMITTED #3#", ""],
    ["INT. C - DAY #4#", `${c[1]} She waits.`],
  ];
  assert.ok(changes(...again).includes("changed 4"), "a script that is numbered again");
});

test("a later draft without lengths keeps known lengths and estimates the others again", () => {
  const before = draft(a, b);
  Object.assign(before.scenes[0]!, { eighths: 12, estimated: false });
  const { draft: after } = laterDraft(fountain("INT. A - DAY #9#", "", a[1], "", b[0], "", b[1]), before);
  assert.equal(
    after.scenes.map(({ number, eighths, estimated }) => [number, eighths, estimated]),
    [
      ["9", 12, false],
      ["2", 1, true],
    ],
  );
});

test("a draft is plain JSON", () => {
  const given = draft(a, b);
  assert.equal(JSON.parse(JSON.stringify(given)), given);
});

test("the text for comparison has a line for each cue", () => {
  const { scenes } = fountain(
    "INT. A",
    "",
    "One.",
    "",
    "Two.",
    "",
    "ANNA (V.O.)",
    "(low)",
    "Three.",
    "",
    "BEN ^",
    "Four.",
    "",
    "Five.",
  );
  assert.is(comparedText(scenes[0]?.paragraphs ?? []).text, "One. Two.\nANNA (V.O.)\n(low) Three.\nBEN\nFour. Five.");
});

test.run();
