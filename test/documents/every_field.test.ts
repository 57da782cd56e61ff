// Every field of every section, found in the schema: `set` or a document gives it another value, which the plan names,
// the tables and the export have, the same again plans nothing, and the reverse gives back what was there.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as input from "../../src/core/inputs.ts";
import { wordOf } from "../../src/core/wording.ts";
import { type Form, formOf, itemSchemaOf } from "../../src/features/documents/sections/form.ts";
import { documentSchema } from "../../src/features/documents/sections/schema.ts";
import {
  isRenamable,
  keyOf,
  nameOf,
  namingFields,
  namings,
  sectionNames,
  sections,
} from "../../src/features/documents/sections/sections.ts";
import { filePath } from "../../src/graph/storage_events.ts";
import { tallylight } from "../support/command.ts";
import { begins } from "../support/format_tables.ts";
import { smallDocument, writeDocument } from "../support/small_document.ts";
import { type Json, openProduction } from "../support/update.ts";

const time = "2030-07-07T07:07:07.000Z";
const media = { label: "sample.jpg", kind: "still", base64: "c2FtcGxl", created_by: "Ada", created_at: time };
const step = {
  person: "Ben",
  status: "approved",
  decided_at: "2026-01-05T08:00:00.000Z",
  note: "Fine.",
  decided_by: "Ada",
  signed_as: "Ada Former",
  version: 1,
};

const small: Json = smallDocument();
small.scenes.push({ number: "7", episode: "E1", slugline: "INT. SHED - DAY", elements: { set: "SHED" } });
small.assets.push({ label: "Lamp", kind: "prop" });
small.approvals.push({ title: "Talk", steps: [{ person: "Ada" }] });
small.engagements.push({ vendor: "Pixel Co", title: "Roto" });
small.deliveries.push({ title: "Plates" });
small.ingredients.push({ kind: "swatch", label: "Felt" });
small.people.push({ name: "Cid", role: "Grip" });
small.purchase_orders.push({ ...small.purchase_orders[0], number: "P1", description: "Rope" });
small.schedule.push({ day_number: 9, date: "2026-02-09" });
const production = await openProduction(writeDocument(small));
const whole = await production.export();

/** What happens to a field that does not simply change: what an update is told, or what is given with it. */
interface Special {
  /** The key of the thing, if not the one of `usual`. */
  of?: string;
  value?: Json;
  with?: Json;
  /** The refusal of the document. */
  refused?: RegExp;
  /** Nothing changes, and a warning says so; null for updated_at, which says nothing by itself. */
  kept?: RegExp | null;
  /** It is added to, and stays. */
  lasting?: true;
  /** What gives back the former state, if the former value alone does not. */
  reverse?: Json;
}

/** The thing of each section whose fields are set: one that nothing else forces to stay as it is. */
const usual: Partial<Record<string, string>> = {
  scenes: "E1/7",
  assets: "Lamp",
  approvals: "Talk",
  engagements: "Roto",
  deliveries: "Plates",
  ingredients: "Felt",
  people: "Cid",
  schedule: "9",
};

const recorded = /contradicts what was recorded/;
const special: Record<string, Special> = {
  "production.format": { refused: /must stay episodic/ },
  "assets.kind": { value: "vehicle" },
  "assets.costumes": { of: "Hero", value: ["Coat"] },
  "assets.cast_number": { of: "Hero" },
  "assets.performer": { of: "Hero" },
  "schedule.wrap": { value: "19:30" },
  "production.time_zone": { value: "Asia/Kolkata" },
  "schedule.time_zone": { value: "Europe/Budapest" },
  "schedule.general_call": { value: "06:15" },
  "engagements.vendor": { refused: recorded },
  "deliveries.kind": {
    value: "external",
    with: { external_to: "Somebody" },
    reverse: { kind: "internal", external_to: null },
  },
  "deliveries.external_to": { of: "Reel" },
  "scenes.slugline": {
    value: "INT. BARN - DAY",
    with: { elements: { set: "BARN" } },
    reverse: { slugline: "INT. SHED - DAY", elements: { set: "SHED" } },
  },
  "approvals.asset": { value: "Lamp" },
  "approvals.status": { refused: /must stay pending/ },
  "approvals.version": { value: 1, with: { asset: "Coat" }, reverse: { asset: null, version: null } },
  "approvals.version_status": { refused: /version_status is allowed only with version/ },
  "cost_reports.active": { reverse: { week_of: "2026-01-12", active: true } },
  "purchase_orders.currency": { value: "EUR" },
  "purchase_orders.number": {
    reverse: { account: "2100", vendor: "Looms Ltd", description: "Cloth", date: "2026-01-09", number: null },
  },
  "storage.active": { reverse: { filespace: "stage", active: true } },
};

