// Random productions and random updates of several files: what a plan says is what the tables show, the same again plans nothing, and
// the export can be imported.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localAdmin } from "../../src/admin/admin.ts";
import { reopenApproval } from "../../src/admin/approvals.ts";
import { endEngagement } from "../../src/admin/engagements.ts";
import { revokeGrant } from "../../src/admin/grants.ts";
import { updateFromFiles } from "../../src/admin/production_update.ts";
import { sectionNames } from "../../src/document/changes.ts";
import { exportDocument } from "../../src/document/export.ts";
import { importDocument } from "../../src/document/import.ts";
import { listOfProduction } from "../../src/document/list_export.ts";
import { checkedDocument } from "../../src/document/read.ts";
import { partialDocument } from "../../src/document/read_partial.ts";
import { StoredProduction } from "../../src/document/stored.ts";
import { CliError, HttpError } from "../../src/errors.ts";
import { type ExportKind, exportKinds } from "../../src/formats/csv_out.ts";
import { noFlags } from "../../src/paperwork/flags.ts";
import { openBlobs } from "../../src/store/blobs.ts";
import { openStore } from "../../src/store/database.ts";
import { temporaryFolder } from "../support/folder.ts";
import { sampling } from "../support/sampling.ts";
import type { Json } from "../support/update.ts";

const folder = temporaryFolder();
const store = openStore(`${folder}/tallylight.db`);
const blobs = openBlobs(`${folder}/media`, store, { ceiling: 2 ** 20, role: "command" });
const now = "2026-11-20T08:00:00.000Z";
const past = "2026-05-01T00:00:00.000Z";
const admin = localAdmin(store, now);

interface Choice {
  kind: number;
  a: number;
  b: number;
  c: number;
}
const choice: fc.Arbitrary<Choice> = fc.record({
  kind: fc.nat(99),
  a: fc.nat(20),
  b: fc.nat(20),
  c: fc.nat(20),
});
const seed = fc.record({
  episodic: fc.boolean(),
  size: fc.integer({ min: 2, max: 5 }),
  links: fc.array(fc.nat(20), { minLength: 6, maxLength: 6 }),
});

const range = (size: number) => Array.from({ length: size }, (_, at) => at);
/** The item at a random index; undefined of an empty list. */
const at = <T>(list: readonly T[] | undefined, index: number): T =>
  (list ?? [])[index % Math.max(1, list?.length ?? 0)] as T;
const nameOf = ({ ref, label, title }: Json): string => ref ?? label ?? title;
const sceneOf = ({ number, episode }: Json): string => (episode === undefined ? number : `${episode}/${number}`);

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

