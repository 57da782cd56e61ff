// Properties of drafts in a production, on random scripts and random changes of them.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Paragraph, Script, ScriptScene } from "../../src/features/scripts/script.ts";
import { writeFdx } from "../support/fdx_writer.ts";
import { writeFountain } from "../support/fountain_writer.ts";
import { openImports, type PaperFile } from "../support/import.ts";
import { randomOf } from "../support/random.ts";
import { seedsOf } from "../support/sampling.ts";

const test = suite("random drafts");

const words = "rain cart lamp door river coat bell smoke letter horse quiet broken under against before slowly".split(
  " ",
);
const sets = ["KITCHEN", "YARD", "BRIDGE", "MILL", "STAIR TOWER"];
const people = ["ADA", "BEN", "CLEM", "DORA"];

class Writer {
  readonly #random: () => number;
  #scenes = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  chance(of: number): boolean {
    return this.#random() < of;
  }

  #sentence(): string {
    return Array.from({ length: 6 }, () => this.pick(words)).join(" ");
  }

  paragraphs(): Paragraph[] {
    const speaker = this.pick(people);
    const action = Array.from({ length: 3 }, (): Paragraph => ({ type: "action", text: this.#sentence() }));
    if (this.chance(0.3)) return action;
    return [...action, { type: "character", text: speaker }, { type: "dialogue", text: this.#sentence() }];
  }

  slugline(): string {
    return `${this.pick(["INT.", "EXT."])} ${this.pick(sets)} - ${this.pick(["DAY", "NIGHT"])}`;
  }

  scene(number = `${++this.#scenes}`): ScriptScene {
    return {
      number,
      line: 0,
      slugline: this.slugline(),
      synopsis: null,
      omitted: false,
      paragraphs: this.paragraphs(),
      characters: [],
      eighths: null,
      script_day: null,
      tags: new Map(),
      revision: null,
    };
  }

  /** The next draft: scenes rewritten, set elsewhere, cut, added and moved. */
  revised(scenes: readonly ScriptScene[]): ScriptScene[] {
    const next = scenes.flatMap((scene): ScriptScene[] => {
      if (this.chance(0.08)) return [];
      const added = this.chance(0.08) ? [this.scene(`${scene.number}X${this.#scenes++}`)] : [];
      if (this.chance(0.15)) return [{ ...scene, paragraphs: [...scene.paragraphs, ...this.paragraphs()] }, ...added];
      return [this.chance(0.1) ? { ...scene, slugline: this.slugline() } : scene, ...added];
    });
    if (this.chance(0.5)) next.splice(Math.floor(this.#random() * next.length), 0, next.pop() as ScriptScene);
    return next;
  }
}

const scriptOf = (scenes: readonly ScriptScene[]): Script => ({
  title: "Random",
  title_page: new Map(),
  color: null,
  problems: [],
  warnings: [],
  counts: {},
  scenes,
});
const fountain = (scenes: readonly ScriptScene[], name = "draft.fountain"): PaperFile => ({
  name,
  text: writeFountain(scriptOf(scenes)),
});

type Scene = any; // scenes of an export are compared field by field
/**
 * The scenes of a script that are in it, as the production has them: in order, without what a draft does not decide.
 */
const standing = (scenes: readonly Scene[]) =>
  scenes
    .filter(({ status }) => status !== "omitted")
    .map(({ number, slugline, elements }) => ({ number, slugline, elements }));

for (const seed of seedsOf(6))
  test(`approving everything makes the scenes those of the draft, whatever came before (${seed})`, async () => {
    const writer = new Writer(seed);
    let scenes = Array.from({ length: 12 + (Math.abs(seed) % 13) }, () => writer.scene());
    const production = await openImports(fountain(scenes));
    const ids = new Set(production.rows("SELECT id FROM nodes").map(({ id }) => id));
    for (let draft = 0; draft < 3; draft++) {
      scenes = writer.revised(scenes);
      const file = fountain(scenes);
      await production.import(file);
      if (draft > 0 || writer.chance(0.5)) {
        await production.approve();
        const whole = await (await openImports(file)).export();
        assert.equal(standing((await production.export()).scenes), standing(whole.scenes));
      }
      assert.equal((await production.import(file)).changes, [], "the same draft again");
    }
    const now = new Set(production.rows("SELECT id FROM nodes").map(({ id }) => id));
    assert.ok(ids.isSubsetOf(now), "no scene goes");
  });

const labels = [
  ["Props", "Lamp", /lamp/],
  ["Props", "Bell", /bell/],
  ["Animals", "Horse", /horse/],
] as const;

/** A Final Draft file in which some of the words are tagged, always those of the first scene. */
function finalDraft(scenes: readonly ScriptScene[], writer: Writer): PaperFile {
  const tags = labels.map(([category, label, words]) => ({
    category,
    label,
    words,
    scenes: new Set(scenes.flatMap(({ number }, at) => (at === 0 || writer.chance(0.6) ? (number ?? []) : []))),
  }));
  const text: Paragraph = { type: "action", text: "A lamp is lit." };
  const [first, ...rest] = scenes as [ScriptScene, ...ScriptScene[]];
  const all = [{ ...first, paragraphs: [text, ...first.paragraphs] }, ...rest];
  return {
    name: "draft.fdx",
    text: writeFdx({ ...scriptOf(all), title_page: new Map([["title", "Random"]]) }, { tags }),
  };
}

for (const seed of seedsOf(4))
  test(`approving everything makes cast and tags those of the Final Draft file (${seed})`, async () => {
    const writer = new Writer(seed);
    let scenes = Array.from({ length: 20 }, () => writer.scene());
    const production = await openImports(finalDraft(scenes, writer));
    for (let draft = 0; draft < 3; draft++) {
      scenes = writer
        .revised(scenes)
        .map((scene) => (writer.chance(0.2) ? { ...scene, paragraphs: writer.paragraphs().slice(0, 4) } : scene));
      const file = finalDraft(scenes, writer);
      await production.import(file);
      await production.approve();
      const whole = await (await openImports(file)).export();
      assert.equal(standing((await production.export()).scenes), standing(whole.scenes));
      assert.equal((await production.import(file)).changes, [], "the same draft again");
      const untagged = await production.import({ name: "untagged.fdx", text: untaggedOf(String(file.text)) });
      assert.equal(untagged.changes, [], "a draft that tags nothing says nothing about tags");
    }
  });

const untaggedOf = (fdx: string): string => fdx.replace(/ TagNumber="\d+"/g, "").replace(/<Tag Number.*/g, "");

for (const seed of seedsOf(6))
  test(`dismissing everything alters nothing, and the same draft raises nothing again (${seed})`, async () => {
    const writer = new Writer(seed);
    const first = Array.from({ length: 20 }, () => writer.scene());
    const production = await openImports(fountain(first));
    const before = (await production.export()).scenes;
    const later = fountain(writer.revised(writer.revised(first)));
    await production.import(later);
    await production.dismiss();
    assert.equal((await production.export()).scenes, before);
    assert.equal((await production.import(later)).changes, []);
    assert.equal((await production.export()).scenes, before);
  });

for (const seed of seedsOf(4))
  test(`approving one change after the other ends where approving all of them does (${seed})`, async () => {
    const writer = new Writer(seed);
    const first = Array.from({ length: 20 }, () => writer.scene());
    const later = fountain(writer.revised(first));
    const [one, all] = [await openImports(fountain(first)), await openImports(fountain(first))];
    for (const production of [one, all]) await production.import(later);
    for (const { id } of one.changes()) await one.approve([id]);
    await all.approve();
    assert.equal(standing((await one.export()).scenes), standing((await all.export()).scenes));
  });

test("Fountain and Final Draft of one script raise the same changes", async () => {
  const writer = new Writer(41);
  const first = Array.from({ length: 20 }, () => writer.scene());
  const later = writer.revised(first);
  const production = await openImports(fountain(first));
  await production.import(fountain(later));
  const asked = production.changes().map(({ id }) => id);
  await production.import({ name: "later.fdx", text: writeFdx(scriptOf(later), {}) });
  assert.equal(
    production.changes().map(({ id }) => id),
    asked,
  );
});

test.run();
