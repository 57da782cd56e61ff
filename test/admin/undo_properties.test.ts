// Random chains of updates of both demos: undone in reverse order they give the start; any one of them gives the state without it, or a
// conflict that names what was changed since.
import { cpSync } from "node:fs";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localAdmin } from "../../src/admin/admin.ts";
import { listSets, shownSet } from "../../src/admin/history.ts";
import { undoChangeSet } from "../../src/admin/undo.ts";
import { exportDocument } from "../../src/document/export.ts";
import { scriptState } from "../../src/paperwork/script_record.ts";
import { openBlobs } from "../../src/store/blobs.ts";
import { openStore } from "../../src/store/database.ts";
import { fixtureFiles } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isThorough } from "../support/proportion.ts";
import { act, applied, type Choice, choice, type Input, inputOf } from "../support/random_updates.ts";
import { sampling } from "../support/sampling.ts";
import { now } from "../support/small_document.ts";
import { folderWith } from "../support/template.ts";
import type { Json } from "../support/update.ts";

const demos = fixtureFiles;

/** A demo of its own, from a folder. */
async function open(from: string) {
  const folder = temporaryFolder();
  cpSync(from, folder, { recursive: true });
  const store = openStore(`${folder}/tallylight.db`);
  const blobs = openBlobs(`${folder}/media`, store, { ceiling: 2 ** 30, role: "command" });
  const production_id = store.database.prepare("SELECT id FROM productions").pluck().get() as number;
  const admin = localAdmin(store, now);
  const target = { admin, blobs, folder };
  const exported = async (): Promise<Json> => {
    let text = "";
    for await (const piece of exportDocument(store, blobs, production_id)) text += piece;
    return JSON.parse(text);
  };
  return {
    ...{ store, production_id, target, admin, exported },
    /** The document without its history and times, and the stored script. */
    async state(withScript = true): Promise<string> {
      const { activity: _, ...document } = await exported();
      const script = withScript ? [...scriptState(store, production_id).values()] : [];
      return JSON.stringify({ document, script }, (key, value) => (key === "updated_at" ? undefined : value));
    },
    apply: (input: Input) => applied(target, production_id, input),
    undo: (id: number, dry_run = false) =>
      undoChangeSet(admin, blobs, { id, dry_run }, async (work) => store.writeSync(work)),
    sets: () => listSets(store, { production_id, limit: 200 }).map(({ id }) => id),
  };
}
type Demo = Awaited<ReturnType<typeof open>>;

/** What an undo refuses whatever happened since. */
const recorded =
  /cannot be undone: (?:engagements are ended|what the storage agent|an? (?:note|job|activity entry|script change) stays|its [\w, ]+ stay|the bytes of its former media)/;

/** An update by random numbers, of what the production has now; undefined if the numbers ask for what it does not have. */
function inputAt(document: Json, choices: readonly Choice[]): Input | undefined {
  try {
    return inputOf(document, choices);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function message(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    const { status, message, stack } = error as Json;
    assert.is(status, 409, stack);
    return message;
  }
}

const did = { undone: 0, recorded: 0, replayed: 0, conflicts: 0, decided: 0 };

/** Applies a chain; a set that only records, which no undo takes back, is left out. Returns the state before each set. */
async function applyChain(demo: Demo, steps: readonly Choice[][], withDrafts = true) {
  const chain: { id: number; before: string; input: Input | undefined }[] = [];
  for (const choices of steps) {
    const [known, before] = [new Set(demo.sets()), await demo.state()];
    const input = inputAt(await demo.exported(), choices);
    if (input === undefined || (!withDrafts && input.draft !== undefined)) continue;
    await demo.apply(input);
    const own = demo.sets().find((id) => !known.has(id));
    if (own !== undefined) chain.push({ id: own, before, input });
    const [first] = choices;
    if (!withDrafts || first === undefined || first.kind % 5 < 2) continue; // grants and engagements are no change sets
    const [seen, between] = [new Set(demo.sets()), await demo.state()];
    await act(demo.target, demo.production_id, first);
    const decision = demo.sets().find((id) => !seen.has(id));
    if (decision !== undefined) chain.push({ id: decision, before: between, input: undefined });
    if (decision !== undefined) did.decided++;
  }
  return chain;
}

const random = suite("random chains of undos");
const steps = fc.array(fc.array(choice, { minLength: 1, maxLength: 2 }), {
  minLength: 3,
  maxLength: isThorough ? 20 : 5,
});

for (const file of demos) {
  const folder = await folderWith([file], now);
  const name = /[\w-]+(?=\.json)/.exec(file)?.[0];

  random(`of ${name} give the start in reverse order, and each state again when the undo is undone`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const demo = await open(folder);
        const chain = await applyChain(demo, steps);
        for (const { id, before } of chain.toReversed()) {
          const after = await demo.state();
          const refusal = await message(demo.undo(id));
          if (refusal !== undefined) {
            assert.match(refusal, recorded);
            assert.is(await demo.state(), after, "a refused undo writes nothing");
            did.recorded++;
            break; // what came before it is referred to now
          }
          assert.is(await demo.state(), before);
          await demo.undo(demo.sets()[0] as number);
          assert.is(await demo.state(), after, "the undo of the undo");
          await demo.undo(id);
          assert.is(await demo.state(), before);
          did.undone++;
        }
        assert.equal(demo.store.database.pragma("foreign_key_check"), []);
        demo.store.close();
      }),
      { ...sampling(6, 20261122), includeErrorInReport: true },
    );
  });

  random(`of ${name} give the state without one of the updates, or a conflict`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(20), async (steps, which) => {
        const [demo, other] = [await open(folder), await open(folder)];
        const chain = await applyChain(demo, steps, false);
        const one = chain[which % Math.max(1, chain.length)];
        if (one !== undefined) await checkOne(demo, other, chain, one);
        demo.store.close();
        other.store.close();
      }),
      { ...sampling(8, 20261123), includeErrorInReport: true },
    );
  });
}

async function checkOne(demo: Demo, other: Demo, chain: Awaited<ReturnType<typeof applyChain>>, one: { id: number }) {
  const before = await demo.state();
  const refusal = await message(demo.undo(one.id));
  if (refusal !== undefined) {
    assert.is(await demo.state(), before, "a refused undo writes nothing");
    const later = [...refusal.matchAll(/by change set (\d+) of/g)].map(([, id]) => Number(id));
    const things = new Set(shownSet(demo.admin, one.id).changes?.map(({ section, id }) => `${section} ${id}`));
    for (const id of later) {
      assert.ok(id > one.id, refusal);
      const changes = shownSet(demo.admin, id).changes ?? [];
      assert.ok(
        changes.some(({ section, id }) => things.has(`${section} ${id}`)),
        refusal,
      );
    }
    did.conflicts++;
    return;
  }
  for (const { id, input } of chain) {
    if (id === one.id || input === undefined) continue;
    if ((await other.apply(input)) === undefined) return; // it needs what the undone one did
  }
  assert.is(await demo.state(), await other.state());
  did.replayed++;
}

random.after(() => assert.ok(did.undone > 1 && did.replayed + did.conflicts > 0, JSON.stringify(did)));
random.run();
