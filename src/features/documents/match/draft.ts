// The draft of an update: the stored things of a production, and what each becomes after the documents are merged one after the
// other. Writes nothing.

import { cut } from "../../../core/spelling.ts";
import { append } from "../../sequences/sequences.ts";
import type { Stored } from "../nouns/stored.ts";
import { itemFormOf, keepParsed, productionForm, type Raw, type Renames, renamed } from "../sections/form.ts";
import {
  keyOf,
  type Noun,
  namingFields,
  namingOf,
  namings,
  type SectionName,
  sceneName,
  sectionNames,
  sections,
} from "../sections/sections.ts";
import {
  formerName,
  itemAt,
  type Match,
  type MergeOptions,
  matchSection,
  renamedBefore,
  report,
  type Slot,
  type Source,
  slotsByKey,
} from "./matching.ts";
import { checkTimes, creationUnchanged, merge } from "./merge.ts";
import { Names, withKnownSpelling } from "./spelling.ts";

/** The values by which a document named a thing that had another key. `episodes`: by their codes, for a scene. */
function formerReference(section: SectionName, item: Raw, key: string, episodes?: ReadonlyMap<string, unknown>): Raw {
  const naming = namingOf(section, item);
  if (section === "scenes" && item.episode !== undefined) {
    let end = key.indexOf("/");
    while (end !== -1 && !episodes?.has(key.slice(0, end))) end = key.indexOf("/", end + 1);
    return end === -1 ? naming : { number: key.slice(end + 1), episode: key.slice(0, end) };
  }
  if (item.ref !== undefined) return { ...naming, ref: key };
  const [field = ""] = namingFields(section);
  return { ...naming, [field]: typeof item[field] === "number" ? Number(key) : key };
}

export class Draft {
  readonly stored: Stored;
  /** `stored` is as it was read; `before` has the new names of what it refers to. */
  readonly production: { readonly stored: Raw; before: Raw; item: Raw; given: Source[] };
  readonly options: MergeOptions;
  /** The sections that may have things whose names could not be read. */
  readonly unsure = new Set<SectionName>();
  readonly #slots = new Map<SectionName, Slot[]>();
  readonly #renames: Renames[] = [];
  readonly #touched = new Map<SectionName, Source>();
  /** The names of the nouns that documents have used, and the things of a section by their keys: kept from one document to the next. */
  readonly #known = new Map<Noun, Names>();
  readonly #byKey = new Map<SectionName, Map<string, Slot>>();
  /** The names that documents took from stored things, by section: each with the file and the new name. */
  readonly #former = new Map<SectionName, Map<string, { file: string; now: string }>>();

  constructor(stored: Stored, options: MergeOptions) {
    this.stored = stored;
    this.options = options;
    const before = stored.production;
    this.production = { stored: before, before, item: before, given: [] };
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

  /** The things of a section, stored ones first. */
  slots(section: SectionName): Slot[] {
    let slots = this.#slots.get(section);
    if (slots === undefined) {
      slots = this.stored.items(section).map((stored): Slot => {
        const raw = this.#renames.reduce((raw, renames) => this.#renamed(section, raw, renames), stored.raw);
        return { stored, id: stored.id, before: raw, item: raw, given: [], gone: false, order: stored.order };
      });
      this.#slots.set(section, slots);
    }
    return slots;
  }

  /** The names of a noun as they will be, with their ids; the id of what is not stored is undefined. */
  names(noun: Noun): ReadonlyMap<string, number | undefined> {
    const section = namings[noun].list;
    if (this.#slots.has(section))
      return new Map(
        this.slots(section)
          .filter(({ gone }) => !gone)
          .map(({ item, id }) => [keyOf(section, item) as string, id]),
      );
    const renames = this.#renames.filter((one) => one.noun === noun);
    const ids = this.stored.ids(noun);
    if (renames.length === 0) return ids;
    const nameNow = (name: string) => renames.reduce((now, { names }) => names.get(now) ?? now, name);
    return new Map([...ids].map(([name, id]) => [nameNow(name), id]));
  }

  #namesOf(noun: Noun): Names {
    const known = this.#known.get(noun) ?? new Names(this.names(noun).keys());
    this.#known.set(noun, known);
    return known;
  }

  #slotsByKey(section: SectionName): Map<string, Slot> {
    const byKey = this.#byKey.get(section) ?? slotsByKey(section, this.slots(section));
    this.#byKey.set(section, byKey);
    return byKey;
  }

