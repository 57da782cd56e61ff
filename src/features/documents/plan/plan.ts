// Compares a stored production with documents: what would be added, changed and removed. Writes nothing.
import * as v from "valibot";
import { checkTarget, type UpdateContext } from "../check/check.ts";
import { warningsOf } from "../check/warnings.ts";
import { itemAt, type MergeOptions, type Slot, type Source } from "../match/matching.ts";
import { differences } from "../match/merge.ts";
import { signDecisions } from "../match/signatures.ts";
import { Target } from "../match/target.ts";
import { type Stored, shapeOf } from "../nouns/stored.ts";
import { parsedItem, type Raw } from "../sections/form.ts";
import { hashOfFile } from "../sections/references.ts";
import { documentSchema } from "../sections/schema.ts";
import { keyOf, namingOf, type Production, type SectionName, sections } from "../sections/sections.ts";
import { linkScenes, orderScenes, renameCasts, unorderedEpisodes } from "./scenes.ts";

/** A change as the plan prints it. */
export interface PlannedChange {
  section: SectionName | "production";
  key: string;
  /** Null if the thing was never stored. */
  id: number | null;
  action: "add" | "change" | "remove";
  fields: Record<string, { from: unknown; to: unknown }>;
}

/** What was done to a thing, by the action. */
export const verbs = { add: "added", change: "changed", remove: "removed" } as const;

export interface Plan {
  production_id: number;
  dry_run: boolean;
  /** The revision that was compared. Set once the plan is complete. */
  revision: string;
  counts: { added: number; changed: number; removed: number; unchanged: number };
  changes: PlannedChange[];
  warnings: string[];
  /** Set once the plan is applied: the change set that takes it back. */
  change_set?: number;
}

/** A thing that changes, with what is written of it: all but the id of what is added. */
export interface PlannedSlot {
  section: SectionName;
  slot: Slot;
  /** As the plan prints it; undefined if the plan does not. */
  change: PlannedChange | undefined;
  /** The fields that differ. */
  fields: readonly string[];
  /** The thing as it will be, with the defaults of the schema. */
  item: Raw;
  /** The thing as it is stored; undefined if it is added. */
  stored: Raw | undefined;
}

/** A plan with what its application needs. */
export interface Planned {
  plan: Plan;
  target: Target;
  surroundings: UpdateContext;
  /** The production itself as it will be, if it changes. */
  production: Production | undefined;
  /** The things that change. */
  slots: readonly PlannedSlot[];
}

/** The slots of the changes that the plan prints. */
export const slotsByChange = ({ slots }: Pick<Planned, "slots">): ReadonlyMap<PlannedChange | undefined, PlannedSlot> =>
  new Map(slots.map((slot) => [slot.change, slot]));

/** How a value of a document is printed: media with the hash of their bytes. */
export function printed(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(printed);
  if (typeof value !== "object" || value === null) return value;
  const { file, ...rest } = value as { file?: unknown }; // an object, as was just found
  const sha256 = hashOfFile(file);
  const own = Object.entries(sha256 === undefined ? value : rest).map(([key, one]) => [key, printed(one)]);
  return { ...Object.fromEntries(own), ...(sha256 !== undefined && { sha256 }) };
}

/** Removes the stored things that a complete section does not list. A scene becomes omitted instead. */
function removeUnlisted(target: Target): void {
  for (const section of target.touched) {
    if (sections[section].history) continue;
    for (const slot of target.slots(section))
      if (slot.given.length > 0) continue;
      else if (section === "scenes") slot.item = { ...slot.item, status: "omitted" };
      else if (section !== "storage") target.remove(slot);
  }
}

/**
 * At most one cost report and one install can be active. The one that a document makes active replaces the former one; a new install
 * that does not say so does not replace one of which an earlier document says it.
 */
