// Finds for each thing of a partial document the stored thing that it means: by name, or by the values of its key fields.
import { cut, firstOf } from "../../../core/wording.ts";
import { type StoredThing, shapeOf } from "../nouns/stored.ts";
import type { InputDocument } from "../read/read.ts";
import type { Raw } from "../sections/form.ts";
import { keyOf, kindOf, namingFields, namings, type SectionName, sceneName, sections } from "../sections/sections.ts";
import { Claims } from "./claims.ts";

/** A document with problems of its own in one comparison. */
export interface Source extends InputDocument {
  /** Values that the update does not change: the thing, and a sentence that says what stays and which command changes it. */
  kept: { thing: string; sentence: string }[];
}

export const asSource = (given: InputDocument): Source => ({
  ...given,
  problems: given.problems.copy(),
  kept: [],
});

/** Where a document names a thing. */
export interface Place {
  source: Source;
  section: SectionName;
  at: number;
}

/** A thing as a document has it. It has references in place of names once what its document names is known. */
export const itemAt = ({ source, section, at }: Place): Raw => source.document[section]?.[at] as Raw;

/** Reports a problem of the thing at a place, or of a field of it: ".number", ".steps[1]". */
export function report({ source, section, at }: Place, sentence: string, field = ""): void {
  source.problems.add(`${section}[${at}]${field}`, sentence);
}

/** Warns that the update leaves something of the thing at a place as it is. */
export function warnUnchanged(place: Place, sentence: string, thing = thingAt(place)): void {
  const { kept, problems } = place.source;
  kept.push({ thing: problems.print(thing), sentence: problems.print(sentence) });
}

/** A warning for each sentence about what stays, with the things that it is about. */
export const unchangedWarnings = ({ kept }: Source): string[] =>
  [...Map.groupBy(kept, ({ sentence }) => sentence)].map(
    ([sentence, all]) => `${firstOf([...new Set(all.map(({ thing }) => thing))])}: ${sentence}`,
  );

/** What a sentence calls the thing at a place. */
export const thingAt = (place: Place): string =>
  `${kindOf(place.section)} "${keyOf(place.section, itemAt(place)) ?? place.at}"`;

const none: readonly string[] = [];

/** A thing of the production that is stored or that a document adds. What stays as it is stored is not read as a whole. */
export class Slot {
  readonly stored: StoredThing | undefined;
  /** Undefined if it was never stored. */
  readonly id: number | undefined;
  /** The reference to it, if it has a name. */
  readonly ref: string;
  /** Where the documents name it, the last one last. */
  readonly given: Place[] = [];
  /** It will be removed. */
  gone = false;
  /** The fields in which the update itself put its time: they get that of the commit. */
  timed: readonly string[] = none;
  /** Of a scene that an undo moves: the id of the one before it; 0 if it is the first. */
  after: number | undefined;
  /** The stored order; of an added thing it is set once the order of the section is known. */
  order: number | undefined;
  #item: Raw | undefined;

  constructor(stored: StoredThing | undefined, id: number | undefined, ref: string) {
    this.stored = stored;
    this.id = id;
    this.ref = ref;
    this.order = stored?.order;
    if (stored === undefined) this.#item = {};
  }

  /** As it is stored, with references. Undefined if it is not stored. */
  get before(): Raw | undefined {
    return this.stored?.raw;
  }

  /** As it will be. */
  get item(): Raw {
    return this.#item ?? this.stored?.raw ?? {};
  }

  set item(item: Raw) {
    this.#item = item;
  }

  /** Whether nothing touched it. */
  get isSame(): boolean {
    return this.#item === undefined && !this.gone;
  }

  /** A field as it will be. */
  field(name: string): unknown {
    return this.#item === undefined ? this.stored?.field(name) : this.#item[name];
  }
}

export interface MergeOptions {
  /** What a document does not say takes its default. */
  exact: boolean;
  /** The time of the update. */
  now: string;
  /** Nothing is stored yet: a whole document says all there is, also of what was recorded. */
  is_new?: true;
}

/** The input for the update of one thing. */
export interface Merging<T = Raw> {
  place: Place;
  given: T;
  /** The thing as it is stored. */
  before: T;
  options: MergeOptions;
}

export interface Match {
  place: Place;
  /** Undefined if the thing is not stored. */
  slot: Slot | undefined;
  /** The thing's key in the document. */
  key: string;
}

