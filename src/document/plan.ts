// Compares a stored production with documents: what would be added, changed and removed. Writes nothing.
import * as v from "valibot";
import type { Change, Changes, Entry, Production, SectionChanges, SectionName } from "./changes.ts";
import { Draft, type MergeOptions, type Slot } from "./draft.ts";
import type { Source } from "./given.ts";
import { differences } from "./merge.ts";
import type { Noun } from "./names.ts";
import { nouns } from "./names.ts";
import type { Raw } from "./partial_schema.ts";
import { checkDraft, checkRemovals, parsedItem } from "./plan_check.ts";
import { documentSchema } from "./schema.ts";
import { orderScenes } from "./script_order.ts";
import { keyOf, orderAt, sectionNames, sections } from "./sections.ts";
import { hashOfFile, type StoredProduction, shapeOf, shapeOfProduction } from "./stored.ts";
import { warningsOf } from "./warnings.ts";

/** A change as the plan prints it. */
export interface PlannedChange {
  section: SectionName | "production";
  key: string;
  /** Null for what is not stored yet. */
  id: number | null;
  action: "add" | "change" | "remove";
  fields: Record<string, { from: unknown; to: unknown }>;
}

export interface Plan {
  production_id: number;
  dry_run: boolean;
  /** The revision that was compared. */
  revision: string;
  counts: { added: number; changed: number; removed: number; unchanged: number };
  changes: PlannedChange[];
  warnings: string[];
}

/** A plan with what its application needs. */
export interface Planned {
  plan: Plan;
  draft: Draft;
  /** The slots of each change of a section, in the order of `plan.changes`. */
  slots: readonly { section: SectionName; slot: Slot; fields: readonly string[] }[];
}

/** How a value of a document is printed: media with the hash of their bytes. */
function printed(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(printed);
  if (typeof value !== "object" || value === null) return value;
  const { file, ...rest } = value as { file?: unknown };
  const sha256 = hashOfFile(file);
  const own = Object.entries(sha256 === undefined ? value : rest).map(([key, one]) => [key, printed(one)]);
  return { ...Object.fromEntries(own), ...(sha256 !== undefined && { sha256 }) };
}

/** A document of all of a section has less than what is stored: those things go. A scene becomes omitted. */
function removeUnlisted(draft: Draft): void {
  for (const section of draft.touched) {
    if (sections[section].history) continue;
    for (const slot of draft.slots(section))
      if (slot.given.length > 0) continue;
      else if (section === "scenes") slot.item = { ...slot.item, status: "omitted" };
      else if (section !== "storage") slot.gone = true;
  }
}

/** At most one cost report and one install are active: the one that a document makes active. */
function settleActive(draft: Draft): void {
  for (const section of ["cost_reports", "storage"] as const) {
    if (!draft.touched.includes(section)) continue;
    const slots = draft.slots(section);
    const isActive = ({ item }: Slot) => (item.active ?? section === "storage") === true;
    const made = slots.findLast((slot) => slot.given.length > 0 && isActive(slot) && slot.before?.active !== true);
    if (made === undefined) continue;
    for (const slot of slots)
      if (slot !== made && slot.given.length === 0 && slot.item.active === true)
        slot.item = { ...slot.item, active: false };
  }
}

const productionFields = (draft: Draft): string[] => {
  const [before, item] = [shapeOfProduction(draft.production.before), shapeOfProduction(draft.production.item)];
  return [...new Set([...Object.keys(before), ...Object.keys(item)])].filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(item[field]),
  );
};

function plannedOf(section: SectionName, slot: Slot, moved: ReadonlyMap<Slot, { from: number; to: number }>) {
  const { before, item, stored, gone } = slot;
  const key = keyOf(section, item) as string;
  const id = stored?.id ?? null;
  if (gone) return { change: { section, key, id, action: "remove" as const, fields: {} }, fields: [] };
  // A thing that is added, and the things of a production that fill in the defaults, have every field of the schema.
  const from: Raw = before === undefined ? {} : shapeOf(section, before);
  const to = shapeOf(section, before === undefined ? parsedItem(section, item) : item);
  const fields =
    before === undefined
      ? Object.keys(to).filter((field) => !/^(created|updated)_at$/.test(field))
      : differences(section, before, parsedDefaults(section, item, before));
  const order = moved.get(slot);
  if (before !== undefined && fields.length === 0 && order === undefined) return undefined;
  const printedFields = Object.fromEntries(
    fields.map((field) => [field, { from: printed(from[field]), to: printed(to[field]) }]),
  );
  const change: PlannedChange = {
    ...{ section, key, id, action: before === undefined ? "add" : "change" },
    fields: { ...printedFields, ...(order !== undefined && { order }) },
  };
  return { change, fields: order === undefined ? fields : [...fields, "order"] };
}

/** A changed thing with the defaults of what it lacks, as it will be stored. */
function parsedDefaults(section: SectionName, item: Raw, before: Raw): Raw {
  return item === before ? item : shapeOf(section, parsedItem(section, item));
}

/**
 * The plan of an update. The documents' problems are complete when this returns; the plan is only sound if there are none.
 * `keyed` says whether a key is bound to an engagement or a person.
 */
