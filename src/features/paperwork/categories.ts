// Describes the tag categories of a breakdown: the key under which a scene stores their labels, and which tags become assets.
import { isReservedKey, slugOf } from "../names/names.ts";

/** What a tagged label becomes: an asset of a kind, in the department of a slug. */
export interface AssetRule {
  kind: string;
  department?: string;
}

/** By the key of the category. A category without a rule stays with the scene. */
export type CategoryRules = Readonly<Record<string, AssetRule>>;

/** The categories that Final Draft offers, where they name things that a department brings. */
export const defaultRules: CategoryRules = {
  cast_members: { kind: "character" },
  props: { kind: "prop", department: "props" },
  wardrobe: { kind: "costume", department: "costume" },
  vehicles: { kind: "vehicle", department: "transport" },
  animals: { kind: "creature", department: "animals" },
  set_dressing: { kind: "dressing", department: "art" },
  greenery: { kind: "greens", department: "art" },
  art_department: { kind: "asset", department: "art" },
  makeup_hair: { kind: "makeup", department: "hair-makeup" },
  special_equipment: { kind: "equipment", department: "camera" },
  special_effects: { kind: "effect", department: "sfx" },
  mechanical_effects: { kind: "effect", department: "sfx" },
  visual_effects: { kind: "effect", department: "vfx" },
  location: { kind: "location", department: "locations" },
};

/** What a scene's elements hold beside the categories. */
const reserved = new Set(["int_ext", "set", "time_of_day", "cast", "pages", "pages_estimated", "script_day"]);

/** The key of a category: "Makeup/Hair" is makeup_hair. Where a scene has a field of that name, "Set" is set_tags. */
export function categoryKey(name: string): string {
  const key = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "")
    .slice(0, 64);
  return key === "" || reserved.has(key) || isReservedKey(key) ? `${key}_tags`.replace(/^_/, "") : key;
}

/** What other programs call the categories above. */
const spellings: Readonly<Record<string, string>> = {
  cast_members: "cast cast_member cast_id cast_ids cast_no cast_numbers id_list characters actors talent",
  props: "hand_props property",
  wardrobe: "costumes",
  vehicles: "picture_vehicles picture_cars",
  animals: "livestock animal_wrangler wrangler wranglers animals_wranglers",
  set_dressing: "dressing set_decoration",
  greenery: "greens",
  art_department: "art_dept",
  makeup_hair: "makeup make_up make_up_hair hair hair_makeup hair_make_up",
  special_effects: "sfx spfx special_fx",
  visual_effects: "vfx visual_fx",
  location: "locations",
};
const otherNames = new Map(
  Object.entries(spellings).flatMap(([name, others]) => others.split(" ").map((other) => [other, name] as const)),
);
const kinds = new Set([...Object.values(defaultRules).map(({ kind }) => kind), "set"]);

/** What an element of a category becomes; undefined if it is a name in a list of the scene. `known` are the kinds of assets that exist. */
export function ruleOf(category: string, known: ReadonlySet<string>): AssetRule | undefined {
  const key = slugOf(category, "_");
  const name = otherNames.get(key) ?? key;
  if (Object.hasOwn(defaultRules, name)) return defaultRules[name];
  const slug = slugOf(category, "-");
  const kind = [category, slug, slug.replace(/s$/, "")].find((each) => known.has(each) || kinds.has(each));
  return kind === undefined ? undefined : (Object.values(defaultRules).find((rule) => rule.kind === kind) ?? { kind });
}

/** The category under which an asset of a kind is listed, so that it is read back as one; undefined if there is none. */
export function categoryOf(kind: string, known: ReadonlySet<string>): string | undefined {
  const [key = kind] = Object.entries(defaultRules).find(([, rule]) => rule.kind === kind) ?? [];
  const words = key.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
  return [words, kind].find((category) => ruleOf(category, known)?.kind === kind);
}
