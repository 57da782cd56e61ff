// node benchmarks/drafts.ts: matches 50 mutated drafts and counts wrong and missed pairs, compared with matching
// by number first; then measures reading, matching and comparing, as ratios to reading the same bytes.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEighths } from "../src/features/names/page_lengths.ts";
import { breakDown } from "../src/features/scripts/breakdown.ts";
import { draftOf, type ScriptDraft } from "../src/features/scripts/compare/drafts.ts";
import { Likeness } from "../src/features/scripts/compare/likeness.ts";
import { matchDrafts } from "../src/features/scripts/compare/matching.ts";
import { readFdxScripts } from "../src/features/scripts/fdx.ts";
import { readFountain } from "../src/features/scripts/fountain.ts";
import { compareDrafts } from "../test/support/compared_drafts.ts";
import { writeFdx } from "../test/support/fdx_writer.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { Draftsman, type KnownScene } from "../test/support/mutations.ts";

type Pairs = Map<number, number>; // position in the later draft to position in the earlier one

const evidenceFirst = (before: readonly KnownScene[], after: readonly KnownScene[]): Pairs =>
  new Map(matchDrafts(before, after).pairs.map((pair) => [pair.after, pair.before]));

/** The same rules in another order: number (if slugline or similarity allow it), then text, then similarity. */
function numberFirst(before: readonly KnownScene[], after: readonly KnownScene[]): Pairs {
  const pairs: Pairs = new Map();
  const taken = new Set<number>();
  const likeness = new Likeness(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
  );
  const pair = (one: number | undefined, other: number, allowed: (one: number) => boolean) => {
    if (one === undefined || taken.has(one) || pairs.has(other) || !allowed(one)) return;
    taken.add(one);
    pairs.set(other, one);
  };
  const positions = (key: (scene: KnownScene) => string) => new Map(before.map((scene, at) => [key(scene), at]));
  const [numbers, texts] = [positions(({ number }) => number), positions(({ text }) => text)];
  for (const [at, { number, slugline, omitted }] of after.entries())
    pair(numbers.get(number), at, (one) => {
      return omitted || before[one]?.slugline === slugline || likeness.of(one, at) >= 0.25;
    });
  for (const [at, { text }] of after.entries()) pair(text === "" ? undefined : texts.get(text), at, () => true);
  const candidates = likeness.candidates(after.keys());
  for (const one of before.keys())
    for (const at of candidates(one)) {
      const bonus = before[one]?.slugline === after[at]?.slugline ? 0.3 : 0;
      pair(one, at, () => likeness.of(one, at) + bonus >= 0.5);
    }
  return pairs;
}

function trial(match: typeof evidenceFirst, drafts: number): { pairs: number; wrong: number; missed: number } {
  const sum = { pairs: 0, wrong: 0, missed: 0 };
  for (let seed = 1; seed <= drafts; seed++) {
    const draftsman = new Draftsman(seed);
    const before = draftsman.script(184);
    const after = draftsman.revise(before);
    const found = match(before, after);
    const truth = new Map(before.map(({ identity }, at) => [identity, at]));
    for (const [at, { identity }] of after.entries()) {
      const [is, said] = [truth.get(identity), found.get(at)];
      if (is !== undefined) sum.pairs++;
      if (said !== undefined && said !== is) sum.wrong++;
      if (is !== undefined && said !== is) sum.missed++;
    }
  }
  return sum;
}

/** The median milliseconds of `rounds` runs after one warm-up run. */
function time(rounds: number, work: () => unknown): number {
  work();
  const figures = Array.from({ length: rounds }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return figures.sort((a, b) => a - b)[rounds >> 1] as number;
}

/** A Fountain script of about 120 pages with invented words, half of it dialogue. */
function fountainOf(scenes: readonly KnownScene[]): string {
  return scenes
    .map(({ number, slugline, text }) => {
      const parts = text.match(/(?:\S+ ?){1,24}/g) ?? [];
      const lines = parts.map((part, at) => (at % 2 === 0 ? part : `VOICE ${"ABCD"[at % 4]}\n${part}`));
      return `${slugline} #${number}#\n\n${lines.join("\n\n")}`;
    })
    .join("\n\n");
}

const report = (name: string, milliseconds: number, disk: number): void =>
  console.log(`${name}: ${milliseconds.toFixed(1)} ms, ${(milliseconds / disk).toFixed(0)} times reading the bytes`);

function times(): void {
  const draftsman = new Draftsman(99);
  const before = draftsman.script(410);
  const after = draftsman.revise(before);
  const folder = temporaryFolder();
  const file = join(folder, "script.fdx");
  const fountain = Buffer.from(fountainOf(before));
  const script = readFountain(fountain);
  const one = draftOf(script);
  const breakdown = breakDown(one);
  const eighths = breakdown.scenes.reduce((sum, { elements }) => sum + (parseEighths(elements.pages ?? "") ?? 0), 0);
  writeFileSync(file, writeFdx(script));
  const fdx = readFileSync(file);
  const disk = time(21, () => readFileSync(file));
  const facts = `${script.scenes.length} scenes, ${Math.round(eighths / 8)} pages, ${fountain.length} and ${fdx.length} bytes`;
  console.log(`a script of ${facts}`);
  report(
    "reading it from Fountain",
    time(21, () => readFountain(fountain)),
    disk,
  );
  report(
    "reading it from Final Draft",
    time(21, () => readFdxScripts(fdx)),
    disk,
  );
  report(
    "breaking it down",
    time(21, () => breakDown(draftOf(script))),
    disk,
  );
  const revised = readFountain(Buffer.from(fountainOf(after)));
  const other = draftOf(revised);
  report(
    "comparing it with a revised draft",
    time(21, () => compareDrafts(one, other)),
    disk,
  );
  report(
    "comparing it with itself",
    time(21, () => compareDrafts(one, structuredClone(one))),
    disk,
  );
  rmSync(folder, { recursive: true });
}

/** Drafts of 20,000 scenes: unchanged, all reworded, and all with the same words. */
function bounds(): void {
  const count = 20_000;
  const draft = (text: (at: number) => string): ScriptDraft => ({
    scenes: Array.from({ length: count }, (_, at) => ({
      number: String(at + 1),
      slugline: `INT. SET ${at % 300} - DAY`,
      omitted: false,
      synopsis: null,
      text: text(at),
      cast: [],
      eighths: 1,
      estimated: false,
      script_day: null,
      tags: {},
      revision_color: "white",
    })),
  });
  const draftsman = new Draftsman(7);
  const words = draftsman.script(count).map(({ text }) => text);
  const once = (name: string, one: ScriptDraft, other: ScriptDraft): void => {
    const started = performance.now();
    compareDrafts(one, other);
    console.log(`20,000 scenes, ${name}: ${((performance.now() - started) / 1000).toFixed(2)} s`);
  };
  const plain = draft((at) => words[at] as string);
  once(
    "unchanged",
    plain,
    draft((at) => words[at] as string),
  );
  once(
    "each reworded and renumbered by one",
    plain,
    draft((at) => `new ${words[(at + 1) % count]} end`),
  );
  once(
    "all in one text",
    draft(() => "the same words again"),
    draft(() => "the same words once more"),
  );
}

const drafts = 50;
for (const [name, match] of [
  ["evidence first", evidenceFirst],
  ["number first", numberFirst],
] as const) {
  const { pairs, wrong, missed } = trial(match, drafts);
  console.log(`${name}: of ${pairs} true pairs in ${drafts} drafts, ${wrong} wrong, ${missed} missed`);
}
times();
bounds();
