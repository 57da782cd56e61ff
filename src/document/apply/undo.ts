// What an applied plan leaves for its undo, and the document that takes a change set back: it names things by their ids. Finds what was
// changed again since.
import { isDeepStrictEqual } from "node:util";
import type { Store } from "../../store/database.ts";
import type { DraftNames } from "../check/known_names.ts";
import { differences } from "../match/merge.ts";
import type { Former, Restored } from "../match/source.ts";
import { fileOfHash, StoredProduction, shapeOf } from "../nouns/stored.ts";
import { type Planned, type PlannedChange, printed, slotsByChange } from "../plan/plan.ts";
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
import { type Noun, namings, nouns } from "../sections/names.ts";
import { Problems } from "../sections/problems.ts";
import { keyOf, kindOf, namingOf, type SectionName, sections } from "../sections/sections.ts";

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
  /** The same, as it became; a long text is marked by its hash. Null for a row that was removed. */
  to: Readonly<Record<string, string | number | null>> | null;
  /** The row before it in the former order; 0 if it was the first. */
  after?: number;
}

/** The form of the things of a section, or of the production itself. */
export const formOfChange = (section: PlannedChange["section"]) =>
  section === "production" ? productionForm : itemFormOf(section);

/** The scene before each stored scene. */
function predecessors(stored: StoredProduction): Map<number, number> {
  const scenes = [...stored.items("scenes")].sort((one, other) => one.order - other.order);
  return new Map(scenes.map(({ id }, at) => [id, scenes[at - 1]?.id ?? 0]));
}

/** The hashes of the media in printed things of a section. */
export function hashesIn(section: PlannedChange["section"], ...things: unknown[]): string[] {
  const hashes: string[] = [];
  for (const thing of things)
    eachMedium(thing, formOfChange(section), "", ({ sha256 }) => {
      if (typeof sha256 === "string") hashes.push(sha256);
    });
  return hashes;
}

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
  stored: StoredProduction,
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
    const former: Former = {};
    const slot = slotOf.get(change)?.slot;
    if (action === "remove" && slot?.before !== undefined && section !== "production") {
      former.item = printed(shapeOf(section, slot.before)) as Raw;
      eachReference(former.item, form, "", visit);
      if (section === "episodes") former.position = slot.stored?.order as number;
    }
    if (section === "scenes" && (action === "remove" || (action === "change" && "order" in fields))) {
      before ??= predecessors(stored);
      former.after = before.get(id as number) as number;
    }
    if (Object.keys(former).length > 0) inverse.former[at] = former;
  }
  return inverse;
}

/** The change of one thing that `work` makes, with what its undo needs. Inside a write transaction. */
export function changeBy(
  store: Store,
  { production_id, section, id }: { production_id: number; section: SectionName; id: number },
  work: () => void,
): { changes: PlannedChange[]; inverse: Inverse } {
  const read = () => {
    const stored = new StoredProduction(store, production_id);
    return { stored, raw: stored.items(section).find((one) => one.id === id)?.raw ?? {} };
  };
  const { raw: before } = read();
  work();
  const { raw, stored } = read();
  const fields = differences(section, before, raw).map((field) => [
    field,
    { from: printed(before[field]), to: printed(raw[field]) },
  ]);
  const key = keyOf(section, raw) as string;
  const changes: PlannedChange[] = [{ section, key, id, action: "change", fields: Object.fromEntries(fields) }];
  return { changes, inverse: inverseOf(changes, stored, { slots: [], names: stored }) };
}

/** What stands against an undo. */
export interface Conflict {
  sentence: string;
  /** What a later change set changed: a field of a thing of a section, or the thing or the row of the stored script itself. */
  since?: { part: string; id: number; field: string | null };
}

/** Whether the bytes of a hash are stored. */
type IsKept = (sha256: string) => boolean;

/** The former or the later values of fields of a form as they are in a document: media by the hash of their bytes. */
function valuesOf(fields: PlannedChange["fields"], side: "from" | "to", form: Form): Raw {
  const own = Object.entries(fields).filter(([field]) => field !== "order");
  return unprinted(Object.fromEntries(own.map(([field, one]) => [field, one[side]])), form) as Raw;
}

