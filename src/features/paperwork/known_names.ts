// Indexes of the names that a production has. Each is made once for its list and takes what is added to the list,
// because the files of one import may be many and each adds names.
import { listed, sameName, samePerson, withoutAccents } from "../../core/wording.ts";
import type { Zone } from "../../core/zones.ts";
import { dayForm, type UnitDay, unitKey } from "../../graph/units.ts";
import type { Raw } from "../documents/sections/form.ts";
import { keyOf, unitDayOf } from "../documents/sections/sections.ts";
import { meantOf } from "../names/meant.ts";
import { fold, quoted } from "../names/names.ts";
import { CellRefusal, type Findings } from "./findings.ts";
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

/** Adds a value to the set of a key. */
const put = <K, V>(sets: Map<K, Set<V>>, key: K, value: V): void =>
  void sets.set(key, (sets.get(key) ?? new Set<V>()).add(value));

/**
 * The names as they are written; the first spelling of each, by what makes two names the same; what of that several
 * names have; and the first spellings by their letters without accents.
 */
export const namesIn = indexOf(
  () => ({
    names: new Set<string>(),
    spellings: new Map<string, string>(),
    several: new Set<string>(),
    unaccented: new Map<string, Set<string>>(),
  }),
  ({ names, spellings, several, unaccented }, name: string) => {
    const key = sameName(name);
    names.add(name);
    if (spellings.has(key)) {
      several.add(key);
      return;
    }
    spellings.set(key, name);
    put(unaccented, withoutAccents(name), name);
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

/** The names in the things of sections, of a production in a time zone. */
export function namesOf(items: ProductionNames["items"], zone: Zone = null): ProductionNames {
  const getters = keysIn.map(([section, keys]) => [section, { get: () => keys(items(section)) }]);
  // each list has a getter
  return Object.defineProperties({ items, zone }, Object.fromEntries(getters)) as ProductionNames;
}

/**
 * A name in the spelling of the list: as it is written, or the first that differs in case or surrounding space;
 * undefined if there is none.
 */
export function spellingIn(list: readonly string[], name: string): string | undefined {
  const { names, spellings } = namesIn(list);
  return names.has(name) ? name : spellings.get(sameName(name));
}

/** Warns that a thing is added although the production has one whose name differs in accents alone. */
export function warnOfAccents(list: readonly string[], name: string, findings: Findings, line: number): void {
  if (list.length === 0) return;
  const { spellings, unaccented } = namesIn(list);
  const alike = unaccented.get(withoutAccents(name));
  if (alike !== undefined && !spellings.has(sameName(name)))
    findings.warn(`${quoted(name)} is new; the production has ${listed([...alike].map(quoted))}`, { line });
}

/** Warns that a new name of one thing may be the names of several: "Rope; Lamp". */
export function warnOfSeveral(list: readonly string[], name: string, findings: Findings, line: number): void {
  if (/[;\n]/.test(name) && spellingIn(list, name) === undefined)
    findings.warn(`${quoted(name)} is read as one name; if it names several, each needs a row of its own`, { line });
}

/** The name that a reference to one of a list means: in any form, or the only one that differs in accents alone. */
export function referenceIn(
  list: readonly string[],
  text: string,
  say: (sentence: string) => void,
): string | CellRefusal | undefined {
  const spelt = spellingIn(list, text);
  if (spelt !== undefined) return spelt;
  const meant = meantOf(text, namesIn(list).unaccented.get(withoutAccents(text)) ?? []);
  if (meant === undefined) return undefined;
  if (meant.found === undefined) return new CellRefusal(meant.sentence);
  say(meant.sentence);
  return meant.found;
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

/** The assets by their references, and the references by the form of a label, by cast number and by who plays them. */
export const thingsIn = indexOf(
  () => ({
    byReference: new Map<string, KnownThing>(),
    byLabel: new Map<string, string>(),
    byCastNumber: new Map<string, string>(),
    byPerformer: new Map<string, Set<string>>(),
    /** By labels and names of performers without accents. */
    unaccented: new Map<string, Set<string>>(),
  }),
  ({ byReference, byLabel, byCastNumber, byPerformer, unaccented }, { label, ...item }: Raw) => {
    if (typeof label !== "string") return;
    const thing: KnownThing = { ...item, label }; // as the schema has it
    const reference = thing.ref ?? label;
    const former = byReference.get(reference)?.performer;
    byReference.set(reference, { ...byReference.get(reference), ...thing });
    if (!byLabel.has(sameName(label))) byLabel.set(sameName(label), reference);
    put(unaccented, withoutAccents(label), reference);
    if (typeof thing.cast_number === "string") byCastNumber.set(castKey(thing.cast_number), reference);
    if (typeof former === "string" && thing.performer !== undefined)
      byPerformer.get(samePerson(former))?.delete(reference);
    if (typeof thing.performer !== "string") return;
    put(byPerformer, samePerson(thing.performer), reference);
    put(unaccented, withoutAccents(thing.performer), reference);
  },
);

/** A shoot day that the production has. */
export interface KnownDay extends UnitDay {
  /** What is known of its fields. */
  raw: Raw;
  scenes: readonly string[];
}

/**
 * The shoot days by what makes two one, the days on each date and with each scene, and the names of units as they were
 * first written.
 */
export const shootDaysIn = indexOf(
  () => ({
    byForm: new Map<string, KnownDay>(),
    onDate: new Map<string, Set<KnownDay>>(),
    withScene: new Map<string, Set<KnownDay>>(),
    units: new Map<string, string>(),
  }),
  ({ byForm, onDate, withScene, units }, item: Raw) => {
    const { date, scenes } = item;
    const named = unitDayOf(item);
    const day: KnownDay = byForm.get(dayForm(named)) ?? { ...named, raw: {}, scenes: [] };
    byForm.set(dayForm(day), day);
    if (typeof day.unit === "string" && !units.has(unitKey(day.unit))) units.set(unitKey(day.unit), day.unit);
    if (typeof date === "string") {
      onDate.get(String(day.raw.date))?.delete(day);
      put(onDate, date, day);
    }
    day.raw = { ...day.raw, ...item };
    if (scenes === undefined) return;
    for (const scene of day.scenes) withScene.get(scene)?.delete(day);
    day.scenes = (scenes ?? []) as string[]; // as the schema has them
    for (const scene of day.scenes) put(withScene, scene, day);
  },
);

/** The joins of the words of a department: "Hair and Make-up" is "Make-up & Hair". */
const joiningWords: readonly string[] = ["and", "und", "et"];

/**
 * The spellings by which a department is found: its words, also in alphabetical order. Accents of Latin and Greek
 * letters do not count.
 */
export function departmentSpellings(name: string): readonly string[] {
  const words = withoutAccents(name).split(/[^\p{L}\p{M}\p{N}]+/u);
  const sorted = words.filter((word) => !joiningWords.includes(word)).sort();
  return [words.join(""), sorted.join("")];
}

/**
 * The names of the departments by slug, and the slug of each spelling of a slug or a name. The production's own name
 * comes first.
 */
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

/**
 * The thing that a row is about: of the name as it is written, or the only one in another form. Warns if there are
 * several such, or one that differs in accents.
 */
export function matchingName(
  list: readonly string[],
  text: string,
  findings: Findings,
  line: number,
): string | undefined {
  const { names, several } = namesIn(list);
  const found = spellingIn(list, text);
  if (found === undefined || names.has(text) || !several.has(sameName(text))) {
    if (found === undefined) warnOfAccents(list, text, findings, line);
    return found;
  }
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