export function planUpdate(
  stored: StoredProduction,
  sources: readonly Source[],
  options: MergeOptions & { dry_run: boolean; keyed: (noun: Noun, id: number) => boolean },
): Planned | undefined {
  const draft = new Draft(stored, options);
  for (const source of sources) draft.take(source);
  if (options.exact) removeUnlisted(draft);
  settleActive(draft);
  checkDraft(draft, sources);
  checkRemovals(draft, options.keyed);
  if (sources.some(({ problems }) => problems.any)) return undefined;
  return listChanges(draft, options.dry_run);
}

/** The positions of scenes that move, from 1. */
function movedScenes(draft: Draft): Map<Slot, { from: number; to: number }> {
  if (!draft.touched.includes("scenes")) return new Map();
  const slots = draft.slots("scenes");
  const moved = orderScenes(slots);
  if (moved.length === 0) return new Map();
  const position = (list: readonly Slot[]) => new Map(list.map((slot, at) => [slot, at + 1]));
  const stored = slots.filter((slot) => slot.stored !== undefined);
  const from = position([...stored].sort((one, other) => (one.stored?.order ?? 0) - (other.stored?.order ?? 0)));
  const to = position([...slots].sort((one, other) => (one.order ?? 0) - (other.order ?? 0)));
  return new Map(moved.map((slot) => [slot, { from: from.get(slot) as number, to: to.get(slot) as number }]));
}

function listChanges(draft: Draft, dry_run: boolean): Planned {
  const { stored, production } = draft;
  const moved = movedScenes(draft);
  const changes: PlannedChange[] = [];
  const slots: { section: SectionName; slot: Slot; fields: readonly string[] }[] = [];
  const counts = { added: 0, changed: 0, removed: 0, unchanged: 0 };
  const fields = productionFields(draft);
  if (production.given.length > 0 && fields.length === 0) counts.unchanged++;
  if (fields.length > 0) {
    const value = (from: Raw, field: string) => printed(from[field]);
    const listed = fields.map(
      (field) => [field, { from: value(production.before, field), to: value(production.item, field) }] as const,
    );
    changes.push({
      section: "production",
      key: String(production.item.title),
      id: stored.production_id,
      action: "change",
      fields: Object.fromEntries(listed),
    });
    counts.changed++;
  }
  for (const section of draft.touched)
    for (const slot of draft.slots(section)) {
      const planned = plannedOf(section, slot, moved);
      if (planned === undefined) {
        if (slot.given.length > 0) counts.unchanged++;
        continue;
      }
      changes.push(planned.change);
      slots.push({ section, slot, fields: planned.fields });
      counts[planned.change.action === "add" ? "added" : planned.change.action === "change" ? "changed" : "removed"]++;
    }
  const { production_id, revision } = stored;
  return { plan: { production_id, dry_run, revision, counts, changes, warnings: warningsOf(draft) }, draft, slots };
}

/** The changes of a plan as they are written, with the ids of what is added. `next` gives the next id of a table. */
export function changesToWrite({ draft, slots, plan }: Planned, next: (table: string) => number): Changes {
  const lists = new Map(sectionNames.map((name) => [name, { added: [], changed: [], removed: [] } as Lists]));
  for (const [at, { section, slot, fields }] of slots.entries()) {
    const { table, plain } = sections[section];
    const written = (item: Raw) => (plain ? item.name : parsedItem(section, item));
    const list = lists.get(section) as Lists;
    const order = slot.order ?? orderAt(section, list.added.length);
    const id = slot.stored?.id ?? next(table);
    const entry = { id, item: written(slot.item), order, row: slot.stored?.row } as Entry<SectionName>;
    if (slot.stored === undefined) list.added.push(entry);
    else if (slot.gone) list.removed.push(entry);
    else
      list.changed.push({
        ...entry,
        stored: written(slot.before as Raw),
        fields: new Set(fields),
      } as Change<SectionName>);
    const planned = plan.changes[at + plan.changes.length - slots.length];
    if (planned !== undefined && !plan.dry_run) planned.id = id;
  }
  const changed = plan.changes[0]?.section === "production";
  const production: Production | undefined = changed
    ? v.parse(documentSchema.entries.production, draft.production.item)
    : undefined;
  // Each list was made of the things of its section.
  return { production, of: <S extends SectionName>(name: S) => lists.get(name) as unknown as SectionChanges<S> };
}

interface Lists {
  added: Entry<SectionName>[];
  changed: Change<SectionName>[];
  removed: Entry<SectionName>[];
}

/** The ids of everything that has a name once the changes are written. */
export function idsAfter({ draft }: Planned, changes: Changes): Record<Noun, Map<string, number>> {
  const ids = Object.fromEntries(nouns.map((noun) => [noun, draft.names(noun)])) as Record<Noun, Map<string, number>>;
  for (const section of sectionNames) {
    const { noun, plain } = sections[section];
    if (noun === undefined) continue;
    for (const { id, item } of changes.of(section).added)
      ids[noun].set(keyOf(section, plain ? { name: item } : (item as unknown as Raw)) as string, id);
  }
  return ids;
}