function unprinted(value: unknown, { fields = [], item, medium, media }: Form): unknown {
  if (!media || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return item === undefined ? value : value.map((one) => unprinted(one, item));
  const { sha256, ...rest } = value as Raw;
  if (medium) return { ...rest, ...(typeof sha256 === "string" && { file: fileOfHash(sha256) }) };
  const own = fields.flatMap(({ key, form }) => (key in value ? [[key, unprinted((value as Raw)[key], form)]] : []));
  return { ...value, ...Object.fromEntries(own) };
}

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

/** Why a change cannot be undone whatever happened since; undefined if it can. The undo of the script takes the `raised` changes back. */
function neverUndone(
  { section, action, id, fields }: PlannedChange,
  former: Former | undefined,
  raised: ReadonlySet<number | null>,
  isKept: IsKept,
): string | undefined {
  if (section === "production" || (section === "script_changes" && raised.has(id))) return undefined;
  if (action !== "change" && recordedOnly[section] !== undefined) return recordedOnly[section];
  const recorded = sections[section].recorded?.find((field) => field in fields);
  if (action === "change" && recorded !== undefined) return `its ${recorded} stay recorded`;
  if (section === "engagements" && "ended_at" in fields) return recordedOnly.engagements;
  const replaced = Object.fromEntries(Object.entries(fields).map(([field, { from }]) => [field, from]));
  if (!hashesIn(section, former?.item, replaced).every(isKept))
    return "the bytes of its former media are gone, so import the file again instead";
  if (section === "approvals" && action === "change" && "steps" in fields) {
    const known = [fields.steps?.from, ...((fields.rounds?.from ?? []) as unknown[])].flatMap(decidedSteps);
    const taken = decidedSteps(fields.steps?.to).some((step) => !known.some((one) => isDeepStrictEqual(one, step)));
    if (taken) return "its decisions stay recorded";
  }
  return undefined;
}

/** The document that takes a change set back, and what stands against it. In the transaction of `stored`. */
export function undoOf(
  stored: StoredProduction,
  { changes, inverse }: { changes: readonly PlannedChange[]; inverse: Inverse },
  file: string,
  isKept: IsKept,
): { document: GivenDocument; conflicts: Conflict[] } {
  const present = new Map<string, Raw>();
  for (const section of new Set(changes.map(({ section }) => section)))
    if (section !== "production") for (const { id, raw } of stored.items(section)) present.set(`${section} ${id}`, raw);
  const own = nouns.filter((noun) => inverse.names[noun]);
  const byId = new Map(own.map((noun) => [noun, new Map([...stored.ids(noun)].map(([name, id]) => [id, name]))]));
  const nowNamed = namesOf(inverse, byId);
  const raised = new Set((inverse.script ?? []).flatMap(({ table, id }) => (table === "script_changes" ? [id] : [])));
  const conflicts: Conflict[] = [];
  const given: { change: PlannedChange; former: Former | undefined; item: Raw; now: Raw | undefined }[] = [];
  for (const [at, change] of changes.entries()) {
    const { section, action, fields, key } = change;
    const id = change.id as number; // an applied change has its id
    const [form, former] = [formOfChange(section), inverse.former[at]];
    const thing = section === "production" ? "the production" : `${kindOf(section)} "${key}"`;
    const add = (sentence: string, field: string | null) =>
      conflicts.push({ sentence: `${thing}${sentence}`, since: { part: section, id, field } });
    const never = neverUndone(change, former, raised, isKept);
    const now = section === "production" ? stored.production : present.get(`${section} ${id}`);
    if (never !== undefined) conflicts.push({ sentence: `${thing} cannot be undone: ${never}` });
    else if (action !== "remove" && now === undefined) add(" was removed since", null);
    else if (action !== "remove" && now !== undefined && section !== "script_changes") {
      const left = renamedBy(valuesOf(fields, "to", form), section, nowNamed) as Raw;
      for (const field of differences(section, action === "add" ? left : { ...now, ...left }, now))
        add(`: ${field} was changed since`, field);
    }
    const items = {
      add: { ...now },
      change: valuesOf(fields, "from", form),
      remove: unprinted(former?.item ?? {}, form) as Raw,
    };
    given.push({ change, former, item: items[action], now });
  }
  for (const { change, item, now } of given) {
    const { section, action, id } = change;
    const noun = section === "production" ? undefined : sections[section].noun;
    if (section === "production" || noun === undefined || action === "add") continue;
    const whole = Object.fromEntries(Object.entries({ ...now, ...item }).filter(([, value]) => value !== null));
    byId.get(noun)?.set(id as number, keyOf(section, whole) as string);
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
    const own = now ?? {}; // without it there is a conflict
    const thing = action === "change" ? { ...namingOf(section, own), ...named, was: keyOf(section, own) } : named;
    restored.set(thing, { ...former, id: id as number, action: inverses[action] });
    document[section] ??= [];
    document[section].push(thing);
  }
  return {
    document: { file, document, media: new Map(), problems: new Problems(), restored, orders_scenes: false },
    conflicts,
  };
}

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
