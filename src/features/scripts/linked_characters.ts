// The characters of a production, those that are linked to a scene, and which of these links a person made before the
// script had them.
import { isDeepStrictEqual } from "node:util";
import { sameName } from "../../core/wording.ts";
import { keyOf } from "../documents/sections/sections.ts";
import type { StoredItem, StoredProduction } from "../documents/stored.ts";
import { textsIn } from "../names/sluglines.ts";
import type { DraftScene } from "./compare/drafts.ts";
import type { ScriptRow } from "./script_store.ts";

/** A character of the production. */
export interface LinkedCharacter {
  id: number;
  reference: string;
  /** In the form in which names are compared. */
  name: string;
}

/** The characters by their references. */
export function charactersOf(stored: StoredProduction): ReadonlyMap<string, LinkedCharacter> {
  const all = stored.items("assets").flatMap(({ id, raw }): LinkedCharacter[] => {
    const name = sameName(String(raw.label).replace(/ \(character(?: \d+)?\)$/, ""));
    const reference = keyOf("assets", raw);
    return raw.kind === "character" && reference !== undefined ? [{ id, reference, name }] : [];
  });
  return new Map(all.map((one) => [one.reference, one]));
}

export const linkedOf = (
  characters: ReadonlyMap<string, LinkedCharacter>,
  scene: StoredItem | undefined,
): LinkedCharacter[] => textsIn(scene?.raw.assets).flatMap((reference) => characters.get(reference) ?? []);

export const nameForms = (names: Iterable<string>): Set<string> => new Set([...names].map(sameName));

/**
 * Of the characters who are linked to a scene those in its cast whom a person linked: they were not in the cast that
 * the script had before.
 */
export function linksByHand(
  { by_hand }: Pick<ScriptRow, "by_hand">,
  former: DraftScene,
  scene: DraftScene,
  linked: readonly LinkedCharacter[],
): readonly number[] {
  const [had, has] = [nameForms(former.cast), nameForms(scene.cast)];
  const ids = linked.flatMap(({ id, name }) => (has.has(name) && (!had.has(name) || by_hand.includes(id)) ? id : []));
  return isDeepStrictEqual(ids, by_hand) ? by_hand : ids; // so that a row that stays is not written
}
