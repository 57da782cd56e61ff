// The draft of an update: the stored things of a production, and what each becomes after the documents are merged one after the
// other. Writes nothing.
import type { Stored } from "../nouns/stored.ts";
import { itemFormOf, productionForm, type Raw, type Renames, renamed } from "../sections/form.ts";
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
  givenAt,
  type Match,
  type MergeOptions,
  matchSection,
  renamedBefore,
  report,
  type Slot,
  type Source,
  slotsByKey,
} from "./matching.ts";
import { keptCreation, merge, restore } from "./merge.ts";

export class Draft {
  readonly stored: Stored;
  readonly production: { before: Raw; item: Raw; given: Source[] };
  readonly options: MergeOptions;
  /** The sections that may have things whose names could not be read. */
  readonly unsure = new Set<SectionName>();
  readonly #slots = new Map<SectionName, Slot[]>();
  readonly #renames: Renames[] = [];
  readonly #touched = new Map<SectionName, Source>();
  /** The names that documents took from stored things, by section: each with the file and the new name. */
  readonly #former = new Map<SectionName, Map<string, { file: string; now: string }>>();

  constructor(stored: Stored, options: MergeOptions) {
    this.stored = stored;
    this.options = options;
    const before = stored.production;
    this.production = { before, item: before, given: [] };
  }

  /** The sections that documents contain. */
  get touched(): readonly SectionName[] {
    return sectionNames.filter((name) => this.#touched.has(name));
  }

  /** The last document that contains a section. */
  sourceOf(section: SectionName): Source {
    return this.#touched.get(section) as Source; // callers ask for touched sections
  }

  /** Whether anything of a noun has another name than before, or will be gone. */
  renames(noun: Noun): boolean {
    return this.#renames.some((renames) => renames.noun === noun);
  }

  /** The things of a section, stored ones first. */
  slots(section: SectionName): Slot[] {
    let slots = this.#slots.get(section);
    if (slots === undefined) {
      slots = this.stored.items(section).map((stored): Slot => {
        const raw = this.#renames.reduce((raw, renames) => this.#renamed(section, raw, renames), stored.raw);
        return { stored, before: raw, item: raw, given: [], gone: false, order: stored.order };
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
          .map(({ item, stored }) => [keyOf(section, item) as string, stored?.id]),
      );
    const renames = this.#renames.filter((one) => one.noun === noun);
    const ids = this.stored.ids(noun);
    if (renames.length === 0) return ids;
    const nameNow = (name: string) => renames.reduce((now, { names }) => names.get(now) ?? now, name);
    return new Map([...ids].map(([name, id]) => [nameNow(name), id]));
  }

  /** Merges a document: matches its things, follows its renames and sets its fields. Problems are added to the document. */
  take(source: Source): void {
    const { document } = source;
    const given = sectionNames.filter((name) => document[name] !== undefined);
    for (const name of sectionNames) if (source.problems.has(name)) this.unsure.add(name);
    const matches: Match[] = [];
    for (const section of given) {
      this.#touched.set(section, source);
      const found = this.#match(source, section);
      if (found.length < (document[section] as Raw[]).length) this.unsure.add(section);
      this.#refuseFormer(section, found);
      this.#follow(section, found);
      matches.push(...found);
    }
    if (document.production !== undefined) this.#mergeProduction(source, document.production);
    for (const match of matches) {
      const { section } = match.place;
      const slot = match.slot ?? this.#add(section);
      slot.given.push(match.place);
      const restored = source.restored?.get(givenAt(match.place));
      if (this.options.is_new) slot.item = givenAt(match.place);
      else if (restored === undefined) slot.item = merge(slot, match.place, this.options);
      else restore(slot, match.place, restored, this.options);
    }
  }

  /** Reports a thing that would be added under a name that an earlier document took from a stored one: it is hardly another thing. */
  #refuseFormer(section: SectionName, matches: readonly Match[]): void {
    for (const { place, slot, key } of matches) {
      const former = slot === undefined ? this.#former.get(section)?.get(key) : undefined;
      if (former === undefined || former.file === place.source.file) continue;
      report(place, `names "${key}", which ${former.file} of the same update renames to "${former.now}"`);
    }
  }

  #match(source: Source, section: SectionName): Match[] {
    const slots = this.slots(section);
    if (source.restored === undefined) return matchSection(source, section, slots);
    const byId = new Map(slots.map((slot) => [slot.stored?.id, slot]));
    return (source.document[section] ?? []).map((item, at) => ({
      place: { source, section, at },
      slot: byId.get(source.restored?.get(item)?.id),
      key: String(keyOf(section, item)),
    }));
  }

  #add(section: SectionName): Slot {
    const slot: Slot = { stored: undefined, before: undefined, item: {}, given: [], gone: false, order: undefined };
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
        source.kept.add("the production", keptCreation);
    }
    production.item = next;
    production.given.push(source);
  }

  /** Gives renamed things their new names, and everything that refers to them too. */
  #follow(section: SectionName, matches: readonly Match[]): void {
    const { noun } = sections[section];
    const names = new Map<string, string>();
    const episodes = new Map<string, string>();
    const taken = new Map<string, string>();
    for (const { place, slot } of matches) {
      const given = givenAt(place);
      if (slot === undefined || given.was === undefined) continue;
      const former = keyOf(section, slot.item) as string;
      const next = { ...slot.item };
      // A reference that was generated because two things share a label is removed with the label.
      if (slot.stored?.row.ref === null && given.label !== undefined) delete next.ref;
      if (slot.stored?.row.ref === null && given.title !== undefined) delete next.ref;
      for (const field of namingFields(section))
        if (given[field] !== undefined && given[field] !== null) next[field] = given[field];
        else if (given[field] === null && place.source.restored !== undefined) delete next[field];
      slot.item = next;
      const now = keyOf(section, next) as string;
      if (now !== former) (section === "episodes" ? episodes : names).set(former, now);
      else taken.set(formerName(section, given, new Map()), now); // in an earlier update
    }
    const { file } = matches[0]?.place.source ?? { file: "" };
    const all = this.#former.get(section) ?? new Map();
    for (const [former, now] of [...taken, ...names, ...episodes]) all.set(former, { file, now });
    this.#former.set(section, all);
    if (episodes.size > 0) this.#renameEpisodes(episodes);
    if (noun !== undefined && names.size > 0) this.#rename({ noun, names });
  }

  /** A scene of an episodic production is named by its episode, so it is renamed with the episode. */
  #renameEpisodes(names: ReadonlyMap<string, string>): void {
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