/** A new entry of each list of objects, with a value for every field in it, and what becomes of it. */
const entries: Record<string, Special & { value: Json }> = {
  "ingredients.media": { value: media },
  "assets.versions": {
    lasting: true,
    value: [
      {
        ...{
          version: 1,
          external_id: "pub-9",
          variant: "Sample",
          status: "review",
          note: "Sample.",
          created_by: "Ada",
          created_by_person: "Ben",
        },
        archived: true,
        released: true,
        created_at: time,
        media,
        ingredients: [{ ingredient: "Wool", relation: "sample" }],
      },
    ],
  },
  "engagements.grants": {
    lasting: true,
    value: [
      { verb: "read", scene: "E2/1", created_at: time, expires_at: "2031-01-01T00:00:00.000Z" },
      { verb: "read", asset: "Hero", created_at: time, revoked_at: time },
      { verb: "read:own_po", department: "vfx", created_at: time },
      { verb: "submit", delivery: "Reel #2", created_at: time },
    ],
  },
  "notes.place": { value: { x: 0.5, y: 0.25 } },
  "deliveries.media": { value: [media] },
  "deliveries.submissions": {
    lasting: true,
    value: [
      {
        engagement: "Weaving",
        status: "returned",
        title: "Sample",
        note: "Sample.",
        decision_note: "Again.",
        decided_at: time,
        decided_by: "Ada",
        external_id: "v-9",
        created_by: "Ada",
        created_at: time,
        media: [media],
      },
      { engagement: "Weaving", status: "submitted", title: "Sample", answers: 1, created_at: time },
    ],
  },
  "approvals.steps": { value: [step, { person: "Ada", status: "pending" }], with: { asset: "Coat" }, lasting: true },
  "approvals.rounds": { value: [[step]], with: { asset: "Coat" }, lasting: true },
  "cost_reports.lines": { value: [{ account: "9", department: "vfx", budget: 1.5, figures: { actual: 2 } }] },
  "schedule.calls": {
    value: [
      {
        who: "Hero",
        time: "07:30",
        pickup: "05:30",
        makeup: "06:00",
        costume: "HOLD",
        on_set: "08:15",
        note: "Make-up.",
      },
      { who: "Ben", time: "06:00" },
      { who: "vfx", time: "O/C" },
      { who: "Everybody else", time: "08:00" },
    ],
  },
  "schedule.banners": { value: [{ before: "E2/1", text: "COMPANY MOVE" }, { text: "WRAP" }] },
  "schedule.parts": {
    value: [{ scene: "E1/7", text: "pt 2", pages: "1 3/8" }],
    with: { scenes: ["E1/7"] },
    reverse: { scenes: null, parts: null },
  },
  "schedule.lines": {
    value: [
      { label: "Base", text: "Yard behind stage 2" },
      { label: "Weather", text: "Rain" },
    ],
  },
  "storage.files": {
    lasting: true,
    value: [{ path: "s.mov", state: "present", size: 3, mtime_ns: "9007199254740993", detected_at: time, media }],
  },
  "storage.moves": {
    lasting: true,
    value: [
      {
        src: "s.mov",
        dst: "t.mov",
        status: "failed",
        note: "Gone.",
        src_sha256: "ef".repeat(32),
        created_at: time,
        settled_at: time,
      },
    ],
  },
};
/** Fields of lists that the entries above leave out, and why. */
const absent: Record<string, string> = {
  "media.file": "an export contains the bytes",
};

type AnySchema = Json; // of valibot, whose parts differ by kind
const inner = (schema: AnySchema): AnySchema => schema.wrapped ?? schema;
const namesOf = ({ noun }: Form): string[] =>
  noun === undefined ? [] : whole[namings[noun].list].map((item: Json) => nameOf(noun, item));

/** Another value for a field: by what its schema is. A field of a new kind fails here. */
function sampleOf(schema: AnySchema, stored: Json, place: string): Json {
  const own = inner(schema);
  const form = formOf(own);
  if (form.noun !== undefined) return namesOf(form).find((name) => name !== stored);
  if (begins(own, input.date)) return "2026-07-07";
  if (begins(own, input.timestamp)) return time;
  if (begins(own, input.sha256)) return "cd".repeat(32);
  if (begins(own, input.slug)) return "sample";
  if (begins(own, filePath)) return "sample/path.mov";
  const kind = own.type === "union" ? inner(own.options.at(-1)) : own;
  if (kind.type === "string") return `${stored ?? ""} sample`.trim();
  if (kind.type === "number") return (stored ?? 1) + 100;
  if (kind.type === "boolean") return !(stored ?? (place.endsWith(".active") && !place.startsWith("cost")));
  if (kind.type === "picklist") return kind.options.find((one: string) => one !== stored);
  if (kind.type === "record") return { ...stored, sample: [1, { deep: null }] };
  const items = kind.type === "array" ? formOf(kind.item) : {};
  if (items.noun !== undefined)
    return namesOf(items)
      .filter((name) => !(stored ?? []).includes(name))
      .slice(0, 1);
  if (kind.type === "array" && formOf(kind.item).fields === undefined && inner(kind.item).type !== "array")
    return [...(stored ?? []), sampleOf(kind.item, undefined, place)];
  throw new Error(`${place} has no sample value`);
}

