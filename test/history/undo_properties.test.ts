// Random chains of updates of both demos: undone in reverse order they give the start; any one of them gives the state
// without it, or a conflict that names what was changed since.
// Thorough: only --all runs it.
import { cpSync } from "node:fs";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { findSet, listSets } from "../../src/features/history/history.ts";
import { turnedOperations } from "../../src/features/history/turning.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { fixtureFiles, openTestServer, type TestServer } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { importOnPage, openAsAdmin, type Visitor } from "../support/pages.ts";
import { isThorough } from "../support/proportion.ts";
import { act, applied, type Choice, choice, type Input, inputOf } from "../support/random_updates.ts";
import { sampling, triesAll } from "../support/sampling.ts";
import { scriptState } from "../support/script_state.ts";
import { joined, now, stateOf } from "../support/small_document.ts";
import { folderWith, openData } from "../support/template.ts";
import type { Json } from "../support/update.ts";

const demos = fixtureFiles;
const did = { pages: 0, undone: 0, recorded: 0, replayed: 0, conflicts: 0, decided: 0 };

/** The ids of rows differ where something was taken back in between. */
const withoutIds = (cells: Json): Json =>
  Object.fromEntries(Object.entries(cells).filter(([name]) => !/_id$|^(?:superseded_by|position)$/.test(name)));

/** A demo of its own, from a folder. */
async function open(from: string) {
  const folder = temporaryFolder();
  cpSync(from, folder, { recursive: true });
  const { store, blobs } = openData(folder);
  const production_id = store.database.prepare("SELECT id FROM productions").pluck().get() as number;
  const admin = localAdmin(store, now);
  const target = { admin, blobs, folder };
  const exported = async (): Promise<Json> => JSON.parse(await joined(exportDocument(store, blobs, production_id)));
  let server: TestServer | undefined;
  let browser: Visitor | undefined;
  return {
    store,
    production_id,
    admin,
    exported,
    /** The document without its history and times, and the stored script; without `withIds` by what its rows say. */
    async state(withIds = true): Promise<string> {
      const { activity: _, ...document } = JSON.parse(stateOf(store, production_id));
      const rows = scriptState(store, production_id);
      const script = withIds ? rows : rows.map(({ table, cells }) => ({ table, cells: withoutIds(cells) }));
      return JSON.stringify({ document, script }, (key, value) => {
        if (key === "updated_at") return undefined;
        // What an update stamps has the time of its commit, which over HTTP is a little later than the request.
        return typeof value === "string" && value.startsWith(now.slice(0, -7)) ? now : value;
      });
    },
    apply: (input: Input) => applied(target, production_id, input),
    /** Decides script changes or reopens an approval. */
    act: (choice: Choice) => act(target, production_id, choice),
    /** What a decision chooses from. */
    open: async () => {
      const { script_changes, approvals } = JSON.parse(stateOf(store, production_id));
      const waiting = script_changes.filter(({ status }: Json) => status === "pending");
      const reopened = approvals.filter(({ status }: Json) => status === "changes_requested");
      return JSON.stringify([
        waiting.map(({ kind, scene_number, episode }: Json) => [kind, scene_number, episode]),
        reopened.map(({ title }: Json) => title),
      ]);
    },
    /** The import page of a server on the folder. */
    async page(documents: Json[]): Promise<void> {
      server ??= await openTestServer({ data: folder, clock: () => Date.parse(now) });
      browser ??= await openAsAdmin(server, production_id);
      const page = await importOnPage(server, browser, documents);
      if (page.includes("<h2>Applied</h2>")) did.pages++;
    },
    async close(): Promise<void> {
      await server?.close();
      store.close();
    },
    undo: (id: number, dry_run = false) =>
      undoChangeSet(admin, blobs, { id, dry_run }, async (work) => store.writeSync(work)),
    sets: () => listSets(store, { production_id, limit: 200 }).map(({ id }) => id),
  };
}
type Demo = Awaited<ReturnType<typeof open>>;

/** What an undo refuses whatever happened since. */
const recorded =
  /cannot be undone: (?:engagements are ended|what the storage agent|an? (?:note|job|activity entry|script change) stays|its [\w, ]+ stay|the bytes of its former media)/;

/**
 * An update by random numbers, of what the production has now; undefined if the numbers ask for what it does not have.
 */
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

