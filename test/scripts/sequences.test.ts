// Properties of random sequences of drafts, decisions and edits by hand, on single and episodic productions.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openImports, type PaperFile, script } from "../support/import.ts";
import { randomOf } from "../support/random.ts";
import { seedsOf } from "../support/sampling.ts";

const test = suite("random sequences of drafts");

type Production = Awaited<ReturnType<typeof openImports>>;

interface Scene {
  name: string;
  number: string;
  time: string;
  revision: number;
  speaker: string | undefined;
}

const words = "rain cart lamp door river coat bell smoke letter horse quiet broken under against before slowly".split(
  " ",
);

/** A script that is written further, by chance. */
class Story {
  readonly #random: () => number;
  #names = 0;
  #texts = new Map<string, string>();
  /** What was cut, and may come back. */
  readonly #cut: Scene[] = [];
  scenes: Scene[] = [];

  constructor(seed: number, count: number) {
    this.#random = randomOf(seed);
    for (let at = 1; at <= count; at++) this.scenes.push(this.#scene(`${at}`));
  }

  chance(of: number): boolean {
    return this.#random() < of;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((one) => [this.#random(), one] as const)
      .sort(([one], [other]) => one - other)
      .map(([, one]) => one);
  }

  #scene(number: string): Scene {
    const name = `SET${++this.#names}`;
    this.#texts.set(name, Array.from({ length: 30 }, () => this.pick(words)).join(` ${name} `));
    return {
      name,
      number,
      time: this.pick(["DAY", "NIGHT"]),
      revision: 0,
      speaker: this.pick(["ADA", "BEN", undefined]),
    };
  }