const statuses = ["planned", "active", "done"];
/** A document about a few things of a production, by random numbers. Some are refused. */
const edits: readonly ((document: Json, choice: Choice) => Json)[] = [
  ({ scenes, assets }, { a, b, c }) => ({
    scenes: [
      {
        ...keyed(at(scenes, a)),
        status: at([...statuses, "omitted"], b),
        synopsis: `${c}`,
        assets: [nameOf(at(assets, c))],
      },
    ],
  }),
  ({ scenes }, { a, b }) => ({
    scenes: [{ ...keyed(at(scenes, a)), number: `${b}Z`, was: at<Json>(scenes, a).number }],
  }),
  ({ scenes }, { a, b, c }) => ({
    scenes: [keyed(at(scenes, a)), { ...keyed(at(scenes, b)), number: `N${c}`, slugline: "EXT. NEW" }],
  }),
  ({ assets, departments }, { a, b, c }) => ({
    assets: [
      {
        ...keyed(at(assets, a)),
        kind: at(["prop", "costume", "character"], b),
        department: at([null, at<Json>(departments, c).slug], c),
      },
    ],
  }),
  ({ assets }, { a, b, c }) => ({
    assets: [
      { ...keyed(at(assets, a)), costumes: [nameOf(at(assets, b))] },
      { label: `New ${c}`, kind: "costume" },
    ],
  }),
  ({ assets }, { a, b }) => ({ assets: [{ label: `Renamed ${b}`, was: nameOf(at(assets, a)) }] }),
  ({ people, departments }, { a, b, c }) => ({
    people: [
      { name: at<Json>(people, a).name, active: b % 2 === 0 },
      { name: `New ${b}`, role: "New", department: at<Json>(departments, c).slug },
    ],
  }),
  ({ people }, { a, b }) => ({ people: [{ name: `Renamed ${b}`, was: at<Json>(people, a).name }] }),
  ({ departments }, { a, b }) => ({
    departments: [
      { slug: `renamed-${b}`, was: at<Json>(departments, a).slug },
      { slug: `new-${b}`, name: "New" },
    ],
  }),
  ({ deliveries, departments }, { a, b, c }) => ({
    deliveries: [
      {
        ...keyed(at(deliveries, a)),
        status: at(["draft", "ready", "sent", "accepted"], b),
        due: at([null, "2026-12-24", "soon"], c),
        to_department: at<Json>(departments, c).slug,
      },
    ],
  }),
  ({ deliveries }, { a, b }) => ({
    deliveries: [{ ...keyed(at(deliveries, a)), kind: "external", external_to: `Vendor ${b}` }],
  }),
  ({ deliveries }, { a, b }) => ({ deliveries: [{ title: `Renamed ${b}`, was: nameOf(at(deliveries, a)) }] }),
  ({ approvals }, { a, b, c }) => {
    const { steps, ...approval } = at<Json>(approvals, a);
    const status = at(["approved", "changes_requested", "rejected"], b);
    const decided = { status, decided_at: past, decided_by: steps[0].person };
    return {
      approvals: [
        {
          ...keyed(approval),
          status: c % 2 === 0 ? status : "pending",
          steps: [{ person: steps[0].person, ...decided }],
        },
      ],
    };
  },
  ({ approvals }, { a, b }) => ({
    approvals: [{ ...keyed(at(approvals, a)), status: at(["pending", "approved"], b), due: `${b}` }],
  }),
  ({ people, assets }, { a, b, c }) => ({
    approvals: [{ title: `New ${a}`, asset: nameOf(at(assets, b)), steps: [{ person: at<Json>(people, c).name }] }],
  }),
  ({ engagements, scenes }, { a, b, c }) => ({
    engagements: [
      {
        ...keyed(at(engagements, a)),
        vendor: at<Json>(engagements, a).vendor,
        grants: [
          {
            verb: "read",
            scene: sceneOf(at(scenes, b)),
            ...at<Json>([{}, { expires_at: past }, { expires_at: "2030-01-01T00:00:00.000Z" }], c),
          },
        ],
      },
    ],
  }),
  ({ engagements }, { a, b }) => ({
    engagements: [
      {
        ...keyed(at(engagements, a)),
        vendor: at<Json>(engagements, a).vendor,
        ended_at: at([null, past, "2030-01-01T00:00:00.000Z"], b),
      },
    ],
  }),
  ({ vendors }, { a, b }) => ({ vendors: [{ name: `Renamed ${b}`, was: at<Json>(vendors, a) }] }),
  ({ vendors }, { a, b, c }) => ({
    vendors: [at(vendors, a)],
    purchase_orders: [
      {
        account: "1",
        vendor: at(vendors, a),
        description: "Rope",
        amount: b,
        date: "2026-11-01",
        ...(c % 2 === 0 && { number: `P${c}` }),
      },
    ],
  }),
  ({ cost_reports }, { a, b }) => ({
    cost_reports: [{ week_of: at<Json>(cost_reports, a).week_of, active: b % 2 === 0 }],
  }),
  (_, { a, b }) => ({
    cost_reports: [
      { week_of: `2026-10-${10 + a}`, active: b % 2 === 0, lines: [{ account: "1", department: "department-0" }] },
    ],
  }),
  ({ cost_reports }, { a, b }) => ({
    cost_reports: [{ week_of: `2027-10-${10 + b}`, was: at<Json>(cost_reports, a).week_of }],
  }),
  ({ storage }, { a, b }) => ({ storage: [{ filespace: `space ${b}`, was: at<Json>(storage, a).filespace }] }),
  ({ storage }, { a, b, c }) => ({
    storage: [
      {
        filespace: b % 2 === 0 ? at<Json>(storage, a).filespace : `new ${b}`,
        ...(c % 3 > 0 && { active: c % 3 === 1 }),
        files: [{ path: `${c}.mov`, state: "present", detected_at: past }],
      },
    ],
  }),
  ({ schedule, scenes }, { a, b, c }) => ({
    schedule: [
      { day_number: at<Json>(schedule, a).day_number, scenes: [sceneOf(at(scenes, b))], date: `2027-01-${10 + c}` },
    ],
  }),
  ({ schedule }, { a, b }) => ({ schedule: [{ day_number: 100 + b, was: at<Json>(schedule, a).day_number }] }),
  ({ episodes = [] }, { a, b }) => ({
    episodes: [
      { code: `2${b}`, title: "New" },
      ...(episodes.length > 0 ? [{ code: `R${b}`, was: at<Json>(episodes, a).code }] : []),
    ],
  }),
  (_, { a }) => ({ production: { phase: `Phase ${a}`, ...(a === 0 && { title: "Random 1" }) } }),
  ({ assets }, { a, b, c }) => ({
    notes: [
      {
        asset: nameOf(at(assets, a)),
        text: `${b}`,
        author: "A",
        created_at: `2026-11-0${1 + (c % 9)}T00:00:00.000Z`,
        ...(b === 0 && { version: 1 }),
      },
    ],
  }),
  ({ departments, scenes }, { a, b, c }) => ({
    department_notes: [{ department: at<Json>(departments, a).slug, scene: sceneOf(at(scenes, b)), summary: `${c}` }],
  }),
];
/** The fields by which a document names a thing. */
const keyed = ({ ref, label, title, number, episode }: Json): Json =>
  JSON.parse(JSON.stringify({ ref, label, title, number, episode }));