/** The fields that name things now, by their former names: what earlier documents of an update call them, if a later one renames them. */
type Done = Map<SectionName, Map<string, Raw>>;

/** A renamed episode renames its scenes. */
function addScenes(done: Done, names: readonly string[], [former, { code }]: [string, Raw]): [string, Raw][] {
  const begin = `${code}/`;
  return [...names, ...(done.get("scenes")?.keys() ?? [])]
    .filter((name) => name.startsWith(begin))
    .map((name) => {
      const number = name.slice(begin.length);
      return [sceneName(number, former), done.get("scenes")?.get(name) ?? { number, episode: code }];
    });
}

/** The renames of a document that were done before. */
function doneIn(
  { document, is_paperwork }: Source,
  slotsOf: (section: SectionName) => readonly Slot[],
  done: Done,
): Done {
  const found: Done = new Map();
  if (is_paperwork) return found;
  for (const section of sectionNames) {
    const items = document[section]?.filter(({ was }) => was !== undefined) ?? [];
    if (items.length === 0) continue;
    const given = new Map(items.map((item) => [keyOf(section, item), item]));
    const names = renamedBefore(section, items, slotsByKey(section, slotsOf(section)));
    found.set(section, new Map([...names].map(([now, former]) => [former, namingOf(section, given.get(now) as Raw)])));
  }
  const episodes = [...(found.get("episodes") ?? [])];
  if (episodes.length > 0) {
    const names = [...slotsByKey("scenes", slotsOf("scenes")).keys()];
    const scenes = episodes.flatMap((episode) => addScenes(done, names, episode));
    found.set("scenes", new Map([...scenes, ...(found.get("scenes") ?? [])]));
  }
  return found;
}

/** A document in which things have the names that later documents gave them. */
function followed({ production, ...lists }: Source["document"], done: Done): Source["document"] {
  const renames = [...done].flatMap(([section, things]): Renames[] => {
    const { noun } = sections[section];
    const names = new Map([...things].map(([former, naming]) => [former, keyOf(section, naming) as string]));
    return noun === undefined ? [] : [{ noun, names }];
  });
  const document: Source["document"] = { ...lists };
  if (production !== undefined)
    document.production = renames.reduce((raw, one) => renamed(raw, productionForm, one) as Raw, production);
  for (const section of sectionNames) {
    const items = lists[section];
    if (items === undefined) continue;
    document[section] = items.map((item) => {
      const next = renames.reduce((raw, one) => renamed(raw, itemFormOf(section), one) as Raw, item);
      const naming = done.get(section)?.get(keyOf(section, item) ?? "");
      if (naming === undefined) return next;
      const { ref: _, ...rest } = next;
      return { ...rest, ...naming };
    });
  }
  return document;
}

/** The documents of an update, each with the names that the later ones gave to things in an earlier import. */
export function withNamesOfLater(
  sources: readonly Source[],
  slotsOf: (section: SectionName) => readonly Slot[],
): readonly Source[] {
  const done: Done = new Map();
  const again = sources.toReversed().map((source) => {
    const next = done.size === 0 ? source : { ...source, document: followed(source.document, done) };
    for (const [section, names] of doneIn(next, slotsOf, done)) {
      const all = done.get(section) ?? new Map<string, Raw>();
      for (const [former, naming] of names) all.set(former, naming);
      done.set(section, all);
    }
    return next;
  });
  return again.toReversed();
}