function settleActive(target: Target, source: Source): void {
  for (const section of ["cost_reports", "storage"] as const) {
    if (source.document[section] === undefined) continue;
    const slots = target.slots(section);
    const saysSo = ({ given }: Slot) => given.some((place) => itemAt(place).active === true);
    const made = slots.filter(({ given, item }) => {
      const place = given.at(-1);
      if (place?.source !== source) return false;
      return (itemAt(place).active ?? (section === "storage" && item.active === undefined)) === true;
    });
    if (made.length === 0) continue;
    const stays = made.some(saysSo) ? undefined : slots.find((slot) => slot.item.active === true && saysSo(slot));
    for (const slot of slots)
      if (
        (stays === undefined ? !made.includes(slot) : slot !== stays) &&
        (slot.item.active ?? section === "storage") === true
      )
        slot.item = { ...slot.item, active: false };
  }
}

/** The place of a thing in the order of its section; null if it has none any more. */
interface Move {
  from: number;
  to: number | null;
}

/** The fields that a thing changes. `parsed` has the defaults of what the thing lacks, as it will be stored. */
function changedFields(section: SectionName, { before, item }: Slot, parsed: Raw): string[] {
  if (before === undefined)
    return Object.keys(shapeOf(section, parsed)).filter((field) => !/^(created|updated)_at$/.test(field));
  return item === before ? [] : differences(section, before, shapeOf(section, parsed));
}

/** Fields as the plan prints them. */
const printedFields = (fields: Iterable<string>, from: Raw, to: Raw): PlannedChange["fields"] =>
  Object.fromEntries([...fields].map((field) => [field, { from: printed(from[field]), to: printed(to[field]) }]));

/**
 * A change as the plan prints it. A thing that is added has every field of the schema, and a field that is cleared its default; a thing that
 * is removed has what is stored of it.
 */
export function printedChange(
  section: SectionName,
  { before, item, gone, id }: Pick<Slot, "before" | "item" | "gone" | "id">,
  { fields, order, parsed }: { fields: readonly string[]; order: Move | undefined; parsed: Raw },
  named = (value: Raw): Raw => value,
): PlannedChange {
  // Every thing of a target has a key.
  const subject = { section, key: keyOf(section, named(namingOf(section, item))) as string, id: id ?? null };
  const former = gone ? Object.keys(before ?? {}) : fields;
  const valuesIn = (thing: Raw) => {
    const shape = shapeOf(section, thing);
    return named(Object.fromEntries(former.map((field) => [field, shape[field]])));
  };
  const [from, to] = [before === undefined ? {} : valuesIn(before), gone ? {} : valuesIn(parsed)];
  return {
    ...subject,
    action: gone ? "remove" : before === undefined ? "add" : "change",
    fields: { ...printedFields(former, from, to), ...(order !== undefined && { order }) },
  };
}

/** The change of a thing; undefined if it does not change. The plan of a new production prints the production alone. */
function plannedOf(
  section: SectionName,
  slot: Slot,
  { order, target }: { order: Move | undefined; target: Target },
): PlannedSlot | undefined {
  const { before, item, gone } = slot;
  if (item === before && order === undefined && !gone) return undefined;
  const parsed = parsedItem(section, item);
  if (gone && section === "episodes") order = { from: slot.stored?.order as number, to: null }; // what goes is stored
  if (target.options.is_new) return { section, slot, item: parsed, fields: [], change: undefined, stored: undefined };
  const fields = gone ? [] : changedFields(section, slot, parsed);
  if (before !== undefined && fields.length === 0 && order === undefined && !gone) return undefined;
  return {
    section,
    slot,
    fields: order === undefined || gone ? fields : [...fields, "order"],
    change: printedChange(section, slot, { fields, order, parsed }, (value) => target.names.named(section, value)),
    item: parsed,
    stored: before && parsedItem(section, before),
  };
}

/** Changes a target by the ids of things, as no document can. The source, which has nothing, gets the things as they will be. */
export type Restore = (target: Target, source: Source) => void;

