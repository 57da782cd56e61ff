// What an applied plan leaves for its undo, and the document that takes a change set back: it names things by their ids. Finds what was
// changed again since.
import { isDeepStrictEqual } from "node:util";
import type { Store } from "../../store/database.ts";
import type { DraftNames } from "../check/validator.ts";
import type { Former, Restored } from "../match/matching.ts";
import { differences } from "../match/merge.ts";
import { withoutNulls } from "../match/records.ts";
import { fileOfHash, type Stored, StoredProduction, shapeOf } from "../nouns/stored.ts";
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

/** The scene before each stored scene. */
function predecessors(stored: Stored): Map<number, number> {
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
    return { stored, raw: stored.rawOf(section, id) ?? {} };
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

/** Which later change set changed a field of a thing of a section or of a row of the stored script, as the end of a sentence; with null, anything of it. */
export type Since = (part: string, id: number | null, field: string | null) => string | undefined;

export interface Undoing {
  since: Since;
  /** Whether the bytes of a hash are stored. */
  isKept(sha256: string): boolean;
}

/** The former or the later values of fields of a form as they are in a document: media by the hash of their bytes. */
function valuesOf(fields: PlannedChange["fields"], side: "from" | "to", form: Form): Raw {
  const own = Object.entries(fields).filter(([field]) => field !== "order");
  return unprinted(Object.fromEntries(own.map(([field, one]) => [field, one[side]])), form);
}

function unprinted(given: Raw, form: Form): Raw {
  const values = form.media ? structuredClone(given) : given;
  eachMedium(values, form, "", (medium) => {
    if (typeof medium.sha256 === "string") medium.file = fileOfHash(medium.sha256);
    delete medium.sha256;
  });
  return values;
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
  isKept: Undoing["isKept"],
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
  { since, isKept }: Undoing,
): { document: GivenDocument; conflicts: string[] } {
  const own = nouns.filter((noun) => inverse.names[noun]);
  const byId = new Map(own.map((noun) => [noun, new Map([...stored.ids(noun)].map(([name, id]) => [id, name]))]));
  const nowNamed = namesOf(inverse, byId);
  const raised = new Set((inverse.script ?? []).flatMap(({ table, id }) => (table === "script_changes" ? [id] : [])));
  const conflicts: string[] = [];
  const given: { change: PlannedChange; former: Former | undefined; item: Raw; now: Raw | undefined }[] = [];
  for (const [at, change] of changes.entries()) {
    const { section, action, fields, key } = change;
    const id = change.id as number; // an applied change has its id
    const [form, former] = [formOfChange(section), inverse.former[at]];
    const thing = section === "production" ? "the production" : `${kindOf(section)} "${key}"`;
    const add = (sentence: string, field: string | null) =>
      conflicts.push(`${thing}${sentence}${since(section, id, field) ?? ""}`);
    const never = neverUndone(change, former, raised, isKept);
    const now = section === "production" ? stored.production : stored.rawOf(section, id);
    if (never !== undefined) conflicts.push(`${thing} cannot be undone: ${never}`);
    else if (action !== "remove" && now === undefined) add(" was removed since", null);
    else if (action !== "remove" && now !== undefined && section !== "script_changes") {
      const left = renamedBy(valuesOf(fields, "to", form), section, nowNamed) as Raw;
      for (const field of differences(section, action === "add" ? left : { ...now, ...left }, now))
        add(`: ${field} was changed since`, field);
      // Positions do not tell that a scene was moved again, because the moves of others change them too.
      if (action === "change" && fields.order && since(section, id, "order")) add(": order was changed since", "order");
    }
    const items = {
      add: { ...now },
      change: valuesOf(fields, "from", form),
      remove: unprinted(former?.item ?? {}, form),
    };
    given.push({ change, former, item: items[action], now });
  }
  for (const { change, item, now } of given) {
    const { section, action, id } = change;
    const noun = section === "production" ? undefined : sections[section].noun;
    if (section === "production" || noun === undefined || action === "add") continue;
    const whole = withoutNulls({ ...now, ...item });
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
