// Puts changes that a change set recorded into a target by the ids of things: those of an undo, which are the set turned round. Finds what was
// changed again since.
import { type Difference, type Since, turnedRound } from "../difference.ts";
import type { Slot, Source } from "../match/matching.ts";
import { differences } from "../match/merge.ts";
import { withoutNulls } from "../match/records.ts";
import { signDecisions, signedAsStored } from "../match/signatures.ts";
import { givesUpDecisions } from "../match/steps.ts";
import type { Target } from "../match/target.ts";
import type { PlannedChange } from "../plan/plan.ts";
import { eachMedium, itemFormOf, type Raw, respelled } from "../sections/form.ts";
import { fileOfHash } from "../sections/references.ts";
import { forSections, kindOf, type Noun, type SectionName, sections } from "../sections/sections.ts";

/** What can stand against changes, beside the things themselves. */
export interface Against {
  since: Since;
  /** Whether the bytes of a hash are stored. */
  isKept(sha256: string): boolean;
  /** The script changes that the undo of the script takes away. */
  raised: ReadonlySet<number>;
}

/** A recorded change with the thing that it changes. */
interface Restored {
  change: PlannedChange;
  /** Undefined if the thing is not stored. */
  slot: Slot | undefined;
  /** The thing as it is stored. */
  present: Raw | undefined;
  /** The fields as they must be, and as they will be. */
  from: Raw;
  to: Raw;
}

/** Why a change can never be made; undefined if it can: what is recorded stays. */
function neverMade({ section, action, fields }: PlannedChange): string | undefined {
  if (section === "production")
    return action === "change" ? undefined : "it was created by this; `tallylight productions delete` removes one";
  const { lasts, end, recorded } = sections[section];
  if (action !== "change" || (end !== undefined && end in fields)) return lasts;
  const list = recorded.find((field) => field in fields);
  if (list !== undefined) return `its ${list} stay recorded`;
  return givesUpDecisions(fields) ? "its decisions stay recorded" : undefined;
}

/** Printed values as they are in a document: media by the hash of their bytes. */
function unprinted(section: PlannedChange["section"], fields: PlannedChange["fields"], side: "from" | "to"): Raw {
  const { order: _, ...own } = fields; // a place is no field
  const form = itemFormOf(section);
  const values = Object.fromEntries(Object.entries(own).map(([field, one]) => [field, one[side]]));
  const copy = form.media ? structuredClone(values) : values;
  eachMedium(copy, form, "", (medium) => {
    if (typeof medium.sha256 === "string") medium.file = fileOfHash(medium.sha256);
    delete medium.sha256;
  });
  return copy;
}

/** The changes with the things that they change. What their values name is known by its id. */
function found(target: Target, { changes, ids: { names } }: Difference): Restored[] {
  const slots = forSections((section) =>
    changes.some((change) => change.section === section)
      ? new Map(target.slots(section).map((slot) => [slot.id, slot]))
      : undefined,
  );
  const referenceOf = (name: string, nouns: readonly Noun[]): string => {
    for (const noun of nouns) {
      const ids = names[noun] ?? {};
      // hasOwn says that the name has an id.
      if (Object.hasOwn(ids, name)) return target.names.remember(noun, ids[name] as number, name);
    }
    return target.names.storedReference(name, nouns);
  };
  return changes.map((change) => {
    const { section, id, fields } = change;
    const slot = section === "production" ? undefined : slots(section)?.get(id as number); // an applied change has its id
    const present = section === "production" ? target.production.before : slot?.before;
    const valuesOf = (side: "from" | "to"): Raw => {
      const values = unprinted(section, fields, side);
      const signed = section === "approvals" && present !== undefined ? signedAsStored(values, present) : values;
      return respelled(signed, itemFormOf(section), referenceOf);
    };
    return { change, slot, present, from: valuesOf("from"), to: valuesOf("to") };
  });
}

/** What stands against a change: the thing is not as the change expects it, or is recorded. */
function conflictsOf({ change, present, from }: Restored, { since, isKept, raised }: Against): string[] {
  const { section, action, fields, key } = change;
  const id = change.id as number; // an applied change has its id
  const thing = section === "production" ? "the production" : `${kindOf(section)} "${key}"`;
  const changed = (what: string, field: string | null) => `${thing}${what}${since(section, id, field) ?? ""}`;
  const never =
    section === "script_changes" && raised.has(id) ? undefined : (neverMade(change) ?? lost(change, isKept));
  if (never !== undefined) return [`${thing} cannot be undone: ${never}`];
  if (action === "add") return [];
  if (present === undefined) return [changed(" was removed since", null)];
  if (section === "script_changes") return [];
  const differing = differences(section, action === "remove" ? from : { ...present, ...from }, present);
  // A changed position does not prove that a scene was moved again, because moves of other scenes change it too.
  if (action === "change" && fields.order && since(section, id, "order")) differing.push("order");
  return differing.map((field) => changed(`: ${field} was changed since`, field));
}

/** Says that bytes which a change gives back are gone. */
function lost({ section, fields }: PlannedChange, isKept: Against["isKept"]): string | undefined {
  const hashes: unknown[] = [];
  const values = Object.fromEntries(Object.entries(fields).map(([field, { to }]) => [field, to]));
  eachMedium(values, itemFormOf(section), "", ({ sha256 }) => hashes.push(sha256));
  const isLost = hashes.some((sha256) => typeof sha256 === "string" && !isKept(sha256));
  return isLost ? "the bytes of its former media are gone, so import the file again instead" : undefined;
}

/**
 * Takes a change set back in a target. `source` gets the things as they will be. Returns what stands against it; then the target is as
 * it was.
 */
export function takeBack(target: Target, source: Source, set: Difference, against: Against): string[] {
  const { before } = set.ids;
  const restored = found(target, { ...set, changes: turnedRound(set.changes) });
  const conflicts = restored.flatMap((one) => conflictsOf(one, against));
  if (conflicts.length > 0) return conflicts;
  const given = restored.flatMap(({ change: { section, action, id, fields }, to, ...one }) => {
    if (section === "production") {
      target.production.item = withoutNulls({ ...target.production.item, ...to });
      target.production.given.push(source);
      return [];
    }
    target.touch(section, source);
    const slot = one.slot ?? target.add(section, id as number); // an applied change has its id
    if (action === "remove") slot.gone = true;
    else {
      const { updated_at, ...item } = withoutNulls({ ...slot.item, ...to });
      const isTimed = action === "add" && updated_at !== undefined;
      slot.item = isTimed ? { ...item, updated_at: target.options.now } : item;
      if (isTimed) slot.timed = ["updated_at"];
    }
    if (action === "add" && typeof fields.order?.to === "number") slot.order = fields.order.to;
    if (section === "scenes") slot.after = before[id as number]; // an applied change has its id
    return [{ section, slot }];
  });
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
