// Lists what an update changes, thing by thing and field by field, in names: the preview, the history, and what the
// events tell.
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Plan, type PlannedChange, verbs } from "../planned.ts";
import { type Field, layoutOf, type Raw } from "../sections/form.ts";
import { type AnySection, keyOf, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import type { Move } from "./scene_order.ts";
import { type Item, storedOrder, type Update } from "./update.ts";

/** A thing that changes, with the change as the plan prints it; undefined if the plan does not. */
export interface ItemChange {
  item: Item;
  change: PlannedChange | undefined;
}

export interface Listed {
  items: readonly ItemChange[];
  production: PlannedChange | undefined;
  counts: Plan["counts"];
}

const isTime = (name: string): boolean => name === "created_at" || name === "updated_at";

/** A value with lists whose order says nothing in one order. */
const inOrder = (section: AnySection, name: string, value: unknown): unknown =>
  section !== "production" && Array.isArray(value) && sections[section].sets?.includes(name) ? value.toSorted() : value;

/** The fields in which two things differ. */
export function differingFields(section: AnySection, before: Raw, next: Raw): Field[] {
  if (before === next) return [];
  return layoutOf(section).fields.filter(
    ({ name }) =>
      !isTime(name) && !isDeepStrictEqual(inOrder(section, name, before[name]), inOrder(section, name, next[name])),
  );
}

/** A field of a thing as the plan prints it. */
function printed({ names }: Update, field: Field, thing: Raw | undefined): unknown {
  if (thing === undefined) return null;
  return names.named(field, thing[field.name] ?? (field.isQuiet ? undefined : field.usual)) ?? null;
}

/** What a thing becomes; undefined if the plan has nothing to say of it. */
export function changeOf(
  update: Update,
  section: AnySection,
  id: number,
  { before, next, returns }: Pick<Item, "before" | "next" | "returns">,
  order?: Move,
): PlannedChange | undefined {
  const { fields } = layoutOf(section);
  const changed =
    before === undefined || next === undefined
      ? fields.filter(({ name }) => (next === undefined || !isTime(name)) && (next ?? before)?.[name] !== undefined)
      : differingFields(section, before, next);
  const pairs = changed.map(({ name, ...field }) => {
    const [from, to] = [before, next].map((thing) => printed(update, { name, ...field }, thing));
    return [name, { from, to }] as const;
  });
  // What is called the same is no change to who reads it.
  const isStored = before !== undefined && next !== undefined;
  const shown = isStored ? pairs.filter(([, { from, to }]) => !isDeepStrictEqual(from, to)) : pairs;
  if (isStored && shown.length === 0 && order === undefined) return undefined;
  return {
    section,
    key: update.names.keyOf(section, next ?? before ?? {}) ?? "",
    id: before === undefined && !returns ? null : id,
    action: before === undefined ? "add" : next === undefined ? "remove" : "change",
    fields: { ...Object.fromEntries(shown), ...(order !== undefined && { order }) },
  };
}

/** The change of a stored thing that is given with names, as the plan prints it. */
export function changeOfNamed(section: SectionName, id: number, before: Raw, next: Raw): PlannedChange {
  const fields = differingFields(section, before, next).map(
    ({ name }) => [name, { from: before[name] ?? null, to: next[name] ?? null }] as const,
  );
  return { section, key: keyOf(section, next) ?? "", id, action: "change", fields: Object.fromEntries(fields) };
}

/** Whether anything of a thing is written. */
function isChanged(item: Item): boolean {
  const { section, before, next, order } = item;
  if (before === undefined || next === undefined) return before !== next;
  return order !== storedOrder(item) || differingFields(section, before, next).length > 0;
}

/** The moves of the things of the sections that have an order. */
type Moves = Partial<Record<SectionName, ReadonlyMap<number, Move>>>;

/** What an update puts at other places, and the warnings about that. */
export interface Ordered {
  moves: Moves;
  warnings: readonly string[];
}
export const nothingMoved: Ordered = { moves: {}, warnings: [] };

function moveOf(item: Item, moves: Moves): Move | undefined {
  if (item.section === "scenes" || item.next !== undefined) return moves[item.section]?.get(item.id);
  const from = item.section === "episodes" ? storedOrder(item) : undefined;
  return from === undefined ? undefined : { from, to: null };
}

/** What an update changes. The plan of a new production has the production alone. */
export function listChanges(update: Update, moves: Moves): Listed {
  const { is_new } = update.options;
  const counts = { added: 0, changed: 0, removed: 0, unchanged: 0 };
  const count = (change: PlannedChange | undefined, isGiven: boolean) => {
    if (change !== undefined || isGiven) counts[change === undefined ? "unchanged" : verbs[change.action]]++;
  };
  const production = productionChange(update);
  count(production, update.production.given.length > 0);
  const items: ItemChange[] = [];
  // What documents name comes before what follows it.
  for (const section of new Set([...update.given, ...sectionNames]))
    for (const item of update.listed(section)) {
      const changes = isChanged(item);
      const change = changes && !is_new ? changeOf(update, section, item.id, item, moveOf(item, moves)) : undefined;
      count(change, item.places.length > 0);
      if (changes) items.push({ item, change });
    }
  return { items, production, counts };
}

function productionChange(update: Update): PlannedChange | undefined {
  const { production, options, rows } = update;
  const { before, next } = production;
  if (options.is_new) return { section: "production", key: String(next.title), id: null, action: "add", fields: {} };
  return before === next ? undefined : changeOf(update, "production", rows.production_id, { before, next });
}

/** The changes that the plan prints. */
export const printedChanges = ({ items, production }: Listed): PlannedChange[] => [
  ...(production === undefined ? [] : [production]),
  ...items.flatMap(({ change }) => change ?? []),
];

/** Stands for planned changes, with the former values, whenever they are planned. */
export const revisionOf = (changes: readonly PlannedChange[], now: string): string =>
  hash("sha256", JSON.stringify(changes).replaceAll(now, "")).slice(0, 24);

/** References that were generated, because things share a label, are stored before they could change. */
export function keepGeneratedRefs(update: Update, { items }: Listed): Item[] {
  if (update.options.is_new) return [];
  const known = new Set(items.map(({ item }) => item));
  const changing = new Set(items.map(({ item }) => item.section));
  return [...changing].flatMap((section) => {
    const generated = update.names.generatedIn(section);
    const own = update.items(section, [...generated.keys()]).values();
    return [...own].filter((item) => generated.has(item.id) && !known.has(item));
  });
}
