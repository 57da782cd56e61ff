// Describes the tag categories of a breakdown: the key under which a scene stores their labels, and which tags become
// assets.
import { comparedLength, fold, isLikelyMistake, isReservedKey, nearest, slugOf } from "../names/names.ts";

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
  cast_members:
    "cast cast_member cast_id cast_ids cast_no cast_numbers id_list characters actors talent rollen darsteller figuren roles comediens personnages besetzung acteurs distribution reparto elenco interpreti obsada",
  props: "hand_props property requisiten requisite accessoires",
  wardrobe: "costumes kostum kostume kostuem kostueme",
  vehicles: "picture_vehicles picture_cars picture_car cars fahrzeuge spielfahrzeuge autos vehicules vehicules_de_jeu",
  animals: "livestock animal_wrangler wrangler wranglers animals_wranglers tiere animaux",
  set_dressing: "dressing set_decoration ausstattung szenenbild ensemble",
  greenery: "greens pflanzen",
  art_department: "art_dept",
  makeup_hair: "makeup make_up make_up_hair hair hair_makeup hair_make_up maske maskenbild maquillage coiffure",
  special_effects: "sfx spfx special_fx spezialeffekte effets_speciaux",
  visual_effects: "vfx fx visual_fx visuelle_effekte effets_visuels",
  location: "locations environment environments drehorte drehort lieux",
};
const otherNames = new Map(
  Object.entries(spellings).flatMap(([name, others]) => others.split(" ").map((other) => [other, name] as const)),
);
const kinds = new Set([...Object.values(defaultRules).map(({ kind }) => kind), "set"]);

/**
 * The rule of a category by its name or by what other programs call it, of one thing or of several: "Picture
 * Vehicle(s)".
 */
function ruleNamed(category: string): AssetRule | undefined {
  const key = slugOf(category.replace(/\((?:s|e|n|en)\)/gi, ""), "_");
  const name = [key, ...["s", "e", "n", "x"].map((ending) => key + ending), key.replace(/s$/, "")]
    .map((form) => otherNames.get(form) ?? form)
    .find((form) => Object.hasOwn(defaultRules, form));
  return name === undefined ? undefined : defaultRules[name];
}

/** Whether a category is that of the cast, under any of its names. */
export const isCastCategory = (category: string): boolean => ruleNamed(category)?.kind === "character";

const ownNames = [...kinds, ...Object.keys(defaultRules), ...otherNames.keys()];

/**
 * The kind or category of which an unknown one is likely a misspelling, such as Porps or Vehicels; undefined for any
 * other.
 */
export function likelyKind(category: string, known: ReadonlySet<string>): string | undefined {
  if (category.length < comparedLength || isAssetKind(category, known)) return undefined;
  const names = [...known, ...ownNames].filter(({ length }) => length >= comparedLength);
  const near = nearest(
    category,
    names.map((name) => [fold(name), name] as const),
  );
  return isLikelyMistake(category, near) && near.distance >= 1 ? near.candidate.replaceAll("_", " ") : undefined;
}

/** A slug as it is, and of any other text the slug that it makes. */
export const slugNamed = (text: string): string =>
  /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/.test(text) && text.length <= 64 ? text : slugOf(text, "-");

/**
 * The kind of an asset as a list names it: as it is where such assets exist, otherwise by its category, otherwise its
 * slug.
 */
export function kindNamed(text: string, known: ReadonlySet<string>): string {
  const slug = slugNamed(text);
  return known.has(slug) ? slug : (ruleNamed(text)?.kind ?? slug);
}

/** Whether a word is a kind of assets that every production or this one knows, or a category that becomes one. */
export function isAssetKind(text: string, known: ReadonlySet<string>): boolean {
  const slug = slugNamed(text);
  const isKnown = [slug, slug.replace(/s$/, "")].some((one) => kinds.has(one) || known.has(one));
  return isKnown || ruleNamed(text) !== undefined || text.trim().toLowerCase() === "asset";
}

/**
 * What an element of a category becomes; undefined if it is a name in a list of the scene. `known` are the kinds of
 * assets that exist.
 */
export function ruleOf(category: string, known: ReadonlySet<string>): AssetRule | undefined {
  const rule = ruleNamed(category);
  if (rule !== undefined) return rule;
  const slug = slugOf(category, "-");
  const kind = [category, slug, slug.replace(/s$/, "")].find((each) => known.has(each) || kinds.has(each));
  return kind === undefined ? undefined : (Object.values(defaultRules).find((rule) => rule.kind === kind) ?? { kind });
}

/**
 * The category under which an asset of a kind is listed, so that it is read back as one; undefined if there is none.
 */
export function categoryOf(kind: string, known: ReadonlySet<string>): string | undefined {
  const [key = kind] = Object.entries(defaultRules).find(([, rule]) => rule.kind === kind) ?? [];
  const words = key.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
  return [words, kind].find((category) => ruleOf(category, known)?.kind === kind);
}
