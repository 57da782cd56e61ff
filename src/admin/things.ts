// A stored thing as documents have it, for the forms of the pages: its fields, what it may refer to, and who changed it last.
import type { SectionName } from "../document/changes.ts";
import type { Raw } from "../document/item_schemas.ts";
import type { Noun } from "../document/names.ts";
import { StoredProduction } from "../document/stored.ts";
import { notFound } from "../errors.ts";
import type { Admin } from "./admin.ts";
import { findSet, listSets } from "./history.ts";

export interface StoredThing {
  /** The fields that it has, in the form of documents; none if the thing is new. */
  raw: Raw;
  /** The revision of the production in which it was read. */
  revision: string;
  /** The names that references of a noun may have. */
  names(noun: Noun): string[];
}

/** Reads a thing of a section. Without an id it is a new one. Throws 404 if there is no such thing. */
export const storedThing = (
  { store, production_id }: Admin & { production_id: number },
  section: SectionName,
  id: number | undefined,
): StoredThing =>
  store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id);
    const found = id === undefined ? { raw: {} } : stored.items(section).find((item) => item.id === id);
    if (found === undefined) throw notFound();
    return { raw: found.raw, revision: stored.revision, names: (noun: Noun) => [...stored.ids(noun).keys()] };
  })();

/** How many change sets are searched for the last change of a field. */
const searchedSets = 25;

/** Who changed a field of a thing last, and when; undefined if no recent change set did. */
export function lastChange(
  admin: Admin & { production_id: number },
  section: SectionName,
  id: number,
  field: string,
): { actor: string; at: string } | undefined {
  const { store, production_id } = admin;
  return listSets(store, { production_id, limit: searchedSets }).find((set) =>
    findSet(admin, set.id).changes.some((one) => one.section === section && one.id === id && field in one.fields),
  );
}
