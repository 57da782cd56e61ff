// What an applied plan leaves for its undo, and the change set turned round: puts what was before into a draft. Finds what was changed again
// since.
import { isDeepStrictEqual } from "node:util";
import type { Store } from "../../../core/store/store.ts";
import type { DraftNames } from "../check/validator.ts";
import type { Draft } from "../match/draft.ts";
import type { Slot, Source } from "../match/matching.ts";
import { differences } from "../match/merge.ts";
import { withoutNulls } from "../match/records.ts";
import { signDecisions, signedAsStored } from "../match/signatures.ts";
import { fileOfHash, type Stored, StoredProduction, shapeOf } from "../nouns/stored.ts";
import { type Planned, type PlannedChange, printed, printedChange, slotsByChange } from "../plan/plan.ts";
import {
  eachMedium,
  eachReference,
  type Form,
  itemFormOf,
  productionForm,
  type Raw,
  respelled,
} from "../sections/form.ts";
import {
  kindOf,
  type Noun,
  namingOf,
  namings,
  type SectionName,
  sectionNames,
  sections,
} from "../sections/sections.ts";

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

/** Why a change can never be undone; undefined if it can. */
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

/** What stands for a reference to a thing, whatever it is called. No name has the character. */
const referenceTo = (noun: Noun, id: number): string => `\u0001${noun} ${id}`;

/** Finds the id of what a name means. */
type IdOf = (noun: Noun, name: string) => number | undefined;

interface ChangeSet {
  changes: readonly PlannedChange[];
  inverse: Inverse;
}

/** A change set turned round: what it added goes, what it changed is as before, what it removed comes back. */
export class Reversal {
  readonly #stored: Stored;
  readonly #set: ChangeSet;
  /** The recorded name of each reference. */
  readonly #recorded = new Map<string, string>();
  readonly #presentIds = new Map<Noun, ReadonlyMap<string, number>>();

  /** In the transaction of `stored`. */
  constructor(stored: Stored, set: ChangeSet) {
    this.#stored = stored;
    this.#set = set;
  }

