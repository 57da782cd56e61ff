// Two people who edit the same thing at once, on every edit form: each form is of a section that the pages edit, and
// each pair of its fields is tried, in each order. What one of them changed stays, whatever the other one saves after a
// refusal.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { editableSections } from "../../src/features/documents/edit_scope.ts";
import { StoredProduction } from "../../src/features/documents/stored.ts";
import { importedAt, mint, openTestServer } from "../support/app.ts";
import { editFields, signIn, type Visitor } from "../support/pages.ts";
import { smallDocument, writeDocument } from "../support/small_document.ts";
import { folderWith } from "../support/template.ts";

type Fields = Record<string, string>;
type Section = (typeof sections)[number];

/** The thing of each section that is edited; what its fields name are other things, which keep their names. */
const edited = {
  episodes: { code: "E9", title: "Nine" },
  departments: { slug: "sound", name: "Sound", mission: "Ears.", phases: ["prep"], registry: { racks: 3 } },
  people: { name: "Edo", role: "Grip", department: "costume" },
  scenes: { number: "7", episode: "E1", slugline: "INT. SHED - DAY", elements: { set: "SHED", pages: "1 1/8" } },
  assets: {
    label: "Lead",
    kind: "character",
    costumes: ["Coat"],
    scenes: ["E1/1"],
    cast_number: "9",
    performer: "Hedda",
  },
  schedule: {
    ...{ day_number: 9, date: "2026-02-09", general_call: "07:00", scenes: ["E2/1", "E1/1"] },
    calls: [
      { who: "Hero", time: "06:00", note: "Early" },
      { who: "Ada", time: "06:30", note: "Late" },
    ],
    banners: [{ before: "E1/1", text: "Move" }],
  },
  deliveries: {
    ...{ title: "Tape", kind: "external", external_to: "Looms Ltd", due: "2026-04-01", from_department: "costume" },
    ...{ spec: [{ codec: "EXR", frames: 12 }], scenes: ["E1/1"], assets: ["Coat"] },
  },
  approvals: {
    ...{ title: "Cape look", asset: "Cape", version: 2, due: "2026-03-03", mode: "chain" },
    steps: ["A1", "B1", "C1"].map((person) => ({ person })),
  },
} as const satisfies { readonly [S in Exclude<Section, "department_notes">]: object };
/** A department note is known by all of its fields, so its form changes none of them. */
const sections = editableSections.filter((section) => section !== "department_notes");

const document = smallDocument();
const versions = [1, 2, 3].map((version) => ({ version }));
document.assets.push({ label: "Cape", kind: "costume", versions }, { label: "Robe", kind: "costume", versions });
document.episodes.push({ code: "E3", title: "Three" });
document.scenes.push({ number: "3", episode: "E1", slugline: "INT. ATTIC - DAY" });
document.people.push(...["A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3"].map((name) => ({ name, role: "Crew" })));
for (const [section, thing] of Object.entries(edited)) document[section].push(structuredClone(thing));
const server = await openTestServer({ data: await folderWith([writeDocument(document)], importedAt) });
const { store } = server;
const scopes = ["read", "edit", "admin"] as const;
const [mine, theirs] = (await Promise.all(
  ["Mine", "Theirs"].map((label) => signIn(server, mint(store, { production_id: 1, scopes, label }))),
)) as [Visitor, Visitor];

/** The values that a field gets, where its kind of input does not say which it may have. */
const special: Readonly<Record<string, readonly string[]>> = {
  "departments.slug": ["sound-1", "sound-2", "sound-3"],
  "scenes.episode": ["E1", "E2", "E3"],
  "scenes.status": ["planned", "active", "blocked"],
  "scenes.elements.pages": ["2/8", "3/8", "4/8"],
  "scenes.assets": ["Coat", "Hero", "Coat\nHero"],
  "assets.costumes": ["Coat", "Coat #2", "Coat\nCoat #2"],
  "assets.scenes": ["E1/1", "E1/3", "E1/1\nE1/3"],
  "schedule.scenes": ["E1/1\nE2/1", "E2/1\nE1/1", "E2/1\nE1/3\nE1/1"],
  "schedule.banners.*.before": ["E1/1", "E2/1", ""],
  "schedule.time_zone": ["Europe/Budapest", "Europe/London", "Europe/Madrid"],
  "schedule.wrap": ["18:01", "18:02", "18:03"],
  "deliveries.scenes": ["E1/1", "E1/3", "E1/1\nE1/3"],
  "deliveries.assets": ["Coat", "Hero", "Coat\nHero"],
  "approvals.asset": ["Cape", "Robe"],
  "approvals.version": ["1", "2", "3"],
  "approvals.steps.0.person": ["A1", "A2", "A3"],
  "approvals.steps.1.person": ["B1", "B2", "B3"],
  "approvals.steps.2.person": ["C1", "C2", "C3"],
  "schedule.calls.0.who": ["A1", "A2", "A3"],
  "schedule.calls.1.who": ["B1", "B2", "B3"],
};

