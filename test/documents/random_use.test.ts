// Random productions and random updates of several files: what a plan says is what the tables show, the same again
// plans nothing, and the export can be imported.
// Thorough: only --all runs it.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { checkedDocument } from "../../src/features/documents/read/whole.ts";
import { sectionNames } from "../../src/features/documents/sections/sections.ts";
import { StoredProduction } from "../../src/features/documents/stored.ts";
import { listOfProduction } from "../../src/features/lists/exporters.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { exportKinds } from "../support/list_kinds.ts";
import {
  act,
  applied,
  at,
  type Choice,
  choice,
  type Input,
  inputOf,
  past,
  range,
  sceneOf,
} from "../support/random_updates.ts";
import { sampling, triesAll } from "../support/sampling.ts";
import { joined, openEmpty } from "../support/small_document.ts";
import type { Json } from "../support/update.ts";

const { folder, store, blobs } = await openEmpty();
const now = "2026-11-20T08:00:00.000Z";
const admin = localAdmin(store, now);
const target = { admin, blobs, folder };

const seed = fc.record({
  episodic: fc.boolean(),
  size: fc.integer({ min: 2, max: 5 }),
  links: fc.array(fc.nat(20), { minLength: 6, maxLength: 6 }),
});

let productions = 0;
function documentOf({ episodic, size, links }: { episodic: boolean; size: number; links: number[] }): Json {
  const scene = (index: number) =>
    sceneOf({ number: String(index + 1), ...(episodic && { episode: `10${index % 2}` }) });
  return {
    document: "tallylight production",
    document_version: 1,
    production: {
      title: `Random ${++productions}`,
      ...(episodic && { format: "episodic", season_number: 1, current_episode: "100" }),
    },
    ...(episodic && { episodes: ["100", "101"].map((code) => ({ code, title: `Episode ${code}` })) }),
    departments: range(size).map((index) => ({ slug: `department-${index}`, name: `Department ${index}` })),
    people: range(size).map((index) => ({
      name: `Person ${index}`,
      role: "Role",
      department: `department-${at(links, index) % size}`,
    })),
    scenes: range(size).map((index) => ({
      number: String(index + 1),
      ...(episodic && { episode: `10${index % 2}` }),
      slugline: `INT. PLACE ${index} - DAY`,
      assets: [`Prop ${at(links, index) % size}`],
    })),
    assets: range(size).flatMap((index) => [
      {
        label: `Prop ${index}`,
        kind: "prop",
        department: `department-${index}`,
        versions: [{ version: 1, created_at: past }],
      },
      { label: `Costume ${index}`, kind: "costume" },
      { label: `Character ${index}`, kind: "character", costumes: [`Costume ${at(links, index) % size}`] },
    ]),
    schedule: range(size).map((index) => ({
      day_number: index + 1,
      date: `2026-12-0${index + 1}`,
      scenes: [scene(index)],
    })),
    vendors: range(2).map((index) => `Vendor ${index}`),
    engagements: range(2).map((index) => ({
      vendor: `Vendor ${index}`,
      title: "Work",
      ...(index > 0 && { ref: "Work 2" }),
      grants: [
        { verb: "read", scene: scene(index) },
        { verb: "submit", delivery: "Delivery 0" },
      ],
    })),
    deliveries: range(size).map((index) => ({
      title: `Delivery ${index}`,
      status: at(["draft", "ready", "sent"], index),
      scenes: [scene(index)],
    })),
    approvals: range(size).map((index) => ({
      title: `Approval ${index}`,
      ...at<Json>(
        [{ scene: scene(index) }, { asset: `Prop ${index}` }, { delivery: `Delivery ${index}` }],
        at(links, index),
      ),
      steps: range(2).map((step) => ({ person: `Person ${(index + step) % size}` })),
    })),
    purchase_orders: range(2).map(() => ({
      account: "1",
      vendor: "Vendor 0",
      description: "Rope",
      amount: 5,
      date: "2026-11-01",
    })),
    cost_reports: range(2).map((index) => ({
      week_of: `2026-11-0${index + 1}`,
      active: index === 1,
      lines: [{ account: "1", department: "department-0" }],
    })),
    storage: [{ filespace: "main", files: [{ path: "a.mov", state: "present", detected_at: past }] }],
  };
}

type Things = Map<string, Json>;
function thingsOf(production_id: number): Things {
  const stored = new StoredProduction(store, production_id);
  return new Map(
    sectionNames.flatMap((name) => stored.items(name).map(({ id, raw }) => [`${name} ${id}`, raw] as const)),
  );
}

async function exported(production_id: number): Promise<Json> {
  return JSON.parse(await joined(exportDocument(store, blobs, production_id)));
}

const naming = /^(?:number|name|slug|label|title|code|ref|episode)$/;
const untimed = (thing: Json): Json =>
  JSON.parse(JSON.stringify(thing, (key, value) => (/^(?:created|updated)_at$/.test(key) ? undefined : value)));

/** A value without its times; the order of a set says nothing. */
const compared = (field: string, value: Json): Json => {
  const timeless = untimed(value ?? null);
  return /^(?:files|assets|costumes)$/.test(field) && Array.isArray(timeless)
    ? timeless.map((one) => JSON.stringify(one)).sort()
    : timeless;
};

