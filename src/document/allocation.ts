// Assigns ids to the things that a plan adds. Runs in the write transaction, so it does nothing else.
import type { Change, Changes, Entry, SectionChanges, SectionName } from "./changes.ts";
import { type Noun, nameOf, namings, nouns } from "./names.ts";
import type { Planned } from "./plan.ts";
import { forSections, orderAt, sections } from "./sections.ts";
import type { Ids } from "./writer.ts";

interface Lists {
  added: Entry<SectionName>[];
  changed: Change<SectionName>[];
  removed: Entry<SectionName>[];
}

/** The changes of a plan with the ids of what is added, which the plan gets too. `next` gives the next id of a table. */
export function changesToWrite({ production, slots, plan, draft }: Planned, next: (table: string) => number): Changes {
  const listsOf = forSections((): Lists => ({ added: [], changed: [], removed: [] }));
  for (const { section, slot, change, fields, item, stored } of slots) {
    const { added, changed, removed } = listsOf(section);
    const id = slot.stored?.id ?? slot.id ?? next(sections[section].table);
    const order = slot.order ?? orderAt(section, draft.stored.last(section) + added.length);
    const entry = { id, item, order, row: slot.stored?.row } as Entry<SectionName>; // parsed as a thing of the section
    if (slot.stored === undefined) added.push(entry);
    else if (slot.gone) removed.push(entry);
    else changed.push({ ...entry, stored, fields: new Set(fields) } as Change<SectionName>);
    if (change !== undefined) change.id = id;
  }
  for (const change of plan.changes) if (change.section === "production") change.id = plan.production_id;
  // Each list was made of the things of its section.
  return { production, of: <S extends SectionName>(name: S) => listsOf(name) as unknown as SectionChanges<S> };
}

/** Finds the ids of everything that has a name once the changes are written. */
export function idsAfter({ names }: Planned, changes: Changes): Ids {
  const added = new Map<Noun, Map<string, number>>();
  for (const noun of nouns) {
    const ids = new Map<string, number>();
    for (const { id, item } of changes.of(namings[noun].list).added) ids.set(nameOf(noun, item) as string, id);
    added.set(noun, ids);
  }
  return (noun, name) => added.get(noun)?.get(name) ?? names.ids(noun).get(name);
}