/** What cannot change on the form that is tried, and why. */
const fixed: Readonly<Record<string, string>> = {
  "assets.kind": "only a character has costumes, a number and a performer",
  "deliveries.kind": "the recipient is that of an external delivery",
  "approvals.scene": "it is about an asset",
  "approvals.delivery": "it is about an asset",
};

const times = ["03:07", "03:08", "03:09"];
const dates = ["2031-03-04", "2031-03-05", "2031-03-06"];

/** Two values that a field of a page may get, and does not have. */
function othersOf(section: Section, page: string, name: string, value: string): [string, string] {
  const pattern = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const menu = new RegExp(`<select[^>]* name="${pattern}"[^>]*>([\\s\\S]*?)</select>`).exec(page)?.[1];
  const input = new RegExp(`<input[^>]* name="${pattern}"[^>]*>`).exec(page)?.[0] ?? "";
  const kind = `${section}.${name.replace(/\.\d+\./, ".*.")}`;
  const known =
    special[`${section}.${name}`] ??
    special[kind] ??
    (menu !== undefined
      ? [...menu.matchAll(/<option value="([^"]*)"/g)].map(([, one = ""]) => one)
      : input.includes('type="date"')
        ? dates
        : /(?:time|call|\.pickup|\.makeup|\.costume|\.on_set)$/.test(name)
          ? times
          : input.includes('inputmode="decimal"')
            ? ["71", "72", "73"]
            : ["one", "two", "three"].map((word) => `${value.split(" and ")[0]} and ${word}`.trim()));
  const [first = "", second = first] = known.filter((one) => one !== value);
  return [first, second];
}

/** The fields of the form that a refused page shows again. */
const fieldsIn = (text: string): Promise<Fields> => editFields({ ...mine, text: async () => text }, "");

/** Whether a field is of an item of a list that is added with the form. */
const isOfNew = (fields: Fields, name: string): boolean => {
  const start = /^\w+\.\d+\./.exec(name)?.[0];
  if (name.endsWith(".+")) return true;
  return start !== undefined && Object.keys(fields).every((one) => !one.startsWith(start) || fields[one] === "");
};

/** The fields of what is stored that can change. */
const changeable = (section: Section, fields: Fields): string[] =>
  Object.keys(fields).filter(
    (name) =>
      !/^(?:proof|others)$|^was:/.test(name) && !isOfNew(fields, name) && fixed[`${section}.${name}`] === undefined,
  );

function pathOf(section: Section): string {
  const [name] = Object.values(edited[section]);
  const thing = new StoredProduction(store, 1).items(section).find(({ raw }) => Object.values(raw).includes(name));
  return `/edit/${section}/${thing?.id}`;
}

async function saved(by: Visitor, path: string, fields: Fields, why: string): Promise<void> {
  const response = await by.post(path, fields);
  const text = await response.text();
  assert.is(response.status, 303, `${why}: ${/role="alert">([^<]*)/.exec(text)?.[1]}`);
}

const together = suite("two people in one edit form");

for (const section of sections)
  together(`of ${section} keep what each of them changed, also in what is saved after a refusal`, async () => {
    const path = pathOf(section);
    const names = changeable(section, await editFields(mine, path));
    assert.ok(names.length > 1);
    for (const name of names) {
      const page = await mine.text(path);
      const [shown, { proof = "" }] = [await editFields(mine, path), await editFields(theirs, path)];
      const others = Object.fromEntries(names.map((one) => [one, othersOf(section, page, one, shown[one] ?? "")]));
      const [own, other] = others[name] as [string, string];
      const further = Object.fromEntries(names.map((one) => [one, others[one]?.[1] ?? ""]));
      const why = `${section}: they change all, I change ${name}`;
      await saved(theirs, path, { ...shown, ...further, proof }, why);
      const before = await editFields(mine, path);
      for (const one of names) assert.is(before[one], further[one], `${why}: ${one} of theirs`);
      const refused = await mine.post(path, { ...shown, [name]: own });
      if (own === other) {
        assert.is(refused.status, 303, `${why}: to the same`);
        assert.equal(await editFields(mine, path), before, why);
        continue;
      }
      const text = await refused.text();
      assert.is(refused.status, 409, why);
      assert.match(text, /was changed meanwhile( by Theirs at |\.)/, why);
      const again = await fieldsIn(text);
      for (const one of names) assert.is(again[one], one === name ? own : before[one], `${why}: the form shows ${one}`);
      await saved(mine, path, again, `${why}: again`);
      const after = await editFields(mine, path);
      for (const one of names) assert.is(after[one], one === name ? own : before[one], `${why}: ${one} afterwards`);
    }
  });

/**
 * Saves what both change in the form of a thing, the others first, and mine again if it is refused. Returns the form
 * afterwards.
 */