const itemsOf = (section: string, document: Json): Json[] =>
  section === "production"
    ? [document.production]
    : (document[section] ?? []).map((item: Json) => (typeof item === "string" ? { name: item } : item));
const nameIn = (section: Json, item: Json): string =>
  section === "production" ? item.title : String(keyOf(section, item));
const given = (section: Json, item: Json): Json =>
  section === "production" ? { production: item } : { [section]: [item] };
const timeless = (one: Json): string =>
  JSON.stringify(one, (field, value) => (field === "updated_at" ? undefined : value)) ?? "nothing";
/** What differs between two exports, but for the times of updates and the activity, where each update has an entry. */
const differences = (before: Json, after: Json): string[] =>
  ["production", ...sectionNames]
    .filter((section) => section !== "activity" && timeless(before[section]) !== timeless(after[section]))
    .flatMap((section) => {
      const other = new Set(itemsOf(section, after).map(timeless));
      return itemsOf(section, before)
        .map(timeless)
        .filter((one) => !other.has(one))
        .map((one) => `${section}: ${one}`);
    });

/** The rows of the tables of a section. */
const tablesOf = (section: Json): string[] =>
  section === "production"
    ? ["productions"]
    : [sections[section as "scenes"].table, ...sections[section as "scenes"].tables];
const rowsIn = (names: readonly string[]) =>
  JSON.stringify(names.map((name) => production.rows(`SELECT * FROM ${name}`)));

const set = (section: string, key: string, fields: Json) =>
  tallylight(
    ...["set", section, key],
    ...Object.entries(fields).map(([field, value]) => `${field}=${JSON.stringify(value)}`),
    ...["--production", String(production.production_id), "--data", production.folder],
  );

/** The fields of a document that name a thing: its former key, where its name changes. */
function naming(section: Json, item: Json, fields: Json): Json {
  if (section === "production") return {};
  const known = namingFields(section, item);
  const renames = known.some((field) => field in fields);
  return {
    ...Object.fromEntries(known.filter((field) => item[field] !== undefined).map((field) => [field, item[field]])),
    ...(renames && isRenamable(section) && { was: keyOf(section, item) }),
  };
}

async function tryField(section: Json, field: string, schema: AnySchema): Promise<void> {
  const place = `${section}.${field}`;
  const how = special[place] ?? entries[place] ?? {};
  const before = await production.export();
  const wanted = how.of ?? usual[section];
  const at = wanted === undefined ? 0 : itemsOf(section, before).findIndex((item) => nameIn(section, item) === wanted);
  const item = itemsOf(section, before)[at];
  const key = nameIn(section, item);
  const value = "value" in how ? how.value : sampleOf(schema, item[field], place);
  const fields = { ...how.with, [field]: value };
  const isHistory = section !== "production" && sections[section as "notes"].history;
  const isKey = section !== "production" && namingFields(section, item).includes(field);
  if (isKey && !isRenamable(section)) {
    const { status, err } = await set(section, key, fields);
    assert.equal(
      [status, /cannot be set: this .* is known by .*; a document can add another one/.test(err)],
      [1, true],
      place,
    );
    const plan = await production.update(
      given(section, { ...item, ...fields, ...(section === "notes" && { version: undefined }) }),
      { dry_run: true },
    );
    assert.equal(
      plan.changes.map(({ action }) => action),
      ["add"],
      place,
    );
    return;
  }
  const kept =
    "kept" in how ? how.kept : field === "created_at" ? /created_at stays/ : field === "updated_at" ? null : undefined;
  const whole = { ...naming(section, item, fields), ...fields };
  if (kept !== undefined && !isKey) {
    const plan = await production.update(given(section, whole));
    assert.equal(plan.changes, [], place);
    if (kept !== null) assert.match(plan.warnings.join(), kept, place);
    assert.equal(differences(before, await production.export()), [], place);
    return;
  }
  if (isHistory) {
    const { changes, warnings } = await production.update(given(section, whole)).catch((error) => ({
      changes: [],
      warnings: error.lines.filter((line: string) => recorded.test(line)),
    }));
    assert.equal([changes, warnings.length], [[], 1], place);
    return;
  }
  const { refused } = how;
  if (refused !== undefined) {
    const problems = await production.problems(given(section, whole)).catch((error) => [`accepted ${error.message}`]);
    assert.match(problems.join("; "), refused, place);
    return;
  }
  const rows = rowsIn(tablesOf(section));
  const dry = await production.update(given(section, whole), { dry_run: true });
  const named = dry.changes.find((change) => change.section === section && change.fields[field] !== undefined);
  assert.ok(named !== undefined, `${place}: the plan names it: ${JSON.stringify(dry.changes)}`);
  const { status, out, err } = await set(section, key, fields);
  assert.is(status, 0, `${place}: ${err}`);
  const to = named.fields[field]?.to;
  const isObject = typeof to === "object" && to !== null && !Array.isArray(to); // its members are named instead
  assert.match(out, isObject ? /^ {4}\w[\w ]*: /m : `    ${wordOf(field)}`, `${place}: ${out}`);
  assert.not.match(out, /\b([a-z]+) \1\b/i, `${place} repeats a word: ${out}`);
  assert.is.not(rowsIn(tablesOf(section)), rows, `${place} is in the table`);
  const after = await production.export();
  const next = nameIn(section, { ...item, ...fields });
  const now = itemsOf(section, after).find((one) => nameIn(section, one) === next);
  assert.equal(now[field], value, `${place} is in the export`);
  assert.equal((await production.update(given(section, whole))).changes, [], `${place}: the same again`);
  if (how.lasting) return;
  const back = how.reverse ?? { [field]: item[field] ?? null };
  // What names another thing is the reverse of what that thing was.
  const isOther = Object.keys(back).some(
    (name) => name !== field && namingFields(section as "scenes", now).includes(name),
  );
  await production.update(given(section, { ...(!isOther && naming(section, now, back)), ...back }));
  assert.equal(differences(before, await production.export()), [], `${place}: the reverse`);
}