/** The property that holds the key of a thing; no schema has a field of this name. */
const keyField = " key";

/** The key of a given thing; undefined if it is not sound. Reports the fields that it needs. */
function keyAt(place: Place): string | undefined {
  const { section } = place;
  const given = itemAt(place);
  const isUnsound = (field: string): boolean => place.source.problems.has(`${section}[${place.at}].${field}`);
  if (namingFields(section, given).some(isUnsound)) return undefined;
  const key = keyOf(section, given);
  const { noun, key: fields = [] } = sections[section];
  if (key === undefined) {
    const needed = noun === undefined ? fields.filter((field) => given[field] === undefined) : [namings[noun].field];
    for (const field of needed)
      if (field !== "episode" && !place.source.problems.has(`${section}[${place.at}]`))
        report(place, "is required", `.${field}`);
  }
  return key;
}

/** The name that `was` gives: a whole key, or of a scene its number within the episode that the document gives. */
export function formerName(section: SectionName, given: Raw, slots: ReadonlyMap<string, Slot>): string {
  const former = String(given.was);
  const { episode } = given;
  const isWhole = section !== "scenes" || typeof episode !== "string" || slots.has(former) || former.includes("/");
  return isWhole ? former : sceneName(former, episode);
}

/**
 * The keys of the things that have their new names already, with their former names. The first of a chain of renames is done if nothing
 * has its former name and something has its new one; then the next one, whose former name is that new one, is done too if something
 * has its own. A ring of renames, such as a swap, has no first one: nothing shows whether it is done.
 */
export function renamedBefore(
  section: SectionName,
  items: readonly Raw[],
  slots: ReadonlyMap<string, Slot>,
): Map<string, string> {
  const stored = items.flatMap((given) => {
    const key = keyOf(section, given);
    return given.was === undefined || key === undefined || !slots.has(key)
      ? []
      : [{ key, former: formerName(section, given, slots) }];
  });
  const following = Map.groupBy(stored, ({ former }) => former);
  const done = new Map(stored.filter(({ former }) => !slots.has(former)).map(({ key, former }) => [key, former]));
  for (const [before] of done) for (const { key, former } of following.get(before) ?? []) done.set(key, former); // visited too
  return done;
}

type KeyOf = (slot: Slot) => string | undefined;

/** The keys that several things have: an earlier file gave one of them the name of another. */
function sharedKeys(slots: readonly Slot[], keyOf: KeyOf): ReadonlySet<string> {
  const [seen, shared] = [new Set<string>(), new Set<string>()];
  for (const slot of slots) {
    const key = keyOf(slot) as string; // a stored thing has one
    if (seen.has(key)) shared.add(key);
    else seen.add(key);
  }
  return shared;
}

const oneFile = "names are exchanged or passed on within one file";

/** Matches the things of a section that have one key each. */
function matchByKey(
  source: Source,
  section: SectionName,
  slots: readonly Slot[],
  { byKey, keyOf }: { byKey: ReadonlyMap<string, Slot>; keyOf: KeyOf },
): Match[] {
  const shared = byKey.size < slots.length ? sharedKeys(slots, keyOf) : new Set<string>();
  const first = new Map<Slot | string, number>();
  const items = source.document[section] ?? [];
  const done = source.is_paperwork ? new Map() : renamedBefore(section, items, byKey);
  // A name that paperwork takes from a thing is free for another one of the same document.
  const renamed = source.is_paperwork ? items.filter(({ was }) => was !== undefined) : [];
  const leaving = new Set(renamed.map((given) => byKey.get(formerName(section, given, byKey))));
  return items.flatMap((given, at) => {
    const place = { source, section, at };
    const key = keyAt(place);
    if (key === undefined) return [];
    let slot = byKey.get(key);
    if (given.was !== undefined && String(given.was) !== key && !done.has(key)) {
      const name = formerName(section, given, byKey);
      const former = byKey.get(name);
      if (former === undefined && slot === undefined) {
        report(place, `names no stored ${kindOf(section)}: "${cut(String(given.was))}"`, ".was");
        return [];
      }
      if (shared.has(name)) {
        report(place, `is the name that an earlier file gives to another ${kindOf(section)}; ${oneFile}`, ".was");
        return [];
      }
      slot = former ?? slot;
    } else if (leaving.has(slot)) slot = undefined;
    const before = first.get(slot ?? key);
    if (before !== undefined) {
      const { noun } = sections[section];
      const hint = noun !== undefined && "refs" in namings[noun] ? "; `ref` tells two things of one name apart" : "";
      report(place, `is the same thing as ${section}[${before}]: "${cut(key)}"${hint}`);
      return [];
    }
    first.set(slot ?? key, at);
    return [{ place, slot, key }];
  });
}

