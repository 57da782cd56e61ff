// Random drafts of random scripts, and random decisions on single changes: the same draft again plans nothing after
// each of them, and a draft of what is approved leaves no question.
// Thorough: only --all runs it.
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HttpError } from "../../src/core/errors.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, type PaperFile, script } from "../support/import.ts";
import { sampling, triesAll } from "../support/sampling.ts";
import { now } from "../support/small_document.ts";

const test = suite("random drafts and decisions");

interface Scene {
  number: string;
  text: number;
  omitted: boolean;
}
type Production = Awaited<ReturnType<typeof openImports>>;

const draft = (scenes: readonly Scene[]): PaperFile =>
  script(
    scenes.map(({ number, text, omitted }) => {
      if (omitted) return `.OMITTED #${number}#`;
      return `INT. ROOM ${number} - DAY #${number}#\n\n${[1, 2, 3, 4, 5].map((word) => `word${number}${word}`).join(" ")} verse ${text}.`;
    }),
  );

const documentOf = (scenes: readonly Scene[]): object => ({
  document: "tallylight production",
  document_version: 1,
  production: { title: "The Test" },
  scenes: scenes.map(({ number, omitted }) => ({
    number,
    slugline: `INT. ROOM ${number} - DAY`,
    status: omitted ? "omitted" : "planned",
  })),
});

/** Changes a list of scenes; `a` and `b` are random. */
type Edit = (scenes: Scene[], a: number, b: number) => void;
const move: Edit = (scenes, a, b) => {
  const [one] = scenes.splice(a % scenes.length, 1);
  scenes.splice(b % (scenes.length + 1), 0, one as Scene);
};
const add: Edit = (scenes, a, b) => {
  const number = `${1 + (a % 9)}${"ABC"[b % 3]}`;
  if (scenes.every((scene) => scene.number !== number))
    scenes.splice(b % (scenes.length + 1), 0, { number, text: 0, omitted: false });
};
const change = (part: (scene: Scene) => Partial<Scene>): Edit => {
  return (scenes, a) => {
    const scene = scenes[a % scenes.length] as Scene;
    scenes[a % scenes.length] = { ...scene, ...part(scene) };
  };
};
/** A draft without a scene is refused. */
const hasOthers = (scenes: Scene[], at: number) =>
  scenes.some(({ omitted }, other) => !omitted && other !== at % scenes.length);
const cut: Edit = (scenes, a) => {
  if (hasOthers(scenes, a)) scenes.splice(a % scenes.length, 1);
};
const omit = change(({ omitted }) => ({ omitted: !omitted }));
const toggle: Edit = (scenes, a, b) => {
  if (hasOthers(scenes, a)) omit(scenes, a, b);
};
const rewrite = change(({ text }) => ({ text: text + 1 }));
const edits: readonly Edit[] = [move, move, move, add, toggle, cut, rewrite];

const nat = fc.nat(99);
const decision = fc.constantFrom("approve", "dismiss");
/** Which scenes revised pages have, a bit for each; without them the draft is whole. */
const whole = fc.constant(null);
const wholeOrPages = fc.option(fc.nat(2 ** 16 - 1), { freq: 4 });
const stepOf = (pages: fc.Arbitrary<number | null>) =>
  fc.record({
    edits: fc.array(fc.tuple(fc.nat(edits.length - 1), nat, nat), { minLength: 1, maxLength: 3 }),
    /** Which pending change, what becomes of it, and whether that is undone. */
    decisions: fc.array(fc.tuple(nat, decision, fc.nat(4)), { maxLength: 4 }),
    all: fc.option(decision),
    pages,
  });
const scriptsOf = (pages: fc.Arbitrary<number | null>) =>
  fc.record({
    size: fc.integer({ min: 2, max: 9 }),
    /** Whether the scenes come from a document, of which one may be omitted, and not from a draft. */
    document: fc.option(fc.nat(9), { freq: 1 }),
    steps: fc.array(stepOf(pages), { minLength: 1, maxLength: 5 }),
  });

const did = { approve: 0, dismiss: 0, refused: 0, undone: 0 };

/** A production whose draft is imported again after each decision. */
class Played {
  readonly #production: Production;
  #file: PaperFile;
  #pages = false;

  constructor(production: Production, file: PaperFile) {
    this.#production = production;
    this.#file = file;
  }

  get pending() {
    return this.#production.changes();
  }

  async import(scenes: readonly Scene[], pages = false): Promise<void> {
    this.#file = draft(scenes);
    this.#pages = pages;
    await this.#production.import(this.#file, { pages });
    await this.#again("its import");
  }