interface Step {
  id: number;
  before: string;
  /** Does the same to another demo. Returns undefined if it is refused, or if what it chooses from differs. */
  repeat(other: Demo): Promise<unknown>;
}

/**
 * Applies a chain; what is no change set is left out. Documents are applied by the import page if the numbers say so.
 */
async function applyChain(demo: Demo, steps: readonly Choice[][]): Promise<Step[]> {
  const chain: Step[] = [];
  const run = async (work: () => Promise<unknown>, repeat: Step["repeat"]) => {
    const [known, before] = [new Set(demo.sets()), await demo.state()];
    await work();
    const own = demo.sets().find((id) => !known.has(id));
    if (own !== undefined) chain.push({ id: own, before, repeat });
    return own !== undefined;
  };
  for (const choices of steps) {
    const input = inputAt(await demo.exported(), choices);
    const [first] = choices;
    if (input === undefined || first === undefined) continue;
    const { documents, list, draft, exact = false } = input;
    const onPage = list === undefined && draft === undefined && !exact && first.c % 5 === 0;
    await run(
      () => (onPage ? demo.page(documents) : demo.apply(input)),
      (other) => other.apply(input),
    );
    if (first.kind % 5 < 2) continue; // grants and engagements are no change sets
    const open = await demo.open();
    const decided = await run(
      () => demo.act(first),
      async (other) => ((await other.open()) === open ? [await other.act(first)] : undefined),
    );
    if (decided) did.decided++;
  }
  return chain;
}

const random = suite("random chains of undos");
const steps = fc.array(fc.array(choice, { minLength: 1, maxLength: 2 }), {
  minLength: 3,
  maxLength: isThorough ? 12 : 5,
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
        await demo.close();
      }),
      { ...sampling(3, 3), includeErrorInReport: true, endOnFailure: true },
    );
  });

  random(`of ${name} give the state without one of the updates, or a conflict`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(20), async (steps, which) => {
        const [demo, other] = [await open(folder), await open(folder)];
        const chain = await applyChain(demo, steps);
        const one = chain[which % Math.max(1, chain.length)];
        if (one !== undefined) await checkOne(demo, other, chain, one);
        await demo.close();
        await other.close();
      }),
      { ...sampling(4, 2), includeErrorInReport: true, endOnFailure: true },
    );
  });
}

/** What a change set touched. */
function touchedBy(demo: Demo, id: number): Set<string> {
  const { changes } = findSet(demo.admin, id);
  const rows = turnedOperations(demo.store, id).map(({ table, id }) => `${table} ${id}`);
  return new Set([...changes.map(({ section, id }) => `${section} ${id}`), ...rows]);
}

/** What a change set changed, without ids, which another demo gives anew. */
const changedBy = (demo: Demo, id: number): string =>
  JSON.stringify(
    findSet(demo.admin, id).changes.map(({ section, key, action, fields }) => [
      section,
      key,
      action,
      Object.keys(fields),
    ]),
  );

async function checkOne(demo: Demo, other: Demo, chain: readonly Step[], one: Step): Promise<void> {
  const before = await demo.state();
  const refusal = await message(demo.undo(one.id));
  if (refusal !== undefined) {
    assert.is(await demo.state(), before, "a refused undo writes nothing");
    const later = [...refusal.matchAll(/by change set (\d+) of/g)].map(([, id]) => Number(id));
    const things = touchedBy(demo, one.id);
    for (const id of later) {
      assert.ok(id > one.id, refusal);
      assert.not.equal([...touchedBy(demo, id).intersection(things)], [], refusal);
    }
    did.conflicts++;
    return;
  }
  for (const { id, repeat } of chain) {
    if (id === one.id) continue;
    const [known] = other.sets();
    if ((await repeat(other)) === undefined) return; // it needs what the undone one did
    const [own] = other.sets();
    // it does something else without it
    if (own === undefined || own === known || changedBy(other, own) !== changedBy(demo, id)) return;
  }
  assert.is(await demo.state(false), await other.state(false));
  did.replayed++;
}

random.after(() =>
  assert.ok(
    !triesAll ||
      (did.undone > 1 && (did.pages > 0 || !isThorough) && did.decided > 0 && did.replayed + did.conflicts > 0),
    JSON.stringify(did),
  ),
);
random.run();
