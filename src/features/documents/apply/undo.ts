// What an applied plan leaves for its undo, and the document that takes a change set back: it names things by their ids. Finds what was
// changed again since.
import { isDeepStrictEqual } from "node:util";
import type { Store } from "../../../core/store/database.ts";
import type { DraftNames } from "../check/validator.ts";
import type { Former, Restored } from "../match/matching.ts";
import { differences } from "../match/merge.ts";
import { withoutNulls } from "../match/records.ts";
import { signedAsStored } from "../match/signatures.ts";
import { fileOfHash, type Stored, StoredProduction, shapeOf } from "../nouns/stored.ts";
import { type Planned, type PlannedChange, printed, printedChange, slotsByChange } from "../plan/plan.ts";
import type { GivenDocument } from "../read/read.ts";
import {
  eachMedium,
  eachReference,
  type Form,
  itemFormOf,
  type PartialDocument,
  productionForm,
  type Raw,
  renamed,
} from "../sections/form.ts";
import { Problems } from "../sections/problems.ts";
import {
  keyOf,
  kindOf,
  type Noun,
  namingOf,
  namings,
  nouns,
  type SectionName,
  sections,
} from "../sections/sections.ts";

export interface Inverse {
  /** The ids of what the values of the changes name. */
  names: Partial<Record<Noun, Record<string, number>>>;
  /** By the index of the change. */
  former: Record<number, Former>;
  /** What was done to the stored script. */
  script?: readonly ScriptEntry[];
}

export type ScriptTable = "script_drafts" | "script_scenes" | "script_changes" | "script_proposals";

/** What a change set did to a row of the stored script. */
export interface ScriptEntry {
  table: ScriptTable;
  id: number;
  /** What was changed, as it was; null for a row that was added. */
  from: Readonly<Record<string, string | number | null>> | null;
}

/** The form of the things of a section, or of the production itself. */
export const formOfChange = (section: PlannedChange["section"]) =>
  section === "production" ? productionForm : itemFormOf(section);

/** Adds the ids of the names that it visits. */
export const namesInto =
  (names: Inverse["names"], idOf: (noun: Noun, name: string) => number | null | undefined) =>
  (noun: Noun, reference: string | readonly string[]): void => {
    for (const name of [reference].flat()) {
      const id = idOf(noun, name);
      if (typeof id !== "number") continue;
      names[noun] ??= Object.create(null) as Record<string, number>; // a thing can be called __proto__
      names[noun][name] = id;
    }
  };

/** What the undo of applied changes needs. `stored` is the production before them. */
export function inverseOf(
  changes: readonly PlannedChange[],
  stored: Stored,
  { slots, names }: Pick<Planned, "slots"> & { names: Pick<DraftNames, "ids"> },
): Inverse {
  const own = new Map(changes.map(({ section, key, id }) => [`${section} ${key}`, id]));
  const inverse: Inverse = { names: {}, former: {} };
  const visit = namesInto(
    inverse.names,
    (noun, name) => own.get(`${namings[noun].list} ${name}`) ?? names.ids(noun).get(name),
  );
  const slotOf = slotsByChange({ slots });
  let before: Map<number, number> | undefined;
  for (const [at, change] of changes.entries()) {
    const { section, action, id, fields } = change;
    const form = formOfChange(section);
    for (const [field, { from, to }] of Object.entries(fields))
      for (const value of [from, to]) eachReference({ [field]: value }, form, "", visit);
    const slot = slotOf.get(change)?.slot;
    if (action === "remove" && slot?.before !== undefined && section !== "production") {
      const item = printed(shapeOf(section, slot.before)) as Raw;
      eachReference(item, form, "", visit);
      inverse.former[at] = { item, ...(section === "episodes" && { position: slot.stored?.order as number }) };
    }
    if (section !== "scenes" || !(action === "remove" || (action === "change" && "order" in fields))) continue;
    before ??= new Map(stored.items("scenes").map((scene, at, all) => [scene.id, all[at - 1]?.id ?? 0]));
    inverse.former[at] = { ...inverse.former[at], after: before.get(id as number) as number };
  }
  return inverse;
}

/** The change of a stored thing from what it was. */
export function changeOf(section: SectionName, id: number, before: Raw, item: Raw): PlannedChange {
  const fields = differences(section, before, item);
  const slot = { before, item, stored: { id }, gone: false };
  return printedChange(section, slot, { fields, order: undefined, parsed: item });
}

