// The draft of an update: the stored things of a production, and what each becomes after the documents are merged one after the
// other. Writes nothing.

import { cut } from "../../../core/spelling.ts";
import { append } from "../../sequences/sequences.ts";
import type { Stored } from "../nouns/stored.ts";
import { itemFormOf, keepParsed, type PartialDocument, productionForm, type Raw, respelled } from "../sections/form.ts";
import { idIn, isReference, notReference, nounIn, referenceTo, withNames } from "../sections/references.ts";
import {
  keyOf,
  type Noun,
  namingFields,
  namingOf,
  namings,
  type SectionName,
  sectionNames,
  sections,
} from "../sections/sections.ts";
import {
  formerName,
  isKnownByFields,
  itemAt,
  type Match,
  type MergeOptions,
  matchSection,
  type Place,
  renamedBefore,
  report,
  type Slot,
  type Source,
} from "./matching.ts";
import { checkTimes, creationUnchanged, merge } from "./merge.ts";
import { withoutNulls } from "./records.ts";
import { Names, withKnownSpelling } from "./spelling.ts";

/** The values by which a document named a thing that had another key. `episodes`: their references by their codes, for a scene. */
function formerReference(section: SectionName, item: Raw, key: string, episodes?: ReadonlyMap<string, string>): Raw {
  const naming = namingOf(section, item);
  if (section === "scenes" && item.episode !== undefined) {
    let end = key.indexOf("/");
    while (end !== -1 && !episodes?.has(key.slice(0, end))) end = key.indexOf("/", end + 1);
    return end === -1 ? naming : { number: key.slice(end + 1), episode: episodes?.get(key.slice(0, end)) };
  }
  if (item.ref !== undefined) return { ...naming, ref: key };
  const [field = ""] = namingFields(section);
  return { ...naming, [field]: typeof item[field] === "number" ? Number(key) : key };
}

/** The references to things by their names. */
const referencesIn = (noun: Noun, ids: ReadonlyMap<string, number>): Map<string, string> =>
  new Map([...ids].map(([name, id]) => [name, referenceTo(noun, id)]));

const formOfSection = (section: SectionName | "production") =>
  section === "production" ? productionForm : itemFormOf(section);

export class Draft {
  readonly stored: Stored;
  readonly production: { readonly before: Raw; item: Raw; given: Source[] };
  readonly options: MergeOptions;
  /** The sections that may have things whose names could not be read. */
  readonly unsure = new Set<SectionName>();
  readonly #slots = new Map<SectionName, Slot[]>();
  readonly #touched = new Map<SectionName, Source>();
  /** The references by the names that things have as they are stored, and by those that they will have. */
  readonly #asStored = new Map<Noun, ReadonlyMap<string, string>>();
  readonly #references = new Map<Noun, Map<string, string>>();
  /** The names by reference, also of what goes; and those that only a change set knows. */
  readonly #names = new Map<Noun, Map<string, string>>();
  readonly #recorded = new Map<string, string>();
  /** The spellings of the names of a noun, and the things of a section by their keys: kept from one document to the next. */
  readonly #spellings = new Map<Noun, Names>();
  readonly #byKey = new Map<SectionName, Map<string, Slot>>();
  /** The names that documents took from stored things, by section: each with the file and the new name. */
  readonly #former = new Map<SectionName, Map<string, { file: string; now: string }>>();
  #added = 0;

  constructor(stored: Stored, options: MergeOptions) {
    this.stored = stored;
    this.options = options;
    const { productionThing: before } = stored;
    this.production = { before, item: before, given: [] };
  }

  /** Takes a section up that a document contains. */
  touch(section: SectionName, source: Source): void {
    this.#touched.set(section, source);
  }