interface Input {
  files: Json[];
  exact: boolean;
}

/** One update: a few documents, a section without one of its things, or a list. */
function inputOf(document: Json, choices: readonly Choice[]): Input {
  const [{ kind, a, b } = { kind: 0, a: 0, b: 0 }] = choices;
  if (kind % 5 === 0) {
    const section = at(sectionNames, a);
    const list = document[section] ?? [];
    return {
      exact: true,
      files: [{ [section]: list.filter((_: Json, index: number) => index !== b % Math.max(1, list.length)) }],
    };
  }
  if (kind % 5 === 1) {
    const text = `Name,Role,Department,Active\nList ${a},Grip,Department ${b},yes\nPerson 0,Boss,,${at(["yes", "no"], b)}\n`;
    return { exact: false, files: [{ csv: "people", text }] };
  }
  return { exact: false, files: choices.map((one) => at(edits, one.kind)(document, one)) };
}

/** What an admin does between two updates. */
function act(production_id: number, { kind, a }: Choice): void {
  const ids = (sql: string): number[] => store.database.prepare(sql).pluck().all(production_id) as number[];
  const grants = ids("SELECT id FROM grants WHERE production_id = ?");
  const engagements = ids("SELECT id FROM engagements WHERE production_id = ?");
  const reopened = ids("SELECT id FROM approvals WHERE production_id = ? AND status = 'changes_requested'");
  if (kind % 6 === 0 && grants.length > 0) revokeGrant(admin, { id: at(grants, a) });
  if (kind % 6 === 1 && engagements.length > 0) endEngagement(admin, { id: at(engagements, a) });
  if (kind % 6 === 2 && reopened.length > 0) reopenApproval(admin, { id: at(reopened, a) });
}