/** The change of one thing that `work` makes, with what its undo needs. Inside a write transaction. */
export function changeBy(
  store: Store,
  { production_id, section, id }: { production_id: number; section: SectionName; id: number },
  work: () => void,
): { changes: PlannedChange[]; inverse: Inverse } {
  const read = () => new StoredProduction(store, production_id);
  const before = read().rawOf(section, id) as Raw;
  work();
  const stored = read();
  const changes = [changeOf(section, id, before, stored.rawOf(section, id) as Raw)];
  return { changes, inverse: inverseOf(changes, stored, { slots: [], names: stored }) };
}

/** Which later change set changed a field of a thing of a section or of a row of the stored script, as the end of a sentence; with null, anything of it. */
export type Since = (part: string, id: number | null, field: string | null) => string | undefined;

/** Printed values as they are in a document: media by the hash of their bytes, each of which is visited. */
function unprinted(given: Raw, form: Form, visit: (sha256: string) => void = () => undefined): Raw {
  const { order: _, ...values } = form.media ? structuredClone(given) : given; // a place is no field
  eachMedium(values, form, "", (medium) => {
    if (typeof medium.sha256 !== "string") return;
    visit(medium.sha256);
    medium.file = fileOfHash(medium.sha256);
    delete medium.sha256;
  });
  return values;
}

const valuesOf = (fields: PlannedChange["fields"], side: "from" | "to"): Raw =>
  Object.fromEntries(Object.entries(fields).map(([field, one]) => [field, one[side]]));

const decidedSteps = (steps: unknown): unknown[] =>
  ((steps ?? []) as Raw[]).filter(({ status = "pending" }) => status !== "pending");

const recordedOnly: Partial<Record<SectionName, string>> = {
  engagements: "engagements are ended, not undone",
  storage: "what the storage agent reported stays recorded",
  notes: "a note stays recorded",
  jobs: "a job stays recorded",
  activity: "an activity entry stays recorded",
  script_changes: "a script change stays recorded",
};

/** Why a change cannot be undone whatever happened since; undefined if it can. */
function neverUndone({ section, action, fields }: PlannedChange): string | undefined {
  if (section === "production") return undefined;
  if (action !== "change") return recordedOnly[section];
  const recorded = sections[section].recorded?.find((field) => field in fields);
  if (recorded !== undefined) return `its ${recorded} stay recorded`;
  if (section === "engagements" && "ended_at" in fields) return recordedOnly.engagements;
  const { steps, rounds } = fields;
  if (section !== "approvals" || steps === undefined) return undefined;
  const known = [steps.from, ...((rounds?.from ?? []) as unknown[])].flatMap(decidedSteps);
  const taken = decidedSteps(steps.to).some((step) => !known.some((one) => isDeepStrictEqual(one, step)));
  return taken ? "its decisions stay recorded" : undefined;
}

