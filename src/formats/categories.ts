// Describes the tag categories of a breakdown: the key under which a scene stores their labels, and which tags become assets.
import { isReservedKey } from "./spelling.ts";

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
