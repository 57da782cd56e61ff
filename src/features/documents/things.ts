// A stored thing as documents have it, for the forms of the pages: its fields, and what it may refer to.
import { notFound } from "../../core/errors.ts";
import { many } from "../../core/store/statements.ts";
import type { Admin } from "../../graph/admin.ts";
import type { Raw } from "./sections/form.ts";
import type { Noun, SectionName } from "./sections/sections.ts";
import { type StoredItem, StoredProduction } from "./stored.ts";

type Editing = Admin & { production_id: number };

export interface StoredSection {
  items: readonly StoredItem[];
  /** The names that references of a noun may have. */
  names(noun: Noun): string[];
}
export type StoredThing = Omit<StoredSection, "items"> & { raw: Raw };

/** Reads what `work` takes of a stored production, in one state of it. */
const reading = <T>({ store, production_id }: Editing, work: (stored: StoredProduction) => T) =>
  store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id);
    return { ...work(stored), names: (noun: Noun) => [...stored.ids(noun).keys()] };
  })();

/** Reads the things of a section in the form of documents. */
export const storedSection = (admin: Editing, section: SectionName): StoredSection =>
  reading(admin, (stored) => ({ items: stored.items(section) }));

const scenesWith = many<{ production_id: number; node_id: number }, { node_id: number }>("list_scenes_with_asset");

/**
 * Reads a thing of a section, with the lists of the fields `shown` alone if these are given. Without an id it is a new
 * one, without fields. Throws 404 if there is no such thing.
 */
export const storedThing = (
  admin: Editing,
  section: SectionName,
  id: number | undefined,
  shown?: ReadonlySet<string>,
): StoredThing =>
  reading(admin, (stored) => {
    if (id === undefined) return { raw: {} };
    const raw = stored.rawOf(section, id, shown);
    if (raw === undefined) throw notFound();
    const { store, production_id } = admin;
    // The scenes of an asset are stored with the scenes.
    const linked = section === "assets" ? scenesWith(store, { production_id, node_id: id }) : [];
    const scenes = linked.flatMap(({ node_id }) => stored.nameOf("scene", node_id) ?? []);
    return { raw: scenes.length > 0 ? { ...raw, scenes } : raw };
  });
