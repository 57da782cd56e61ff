// Gives readers of lists the things of a stored production and of the documents of the same update that were read
// before. Those of a section are read at their first use; then their list only grows.
import type { Zone } from "../../core/zones.ts";
import type { Raw } from "../documents/sections/form.ts";
import type { SectionName } from "../documents/sections/sections.ts";
import type { StoredProduction } from "../documents/stored.ts";
import { namesOf } from "./known_names.ts";
import type { ProductionNames } from "./partial.ts";

type Parts = { readonly [S in SectionName]?: readonly Raw[] | undefined };

/** The names of a stored production. `add` adds those of a document that was read. */
export interface StoredNames {
  known: ProductionNames;
  add(document: Parts): void;
}

export function storedNames(stored: StoredProduction): StoredNames {
  const added: Parts[] = [];
  const lists = new Map<SectionName, { items: Raw[]; taken: number }>();
  const { time_zone: zone = null } = (stored.production ?? {}) as { time_zone?: Zone }; // as documents have it
  const known = namesOf((section) => {
    const list = lists.get(section) ?? { items: stored.items(section).map(({ raw }) => raw), taken: 0 };
    lists.set(section, list);
    for (; list.taken < added.length; list.taken++)
      for (const item of added[list.taken]?.[section] ?? []) list.items.push(item);
    return list.items;
  }, zone);
  return { known, add: (document) => void added.push(document) };
}
