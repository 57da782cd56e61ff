// A stored thing as documents have it, for the forms of the pages: its fields, what it may refer to, and who changed it last.

import type { Admin } from "../../core/admin.ts";
import { conflict, notFound } from "../../core/errors.ts";
import { findSet, listSets } from "../history/history.ts";
import { StoredProduction } from "./nouns/stored.ts";
import type { PlannedChange } from "./plan/plan.ts";
import type { Raw } from "./sections/form.ts";
import type { Noun, SectionName } from "./sections/sections.ts";

export interface StoredSection {
  items: readonly { id: number; raw: Raw }[];
  /** The revision of the production in which it was read. */
  revision: string;
  /** The names that references of a noun may have. */
  names(noun: Noun): string[];
}

/** Reads the things of a section in the form of documents, or the one with the id. */
export const storedSection = (
  { store, production_id }: Admin & { production_id: number },
  section: SectionName,
  id?: number,
): StoredSection =>
  store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id, { id });
    const names = (noun: Noun) => [...stored.ids(noun).keys()];
    return { items: stored.items(section), revision: stored.revision, names };
  })();

export type StoredThing = Omit<StoredSection, "items"> & { raw: Raw };

/** Reads a thing of a section. Without an id it is a new one, without fields. Throws 404 if there is no such thing. */
export function storedThing(
  admin: Admin & { production_id: number },
  section: SectionName,
  id: number | undefined,
): StoredThing {
  const { items, ...stored } = storedSection(admin, section, id ?? 0); // no thing has the id 0
  const raw = id === undefined ? {} : items[0]?.raw;
  if (raw === undefined) throw notFound();
  return { raw, ...stored };
}

/** How many change sets are searched for the change of a thing. */
const searchedSets = 25;
const maxSetsSince = 500;
/** How many changes these sets may have together: they are read in one turn of the event loop. */
const maxSearched = 5_000;

export interface MadeChange {
  actor: string;
  at: string;
  change: PlannedChange;
}

/**
 * What recent change sets changed of the things of a section, the newest first; only sets after the one with the id `after`. Ends before a
 * set with too many changes; throws 409 if that came after `after`.
 */
export function* changesOf(
  admin: Admin & { production_id: number },
  section: SectionName,
  after = 0,
): Generator<MadeChange> {
  const { store, production_id } = admin;
  const sets = listSets(store, { production_id, limit: after > 0 ? maxSetsSince : searchedSets });
  let searched = 0;
  for (const { id, actor, at, counts } of sets) {
    if (!(id > after)) return;
    searched += counts.added + counts.changed + counts.removed;
    if (searched > maxSearched && after > 0)
      throw conflict("too much was changed since this form was shown; load the page again; nothing was changed");
    if (searched > maxSearched) return;
    for (const change of findSet(admin, id).changes) if (change.section === section) yield { actor, at, change };
  }
}

/** Who changed a field of a thing last, and when; undefined if no recent change set did. */
export const lastChange = (
  admin: Admin & { production_id: number },
  section: SectionName,
  id: number,
  field: string,
): MadeChange | undefined => changesOf(admin, section).find(({ change }) => change.id === id && field in change.fields);
