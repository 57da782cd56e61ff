// Pairing the scenes of two drafts by evidence.
// Thorough: only --all runs it.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type MatchScene, matchDrafts } from "../../src/features/scripts/compare/matching.ts";
import { Draftsman } from "../support/mutations.ts";
import { inProportion } from "../support/proportion.ts";
import { assertProperty, sampling, seedsOf } from "../support/sampling.ts";

const test = suite("matching drafts");

const scene = (number: string, slugline: string, text: string | null, omitted = false): MatchScene => ({
  number,
  slugline,
  text,
  omitted,
});
const words = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `word${from + at}`).join(" ");
const pairs = (before: MatchScene[], after: MatchScene[]): string[] =>
  matchDrafts(before, after).pairs.map(
    (pair) => `${before[pair.before]?.number} ${after[pair.after]?.number} by ${pair.by}`,
  );

test("the same text is the same scene, whatever the number and the heading are", () => {
  const [before, after] = [
    [scene("1", "INT. A", "one two"), scene("2", "INT. B", "three")],
    [scene("1", "INT. C", "three"), scene("2", "INT. B", "one two")],
  ];
  assert.equal(pairs(before, after), ["2 1 by text", "1 2 by text"]);
});

test("scenes with the same text are paired by number", () => {
  const before = [scene("1", "INT. A", "He waits."), scene("2", "INT. A", "He waits.")];
  assert.equal(pairs(before, [...before].reverse()), ["2 2 by text", "1 1 by text"]);
});

test("scenes with the same number need a similarity of a quarter, others of a half", () => {
  const before = [scene("1", "INT. A", words(0, 100)), scene("2", "INT. B", words(200, 300))];
  const after = [scene("1", "INT. X", words(60, 160)), scene("9", "INT. Y", words(240, 340))];
  assert.equal(pairs(before, after), ["1 1 by likeness", "2 9 by likeness"]);
  const less = [scene("1", "INT. X", words(80, 180)), scene("9", "INT. Y", words(260, 360))];
  assert.equal(pairs(before, less).slice(1), []);
});

test("the same slugline increases the similarity", () => {
  const before = [scene("1", "INT. A - DAY", words(0, 100)), scene("2", "INT. B", "other")];
  assert.equal(pairs(before, [scene("7", "int. a -- day", words(70, 170))]), ["1 7 by likeness"]);
  assert.equal(pairs(before, [scene("7", "INT. C", words(70, 170))]), []);
});

test("a similarity between a third and a half gives a hint but no pair", () => {
  const before = [scene("41", "INT. A", words(0, 100)), scene("50", "INT. Z", "other")];
  const { pairs, hints } = matchDrafts(before, [scene("42", "INT. B", words(60, 160))]);
  assert.equal([pairs.length, hints.length, hints[0]?.before], [0, 1, 0]);
  assert.ok((hints[0]?.score ?? 0) >= 0.3 && (hints[0]?.score ?? 1) < 0.5);
});

test("similarity finds the right scene if all numbers in one set moved by one", () => {
  const before = [1, 2, 3, 4].map((at) => scene(String(at), "INT. CAGE", words(100 * at, 100 * at + 80)));
  const after = [
    scene("1", "INT. CAGE", "new"),
    ...[1, 2, 3, 4].map((at) => scene(String(at + 1), "INT. CAGE", words(100 * at + 20, 100 * at + 100))),
  ];
  assert.equal(pairs(before, after), ["1 2 by likeness", "2 3 by likeness", "3 4 by likeness", "4 5 by likeness"]);
});

test("a rewritten scene is paired by its number between the same neighbours", () => {
  const before = [scene("1", "INT. A", "one"), scene("2", "INT. B", "two"), scene("3", "INT. C", "three")];
  const after = [scene("1", "INT. A", "one"), scene("2", "INT. X", "quite other words"), scene("3", "INT. C", "three")];
  assert.is(pairs(before, after)[1], "2 2 by number");
  assert.is(pairs(before, [after[1] as MatchScene, ...before.slice(2), ...before.slice(0, 1)]).length, 2);
});