  /** The sections that documents contain. */
  get touched(): readonly SectionName[] {
    return sectionNames.filter((name) => this.#touched.has(name));
  }

  /** The last document that contains a section. */
  sourceOf(section: SectionName): Source {
    return this.#touched.get(section) as Source; // callers ask for touched sections
  }

  /** The things of a section, stored ones first. What they refer to is in them by reference. */
  slots(section: SectionName): Slot[] {
    let slots = this.#slots.get(section);
    if (slots === undefined) {
      const { noun } = sections[section];
      slots = this.stored.things(section).map((stored): Slot => {
        const { id, raw: before, order } = stored;
        const ref = noun === undefined ? "" : referenceTo(noun, id);
        return { stored, id, ref, before, item: before, given: [], gone: false, order };
      });
      this.#slots.set(section, slots);
    }
    return slots;
  }

  /** What a name means as things are stored: a reference, or the text itself. */
  readonly storedReference = (name: string, nouns: readonly Noun[]): string => {
    for (const noun of nouns) {
      const known = this.#asStored.get(noun) ?? referencesIn(noun, this.stored.ids(noun));
      this.#asStored.set(noun, known);
      const found = known.get(name);
      if (found !== undefined) return found;
    }
    return notReference(name);
  };

  /** The things of a noun, if their names can be others than the stored ones. */
  #namedSlots(noun: Noun): readonly Slot[] | undefined {
    const { list } = namings[noun];
    // The name of a scene has that of its episode.
    return this.#slots.has(list) || (noun === "scene" && this.#slots.has("episodes")) ? this.slots(list) : undefined;
  }

  /** The references to the things of a noun by the names that they will have. */
  references(noun: Noun): ReadonlyMap<string, string> {
    let found = this.#references.get(noun);
    if (found === undefined) {
      const slots = this.#namedSlots(noun)?.filter(({ gone }) => !gone);
      found =
        slots === undefined
          ? referencesIn(noun, this.stored.ids(noun))
          : new Map(slots.map(({ item, ref }) => [this.keyOf(namings[noun].list, item) as string, ref]));
      this.#references.set(noun, found);
    }
    return found;
  }

  /** The id of the stored thing of a name. */
  idOf(noun: Noun, name: string): number | undefined {
    const id = idIn(this.references(noun).get(name) ?? "");
    return id > 0 ? id : undefined;
  }

  readonly #nameOf = (reference: string): string => {
    const noun = nounIn(reference);
    let names = this.#names.get(noun);
    if (names === undefined) {
      const { list } = namings[noun];
      const slots = this.#namedSlots(noun);
      names =
        slots === undefined
          ? new Map([...this.stored.ids(noun)].map(([name, id]) => [referenceTo(noun, id), name]))
          : new Map(slots.map(({ item, ref }) => [ref, keyOf(list, item) ?? ""]));
      this.#names.set(noun, names);
    }
    return this.print(names.get(reference) ?? this.#recorded.get(reference) ?? "");
  };

  /** A text with the present names in place of references. */
  readonly print = (text: string): string => withNames(text, this.#nameOf);

  /** A value of a section with the present names in place of references. */
  named(section: SectionName | "production", value: Raw): Raw {
    return respelled(value, formOfSection(section), this.print) as Raw;
  }

  /** A value of a section with references in place of the present names. `isDraft`: it has references already. */
  resolved(section: SectionName | "production", value: Raw, isDraft = false): Raw {
    return respelled(value, formOfSection(section), (name, nouns) => {
      if (isDraft && isReference(name)) return name;
      for (const noun of nouns) {
        const found = this.references(noun).get(name);
        if (found !== undefined) return found;
      }
      return isDraft ? name : notReference(name);
    }) as Raw;
  }

  /** The key of a thing with the present names. */
  keyOf(section: SectionName, item: Raw): string | undefined {
    const key = keyOf(section, item);
    return key === undefined ? undefined : this.print(key);
  }

  /** The reference to a thing that a change set knows by a name. */
  remember(noun: Noun, id: number, name: string): string {
    const reference = referenceTo(noun, id);
    this.#recorded.set(reference, name);
    return reference;
  }

  #spellingsOf(noun: Noun): Names {
    const known = this.#spellings.get(noun) ?? new Names(this.references(noun).keys());
    this.#spellings.set(noun, known);
    return known;
  }