  /** Takes up the key of a merged thing. `former` is the key that it had; undefined if it was added. */
  #know(section: SectionName, former: string | undefined, slot: Slot): void {
    const { noun } = sections[section];
    const key = keyOf(section, slot.item);
    if (key === former) return;
    if (former === undefined && key !== undefined) {
      this.#byKey.get(section)?.set(key, slot);
      if (noun !== undefined) this.#known.get(noun)?.add(key);
    } else this.#forget();
  }

  #forget(): void {
    this.#known.clear();
    this.#byKey.clear();
  }

  /**
   * Merges documents one after the other, and calls `taken` after each. What an earlier import of them renamed has its former name again
   * until the document that renames it follows.
   */
  take(sources: readonly Source[], taken: (source: Source) => void): void {
    const again = sources.map(() => (): void => {});
    for (let at = sources.length - 1; at > 0; at--) again[at] = this.#takeBack(sources[at] as Source);
    for (const [at, source] of sources.entries()) {
      again[at]?.();
      this.#merge(source);
      taken(source);
    }
  }

  /** Takes back the renames of a document that were done before. Returns what does them again. */
  #takeBack({ document, is_paperwork }: Source): () => void {
    const again: (() => void)[] = [];
    for (const section of is_paperwork ? [] : sectionNames.toReversed()) {
      const items = document[section]?.filter(({ was }) => was !== undefined) ?? [];
      if (items.length === 0) continue;
      const byKey = this.#slotsByKey(section);
      const episodes = section === "scenes" ? this.names("episode") : undefined;
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
    source.document = withKnownSpelling(source.document, (noun) => this.#namesOf(noun));
    const { document } = source;
    const given = sectionNames.filter((name) => document[name] !== undefined);
    for (const name of sectionNames) if (source.problems.has(name)) this.unsure.add(name);
    const matches: Match[] = [];
    for (const section of given) {
      this.touch(section, source);
      const found = matchSection(source, section, this.slots(section), () => this.#slotsByKey(section));
      if (found.length < (document[section] as Raw[]).length) this.unsure.add(section);
      this.#refuseFormer(section, found);
      this.#follow(section, found);
      append(matches, found);
    }
    if (document.production !== undefined) this.#mergeProduction(source, document.production);
    for (const match of matches) {
      const { section } = match.place;
      const slot = match.slot ?? this.add(section);
      const former = match.slot === undefined ? undefined : keyOf(section, slot.item);
      slot.given.push(match.place);
      if (section === "schedule") checkTimes(match.place, slot.before);
      if (this.options.is_new) {
        slot.item = itemAt(match.place);
        keepParsed(slot.item);
      } else slot.item = merge(slot, match.place, this.options);
      this.#know(section, former, slot);
    }
  }

  /** Reports a thing that would be added under a name that an earlier document took from a stored one: it is hardly another thing. */
  #refuseFormer(section: SectionName, matches: readonly Match[]): void {
    for (const { place, slot, key } of matches) {
      const former = slot === undefined ? this.#former.get(section)?.get(key) : undefined;
      if (former === undefined || former.file === place.source.file) continue;
      report(place, `names "${cut(key)}", which ${former.file} of the same update renames to "${former.now}"`);
    }
  }

  /** A thing that is not stored. One that comes back has its former id. */
  add(section: SectionName, id?: number): Slot {
    const slot: Slot = { stored: undefined, id, before: undefined, item: {}, given: [], gone: false, order: undefined };
    this.slots(section).push(slot);
    return slot;
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

  /** Gives renamed things their new names, and everything that refers to them too. */
  #follow(section: SectionName, matches: readonly Match[]): void {
    const named: { slot: Slot; naming: Raw }[] = [];
    const taken = new Map<string, string>();
    for (const { place, slot } of matches) {
      const given = itemAt(place);
      if (slot === undefined || given.was === undefined) continue;
      const naming: Raw = namingOf(section, slot.item);
      // A reference that was generated because two things share a label is removed with the label.
      if (slot.stored?.row.stored_ref === null && (given.label ?? given.title) !== undefined) delete naming.ref;
      for (const field of namingFields(section))
        if (given[field] !== undefined && given[field] !== null) naming[field] = given[field];
      named.push({ slot, naming });
      const former = keyOf(section, slot.item) as string;
      if (keyOf(section, naming) === former) taken.set(formerName(section, given, new Map()), former); // in an earlier update
    }
    const { file } = matches[0]?.place.source ?? { file: "" };
    const all = this.#former.get(section) ?? new Map();
    for (const [former, now] of [...taken, ...this.rename(section, named)]) all.set(former, { file, now });
    this.#former.set(section, all);
  }

  /** Gives things other names, and everything that refers to them too. Returns the new names by the former ones. */
  rename(section: SectionName, things: readonly { slot: Slot; naming: Raw }[]): ReadonlyMap<string, string> {
    const { noun } = sections[section];
    const names = new Map<string, string>();
    if (things.length > 0) this.#forget();
    for (const { slot, naming } of things) {
      const former = keyOf(section, slot.item); // what comes back has none yet
      const fields = namingFields(section, slot.item);
      const rest = Object.entries(slot.item).filter(([field]) => !fields.includes(field));
      slot.item = { ...Object.fromEntries(rest), ...naming };
      const now = keyOf(section, slot.item) as string;
      if (former !== undefined && now !== former) names.set(former, now);
    }
    if (section === "episodes") this.#renameEpisodes(names);
    else if (noun !== undefined && names.size > 0) this.#rename({ noun, names });
    return names;
  }

  /** A scene of an episodic production is named by its episode, so it is renamed with the episode. */
  #renameEpisodes(names: ReadonlyMap<string, string>): void {
    if (names.size === 0) return;
    const scenes = new Map<string, string>();
    for (const { item } of this.slots("scenes")) {
      const { number, episode } = item as { number: string; episode?: string };
      const now = episode === undefined ? undefined : names.get(episode);
      if (now !== undefined) scenes.set(sceneName(number, episode), sceneName(number, now));
    }
    this.#rename({ noun: "episode", names });
    this.#rename({ noun: "scene", names: scenes });
  }

  #renamed(section: SectionName, raw: Raw, renames: Renames): Raw {
    return renamed(raw, itemFormOf(section), renames) as Raw;
  }

  #rename(renames: Renames): void {
    this.#renames.push(renames);
    const { production } = this;
    production.before = renamed(production.before, productionForm, renames) as Raw;
    production.item = renamed(production.item, productionForm, renames) as Raw;
    for (const [section, slots] of this.#slots)
      for (const slot of slots) {
        slot.item = this.#renamed(section, slot.item, renames);
        if (slot.before !== undefined) slot.before = this.#renamed(section, slot.before, renames);
      }
  }
}
