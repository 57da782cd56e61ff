// What earlier documents of an update call things that a later one renames, once that was done: the same files again mean the same things.
import { itemFormOf, productionForm, type Raw, type Renames, renamed } from "../sections/form.ts";
import { keyOf, namingOf, type SectionName, sceneName, sectionNames, sections } from "../sections/sections.ts";
import { renamedBefore, type Slot, type Source, slotsByKey } from "./matching.ts";

/** The fields that name things now, by their former names. */
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
