// What an applied plan leaves for its undo, and the change set turned round: puts what was before into a target. Finds what was changed again
// since.
import type { Store } from "../../../core/store/store.ts";
import type { Slot, Source } from "../match/matching.ts";
import { differences } from "../match/merge.ts";
import { withoutNulls } from "../match/records.ts";
import { signDecisions, signedAsStored } from "../match/signatures.ts";
import { takesDecisions } from "../match/steps.ts";
import type { Target } from "../match/target.ts";
import { type Stored, StoredProduction, shapeOf } from "../nouns/stored.ts";
import { type Planned, type PlannedChange, printed, printedChange, slotsByChange } from "../plan/plan.ts";
import {
  eachMedium,
  eachReference,
  type Form,
  itemFormOf,
  type Raw,
  referringField,
  respelled,
} from "../sections/form.ts";
import { fileOfHash } from "../sections/references.ts";
import { forSections, kindOf, type Noun, namings, type SectionName, sections } from "../sections/sections.ts";

/** What the undo of one change needs beside the change. */
interface UndoHint {
  /** The thing that was removed, as it was. */
  item?: Raw;
  /** The scene before it in the former script order; 0 if it was the first. */
  after?: number;
  /** The former position of an episode. */
  position?: number;
}

export interface Inverse {
  /** The ids of what the values of the changes name. */
  names: Partial<Record<Noun, Record<string, number>>>;
  /** By the index of the change. */
  former: Record<number, UndoHint>;
  /** What was done to the stored script. */
  script?: readonly ScriptEntry[];
}

export type ScriptTable = "script_drafts" | "script_scenes" | "script_changes";