  #slotsByKey(section: SectionName): Map<string, Slot> {
    const byKey =
      this.#byKey.get(section) ??
      new Map(this.slots(section).map((slot) => [this.keyOf(section, slot.item) as string, slot]));
    this.#byKey.set(section, byKey);
    return byKey;
  }

  /** Takes up the key of a thing. `former` is the key that it had; undefined if it had none. */
  #know(section: SectionName, former: string | undefined, slot: Slot): void {
    const { noun } = sections[section];
    const key = this.keyOf(section, slot.item);
    if (key === former) return;
    if (former !== undefined || key === undefined) {
      this.forget();
      return;
    }
    this.#byKey.get(section)?.set(key, slot);
    if (noun === undefined) return;
    this.#spellings.get(noun)?.add(key);
    this.#references.get(noun)?.set(key, slot.ref);
    this.#names.get(noun)?.set(slot.ref, key);
  }

  /** Forgets what names mean, after things got others. */
  forget(): void {
    for (const known of [this.#spellings, this.#byKey, this.#references, this.#names]) known.clear();
  }

  /**
   * Merges documents one after the other, and calls `taken` after each. What an earlier import of them renamed has its former name again
   * until the document that renames it follows.
   */
  take(sources: readonly Source[], taken: (source: Source) => void): void {
    for (const { problems } of sources) problems.print = this.print;
    const again = sources.map(() => (): void => {});
    for (let at = sources.length - 1; at > 0; at--) again[at] = this.#takeBack(sources[at] as Source);
    for (const [at, source] of sources.entries()) {
      again[at]?.();
      this.#merge(source);
      taken(source);
    }
    if (sources.length > 1) this.#resolveLate();
  }

  /** A document may name what a later one adds. */
  #resolveLate(): void {
    for (const section of this.touched)
      for (const slot of this.slots(section))
        if (slot.given.length > 0) slot.item = this.resolved(section, slot.item, true);
    this.production.item = this.resolved("production", this.production.item, true);
  }

  /** Takes back the renames of a document that were done before. Returns what does them again. */
  #takeBack({ document, is_paperwork }: Source): () => void {
    const again: (() => void)[] = [];
    for (const section of is_paperwork ? [] : sectionNames.toReversed()) {
      const items = document[section]?.filter(({ was }) => was !== undefined) ?? [];
      if (items.length === 0) continue;
      const byKey = this.#slotsByKey(section);
      const episodes = section === "scenes" ? this.references("episode") : undefined;
      const done = [...renamedBefore(section, items, byKey)].map(([now, former]) => {
        const slot = byKey.get(now) as Slot; // the thing is stored
        return {
          slot,
          former: formerReference(section, slot.item, former, episodes),
          now: namingOf(section, slot.item),
        };
      });
      this.rename(
        section,
        done.map(({ slot, former }) => ({ slot, naming: former })),
      );
      again.unshift(() =>
        this.rename(
          section,
          done.map(({ slot, now }) => ({ slot, naming: now })),
        ),
      );
    }
    return () => {
      for (const rename of again) rename();
    };
  }

  /** Merges a document: matches its things, follows its renames and sets its fields. Problems are added to the document. */
  #merge(source: Source): void {
    source.document = withKnownSpelling(source.document, (noun) => this.#spellingsOf(noun));
    const { document } = source;
    const given = sectionNames.filter((name) => document[name] !== undefined);
    for (const name of sectionNames) if (source.problems.has(name)) this.unsure.add(name);
    const matches: Match[] = [];
    for (const section of given) {
      this.touch(section, source);
      // What is known by several fields is compared by its references: what they name is known by now.
      if (isKnownByFields(section)) this.#resolve(document, section);
      const found = matchSection(source, section, this.slots(section), {
        byKey: () => this.#slotsByKey(section),
        keyOf: (item) => this.keyOf(section, item),
      });
      if (found.length < (document[section] as Raw[]).length) this.unsure.add(section);
      this.#refuseFormer(section, found);
      this.#follow(section, found);
      append(matches, found);
      for (const match of found) match.slot ??= this.#addNamed(match);
    }
    for (const section of given) if (!isKnownByFields(section)) this.#resolve(document, section);
    if (document.production !== undefined)
      this.#mergeProduction(source, this.resolved("production", document.production));
    for (const { place, slot } of matches) if (slot !== undefined) this.#mergeThing(place, slot);
  }

  /** Puts references in place of names in a section of a document. */
  #resolve(document: PartialDocument, section: SectionName): void {
    document[section] = document[section]?.map((item) => this.resolved(section, item)) ?? [];
  }

  #mergeThing(place: Place, slot: Slot): void {
    const { section } = place;
    const former = this.keyOf(section, slot.item);
    slot.given.push(place);
    if (section === "schedule") checkTimes(place, slot.before);
    if (this.options.is_new) {
      slot.item = itemAt(place);
      keepParsed(slot.item);
    } else slot.item = merge(slot, place, this.options);
    this.#know(section, former, slot);
  }

  /** Reports a thing that would be added under a name that an earlier document took from a stored one: it is hardly another thing. */
  #refuseFormer(section: SectionName, matches: readonly Match[]): void {
    for (const { place, slot, key } of matches) {
      const former = slot === undefined ? this.#former.get(section)?.get(key) : undefined;
      if (former === undefined || former.file === place.source.file) continue;
      report(place, `names "${cut(key)}", which ${former.file} of the same update renames to "${former.now}"`);
    }
  }

  /** The thing that a document adds, which has its name already. */
  #addNamed({ place }: Match): Slot {
    const { section } = place;
    const { noun } = sections[section];
    const slot = this.add(section);
    if (noun === undefined) return slot;
    slot.item = this.resolved(section, namingOf(section, itemAt(place)));
    this.#know(section, undefined, slot);
    return slot;
  }

  /** A thing that is not stored. One that comes back has its former id. */
  add(section: SectionName, id?: number): Slot {
    const { noun } = sections[section];
    const ref = noun === undefined ? "" : referenceTo(noun, id ?? --this.#added);
    const slot: Slot = {
      stored: undefined,
      id,
      ref,
      before: undefined,
      item: {},
      given: [],
      gone: false,
      order: undefined,
    };
    this.slots(section).push(slot);
    return slot;
  }

  /** Takes a thing out. */
  remove(slot: Slot): void {
    slot.gone = true;
    this.forget();
  }

  #mergeProduction(source: Source, given: Raw): void {
    const { production, options } = this;
    const base = options.exact ? { title: production.before.title, format: production.before.format } : production.item;
    const next: Raw = { ...base };
    for (const [field, value] of Object.entries(given))
      if (value === null) delete next[field];
      else if (value !== undefined) next[field] = value;
    if (!options.is_new) {
      next.created_at = production.before.created_at;
      if (typeof given.created_at === "string" && given.created_at !== next.created_at)
        source.kept.push({ thing: "the production", sentence: creationUnchanged });
    }
    production.item = next;
    production.given.push(source);
  }

  /** Gives renamed things their new names. */
  #follow(section: SectionName, matches: readonly Match[]): void {
    const named: { slot: Slot; naming: Raw }[] = [];
    const taken = new Map<string, string>();
    for (const { place, slot } of matches) {
      const given = itemAt(place);
      if (slot === undefined || given.was === undefined) continue;
      const naming: Raw = namingOf(section, slot.item);
      // A reference that was generated because two things share a label is removed with the label.
      if (slot.stored?.row.stored_ref === null && (given.label ?? given.title) !== undefined) delete naming.ref;
      const now = withoutNulls(Object.fromEntries(namingFields(section).map((field) => [field, given[field]])));
      Object.assign(naming, this.resolved(section, now));
      named.push({ slot, naming });
      const former = this.keyOf(section, slot.item) as string;
      if (this.keyOf(section, naming) === former) taken.set(formerName(section, given, new Map()), former); // in an earlier update
    }
    const { file } = matches[0]?.place.source ?? { file: "" };
    const all = this.#former.get(section) ?? new Map();
    for (const [former, now] of [...taken, ...this.rename(section, named)]) all.set(former, { file, now });
    this.#former.set(section, all);
  }

  /** Gives things other names. Returns the new names by the former ones. */
  rename(section: SectionName, things: readonly { slot: Slot; naming: Raw }[]): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    for (const { slot, naming } of things) {
      const former = this.keyOf(section, slot.item);
      const fields = namingFields(section, slot.item);
      const rest = Object.entries(slot.item).filter(([field]) => !fields.includes(field));
      slot.item = { ...Object.fromEntries(rest), ...naming };
      const now = this.keyOf(section, slot.item) as string;
      if (former !== undefined && now !== former) names.set(former, now);
    }
    if (things.length > 0) this.forget();
    return names;
  }
}