  /** A number that no scene of the draft has, after that of a scene. */
  #free(after: string): string {
    const taken = new Set(this.scenes.map(({ number }) => number));
    return [..."ABCDEFGHJK"].map((letter) => `${after}${letter}`).find((number) => !taken.has(number)) ?? `${after}Z`;
  }

  /** The next draft: scenes are rewritten, set elsewhere, cut, added, moved, renumbered, and come back. */
  revise(): void {
    for (let step = 0; step < 4; step++) {
      const at = Math.floor(this.#random() * this.scenes.length);
      const scene = this.scenes[at] as Scene;
      const change = (more: Partial<Scene>) => this.scenes.splice(at, 1, { ...scene, ...more });
      const kind = this.pick(["edit", "time", "speaker", "cut", "add", "move", "number", "back", "all"]);
      if (kind === "edit") change({ revision: scene.revision + 1 });
      else if (kind === "time") change({ time: scene.time === "DAY" ? "NIGHT" : "DAY" });
      else if (kind === "speaker") change({ speaker: this.pick(["ADA", "BEN", undefined]) });
      else if (kind === "cut" && this.scenes.length > 3) this.#cut.push(...this.scenes.splice(at, 1));
      else if (kind === "add") this.scenes.splice(at, 0, this.#scene(this.#free(scene.number)));
      else if (kind === "move")
        this.scenes.splice(Math.floor(this.#random() * this.scenes.length), 0, ...this.scenes.splice(at, 1));
      else if (kind === "number") change({ number: this.#free(scene.number) });
      else if (kind === "all") this.scenes = this.scenes.map((one, place) => ({ ...one, number: `${place + 1}` }));
      else if (kind === "back" && this.#cut.length > 0) {
        const back = this.#cut.pop() as Scene;
        const isTaken = this.scenes.some(({ number }) => number === back.number);
        this.scenes.splice(at, 0, { ...back, ...(isTaken && { number: this.#free(scene.number) }) });
      }
    }
  }

  get file(): PaperFile {
    const written = this.scenes.map(({ name, number, time, revision, speaker }) => {
      const speech = speaker === undefined ? "" : `\n\n${speaker}\nHello ${name}.`;
      return `INT. ${name} - ${time} #${number}#\n\n${this.#texts.get(name)}${" Again.".repeat(revision)}${speech}`;
    });
    return script(written, "story.fountain");
  }
}

const episode = (production: Production): { episode?: string } =>
  production.rows("SELECT format FROM productions")[0].format === "episodic" ? { episode: "101" } : {};

const standing = ({ number, elements: { set, time_of_day, cast = [] } }: any) => [number, set, time_of_day, cast];
const shown = async (production: Production) =>
  (await production.export()).scenes.filter(({ status }: any) => status !== "omitted").map(standing);
const drafted = ({ scenes }: Story) =>
  scenes.map(({ name, number, time, speaker }) => [number, name, time, speaker === undefined ? [] : [speaker]]);

/** Imports a draft, and once more: then nothing happens. */
async function importTwice(production: Production, { file }: Story): Promise<void> {
  await production.import(file, episode(production));
  const pending = production.changes().map(({ id }) => id);
  const drafts = production.rows("SELECT count(*) AS count FROM script_drafts");
  assert.equal((await production.import(file, episode(production))).changes, [], "the same draft again");
  assert.equal(
    production.changes().map(({ id }) => id),
    pending,
  );
  assert.equal(production.rows("SELECT count(*) AS count FROM script_drafts"), drafts);
}

/**
 * Approves the pending changes one by one, in a random order; one that needs others is approved with those that its
 * refusal names.
 */
async function approveOneByOne(production: Production, story: Story): Promise<void> {
  for (let pending = production.changes(); pending.length > 0; pending = production.changes()) {
    const { id } = story.pick(pending);
    const error = await production.approve([id]).catch((error) => error);
    if (!(error instanceof Error)) continue;
    const [, named = ""] = /approve script changes? ([\d, andto]+) with it/.exec(error.message) ?? [];
    assert.is.not(named, "", error.message);
    const others = [...named.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, from, to = from]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at),
    );
    await production.approve([id, ...others]);
  }
}

for (const seed of seedsOf(8))
  test(`approving everything, at once or one by one, makes the production the draft (${seed})`, async () => {
    const story = new Story(seed, 6 + (seed % 5));
    const production = await openImports(story.file, seed % 4 === 0 ? { episode: "101" } : {});
    for (let round = 0; round < 3; round++) {
      story.revise();
      await importTwice(production, story);
      if (story.chance(0.3)) continue;
      if (story.chance(0.5)) await production.approve();
      else await approveOneByOne(production, story);
      assert.equal(await shown(production), drafted(story));
      await importTwice(production, story);
      assert.equal(production.changes(), []);
    }
  });

for (const seed of seedsOf(6))
  test(`after any decisions and edits by hand, the same draft plans nothing, and what is as approved does not wait (${seed})`, async () => {
    const story = new Story(seed, 6 + (seed % 5));
    const production = await openImports(story.file, seed % 4 === 0 ? { episode: "101" } : {});
    for (let round = 0; round < 3; round++) {
      const approved = story.file;
      story.revise();
      await importTwice(production, story);
      for (const { id } of story.shuffled(production.changes()))
        if (story.chance(0.5)) await production.dismiss([id]);
        else if (story.chance(0.3)) await production.approve([id]).catch(({ status }) => assert.is(status, 409));
      await importTwice(production, story);
      let made: ReturnType<typeof production.changes> = [];
      if (story.chance(0.5)) {
        const { number, episode } = story.pick((await production.export()).scenes as any[]);
        const edited = story.pick([
          { slugline: "EXT. BY HAND - DAY" },
          { status: "omitted" },
          { number: `${number}H`, was: number },
        ]);
        const text = JSON.stringify({ scenes: [{ number, ...(episode && { episode }), ...edited }] });
        const waited = production.changes();
        await production.import({ name: "hand.json", text });
        const left = new Set(production.changes().map(({ id }) => id));
        made = waited.filter(({ id }) => !left.has(id));
      }
      await importTwice(production, story);
      for (const { node_id, summary } of made)
        assert.not(
          production.changes().some((one) => node_id !== null && one.node_id === node_id),
          summary,
        );
      const { scenes } = await production.export();
      const isUntouched =
        production.changes("approved").length === 0 &&
        !scenes.some(({ number, slugline, status }: any) =>
          /H$|BY HAND|omitted/.test([number, slugline, status].join(" ")),
        );
      await production.import({ ...approved, name: "reverse.fountain" }, episode(production));
      if (round === 0 && isUntouched) assert.equal(production.changes(), [], "the draft is as approved");
      await production.import(story.file, episode(production));
    }
  });

test.run();