/** Applies an input, or returns undefined if it is refused. An error that is no refusal is thrown. */
async function applied(production_id: number, { files, exact }: Input, dry_run: boolean) {
  const given = await Promise.all(
    files.map(async (file, index) =>
      file.csv === undefined
        ? partialDocument(structuredClone(file), `given${index}.json`, folder)
        : ({ file: "list.csv", kind: "list", bytes: Buffer.from(file.text) } as const),
    ),
  );
  const flags = { ...noFlags, ...(files[0].csv !== undefined && { as: files[0].csv as ExportKind }) };
  const request = { production_id, exact, dry_run };
  return updateFromFiles(admin, blobs, { given, flags }, request, async (work) => store.writeSync(work)).catch(
    (error) => {
      if (error instanceof CliError || (error instanceof HttpError && error.status < 500)) return undefined;
      throw error;
    },
  );
}

type Things = Map<string, Json>;
function thingsOf(production_id: number): Things {
  const stored = new StoredProduction(store, production_id);
  return new Map(
    sectionNames.flatMap((name) => stored.items(name).map(({ id, raw }) => [`${name} ${id}`, raw] as const)),
  );
}

async function exported(production_id: number): Promise<Json> {
  let text = "";
  for await (const piece of exportDocument(store, blobs, production_id)) text += piece;
  return JSON.parse(text);
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
  for (const [key, thing] of after)
    if (!touched.has(key) && !key.startsWith("activity "))
      assert.equal(thing, before.get(key), `${key} after ${input}`);
  for (const key of before.keys()) assert.ok(after.has(key) || touched.has(key), `${key} after ${input}`);
}

const random = suite("random updates of random productions");
let [refused, changed] = [0, 0];

random("do what their plans say, once, and leave a production that can be exported and imported", async () => {
  await fc.assert(
    fc.asyncProperty(
      seed,
      fc.array(fc.array(choice, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      async (from, steps) => {
        const { production_id } = await importDocument(
          store,
          blobs,
          checkedDocument(documentOf(from), "random.json", folder),
          { now },
        );
        for (const choices of steps) {
          const input = inputOf(await exported(production_id), choices);
          const text = JSON.stringify(input);
          const before = thingsOf(production_id);
          const planned = await applied(production_id, input, true);
          const plan = await applied(production_id, input, false);
          const known = (changes: readonly Json[] = []) => changes.map(({ id: _, ...change }) => change);
          assert.equal(known(plan?.changes), known(planned?.changes), text);
          assert.equal(plan?.warnings, planned?.warnings);
          const after = thingsOf(production_id);
          if (plan === undefined) {
            refused++;
            assert.ok(isDeepStrictEqual(after, before), `a refused input writes nothing: ${text}`);
          } else {
            if (plan.changes.length > 0) changed++;
            checkApplied(before, after, plan.changes, text);
            const again = await applied(production_id, input, true);
            // Of several files, one may name what another renames, or contradict what the later one recorded.
            if (again !== undefined || input.files.length === 1)
              assert.equal(again?.changes, [], `the same again: ${text}`);
          }
          act(production_id, choices[0] as Choice);
        }
        const document = await exported(production_id);
        assert.equal(
          (await applied(production_id, { files: [document], exact: true }, true))?.changes,
          [],
          "an export plans nothing",
        );
        for (const kind of exportKinds) {
          const list = { csv: kind, text: listOfProduction(store, production_id, kind) };
          assert.equal(
            (await applied(production_id, { files: [list], exact: false }, true))?.changes,
            [],
            `${kind}: ${list.text}`,
          );
        }
        const copy = { ...document, production: { ...document.production, title: `Copy ${production_id}` } };
        const imported = await importDocument(
          store,
          blobs,
          checkedDocument(structuredClone(copy), "copy.json", folder),
          { now },
        );
        assert.equal(await exported(imported.production_id), copy);
      },
    ),
    { ...sampling(240, 20261122), includeErrorInReport: true },
  );
  assert.equal(store.database.pragma("foreign_key_check"), []);
  assert.ok(changed > 20 && refused < changed, `${changed} were applied, ${refused} refused`);
});

random.run();
