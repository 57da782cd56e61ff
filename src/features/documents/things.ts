// A stored thing as documents have it, for the forms of the pages: its fields, and what it may refer to.
import { notFound } from "../../core/errors.ts";
import { many } from "../../core/store/statements.ts";
import type { Admin } from "../../graph/admin.ts";
import type { Raw } from "./sections/form.ts";
import type { Noun, SectionName } from "./sections/sections.ts";
import { StoredProduction } from "./stored.ts";

export interface StoredSection {
  items: readonly { id: number; raw: Raw }[];
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
    const stored = new StoredProduction(store, production_id, id);
    const names = (noun: Noun) => [...stored.ids(noun).keys()];
    return { items: stored.items(section), names };
  })();

const scenesWith = many<{ production_id: number; node_id: number }, { node_id: number }>("list_scenes_with_asset");

/** The names of the scenes of an asset, which are stored with the scenes. */
function scenesOfAsset({ store, production_id }: Admin & { production_id: number }, node_id: number): string[] {
  const stored = new StoredProduction(store, production_id);
  return scenesWith(store, { production_id, node_id }).flatMap(({ node_id }) => stored.nameOf("scene", node_id) ?? []);
}

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
  const scenes = section === "assets" && id !== undefined ? scenesOfAsset(admin, id) : [];
  return { raw: scenes.length > 0 ? { ...raw, scenes } : raw, ...stored };
}