  /** The same draft again plans nothing and leaves what is pending. */
  async #again(after: string): Promise<void> {
    const { pending } = this;
    const again = await this.#production.import(this.#file, { pages: this.#pages });
    assert.equal([again.changes, again.warnings], [[], []], `the same draft after ${after}`);
    assert.equal(this.pending, pending, `what is pending after ${after}`);
  }

  async decide(decision: "approve" | "dismiss", ids?: number[], isUndone = false): Promise<void> {
    const { store, blobs, production_id } = this.#production;
    const { pending } = this;
    const said = pending.flatMap(({ id, summary }) => (ids?.includes(id) === false ? [] : summary)).join("; ");
    try {
      await this.#production[decision](ids);
    } catch (error) {
      if (!(error instanceof HttpError && error.status === 409)) throw error;
      did.refused++;
      return;
    }
    did[decision]++;
    await this.#again(`${decision} ${said}`);
    if (!isUndone) return;
    const [{ id }] = this.#production.rows(
      `SELECT max(id) AS id FROM change_sets WHERE production_id = ${production_id}`,
    );
    const write = async <T>(work: () => T): Promise<T> => store.writeSync(work);
    await undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, write);
    did.undone++;
    assert.equal(this.pending, pending, `what is pending without ${decision} ${said}`);
    await this.#again(`${decision} ${said}, undone`);
  }
}

for (const [name, pages, count] of [
  ["the same draft", whole, 24],
  ["the same pages", wholeOrPages, 16],
] as const)
  test(`leave no question that ${name} would answer again`, async () => {
    await fc.assert(
      fc.asyncProperty(scriptsOf(pages), async ({ size, document, steps }) => {
        let scenes = Array.from(
          { length: size },
          (_, at): Scene => ({ number: `${at + 1}`, text: 0, omitted: at === document }),
        );
        const production = await openImports(document === null ? draft(scenes) : documentOf(scenes));
        const played = new Played(production, draft(scenes));
        let isApproved = true;
        for (const { edits: made, decisions, all, pages } of steps) {
          scenes = [...scenes];
          for (const [kind, a, b] of made) (edits[kind] as Edit)(scenes, a, b);
          const inPages = pages === null ? scenes : scenes.filter((_, at) => pages & (1 << (at % 16)));
          if (inPages.every(({ omitted }) => omitted)) continue;
          const isIn = (number: string) => inPages.some((scene) => scene.number === number);
          const isDecided = played.pending.length === 0;
          const others = (await standing(production)).filter((number) => isDecided && !isIn(number));
          await played.import(inPages, pages !== null);
          for (const [which, decision, undone] of decisions) {
            const { pending } = played;
            const one = pending[which % pending.length];
            if (one === undefined) break;
            isApproved &&= decision === "approve" || undone === 0;
            await played.decide(decision, [one.id], undone === 0);
          }
          if (all !== null && played.pending.length > 0) await played.decide(all);
          isApproved &&= all !== "dismiss";
          if (!isApproved || played.pending.length > 0) continue;
          const stand = await standing(production);
          assert.equal(
            stand.filter((number) => pages === null || isIn(number)),
            inPages.filter(({ omitted }) => !omitted).map(({ number }) => number),
          );
          if (pages === null)
            assert.equal(
              (await listed(production)).filter(isIn),
              inPages.map(({ number }) => number),
              "the order of scenes and cards",
            );
          else
            assert.equal(
              stand.filter((number) => others.includes(number)),
              others,
              "what the pages do not have",
            );
        }
        const known = await standing(production);
        if (known.length === 0) return; // a draft without a scene is refused
        await production.import(await approvedDraft(production));
        assert.equal(played.pending, [], "a draft of what is approved");
        assert.equal(await standing(production), known);
      }),
      { ...sampling(count, 1), includeErrorInReport: true },
    );
    assert.ok(!triesAll || Math.min(did.approve, did.dismiss, did.undone) > 1, JSON.stringify(did));
  });

type Json = any; // scenes of an export are compared field by field
async function listed(production: Production): Promise<string[]> {
  const { scenes } = await production.export();
  return (scenes as Json[]).map(({ number }) => number);
}

async function standing(production: Production): Promise<string[]> {
  const { scenes } = await production.export();
  return (scenes as Json[]).filter(({ status }) => status !== "omitted").map(({ number }) => number);
}

/** A draft of the scenes as they were last approved. */
async function approvedDraft(production: Production): Promise<PaperFile> {
  const texts = new Map(
    production
      .rows("SELECT node_id, ifnull(approved, scene) AS scene FROM script_scenes WHERE node_id IS NOT NULL")
      .map(({ scene }) => JSON.parse(scene) as Json)
      .map(({ number, text }) => [number, Number(/verse (\d+)/.exec(text)?.[1] ?? 0)]),
  );
  const numbers = await standing(production);
  return draft(numbers.map((number) => ({ number, text: texts.get(number) ?? 0, omitted: false })));
}

test.run();