  /** What stands against it. `isKept`: the bytes of a hash are stored. */
  conflicts({ since, isKept }: { since: Since; isKept(sha256: string): boolean }): string[] {
    // The undo of the script takes the changes back that it raised.
    const script = (this.#set.inverse.script ?? []).filter(({ table }) => table === "script_changes");
    const raised = new Set(script.map(({ id }) => id));
    return this.#set.changes.flatMap((change, at) => {
      const { section, action, fields, key } = change;
      const id = change.id as number; // an applied change has its id
      const thing = section === "production" ? "the production" : `${kindOf(section)} "${key}"`;
      const changed = (what: string, field: string | null) => `${thing}${what}${since(section, id, field) ?? ""}`;
      let isLost = false;
      unprinted(this.#former(at), formOfChange(section), (sha256) => {
        if (!isKept(sha256)) isLost = true;
      });
      const lost = isLost ? "the bytes of its former media are gone, so import the file again instead" : undefined;
      const never = section === "script_changes" && raised.has(id) ? undefined : (neverUndone(change) ?? lost);
      if (never !== undefined) return [`${thing} cannot be undone: ${never}`];
      if (action === "remove") return [];
      const now = this.#now(change);
      if (now === undefined) return [changed(" was removed since", null)];
      if (section === "script_changes") return [];
      const present = this.#referring(now, section, this.#presentId) as Raw;
      const left = this.#asRecorded(change, valuesOf(fields, "to"));
      const differing = differences(section, action === "add" ? left : { ...present, ...left }, present);
      // A changed position does not prove that a scene was moved again, because moves of other scenes change it too.
      if (action === "change" && fields.order && since(section, id, "order")) differing.push("order");
      return differing.map((field) => changed(`: ${field} was changed since`, field));
    });
  }

  /** Puts it into a draft. `source` gets the things as they will be. */
  restore(draft: Draft, source: Source): void {
    const names = new Map<Noun, ReadonlyMap<number | undefined, string>>();
    const namesOf = (noun: Noun) => {
      const known = names.get(noun) ?? new Map([...draft.names(noun)].map(([name, id]) => [id, name]));
      names.set(noun, known);
      return known;
    };
    const named = (value: unknown, section: PlannedChange["section"]): Raw =>
      respelled(value, formOfChange(section), (text) => {
        const [, noun, id] = /^\u0001(\w+) (\d+)$/.exec(text) ?? [];
        return noun === undefined
          ? text
          : (namesOf(noun as Noun).get(Number(id)) ?? (this.#recorded.get(text) as string));
      }) as Raw;
    const bySection = Map.groupBy(this.#set.changes.entries(), ([, { section }]) => section);
    // Names first, because everything else is named by them: those of episodes are parts of those of scenes.
    const restored = sectionNames.flatMap((section) => {
      const own = bySection.get(section) ?? [];
      const slots = own.length === 0 ? new Map() : new Map(draft.slots(section).map((slot) => [slot.id, slot]));
      const things = own.map(([at, change]) => {
        const slot: Slot = slots.get(change.id) ?? draft.add(section, change.id as number); // an applied change has its id
        slot.gone = change.action === "add";
        return { section, at, change, slot, former: this.#asRecorded(change, this.#former(at)) };
      });
      const renamed = things.filter(({ change }) => change.action !== "add");
      draft.rename(
        section,
        renamed.map(({ slot, former }) => {
          const next = withoutNulls({ ...slot.item, ...former });
          const naming = namingOf(section, next);
          return { slot, naming: named(naming, section) };
        }),
      );
      return things;
    });
    for (const { section, at, change, slot, former } of restored) {
      draft.touch(section, source);
      const { updated_at, ...item } = withoutNulls({ ...slot.item, ...named(former, section) });
      if (change.action === "remove") slot.order = this.#set.inverse.former[at]?.position;
      if (change.action !== "add")
        slot.item = updated_at === undefined ? item : { ...item, updated_at: draft.options.now };
      slot.after = this.#set.inverse.former[at]?.after;
      source.document[section] ??= [];
      slot.given.push({ source, section, at: source.document[section].push(slot.item) - 1 });
    }
    for (const [at] of bySection.get("production") ?? []) {
      const { production } = draft;
      const former = named(this.#asRecorded({ section: "production" }, this.#former(at)), "production");
      production.item = withoutNulls({ ...production.item, ...former });
      production.given.push(source);
      source.document.production = production.item;
    }
    signDecisions(draft, source);
  }

  /** What a thing of a change was before it, as it is recorded. */
  #former(at: number): Raw {
    const { action, fields } = this.#set.changes[at] as PlannedChange;
    return action === "change" ? valuesOf(fields, "from") : (this.#set.inverse.former[at]?.item ?? {});
  }

  #now({ section, id }: Pick<PlannedChange, "section" | "id">): Raw | undefined {
    return section === "production" ? this.#stored.production : this.#stored.rawOf(section, id as number);
  }

  /** Recorded values of a thing, with references for the names of that time. */
  #asRecorded(change: Pick<PlannedChange, "section"> & Partial<PlannedChange>, values: Raw): Raw {
    const { section, id = null } = change;
    const now = section === "approvals" ? this.#now({ section, id }) : undefined;
    const signed = now === undefined ? values : signedAsStored(values, now);
    return this.#referring(unprinted(signed, formOfChange(section)), section, this.#recordedId) as Raw;
  }

  /** A value with references for names. */
  #referring(value: unknown, section: PlannedChange["section"], idOf: IdOf): unknown {
    return respelled(value, formOfChange(section), (name, nouns) => {
      for (const noun of nouns) {
        const id = idOf(noun, name);
        if (id === undefined) continue;
        const reference = referenceTo(noun, id);
        this.#recorded.set(reference, name);
        return reference;
      }
      return name;
    });
  }

  readonly #presentId: IdOf = (noun, name) => {
    const ids = this.#presentIds.get(noun) ?? this.#stored.ids(noun);
    this.#presentIds.set(noun, ids);
    return ids.get(name);
  };

  /** What was only a text then may be a name now. */
  readonly #recordedId: IdOf = (noun, name) => {
    const { [noun]: names = {} } = this.#set.inverse.names;
    return Object.hasOwn(names, name) ? names[name] : this.#presentId(noun, name);
  };
}

/** Takes the thing of an id out of a draft. `source` gets it. */
export function removeFrom(draft: Draft, source: Source, section: SectionName, id: number): void {
  draft.touch(section, source);
  const slot = draft.slots(section).find((one) => one.id === id) as Slot; // it is stored
  slot.gone = true;
  slot.given.push({ source, section, at: 0 });
  source.document[section] = [slot.item];
}
