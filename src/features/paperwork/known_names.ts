// Indexes of the names that a production has. Each is made once for its list and takes what is added to the list, because the files of one import
// may be many and each adds names.
import { sameName } from "../../core/wording.ts";
import type { Raw } from "../documents/sections/form.ts";
import { keyOf } from "../documents/sections/sections.ts";
import { fold, quoted } from "../names/names.ts";
import type { Findings } from "./findings.ts";
import type { KnownThing, ProductionNames } from "./partial.ts";

/** Declares an index of lists that only grow: `add` puts one item of a list into it. */
export function indexOf<T, I>(make: () => I, add: (index: I, item: T, at: number) => void) {
  const made = new WeakMap<readonly T[], { index: I; count: number }>();
  return (items: readonly T[]): I => {
    const found = made.get(items) ?? { index: make(), count: 0 };
    made.set(items, found);
    for (const item of items.slice(found.count)) add(found.index, item, found.count++);
    return found.index;
  };
}

/** The names as they are written; the first spelling of each, by what makes two names the same; and what of that several names have. */
export const namesIn = indexOf(
  () => ({ names: new Set<string>(), spellings: new Map<string, string>(), several: new Set<string>() }),
  ({ names, spellings, several }, name: string) => {
    const key = sameName(name);
    names.add(name);
    if (spellings.has(key)) several.add(key);
    else spellings.set(key, name);
  },
);

const keyed = ["scenes", "episodes", "people", "vendors", "assets", "deliveries"] as const;
/** The keys of the things of a section, each once. */
const keysIn = keyed.map((section) => {
  const keys = indexOf(
    (): string[] => [],
    (list, item: Raw) => {
      const key = keyOf(section, item);
      if (key !== undefined && !namesIn(list).names.has(key)) list.push(key);
    },
  );
  return [section, keys] as const;
});

/** The names in the things of sections. */
export function namesOf(items: ProductionNames["items"]): ProductionNames {
  const getters = keysIn.map(([section, keys]) => [section, { get: () => keys(items(section)) }]);
  return Object.defineProperties({ items }, Object.fromEntries(getters)) as ProductionNames; // each list has a getter
}

/** A name in the spelling of the list: as it is written, or the first that differs in case or surrounding space; undefined if there is none. */
export function spellingIn(list: readonly string[], name: string): string | undefined {
  const { names, spellings } = namesIn(list);
  return names.has(name) ? name : spellings.get(sameName(name));
}

/** Each name, folded and as it is written. */
export const foldedIn = indexOf(
  (): [folded: string, name: string][] => [],
  (folded, name: string) => void folded.push([fold(name), name]),
);

/** Two cast numbers are the same if this is the same: "#01A" is 1a, but 1.9 is not 19. */
export const castKey = (number: string): string =>
  sameName(number)
    .replace(/^#\s*|[.:)]$/g, "")
    .replace(/^0+(\d)/, "$1");

/** The assets by their references, and the references by the spelling of a label and by cast number. */
export const thingsIn = indexOf(
  () => ({
    byReference: new Map<string, KnownThing>(),
    byLabel: new Map<string, string>(),
    byCastNumber: new Map<string, string>(),
  }),
  ({ byReference, byLabel, byCastNumber }, { label, ...item }: Raw) => {
    if (typeof label !== "string") return;
    const thing: KnownThing = { ...item, label }; // as the schema has it
    const reference = thing.ref ?? label;
    byReference.set(reference, { ...byReference.get(reference), ...thing });
    if (!byLabel.has(fold(label))) byLabel.set(fold(label), reference);
    if (typeof thing.cast_number === "string") byCastNumber.set(castKey(thing.cast_number), reference);
  },
);

/** Adds a value to the set of a key. */
const put = <K, V>(sets: Map<K, Set<V>>, key: K, value: V): void =>
  void sets.set(key, (sets.get(key) ?? new Set<V>()).add(value));

/** The shoot days by number, and the numbers of the days on each date and with each scene. */
export const shootDaysIn = indexOf(
  () => ({
    byNumber: new Map<number, { date: string | undefined; scenes: readonly string[] }>(),
    onDate: new Map<string, Set<number>>(),
    withScene: new Map<string, Set<number>>(),
  }),
  ({ byNumber, onDate, withScene }, { day_number, date, scenes }: Raw) => {
    const number = Number(day_number);
    const day = byNumber.get(number) ?? { date: undefined, scenes: [] };
    byNumber.set(number, day);
    if (typeof date === "string") {
      onDate.get(day.date ?? "")?.delete(number);
      put(onDate, date, number);
      day.date = date;
    }
    if (scenes === undefined) return;
    for (const scene of day.scenes) withScene.get(scene)?.delete(number);
    day.scenes = (scenes ?? []) as string[]; // as the schema has them
    for (const scene of day.scenes) put(withScene, scene, number);
  },
);

/** The joins of the words of a department: "Hair and Make-up" is "Make-up & Hair". */
const joiningWords: readonly string[] = ["and", "und", "et"];

/** The spellings by which a department is found: folded, and the same with its words in alphabetical order. */
export function departmentSpellings(name: string): readonly string[] {
  const words = name.split(/[^\p{L}\p{M}\p{N}]+/u).map(fold);
  const sorted = words.filter((word) => !joiningWords.includes(word)).sort();
  return [fold(name), sorted.join("")];
}

/** The names of the departments by slug, and the slug of each spelling of a slug or a name. The production's own name comes first. */
export const departmentsIn = indexOf(
  () => ({ names: new Map<string, string>(), spellings: new Map<string, string>() }),
  ({ names, spellings }, item: Raw) => {
    const slug = String(item.slug);
    const name = String(item.name ?? slug);
    if (!names.has(slug)) names.set(slug, name);
    for (const each of [slug, name].flatMap(departmentSpellings)) if (!spellings.has(each)) spellings.set(each, slug);
  },
);

/** The references of the assets of each scene. */
export const assetsOfScenesIn = indexOf(
  () => new Map<string, readonly string[]>(),
  (index, scene: Raw) => {
    const name = keyOf("scenes", scene);
    if (name !== undefined && Array.isArray(scene.assets)) index.set(name, scene.assets);
  },
);

/** The elements of each scene, by its reference. */
export const elementsOfScenesIn = indexOf(
  () => new Map<string, Raw>(),
  (index, scene: Raw) => {
    const name = keyOf("scenes", scene);
    const { elements } = scene;
    if (name !== undefined && typeof elements === "object" && elements !== null)
      index.set(name, { ...index.get(name), ...elements });
  },
);

/** The name that a cell means: as it is written, or the only one that differs in case or surrounding space. Warns if there are several such. */
export function matchingName(
  list: readonly string[],
  text: string,
  findings: Findings,
  line: number,
): string | undefined {
  const { names, several } = namesIn(list);
  const found = spellingIn(list, text);
  if (found === undefined || names.has(text) || !several.has(sameName(text))) return found;
  findings.warn(`${quoted(text)} is new; the production has ${quoted(found)} and others that differ only in case`, {
    line,
  });
  return undefined;
}

/** The kinds of the assets. */
export const kindsIn = indexOf(
  () => new Set<string>(),
  (kinds, { kind }: Raw) => {
    if (typeof kind === "string") kinds.add(kind);
  },
);