/** What a change set did to a row of the stored script. */
export interface ScriptEntry {
  table: ScriptTable;
  id: number;
  /** What was changed, as it was; null for a row that was added. */
  from: Readonly<Record<string, string | number | null>> | null;
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

/** What the undo of applied changes needs. `stored` is the production before them, `idOf` finds what has a name after them. */
export function inverseOf(
  changes: readonly PlannedChange[],
  stored: Stored,
  idOf: (noun: Noun, name: string) => number | undefined,
  planned?: Pick<Planned, "slots" | "target">,
): Inverse {
  const own = new Map(changes.map(({ section, key, id }) => [`${section} ${key}`, id]));
  const inverse: Inverse = { names: {}, former: {} };
  const visit = namesInto(inverse.names, (noun, name) => own.get(`${namings[noun].list} ${name}`) ?? idOf(noun, name));
  const slotOf = slotsByChange(planned ?? { slots: [] });
  let before: Map<number, number> | undefined;
  for (const [at, change] of changes.entries()) {
    const { section, action, id, fields } = change;
    const form = itemFormOf(section);
    for (const [field, { from, to }] of Object.entries(fields)) {
      const own = referringField(form, field);
      if (own !== undefined) for (const value of [from, to]) eachReference(value, own, "", visit);
    }
    const slot = slotOf.get(change)?.slot;
    if (action === "remove" && slot?.before !== undefined && section !== "production") {
      const item = printed(planned?.target.names.named(section, shapeOf(section, slot.before))) as Raw;
      eachReference(item, form, "", visit);
      inverse.former[at] = { item, ...(section === "episodes" && { position: slot.stored?.order as number }) };
    }
    if (section !== "scenes" || !(action === "remove" || (action === "change" && "order" in fields))) continue;
    before ??= new Map(stored.things("scenes").map((scene, at, all) => [scene.id, all[at - 1]?.id ?? 0]));
    inverse.former[at] = { ...inverse.former[at], after: before.get(id as number) as number };
  }
  return inverse;
}

/** The change of a stored thing from what it was. */
export function changeOf(section: SectionName, id: number, before: Raw, item: Raw): PlannedChange {
  const fields = differences(section, before, item);
  const slot = { before, item, id, gone: false };
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
  return { changes, inverse: inverseOf(changes, stored, (noun, name) => stored.ids(noun).get(name)) };
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

/** Why a change can never be undone; undefined if it can: what is recorded stays. */
function neverUndone({ section, action, fields }: PlannedChange): string | undefined {
  if (section === "production") return undefined;
  const { lasts, end, recorded = [] } = sections[section];
  if (action !== "change" || (end !== undefined && end in fields)) return lasts;
  const list = recorded.find((field) => field in fields);
  if (list !== undefined) return `its ${list} stay recorded`;
  return takesDecisions(fields) ? "its decisions stay recorded" : undefined;
}

interface ChangeSet {
  changes: readonly PlannedChange[];
  inverse: Inverse;
}

/** What can stand against the undo of a change, beside the things themselves. */
interface Against {
  since: Since;
  /** Whether the bytes of a hash are stored. */
  isKept(sha256: string): boolean;
}

/** A change of a set with the thing that it changed. */
interface Turned {
  change: PlannedChange;
  hint: UndoHint;
  /** Undefined if the thing is not stored. */
  slot: Slot | undefined;
  /** The thing as it is stored, and as the change left it and found it. */
  present: Raw | undefined;
  left: Raw;
  former: Raw;
}

/** What a thing of a change was before it, as it is recorded. */
const formerOf = ({ action, fields }: PlannedChange, { item = {} }: UndoHint): Raw =>
  action === "change" ? valuesOf(fields, "from") : item;

/** The changes of a set with the things that they changed. What recorded values name is known by its id. */
function turnedChanges(target: Target, { changes, inverse: { names, former } }: ChangeSet): Turned[] {
  const slots = forSections((section) =>
    changes.some((change) => change.section === section)
      ? new Map(target.slots(section).map((slot) => [slot.id, slot]))
      : undefined,
  );
  const referenceOf = (name: string, nouns: readonly Noun[]): string => {
    const noun = nouns.find((one) => Object.hasOwn(names[one] ?? {}, name));
    const id = noun && names[noun]?.[name];
    return id === undefined ? target.names.storedReference(name, nouns) : target.names.remember(noun as Noun, id, name);
  };
  return changes.map((change, at) => {
    const { section, id, fields } = change;
    const slot = section === "production" ? undefined : slots(section)?.get(id as number); // an applied change has its id
    const present = section === "production" ? target.production.before : slot?.before;
    const recorded = (values: Raw): Raw => {
      const signed = section === "approvals" && present !== undefined ? signedAsStored(values, present) : values;
      const form = itemFormOf(section);
      return respelled(unprinted(signed, form), form, referenceOf) as Raw;
    };
    const hint = former[at] ?? {};
    return {
      change,
      hint,
      slot,
      present,
      left: recorded(valuesOf(fields, "to")),
      former: recorded(formerOf(change, hint)),
    };
  });
}

/** What stands against the undo of a change: the thing is not as the change left it, or is recorded. */
function conflictsOf(
  { change, hint, present, left }: Turned,
  { since, isKept, isRaised }: Against & { isRaised: boolean },
): string[] {
  const { section, action, fields, key } = change;
  const id = change.id as number; // an applied change has its id
  const thing = section === "production" ? "the production" : `${kindOf(section)} "${key}"`;
  const changed = (what: string, field: string | null) => `${thing}${what}${since(section, id, field) ?? ""}`;
  let isLost = false;
  unprinted(formerOf(change, hint), itemFormOf(section), (sha256) => {
    if (!isKept(sha256)) isLost = true;
  });
  const lost = isLost ? "the bytes of its former media are gone, so import the file again instead" : undefined;
  const never = isRaised ? undefined : (neverUndone(change) ?? lost);
  if (never !== undefined) return [`${thing} cannot be undone: ${never}`];
  if (action === "remove") return [];
  if (present === undefined) return [changed(" was removed since", null)];
  if (section === "script_changes") return [];
  const differing = differences(section, action === "add" ? left : { ...present, ...left }, present);
  // A changed position does not prove that a scene was moved again, because moves of other scenes change it too.
  if (action === "change" && fields.order && since(section, id, "order")) differing.push("order");
  return differing.map((field) => changed(`: ${field} was changed since`, field));
}

/**
 * Turns a change set round in a target: what it added goes, what it changed is as before, what it removed comes back with its id. `source`
 * gets the things as they will be. Returns what stands against it; then the target is as it was.
 */
export function turnRound(target: Target, source: Source, set: ChangeSet, against: Against): string[] {
  const turned = turnedChanges(target, set);
  // The undo of the script takes the changes back that it raised.
  const script = (set.inverse.script ?? []).filter(({ table }) => table === "script_changes");
  const raised = new Set<number | null>(script.map(({ id }) => id));
  const conflicts = turned.flatMap((one) => {
    const { section, id } = one.change;
    return conflictsOf(one, { ...against, isRaised: section === "script_changes" && raised.has(id) });
  });
  if (conflicts.length > 0) return conflicts;
  const given: { section: SectionName; slot: Slot }[] = [];
  for (const { change, hint, former, ...one } of turned) {
    const { section, action, id } = change;
    if (section === "production") {
      target.production.item = withoutNulls({ ...target.production.item, ...former });
      target.production.given.push(source);
      continue;
    }
    target.touch(section, source);
    const slot = one.slot ?? target.add(section, id as number);
    if (action === "add") slot.gone = true;
    else {
      const { updated_at, ...item } = withoutNulls({ ...slot.item, ...former });
      const isTimed = action === "remove" && updated_at !== undefined;
      slot.item = isTimed ? { ...item, updated_at: target.options.now } : item;
      if (isTimed) slot.timed = ["updated_at"];
    }
    if (action === "remove") slot.order = hint.position;
    slot.after = hint.after;
    given.push({ section, slot });
  }
  target.forget();
  for (const { section, slot } of given) giveTo(source, section, slot);
  if (target.production.given.length > 0) source.document.production = target.production.item;
  signDecisions(target, source);
  return [];
}

/** Puts a thing of a target into its document. */
function giveTo(source: Source, section: SectionName, slot: Slot): void {
  source.document[section] ??= [];
  const at = source.document[section].push(slot.item) - 1;
  slot.given.push({ source, section, at });
}

/** Takes the thing of an id out of a target. `source` gets it. */
export function removeFrom(target: Target, source: Source, section: SectionName, id: number): void {
  target.touch(section, source);
  const slot = target.slots(section).find((one) => one.id === id) as Slot; // it is stored
  giveTo(source, section, slot);
  target.remove(slot);
}
