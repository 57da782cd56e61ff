// Describes the tag categories of a breakdown: the key under which a scene stores their labels, and which tags become assets.
import { isReservedKey, slugOf } from "../spelling.ts";

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

/** What other programs call the categories above, and the kinds that have none. */
const otherNames: Readonly<Record<string, string>> = {
  cast: "cast_members",
  characters: "cast_members",
  hand_props: "props",
  costumes: "wardrobe",
  picture_vehicles: "vehicles",
  livestock: "animals",
  animal_wrangler: "animals",
  dressing: "set_dressing",
  greens: "greenery",
  makeup: "makeup_hair",
  make_up_hair: "makeup_hair",
  hair: "makeup_hair",
  hair_makeup: "makeup_hair",
  sfx: "special_effects",
  special_fx: "special_effects",
  vfx: "visual_effects",
  visual_fx: "visual_effects",
  locations: "location",
};
const kinds = new Set([...Object.values(defaultRules).map(({ kind }) => kind), "set"]);

/** What an element of a category becomes; undefined if it is a name in a list of the scene. `known` are the kinds of assets that exist. */
export function ruleOf(category: string, known: ReadonlySet<string>): AssetRule | undefined {
  const key = slugOf(category, "_");
  const name = (Object.hasOwn(otherNames, key) && otherNames[key]) || key;
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