/** The document that takes a change set back, and what stands against it. `isKept`: the bytes of a hash are stored. In the transaction of `stored`. */
export function undoOf(
  stored: StoredProduction,
  { changes, inverse }: { changes: readonly PlannedChange[]; inverse: Inverse },
  file: string,
  { since, isKept }: { since: Since; isKept(sha256: string): boolean },
): { document: GivenDocument; conflicts: string[] } {
  const own = nouns.filter((noun) => noun === "episode" || inverse.names[noun]);
  const byId = new Map(own.map((noun) => [noun, new Map([...stored.ids(noun)].map(([name, id]) => [id, name]))]));
  const nowNamed = namesOf(inverse, byId);
  // The undo of the script takes the changes back that it raised.
  const raised = new Set((inverse.script ?? []).flatMap(({ table, id }) => (table === "script_changes" ? [id] : [])));
  const conflicts: string[] = [];
  const given = changes.map((change, at) => {
    const { section, action, fields, key } = change;
    const id = change.id as number; // an applied change has its id
    const [form, former] = [formOfChange(section), inverse.former[at]];
    const thing = section === "production" ? "the production" : `${kindOf(section)} "${key}"`;
    const add = (sentence: string, field: string | null) =>
      conflicts.push(`${thing}${sentence}${since(section, id, field) ?? ""}`);
    const now = section === "production" ? stored.production : stored.rawOf(section, id);
    const asStored = (value: Raw) =>
      section === "approvals" && now !== undefined ? signedAsStored(value, now) : value;
    const lost: string[] = [];
    const then = action === "change" ? valuesOf(fields, "from") : (former?.item ?? {});
    const item = unprinted(asStored(then), form, (sha256) => isKept(sha256) || lost.push(sha256));
    const gone =
      lost.length > 0 ? "the bytes of its former media are gone, so import the file again instead" : undefined;
    const isRaised = section === "script_changes" && raised.has(id);
    const never = isRaised ? undefined : (neverUndone(change) ?? gone);
    if (never !== undefined) conflicts.push(`${thing} cannot be undone: ${never}`);
    else if (action !== "remove" && now === undefined) add(" was removed since", null);
    else if (action !== "remove" && now !== undefined && section !== "script_changes") {
      const left = renamedBy(unprinted(asStored(valuesOf(fields, "to")), form), section, nowNamed) as Raw;
      for (const field of differences(section, action === "add" ? left : { ...now, ...left }, now))
        add(`: ${field} was changed since`, field);
      // Positions do not tell that a scene was moved again, because the moves of others change them too.
      if (action === "change" && fields.order && since(section, id, "order")) add(": order was changed since", "order");
    }
    return { change, former, now: now ?? {}, item: action === "add" ? { ...now } : item };
  });
  // A scene is named by its episode, of which what is stored has the present code, and what is recorded the code of that time.
  const codes = byId.get("episode") as Map<number, string>; // it is among `own`
  for (const { change, item } of given)
    if (change.section === "episodes" && item.code !== undefined) codes.set(change.id as number, item.code as string);
  const renames = new Map([...stored.ids("episode")].map(([code, id]) => [code, codes.get(id) as string]));
  const present: Names = new Map([["episode", renames]]);
  const recorded = namesOf(inverse, new Map([["episode", codes]]));
  const scenes = byId.get("scene");
  for (const { id, raw } of scenes === undefined ? [] : stored.items("scenes"))
    scenes?.set(id, keyOf("scenes", renamedBy(raw, "scenes", present) as Raw) as string);
  for (const one of given) {
    const { section, action, id } = one.change;
    if (section === "production" || action === "add") continue;
    const { noun } = sections[section];
    one.now = renamedBy(one.now, section, present) as Raw;
    const former = renamedBy(one.item, section, recorded) as Raw;
    if (noun !== undefined)
      byId.get(noun)?.set(id as number, keyOf(section, withoutNulls({ ...one.now, ...former })) as string);
  }
  const after = namesOf(inverse, byId); // what gets its former name back is named by that
  const document: PartialDocument = {};
  const restored = new Map<Raw, Restored>();
  for (const { change, former, item, now } of given) {
    const { section, action, id } = change;
    const named = action === "add" ? item : (renamedBy(item, section, after) as Raw);
    if (section === "production") {
      document.production = named;
      continue;
    }
    const thing = action === "change" ? { ...namingOf(section, now), ...named, was: keyOf(section, now) } : named;
    restored.set(thing, { ...former, id: id as number, action: inverses[action] });
    document[section] ??= [];
    document[section].push(thing);
  }
  return { document: restoring(file, document, restored), conflicts };
}

/** A document that names things by their ids, and what is done to each. */
export const restoring = (
  file: string,
  document: PartialDocument,
  restored: ReadonlyMap<Raw, Restored>,
): GivenDocument => ({ file, document, restored, media: new Map(), problems: new Problems(), orders_scenes: false });

const inverses = { add: "remove", change: "change", remove: "add" } as const;
type Names = ReadonlyMap<Noun, ReadonlyMap<string, string>>;

const renamedBy = (value: unknown, section: PlannedChange["section"], names: Names): unknown =>
  [...names].reduce((now, [noun, own]) => renamed(now, formOfChange(section), { noun, names: own }), value);

/** What the things are called that a change set names, by the names that it has for them. */
const namesOf = ({ names }: Inverse, byId: ReadonlyMap<Noun, ReadonlyMap<number, string>>): Names =>
  new Map(
    [...byId].map(([noun, own]) => {
      const recorded = Object.entries(names[noun] ?? {});
      return [noun, new Map(recorded.map(([name, id]) => [name, own.get(id) ?? name]))];
    }),
  );