async function bothSave(
  path: string,
  own: Fields,
  other: Fields,
): Promise<{ after: Fields; refusal: string | undefined }> {
  const [shown, { proof = "" }] = [await editFields(mine, path), await editFields(theirs, path)];
  await saved(theirs, path, { ...shown, ...other, proof }, "theirs");
  const response = await mine.post(path, { ...shown, ...own });
  const text = await response.text();
  if (response.status === 409) await saved(mine, path, await fieldsIn(text), "mine again");
  else assert.is(response.status, 303, text);
  return { after: await editFields(mine, path), refusal: response.status === 409 ? text : undefined };
}
/** A scene that the forms above do not edit. */
const scenePath = `/edit/scenes/${new StoredProduction(store, 1).items("scenes").find(({ raw }) => raw.number === "3")?.id}`;
const [dayPath, peoplePath] = [pathOf("schedule"), pathOf("people")];
const callsIn = (fields: Fields): string[] =>
  Object.keys(fields)
    .filter((name) => /^calls\.\d+\.who$/.test(name) && fields[name] !== "")
    .map((name) =>
      [name, name.replace("who", "time"), name.replace("who", "note")].map((one) => fields[one]).join(" "),
    );
const call = (at: number, [who = "", time = "", note = ""]: readonly string[] = []): Fields => ({
  ...{ [`calls.${at}.who`]: who, [`calls.${at}.time`]: time, [`calls.${at}.note`]: note },
  ...Object.fromEntries(["pickup", "makeup", "costume", "on_set"].map((name) => [`calls.${at}.${name}`, ""])),
});

together("add, change and remove rows of one list without loss", async () => {
  const [path, none] = [dayPath, call(0)];
  const start = await editFields(mine, path);
  await saved(
    mine,
    path,
    { ...start, ...call(0, ["A1", "05:00"]), ...call(1, ["A2", "06:00"]), ...call(2, ["A3", "07:00"]) },
    "first",
  );
  const added = await bothSave(path, call(3, ["B1", "08:00"]), call(3, ["B2", "08:30"]));
  assert.is(added.refusal, undefined);
  assert.equal(callsIn(added.after), ["A1 05:00 ", "A2 06:00 ", "A3 07:00 ", "B2 08:30 ", "B1 08:00 "]);
  const removed = await bothSave(path, { "calls.2.note": "Late" }, none);
  assert.is(removed.refusal, undefined);
  assert.equal(callsIn(removed.after), ["A2 06:00 ", "A3 07:00 Late", "B2 08:30 ", "B1 08:00 "]);
  const gone = await bothSave(path, { "calls.0.note": "Wait" }, none);
  assert.match(gone.refusal ?? "", /Calls 4, who was changed meanwhile by Theirs/);
  assert.equal(callsIn(gone.after), ["A3 07:00 Late", "B2 08:30 ", "B1 08:00 ", "A2 06:00 Wait"]);
  const both = await bothSave(path, none, { "calls.1.time": "09:00" });
  assert.equal(callsIn(both.after), ["B2 09:00 ", "B1 08:00 ", "A2 06:00 Wait"]);
  const taken = await bothSave(path, call(1), { "calls.1.time": "09:30" });
  assert.match(taken.refusal ?? "", /Calls 2, time was changed[^§]*Calls 2, time is “09:30” now/);
  const same = await bothSave(path, call(9, ["C1", "10:00"]), call(9, ["C1", "10:00"]));
  assert.is(callsIn(same.after).filter((one) => one === "C1 10:00 ").length, 1);
});

together("add further fields to one record", async () => {
  const { after, refusal } = await bothSave(peoplePath, { role: "Best boy" }, { name: "Edo Two" });
  assert.equal([after.role, after.name, refusal], ["Best boy", "Edo Two", undefined]);
  const added = await bothSave(scenePath, { "elements.+": "Weather: dry" }, { "elements.+": "Smoke: yes" });
  assert.equal([added.after["elements.weather"], added.after["elements.smoke"]], ["dry", "yes"]);
});

together("are told what the others changed where something else is refused, and keep it", async () => {
  const [shown, { proof = "" }] = [await editFields(mine, scenePath), await editFields(theirs, scenePath)];
  await saved(theirs, scenePath, { ...shown, synopsis: "Theirs.", proof }, "theirs");
  const response = await mine.post(scenePath, { ...shown, slugline: "" });
  const text = await response.text();
  assert.is(response.status, 422);
  assert.match(text, /What others changed meanwhile stays:[^§]*Synopsis was changed by Theirs at /);
  await saved(mine, scenePath, { ...(await fieldsIn(text)), slugline: "INT. LOFT - DAY" }, "again");
  const after = await editFields(mine, scenePath);
  assert.equal([after.synopsis, after.slugline], ["Theirs.", "INT. LOFT - DAY"]);
});

together("may send marks that no form has, which change nothing but their own fields", async () => {
  for (const was of ["%", "%E0%A4%A=abcdefghij", "=abcdefghij __proto__=abcdefghij", "x".repeat(5000)]) {
    const shown = await editFields(mine, scenePath);
    const response = await mine.post(scenePath, { ...shown, "was:synopsis": was });
    assert.ok([303, 409].includes(response.status));
    assert.equal({ ...(await editFields(mine, scenePath)), proof: "" }, { ...shown, proof: "" });
  }
});

together.after(() => server.stop());
together.run();
