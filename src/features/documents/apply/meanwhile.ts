// What became of a production between the moment at which a plan was made and that at which it is applied: each thing that the plan changes
// or removes must still be as it was read, and nothing may have got the key of what it adds.
import type { Store } from "../../../core/store/store.ts";
import { differences } from "../match/merge.ts";
import type { Target } from "../match/target.ts";
import { StoredProduction } from "../nouns/stored.ts";
import type { Planned, PlannedChange, PlannedSlot } from "../plan/plan.ts";
import { kindOf, type SectionName } from "../sections/sections.ts";

/** What a plan cannot be applied to any more. */
export interface Meanwhile extends Pick<PlannedChange, "section" | "id"> {
  /** A sentence that names the thing and the field. */
  sentence: string;
  /** Undefined if the whole thing is another. */
  field?: string;
}

/** The first thing of a section that is another than the plan read, or that has the key of what the plan adds. */
function inSection(
  stored: StoredProduction,
  section: SectionName,
  { slots, target }: { slots: readonly PlannedSlot[]; target: Target },
): Meanwhile | undefined {
  const items = stored.things(section);
  const now = new Map(items.map((item) => [item.id, item]));
  for (const { slot, fields } of slots) {
    if (slot.stored === undefined) continue;
    const { id, raw, order } = slot.stored;
    const present = now.get(id);
    const thing = `${kindOf(section)} "${target.names.keyOf(section, raw)}"`;
    if (present === undefined) return { section, id, sentence: `${thing} was removed meanwhile` };
    const isMoved = fields.includes("order") && present.order !== order;
    const [field] = isMoved ? ["order"] : differences(section, raw, present.raw);
    if (field !== undefined) return { section, id, field, sentence: `${thing}: ${field} was changed meanwhile` };
  }
  const added = new Set(
    slots.flatMap(({ slot }) => (slot.stored === undefined ? target.names.keyOf(section, slot.item) : [])),
  );
  if (added.size === 0) return undefined;
  const known = new Set(target.slots(section).map(({ id }) => id));
  const twin = items.find(({ id, raw }) => !known.has(id) && added.has(target.names.keyOf(section, raw)));
  if (twin === undefined) return undefined;
  return {
    section,
    id: twin.id,
    sentence: `${kindOf(section)} "${target.names.keyOf(section, twin.raw)}" was added meanwhile`,
  };
}

/** What stands against a plan; undefined if it can be applied. In the transaction in which it is applied. */
export function changedMeanwhile(store: Store, { slots, target, production }: Planned): Meanwhile | undefined {
  const stored = new StoredProduction(store, target.stored.production_id);
  const [field] =
    production === undefined ? [] : differences("production", target.production.before, stored.productionThing);
  if (field !== undefined)
    return {
      section: "production",
      id: stored.production_id,
      field,
      sentence: `the production: ${field} was changed meanwhile`,
    };
  for (const [section, own] of Map.groupBy(slots, (slot) => slot.section)) {
    const found = inSection(stored, section, { slots: own, target });
    if (found !== undefined) return found;
  }
  return undefined;
}