/** Compares the tables with what a plan said. */
function checkApplied(before: Things, after: Things, changes: readonly Json[], input: string): void {
  const touched = new Set<string>();
  for (const { section, id, action, fields } of changes) {
    if (section === "production") continue;
    const key = `${section} ${id}`;
    touched.add(key);
    const thing = after.get(key);
    if (action === "remove") assert.is(thing, undefined, input);
    else
      for (const [field, { to }] of Object.entries(fields) as [string, Json][])
        if (field !== "order")
          assert.equal(compared(field, thing[field]), compared(field, to), `${key}.${field} after ${input}`);
  }
  const isRename = changes.some(
    ({ action, fields }) => action === "change" && Object.keys(fields).some((field) => naming.test(field)),
  );
  if (isRename) return; // other things name what has another name now
  // A draft writes its own changes, and every update activity.
  for (const [key, thing] of after)
    if (!touched.has(key) && !/^(?:activity|script_changes) /.test(key))
      assert.equal(thing, before.get(key), `${key} after ${input}`);
  for (const key of before.keys()) assert.ok(after.has(key) || touched.has(key), `${key} after ${input}`);
}

const did = { refused: 0, changed: 0, lists: 0, drafts: 0, decided: 0 };

/** Applies an input and the same once more. Returns whether it was applied. */
async function checkUpdate(production_id: number, input: Input): Promise<boolean> {
  const text = JSON.stringify(input);
  const before = thingsOf(production_id);
  const planned = await applied(target, production_id, input, true);
  const plan = await applied(target, production_id, input);
  const known = (changes: readonly Json[] = []) => changes.map(({ id: _, ...change }) => change);
  assert.equal(known(plan?.changes), known(planned?.changes), text);
  assert.equal(plan?.warnings, planned?.warnings);
  const after = thingsOf(production_id);
  if (plan === undefined) {
    did.refused++;
    assert.ok(isDeepStrictEqual(after, before), `a refused input writes nothing: ${text}`);
    return false;
  }
  if (plan.changes.length > 0) did.changed++;
  if (input.list !== undefined) did.lists++;
  if (input.draft !== undefined) did.drafts++;
  checkApplied(before, after, plan.changes, text);
  const again = await applied(target, production_id, input);
  // Of several files, one may name what another renames, or contradict what the later one recorded.
  const { documents, list, draft } = input;
  if (again === undefined && [...documents, list ?? [], draft ?? []].flat().length > 1) return true;
  assert.equal(again?.changes, [], `the same again: ${text}`);
  assert.equal(thingsOf(production_id), after, `the same again: ${text}`);
  return true;
}

/** Decides on changes of the script. The last draft again changes nothing then. */
async function checkDecision(production_id: number, choice: Choice, draft: Input["draft"]): Promise<void> {
  const before = thingsOf(production_id);
  const decided = await act(target, production_id, choice);
  if (decided === undefined) return;
  did.decided++;
  checkApplied(before, thingsOf(production_id), decided.changes, `a decision ${JSON.stringify(choice)}`);
  if (draft === undefined) return;
  const after = thingsOf(production_id);
  const again = await applied(target, production_id, { documents: [], draft });
  assert.equal(again?.changes, [], `after a decision ${JSON.stringify(again)}: ${draft.text}`);
  assert.equal(thingsOf(production_id), after, draft.text);
}

async function checkExports(production_id: number): Promise<void> {
  const document = await exported(production_id);
  const own = await applied(target, production_id, { documents: [document], exact: true }, true);
  assert.equal(own?.changes, [], "an export plans nothing");
  for (const as of exportKinds) {
    const text = listOfProduction(store, production_id, as);
    const again = await applied(target, production_id, { documents: [], list: { as, text } }, true);
    assert.equal(again?.changes, [], `${as}: ${text}`);
  }
  const copy = { ...document, production: { ...document.production, title: `Copy ${production_id}` } };
  const read = checkedDocument(structuredClone(copy), "copy.json", folder);
  const imported = await importDocument(store, blobs, read, { now });
  assert.equal(await exported(imported.production_id), copy);
}

const random = suite("random updates of random productions");

random("do what their plans say, once, and leave a production that can be exported and imported", async () => {
  const steps = fc.array(fc.array(choice, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(seed, steps, async (from, steps) => {
      const first = checkedDocument(documentOf(from), "random.json", folder);
      const { production_id } = await importDocument(store, blobs, first, { now });
      for (const choices of steps) {
        const input = inputOf(await exported(production_id), choices);
        const isApplied = await checkUpdate(production_id, input);
        await checkDecision(production_id, choices[0] as Choice, isApplied ? input.draft : undefined);
      }
      await checkExports(production_id);
    }),
    { ...sampling(24, 1), includeErrorInReport: true },
  );
  assert.equal(store.database.pragma("foreign_key_check"), []);
  assert.ok(!triesAll || (did.refused < did.changed && Math.min(...Object.values(did)) > 1), JSON.stringify(did));
});

random.run();
