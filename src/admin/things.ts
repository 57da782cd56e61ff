// A stored thing as documents have it, for the forms of the pages: its fields, what it may refer to, and who changed it last.
import type { SectionName } from "../document/changes.ts";
import type { Raw } from "../document/item_schemas.ts";
import type { Noun } from "../document/names.ts";
import { StoredProduction } from "../document/stored.ts";
import { notFound } from "../errors.ts";
import type { Admin } from "./admin.ts";
import { findSet, listSets } from "./history.ts";

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

/** How many change sets are searched for the last change of a field, and how many changes they may have together. */
const [searchedSets, searchedChanges] = [25, 2_000];

/** Who changed a field of a thing last, and when; undefined if no recent change set did, or if one is too large to be searched. */
export function lastChange(
  admin: Admin & { production_id: number },
  section: SectionName,
  id: number,
  field: string,
): { actor: string; at: string } | undefined {
  const { store, production_id } = admin;
  let searched = 0;
  for (const set of listSets(store, { production_id, limit: searchedSets })) {
    searched += set.counts.added + set.counts.changed + set.counts.removed;
    if (searched > searchedChanges) return undefined;
    const { changes } = findSet(admin, set.id);
    if (changes.some((one) => one.section === section && one.id === id && field in one.fields)) return set;
  }
  return undefined;
}