/** The plan of an update. The documents' problems are complete when this returns; the plan is only sound if there are none. */
export function planUpdate(
  stored: Stored,
  sources: readonly Source[],
  options: MergeOptions & {
    dry_run: boolean;
    surroundings: (title: string) => UpdateContext;
    /** Returns the setting, in hours. */
    turnaround: () => number;
    restore: Restore | undefined;
  },
): Planned | undefined {
  const target = new Target(stored, options);
  target.take(sources, (source) => {
    settleActive(target, source);
    signDecisions(target, source);
  });
  if (options.exact) removeUnlisted(target);
  options.restore?.(target, sources[0] as Source); // the one that names what it changes
  const surroundings = options.surroundings(String(target.production.item.title));
  checkTarget(target, sources, surroundings);
  if (sources.some(({ problems }) => problems.any)) return undefined;
  const isLinked = options.restore === undefined && [linkScenes(target), renameCasts(target)].includes(true);
  const sections = isLinked ? new Set([...target.touched, "scenes" as const]) : target.touched;
  return { ...listChanges(target, sections, options), target, surroundings };
}

/** The positions of scenes that move. */
function movedScenes(target: Target): Map<Slot, Move> {
  if (!target.touched.includes("scenes")) return new Map();
  const slots = target.slots("scenes");
  const touched = target.touchedSlots("scenes");
  const isNew = ({ stored, after, gone }: Slot) => stored === undefined || after !== undefined || gone;
  if (touched.length < slots.length && !touched.some(isNew)) return new Map(); // only a list of all moves what is stored
  const moved = orderScenes(slots);
  if (moved.length === 0) return new Map();
  const position = (list: readonly Slot[]) => new Map(list.map((slot, at) => [slot, at + 1]));
  const stored = slots.filter((slot) => slot.stored !== undefined);
  const from = position([...stored].sort((one, other) => (one.stored?.order ?? 0) - (other.stored?.order ?? 0)));
  const to = position([...slots].sort((one, other) => (one.order ?? 0) - (other.order ?? 0)));
  // What moves is stored, and stays.
  return new Map(moved.map((slot) => [slot, { from: from.get(slot) as number, to: to.get(slot) as number }]));
}

/** The production itself, if it changes: as the plan prints it and as it is written. */
function changedProduction(target: Target) {
  const {
    production: { before, item },
    stored: { production_id },
    options: { is_new },
  } = target;
  const production = v.parse(documentSchema.entries.production, item);
  const to: Raw = production;
  const fields = differences("production", before, to);
  if (fields.length === 0) return undefined;
  const [was, is] = [target.names.named("production", before), target.names.named("production", to)];
  const change: PlannedChange = {
    section: "production",
    key: production.title,
    id: is_new ? null : production_id,
    ...(is_new ? { action: "add", fields: {} } : { action: "change", fields: printedFields(fields, was, is) }),
  };
  return { change, production };
}

/** The changes of the things of sections. */
function listChanges(
  target: Target,
  changed: Iterable<SectionName>,
  { dry_run, turnaround }: { dry_run: boolean; turnaround: () => number },
): Pick<Planned, "plan" | "production" | "slots"> {
  const { is_new } = target.options;
  const moved = movedScenes(target);
  const changes: PlannedChange[] = [];
  const slots: PlannedSlot[] = [];
  const counts = { added: 0, changed: 0, removed: 0, unchanged: 0 };
  const add = (change: PlannedChange | undefined, isGiven: boolean) => {
    if (change !== undefined) changes.push(change);
    if (change !== undefined || isGiven) counts[change === undefined ? "unchanged" : verbs[change.action]]++;
  };
  const production = changedProduction(target);
  add(production?.change, target.production.given.length > 0);
  for (const section of changed)
    for (const slot of target.slots(section)) {
      const planned =
        slot.isSame && !moved.has(slot) ? undefined : plannedOf(section, slot, { order: moved.get(slot), target });
      add(planned?.change, slot.given.length > 0);
      if (planned !== undefined) slots.push(planned);
    }
  const { production_id } = target.stored;
  const found = is_new ? [] : [...warningsOf(target, turnaround), ...unorderedEpisodes(target)];
  const warnings = found.map(target.names.print);
  const plan = { production_id, dry_run, revision: "", counts, changes, warnings };
  return { plan, production: production?.production, slots };
}
