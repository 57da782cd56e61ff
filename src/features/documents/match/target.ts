// The target of an update: the stored things of a production, and what each becomes after the documents are merged one after the
// other. Writes nothing.
import { cut } from "../../../core/wording.ts";
import { append } from "../../sequences/sequences.ts";
import type { Stored } from "../nouns/stored.ts";
import { keepParsed, type PartialDocument, type Raw } from "../sections/form.ts";
import { referenceTo } from "../sections/references.ts";
import { keyOf, namingFields, namingOf, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import { takeBackRenames } from "./former_renames.ts";
import {
  formerName,
  isKnownByFields,
  itemAt,
  type Match,
  type MergeOptions,
  matchSection,
  type Place,
  report,
  Slot,
  type Source,
} from "./matching.ts";
import { creationUnchanged, merge, timedFields } from "./merge.ts";
import { withoutNulls } from "./records.ts";
import { withKnownSpelling } from "./spelling.ts";
import { ThingNames } from "./thing_names.ts";

export class Target {
  readonly stored: Stored;
  readonly production: { readonly before: Raw; item: Raw; given: Source[] };
  readonly options: MergeOptions;
  readonly names: ThingNames;
  /** The sections that may have things whose names could not be read. */
  readonly unsure = new Set<SectionName>();
  /** The sections that documents contain. */
  touched: readonly SectionName[] = [];
  readonly #slots = new Map<SectionName, Slot[]>();
  readonly #touched = new Map<SectionName, Source>();
  /** The things of a section by their keys: kept from one document to the next. */
  readonly #byKey = new Map<SectionName, Map<string, Slot>>();
  /** The names that documents took from stored things, by section: each with the file and the new name. */
  readonly #former = new Map<SectionName, Map<string, { file: string; now: string }>>();
  #added = 0;

  constructor(stored: Stored, options: MergeOptions) {
    this.stored = stored;
    this.options = options;
    this.names = new ThingNames(this);
    const { productionThing: before } = stored;
    this.production = { before, item: before, given: [] };
  }

  /** Takes a section up that a document contains. */
  touch(section: SectionName, source: Source): void {
    if (!this.#touched.has(section))
      this.touched = sectionNames.filter((name) => name === section || this.#touched.has(name));
    this.#touched.set(section, source);
  }

  /** The last document that contains a section. */
  sourceOf(section: SectionName): Source {
    return this.#touched.get(section) as Source; // callers ask for touched sections
  }

  /** The things of a section that are not as they are stored. */
  touchedSlots(section: SectionName): readonly Slot[] {
    return this.#slots.get(section)?.filter(({ isSame }) => !isSame) ?? [];
  }

  /** The things of a section, stored ones first. What they refer to is in them by reference. */
  slots(section: SectionName): Slot[] {
    let slots = this.#slots.get(section);
    if (slots === undefined) {
      const { noun } = sections[section];
      slots = this.stored
        .things(section)
        .map((stored) => new Slot(stored, stored.id, noun === undefined ? "" : referenceTo(noun, stored.id)));
      this.#slots.set(section, slots);
    }
    return slots;
  }

  slotsByKey(section: SectionName): Map<string, Slot> {
    const byKey =
      this.#byKey.get(section) ??
      new Map(this.slots(section).map((slot) => [this.keyOf(section, slot) as string, slot])); // a thing has a key
    this.#byKey.set(section, byKey);
    return byKey;
  }

  /** The key of a thing with the present names. What nothing touched is not read for it if it has a name. */
  keyOf(section: SectionName, slot: Slot): string | undefined {
    const { noun, key = [] } = sections[section];
    if (!slot.isSame) return this.names.keyOf(section, slot.item);
    return noun === undefined
      ? keyOf(section, Object.fromEntries(key.map((field) => [field, slot.field(field)])))
      : this.names.nameOf(slot.ref);
  }

  /** Takes up the key of a thing. `former` is the key that it had; undefined if it had none. */
  #know(section: SectionName, former: string | undefined, slot: Slot): void {
    const { noun } = sections[section];
    const key = this.names.keyOf(section, slot.item);
    if (key === former) return;
    if (former !== undefined || key === undefined) {
      this.forget();
      return;
    }
    this.#byKey.get(section)?.set(key, slot);
    if (noun === undefined) return;
    this.names.add(noun, key, slot.ref);
  }

  /** Forgets what names mean, after things got others. */
  forget(): void {
    this.#byKey.clear();
    this.names.forget();
  }

  /**
   * Merges documents one after the other, and calls `taken` after each. What an earlier import of them renamed has its former name again
   * until the document that renames it follows.
   */
  take(sources: readonly Source[], taken: (source: Source) => void): void {
    for (const { problems } of sources) problems.print = this.names.print;
    const [, ...later] = sources;
    const again = later.toReversed().map((source) => takeBackRenames(this, source));
    for (const [at, source] of sources.entries()) {
      if (at > 0) again.pop()?.();
      this.#merge(source);
      taken(source);
    }
    if (sources.length > 1) this.#resolveLate();
  }

  /** A document may name what a later one adds. */
  #resolveLate(): void {
    for (const section of this.touched)
      for (const slot of this.slots(section))
        if (slot.given.length > 0) slot.item = this.names.resolved(section, slot.item, true);
    this.production.item = this.names.resolved("production", this.production.item, true);
  }

  /** Merges a document: matches its things, follows its renames and sets its fields. Problems are added to the document. */
  #merge(source: Source): void {
    source.document = withKnownSpelling(source.document, (noun) => this.names.spellingsOf(noun));
    const { document } = source;
    const given = sectionNames.filter((name) => document[name] !== undefined);
    for (const name of sectionNames) if (source.problems.has(name)) this.unsure.add(name);
    const matches: Match[] = [];
    for (const section of given) {
      this.touch(section, source);
      // What is known by several fields is compared by its references: what they name is known by now.
      if (isKnownByFields(section)) this.#resolve(document, section);
      const found = matchSection(source, section, this.slots(section), {
        byKey: () => this.slotsByKey(section),
        keyOf: (slot) => this.keyOf(section, slot),
      });
      if (found.length < (document[section]?.length ?? 0)) this.unsure.add(section);
      this.#refuseFormer(section, found);
      this.#follow(section, found);
      append(matches, found);
      for (const match of found) match.slot ??= this.#addNamed(match);
    }
    for (const section of given) if (!isKnownByFields(section)) this.#resolve(document, section);
    if (document.production !== undefined)
      this.#mergeProduction(source, this.names.resolved("production", document.production));
    for (const { place, slot } of matches) if (slot !== undefined) this.#mergeThing(place, slot);
  }

  /** Puts references in place of names in a section of a document. */
  #resolve(document: PartialDocument, section: SectionName): void {
    document[section] = document[section]?.map((item) => this.names.resolved(section, item)) ?? [];
  }

  #mergeThing(place: Place, slot: Slot): void {
    const { section } = place;
    const former = this.names.keyOf(section, slot.item);
    slot.given.push(place);
    if (this.options.is_new) {
      slot.item = itemAt(place);
      keepParsed(slot.item);
    } else {
      slot.item = merge(slot, place, this.options);
      slot.timed = timedFields(section, slot, this.options);
    }
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
    slot.item = this.names.resolved(section, namingOf(section, itemAt(place)));
    this.#know(section, undefined, slot);
    return slot;
  }

  /** A thing that is not stored. One that comes back has its former id. */
  add(section: SectionName, id?: number): Slot {
    const { noun } = sections[section];
    const ref = noun === undefined ? "" : referenceTo(noun, id ?? --this.#added);
    const slot = new Slot(undefined, id, ref);
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
      Object.assign(naming, this.names.resolved(section, now));
      named.push({ slot, naming });
      const former = this.names.keyOf(section, slot.item) as string; // it was matched by its key
      if (this.names.keyOf(section, naming) === former) taken.set(formerName(section, given, new Map()), former); // in an earlier update
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
      const former = this.names.keyOf(section, slot.item);
      const fields = namingFields(section, slot.item);
      const rest = Object.entries(slot.item).filter(([field]) => !fields.includes(field));
      slot.item = { ...Object.fromEntries(rest), ...naming };
      const now = this.names.keyOf(section, slot.item) as string; // a naming gives one
      if (former !== undefined && now !== former) names.set(former, now);
    }
    if (things.length > 0) this.forget();
    return names;
  }
}