test("scenes without text are paired by number and slugline, then by a unique slugline", () => {
  const before = [scene("1", "INT. A", null), scene("2", "INT. B", null), scene("3", "INT. C", null)];
  const after = [
    scene("1", "INT. A", "x"),
    scene("2", "INT. NEW", "y"),
    scene("3", "INT. B", "z"),
    scene("4", "INT. C", "u"),
  ];
  assert.equal(pairs(before, after), ["1 1 by number and slugline", "2 3 by slugline", "3 4 by slugline"]);
});

test("an omitted card is paired by the number only", () => {
  const before = [scene("1", "INT. A", "one"), scene("2", "INT. B", "two")];
  assert.equal(pairs(before, [scene("2", "OMITTED", "", true), scene("9", "INT. A", "one")]), [
    "2 2 by number",
    "1 9 by text",
  ]);
});

test("a card has no partner if its scene moved to another number", () => {
  const before = [scene("1", "INT. A", "one"), scene("2", "INT. B", "two")];
  const after = [scene("1", "OMITTED", "", true), scene("2", "INT. B", "two"), scene("2A", "INT. A", "one")];
  assert.equal(pairs(before, after), ["2 2 by text", "1 2A by text"]);
});

test("the scene of the number of a card is the one that was omitted, whatever else is like it", () => {
  const before = [scene("1", "INT. A", "one"), scene("1A", "INT. B", "two and three"), scene("2", "OMITTED", "", true)];
  const after = [scene("1", "INT. A", "one"), scene("2", "INT. B", "two and four")];
  assert.equal(pairs(before, after), ["1 1 by text", "2 2 by number"]);
});

const mutated = fc.integer({ min: 1, max: 10_000 }).map((seed) => {
  const draftsman = new Draftsman(seed);
  const before = draftsman.script(40);
  return [before, draftsman.revise(before)] as const;
});

test("pairs are one to one and the same each time", () => {
  assertProperty(
    fc.property(mutated, ([before, after]) => {
      const { pairs, hints } = matchDrafts(before, after);
      assert.is(new Set(pairs.map((pair) => pair.before)).size, pairs.length);
      assert.is(new Set(pairs.map((pair) => pair.after)).size, pairs.length);
      assert.equal(matchDrafts(structuredClone(before), structuredClone(after)), { pairs, hints });
    }),
    sampling(10, 1),
  );
});

test("a draft compared with itself pairs every scene with itself", () => {
  assertProperty(
    fc.property(mutated, ([, draft]) => {
      const { pairs } = matchDrafts(draft, draft);
      assert.equal(
        pairs.map(({ before, after }) => [before, after]),
        draft.map((_, at) => [at, at]),
      );
    }),
    sampling(5, 1),
  );
});

test("less than one pair in 500 of mutated drafts is wrong, and less than one in 100 is missing", () => {
  const sum = { true: 0, wrong: 0, missed: 0 };
  for (const seed of seedsOf(6)) {
    const draftsman = new Draftsman(seed);
    const before = draftsman.script(184);
    const after = draftsman.revise(before);
    const truth = new Map(before.map(({ identity }, at) => [identity, at]));
    const found = new Map(matchDrafts(before, after).pairs.map((pair) => [pair.after, pair.before]));
    for (const [at, { identity }] of after.entries()) {
      const [is, said] = [truth.get(identity), found.get(at)];
      if (is !== undefined) sum.true++;
      if (said !== undefined && said !== is) sum.wrong++;
      if (is !== undefined && said !== is) sum.missed++;
    }
  }
  assert.ok(sum.wrong * 500 < sum.true && sum.missed * 100 < sum.true, JSON.stringify(sum));
});

test("20,000 scenes take twice the time of 10,000, whatever their texts are", async () => {
  const draft = (scale: number, text: (at: number) => string) =>
    Array.from({ length: scale * 10_000 }, (_, at) => scene(String(at), `INT. SET ${at % 90}`, text(at)));
  const texts: [(at: number) => string, (at: number) => string][] = [
    [() => "the same words", () => "the same words again"],
    [(at) => `a ${at} b ${at % 7}`, (at) => `a ${at + 1} c ${at % 7}`],
    [() => "", () => ""],
  ];
  for (const [one, other] of texts)
    await inProportion(`${one(1)} and ${other(1)}`, (scale) => matchDrafts(draft(scale, one), draft(scale, other)));
});

test.run();
