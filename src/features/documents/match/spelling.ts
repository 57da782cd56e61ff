// Gives the names in a document the spelling that is known: two forms of one name are one name, in case, spaces or the composition of accents.
import { sameName } from "../../../core/wording.ts";
import { itemFormOf, type PartialDocument, type Raw, respelled } from "../sections/form.ts";
import { type Noun, nameOf, namings, sceneName, sectionNames, sections } from "../sections/sections.ts";

/** The names of a noun that are known before a document. */
export interface KnownNames {
  has(name: string): boolean;
  /** Those that are the same name in another form. */
  alike(name: string): readonly string[];
}

/** The names of a noun within a document: those that are known, and those that the document adds. */
class Spellings {
  readonly #known: KnownNames;
  readonly #removed = new Set<string>();
  readonly #added = new Set<string>();
  readonly #addedByForm = new Map<string, string>();

  constructor(known: KnownNames) {
    this.#known = known;
  }

  add(name: string): void {
    this.#added.add(name);
    this.#addedByForm.set(sameName(name), name);
  }

  /** Removes a known name. */
  remove(name: string): void {
    this.#removed.add(name);
  }

  /** The spelling of a name; undefined if none is known, or several and none of them as it is written. */
  find(name: string): string | undefined {
    if (this.#added.has(name) || (this.#known.has(name) && !this.#removed.has(name))) return name;
    const added = this.#addedByForm.get(sameName(name));
    if (added !== undefined) return added;
    const alike = this.#known.alike(name).filter((one) => !this.#removed.has(one));
    return alike.length === 1 ? alike[0] : undefined;
  }
}

/** A thing with another name: of a scene, with another number. */
function withName(noun: Noun, item: Raw, name: string): Raw {
  if (noun === "scene") {
    const { episode } = item;
    return { ...item, number: typeof episode === "string" ? name.slice(episode.length + 1) : name };
  }
  const field = "refs" in namings[noun] && typeof item.ref === "string" ? "ref" : namings[noun].field;
  return { ...item, [field]: name };
}

/** What `nameOf` returns for a thing of a list, which is an object there also if it is only a name. */
const nameIn = (noun: Noun, item: Raw): string | undefined => nameOf(noun, noun === "vendor" ? item.name : item);

/** The things of a section with known names; names that are new are added to the known ones. */
function itemsWithKnownNames(noun: Noun, items: readonly Raw[], known: Spellings): Raw[] {
  const renaming = items.map((item) => {
    const name = nameIn(noun, item);
    if (typeof item.was !== "string" || name === undefined) return item;
    const episode = noun === "scene" && typeof item.episode === "string" ? item.episode : undefined;
    const was = known.find(item.was) ?? known.find(sceneName(item.was, episode));
    const isRespelling = was !== undefined && sameName(was) === sameName(name);
    const now = isRespelling ? name : (known.find(name) ?? name);
    return { ...(now === name ? item : withName(noun, item, now)), ...(was !== undefined && { was }) };
  });
  for (const { was } of renaming) if (typeof was === "string") known.remove(was);
  for (const item of renaming) {
    const name = nameIn(noun, item);
    if (typeof item.was === "string" && name !== undefined) known.add(name);
  }
  // A script may have a scene 1A and a scene 1a: where a document has both, neither is the other.
  const own = new Set(noun === "scene" ? renaming.map((item) => nameIn(noun, item)) : []);
  return renaming.map((item) => {
    const name = nameIn(noun, item);
    if (name === undefined || typeof item.was === "string") return item;
    const found = known.find(name);
    const now = found !== undefined && found !== name && own.has(found) ? undefined : found;
    if (now === undefined) known.add(name);
    return now === undefined || now === name ? item : withName(noun, item, now);
  });
}

/** The document with known spellings. `namesOf` returns the known names of a noun. */
export function withKnownSpelling(document: PartialDocument, namesOf: (noun: Noun) => KnownNames): PartialDocument {
  const spellings = new Map<Noun, Spellings>();
  const of = (noun: Noun): Spellings => {
    const known = spellings.get(noun) ?? new Spellings(namesOf(noun));
    spellings.set(noun, known);
    return known;
  };
  const spell = (name: string, nouns: readonly Noun[]): string => {
    // Where a text may name several kinds of things, people read it: it does not become the slug of a department.
    const spelled = nouns.length === 1 ? nouns : nouns.filter((noun) => noun !== "department");
    const found = spelled.flatMap((noun) => of(noun).find(name) ?? []);
    return found.includes(name) ? name : (found[0] ?? name);
  };
  const next: PartialDocument = { ...document };
  // Episodes come first: the name of a scene has that of its episode.
  for (const section of sectionNames) {
    const { noun } = sections[section];
    const items = next[section];
    if (noun === undefined || items === undefined) continue;
    const placed =
      noun === "scene" ? items.map((item) => episodeSpelled(item, (name) => spell(name, ["episode"]))) : items;
    next[section] = itemsWithKnownNames(noun, placed, of(noun));
  }
  for (const section of sectionNames)
    if (next[section] !== undefined)
      next[section] = next[section].map((item) => respelled(item, itemFormOf(section), spell));
  if (next.production !== undefined) next.production = respelled(next.production, itemFormOf("production"), spell);
  return next;
}

const episodeSpelled = (item: Raw, spell: (name: string) => string): Raw =>
  typeof item.episode === "string" ? { ...item, episode: spell(item.episode) } : item;