const test = suite("every field of documents");

for (const section of ["production", ...sectionNames] as const)
  test(`of ${section}`, async () => {
    const schema = section === "production" ? documentSchema.entries.production : itemSchemaOf(section);
    // it is stored with the scenes
    for (const [field, entry] of Object.entries<AnySchema>(inner(schema).entries))
      if (`${section}.${field}` !== "assets.scenes") await tryField(section, field, entry);
  });

test("that make the key of an order: its number can go, and `was` says the former key", async () => {
  const outcome = async (key: string, fields: Json) => (await set("purchase_orders", key, fields)).err;
  const order = { ...small.purchase_orders[0], description: "Hemp" };
  assert.is(await outcome("P1", { description: "Twine" }), "");
  const id = () => production.rows("SELECT id FROM purchase_orders WHERE number = 'P2'");
  assert.is(await outcome("P1", { number: "P2" }), "");
  const [renumbered] = id();
  assert.is(await outcome("P2", { number: "P1" }), "");
  assert.is(await outcome("P1", { number: "P2" }), "");
  assert.equal(id(), [renumbered], "the order keeps its id");
  assert.is(await outcome("P2", { number: "P1" }), "");
  await production.update({ purchase_orders: ["P3", "P4"].map((number) => ({ ...order, number })) });
  assert.match(
    await outcome("P4", { number: null }),
    /several things are ".* Hemp .*", and only the number tells them apart/,
  );
  await production.update({ purchase_orders: [{ ...order, number: "P3", description: "Jute" }] });
  assert.match(
    await outcome("P3", { number: "P1" }),
    /number must be different: there is already a purchase order "P1"/,
  );
  const lost = { purchase_orders: [{ ...order, number: "P9", was: "P8" }] };
  assert.match((await production.problems(lost)).join(), /was names no stored purchase order: "P8"/);
  assert.is(await outcome("P4", { number: null }), "");
  assert.is(await outcome("P1", { number: null }), "");
  assert.is(await outcome("2100 / Looms Ltd / Twine / 2026-01-09", { date: "2026-02-09" }), "");
  assert.is(await outcome("2100 / Looms Ltd / Twine / 2026-02-09", { date: "2026-01-09" }), "");
});

test("in lists of objects has a value above", () => {
  const missing = (form: Form, values: Json[], place: string): string[] =>
    (form.fields ?? []).flatMap((inner) => {
      const own = values.flatMap((value) => value[inner.name] ?? []);
      const here = `${place}.${inner.name}`;
      if (own.length === 0) return here.replace(/^.*\.(?=media\.)/, "") in absent ? [] : [here];
      const deeper = inner.item?.fields === undefined ? inner : inner.item;
      return deeper.fields === undefined ? [] : missing(deeper, own, here);
    });
  const found = sectionNames.flatMap((section) =>
    (formOf(itemSchemaOf(section)).fields ?? []).flatMap((field) => {
      const place = `${section}.${field.name}`;
      let own: Form = field;
      let values: Json = [entries[place]?.value ?? []];
      for (; own.item !== undefined; own = own.item) values = values.flat();
      if (own.fields === undefined) return [];
      return missing(own, values.flat(), place);
    }),
  );
  assert.equal(found, []);
});

test.run();