/** What `plainKey` found; an import may be of many documents, each compared with all things. */
const plainKeys = new WeakMap<Raw, string | undefined>();

/** The key that a thing has without its number, in canonical form. */
function plainKey(section: SectionName, item: Raw): string | undefined {
  if (!plainKeys.has(item)) plainKeys.set(item, keyOf(section, { ...shapeOf(section, item), number: undefined }));
  return plainKeys.get(item);
}

/** Matches things whose key several may share: first those that say what is stored, then the others in their order. */
function matchByFields(source: Source, section: SectionName, all: readonly Slot[]): Match[] {
  const plain = (item: Raw) => plainKey(section, item);
  const matches: Match[] = (source.document[section] ?? []).flatMap((_, at) => {
    const place = { source, section, at };
    const key = keyAt(place);
    return key === undefined ? [] : [{ place, slot: undefined, key }];
  });
  const given = matches.map(({ place }) => itemAt(place));
  const givenKeys = new Set(given.map(plain));
  const givenNumbers = new Set<unknown>(given.map(({ number }) => number ?? ""));
  const slots = all.filter(({ item }) => givenNumbers.has(item.number) || givenKeys.has(plain(item)));
  const alike = Map.groupBy(slots, ({ item }) => plain(item));
  for (const { place, key } of matches)
    if (itemAt(place).number === null && (alike.get(plain(itemAt(place)))?.length ?? 0) > 1)
      report(place, `cannot go: several things are "${key}", and only the number tells them apart`, ".number");
  const keyed = (item: Raw): Raw => ({ ...item, [keyField]: plain(item) });
  const claims = new Claims(
    slots.map(({ stored, item }) => keyed(stored === undefined ? shapeOf(section, item) : item)),
  );
  const numbers = new Set(slots.flatMap(({ item }) => (typeof item.number === "string" ? item.number : [])));
  const claim = (match: Match, fieldsOf: (given: Raw, isNumbered: boolean) => readonly string[]) => {
    if (match.slot !== undefined) return;
    const given = itemAt(match.place);
    const isNumbered = typeof given.number === "string" && numbers.has(given.number);
    // An order with a new number can be a stored one that has no number yet.
    const { number, ...rest } = shapeOf(section, given);
    const wanted = keyed(isNumbered ? { ...rest, number } : rest);
    match.slot = slots[claims.claim(wanted, fieldsOf(given, isNumbered)) ?? -1];
  };
  const givenFields = (given: Raw) =>
    Object.keys(given)
      .filter((field) => field !== "was" && given[field] !== undefined)
      .sort();
  for (const match of matches) {
    const number = itemAt(match.place).number ?? undefined;
    if (typeof number !== "string" || numbers.has(number))
      claim(match, (given, isNumbered) => [...(isNumbered ? [] : [keyField]), ...givenFields(given)]);
  }
  for (const match of matches)
    claim(match, ({ number }, isNumbered) =>
      isNumbered ? ["number"] : (number ?? null) === null ? [keyField] : [keyField, "number"],
    );
  return matches;
}

/** Whether a thing is known by several fields, and not by a name. */
export const isKnownByFields = (section: SectionName): boolean => {
  const { noun, key = [] } = sections[section];
  return noun === undefined && key.length > 1;
};

/**
 * Matches the things of a section of a document with those of the production. Reports things without a key or named twice. `byKey` returns
 * the last thing of each key.
 */
export function matchSection(
  source: Source,
  section: SectionName,
  slots: readonly Slot[],
  { byKey, keyOf }: { byKey: () => ReadonlyMap<string, Slot>; keyOf: KeyOf },
): Match[] {
  if (isKnownByFields(section)) return matchByFields(source, section, slots);
  return matchByKey(source, section, slots, { byKey: byKey(), keyOf });
}
