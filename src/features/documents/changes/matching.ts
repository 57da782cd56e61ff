// Finds for each thing of a document the thing that it means: by name, by the value of its key, or by the values of
// several fields.
import { cut } from "../../../core/wording.ts";
import type { Source } from "../read/sources.ts";
import { canonical, layoutOf, type Raw } from "../sections/form.ts";
import {
  isKeyed,
  kindOf,
  namingFields,
  namings,
  type SectionName,
  sceneName,
  sectionNames,
  sections,
} from "../sections/sections.ts";
import { Claims, matchedValues } from "./claims.ts";
import { formerKey, keyField, keyForm } from "./keys.ts";
import type { NamesOfNoun } from "./names.ts";
import { resolvedThing, spellUnits } from "./resolving.ts";
import type { Place, Update } from "./update.ts";

/** The id of the thing that each item of a section means; undefined for one that could not be matched. */
export type Matches = Map<SectionName, (number | undefined)[]>;

/** What a document calls a thing, as far as it can be read. */
interface Named {
  item: Raw;
  place: Place;
  name: string | undefined;
  /** The former name that `was` gives, as it is known. */
  was: string | undefined;
}

/**
 * The former name that `was` gives: a whole name, or of a scene its number within the episode that the document gives.
 */
function formerName(names: NamesOfNoun, section: SectionName, { was, episode }: Raw): string {
  const former = sections[section].noun === undefined ? formerKey(section, String(was)) : String(was);
  const whole = names.spelled(former);
  if (whole !== undefined || section !== "scenes" || typeof episode !== "string" || former.includes("/"))
    return whole ?? former;
  const inEpisode = sceneName(former, episode);
  return names.spelled(inEpisode) ?? inEpisode;
}

/** The fields that say what a thing is called, that of its own name first. */
const callingFields = (section: SectionName, item: Raw): readonly string[] =>
  sections[section].noun === undefined ? [keyField(section)] : namingFields(section, item);

/** What a thing is called, if the fields that say it could be read. Reports the one that is missing. */
function nameAt(update: Update, item: Raw, place: Place): string | undefined {
  const { source, section, at } = place;
  const { problems } = source;
  const fields = callingFields(section, item);
  if (fields.some((field) => problems.has(`${section}[${at}].${field}`))) return undefined;
  const name = update.names.nameIn(section, item) ?? keyForm(section, item);
  if (name === undefined && !problems.has(`${section}[${at}]`)) update.report(place, "is required", `.${fields[0]}`);
  return name;
}

/** A known thing keeps the spelling of its name. */
function respell(section: SectionName, item: Raw, name: string): void {
  if (section === "scenes")
    item.number = typeof item.episode === "string" ? name.slice(name.lastIndexOf("/") + 1) : name;
  else if (typeof item.ref === "string") item.ref = name;
  else item[namingFields(section)[0] as string] = name; // every noun has a field
}

/**
 * The new names of renames that were done before: the first of a chain, whose former name nothing has, and those that
 * follow it. A ring of renames, such as a swap, has no first one.
 */
function renamedBefore(renames: readonly Named[], isKnown: (name: string) => boolean): Set<string> {
  const stored = renames.flatMap(({ was, name }) =>
    was !== undefined && name !== undefined && isKnown(name) ? [{ was, name }] : [],
  );
  const following = Map.groupBy(stored, ({ was }) => was);
  const done = new Set(stored.filter(({ was }) => !isKnown(was)).map(({ name }) => name));
  for (const name of done) for (const next of following.get(name) ?? []) done.add(next.name); // visited too
  return done;
}

/** Matches the things of a section by their names, or by the keys that no two of them share. */
class SectionMatching {
  readonly #update: Update;
  readonly #section: SectionName;
  readonly #names: NamesOfNoun;
  readonly #hasRefs: boolean;
  readonly #seen = new Map<number | string, number>();
  isRenaming = false;

  constructor(update: Update, section: SectionName) {
    [this.#update, this.#section, this.#names] = [update, section, update.names.in(section)];
    const { noun } = sections[section];
    this.#hasRefs = noun !== undefined && "refs" in namings[noun];
  }

  match(source: Source, given: readonly Raw[]): (number | undefined)[] {
    const names = this.#names;
    const all = given.map((item, at): Named => {
      const place = { source, section: this.#section, at };
      const name = nameAt(this.#update, item, place);
      return { item, place, name, was: item.was === undefined ? undefined : formerName(names, this.#section, item) };
    });
    const renames = all.filter(({ was, name }) => was !== undefined && was !== name);
    const isKnown = (one: string) => names.idOf(one) !== undefined;
    const done = source.is_paperwork || renames.length === 0 ? new Set<string>() : renamedBefore(renames, isKnown);
    const moving = renames.filter(
      ({ name, was }) => name !== undefined && !done.has(name) && names.idOf(was ?? "") !== undefined,
    );
    const moved = new Map(moving.map((one) => [one, names.idOf(one.was ?? "")]));
    // A name that paperwork takes from a thing is free for another one of the same document.
    const stays = source.is_paperwork || moving.length === 0 ? [] : all.filter((one) => !moved.has(one));
    const kept = new Map(stays.map((one) => [one, names.find(one.name ?? "")]));
    for (const id of moved.values()) if (id !== undefined) names.leave(id);
    this.isRenaming = moving.length > 0;
    // A script may have a scene 1A and a scene 1a: where a document has both, neither is the other.
    const own = new Set(this.#section === "scenes" ? all.map(({ name }) => name) : []);
    return all.map((one) => {
      const known = moved.get(one) ?? (this.isRenaming && one.was === undefined ? kept.get(one) : undefined);
      return this.#matchOne(one, known, own);
    });
  }

  #matchOne(
    { item, place, name, was }: Named,
    known: number | undefined,
    own: ReadonlySet<string | undefined>,
  ): number | undefined {
    const [names, update, section] = [this.#names, this.#update, this.#section];
    if (name === undefined) return undefined;
    const found = names.spelled(name);
    const spelled = found !== undefined && found !== name && own.has(found) ? undefined : found;
    const isMoved = known !== undefined && was !== undefined;
    if (known === undefined && was !== undefined && spelled === undefined && was !== name) {
      update.report(place, `names no stored ${kindOf(section)}: "${cut(String(item.was))}"`, ".was");
      return undefined;
    }
    const isTaken = isMoved
      ? spelled !== undefined
      : known === undefined && spelled === undefined && section !== "scenes" && names.alike(name).length > 0;
    const called = () => cut(update.names.keyOf(section, item) ?? name);
    if (isTaken) {
      const field = this.#hasRefs ? "ref" : callingFields(section, item)[0];
      update.report(place, `must be different: there is already a ${kindOf(section)} "${called()}"`, `.${field}`);
    }
    const id = known ?? (spelled === undefined ? undefined : names.idOf(spelled)) ?? update.add(section).id;
    if (spelled !== undefined && spelled !== name && !isMoved) respell(section, item, spelled);
    const before = this.#seen.get(id);
    if (before !== undefined) {
      const hint = this.#hasRefs ? "; `ref` tells two things of one name apart" : "";
      update.report(place, `is the same thing as ${section}[${before}]: "${called()}"${hint}`);
      return undefined;
    }
    this.#seen.set(id, place.at);
    if (spelled === undefined || isMoved) names.set(id, name);
    return id;
  }
}

/** Matches the things of the sections whose things have names. What is new has its name from then on. */
export function matchNamed(update: Update, source: Source): Matches {
  const matches: Matches = new Map();
  for (const section of sectionNames) {
    if (source.problems.has(section)) update.unsure.add(section);
    const given = source.document[section];
    if (given === undefined) continue;
    update.touched.set(section, source);
    const { noun } = sections[section];
    if (noun === undefined) continue;
    const matching = new SectionMatching(update, section);
    const ids = matching.match(source, given);
    if (ids.includes(undefined)) update.unsure.add(section);
    matches.set(section, ids);
    if (matching.isRenaming && noun === "episode") update.names.renameScenes();
  }
  return matches;
}

/** The number of an order, which tells it apart from others of the same key. */
const numberOf = (section: SectionName, { number }: Raw): string | undefined =>
  section === "purchase_orders" && typeof number === "string" ? number : undefined;

/** Whether an item has what its key needs. Reports what is missing. */
function hasKey(update: Update, item: Raw, place: Place): boolean {
  const { source, section, at } = place;
  if (numberOf(section, item) !== undefined) return true;
  const missing = (sections[section].key ?? []).filter((field) => field !== "episode" && item[field] == null);
  for (const field of missing)
    if (!source.problems.has(`${section}[${at}].${field}`) && !source.problems.has(`${section}[${at}]`))
      update.report(place, "is required", `.${field}`);
  return missing.length === 0;
}

/**
 * Whether a thing has the key or the number of one that is given. An import may have many files: each looks only at
 * these. A former name can be that of any thing.
 */
function nearTo(section: SectionName, given: readonly Raw[]): (item: Raw) => boolean {
  if (given.some(({ was }) => was !== undefined)) return () => true;
  const { key = [] } = sections[section];
  const keys = new Set(given.map((item) => matchedValues(item, key)));
  const numbers = new Set(given.flatMap((item) => numberOf(section, item) ?? []));
  return (item) => keys.has(matchedValues(item, key)) || numbers.has(numberOf(section, item) ?? "");
}

/** Matches things whose key several may share: first those that say what is stored, then the others in their order. */
function matchByFields(
  update: Update,
  source: Source,
  section: SectionName,
  given: readonly Raw[],
): (number | undefined)[] {
  const { fields } = layoutOf(section);
  const { key = [] } = sections[section];
  const isNear = nearTo(section, given);
  const known = [...update.items(section, "all").values()].flatMap(({ id, next }) =>
    next !== undefined && isNear(next) ? [{ id, next }] : [],
  );
  const claims = new Claims(known.map(({ next }) => next));
  const numbers = new Map(known.map(({ next }, at) => [numberOf(section, next), at]));
  /** An item as it may be known, and by which fields. An order with a new number may be one that has none yet. */
  const asKnown = (item: Raw): [own: Raw, by: readonly string[]] => {
    const number = numberOf(section, item);
    if (number === undefined) return [item, key];
    return numbers.has(number) ? [item, ["number"]] : [{ ...item, number: null }, [...key, "number"]];
  };
  const claim = (item: Raw, more: readonly string[]): number | undefined => {
    const [own, by] = asKnown(item);
    return claims.claim(canonical(fields, own), [...by, ...more]);
  };
  const names = given.every(({ was }) => was === undefined)
    ? new Map<string | undefined, number[]>()
    : Map.groupBy(known.keys(), (at) => update.names.keyOf(section, known[at]?.next ?? {}));
  const former = given.map((item, at): number | undefined => {
    const place = { source, section, at };
    const found = item.was === undefined ? undefined : names.get(String(item.was))?.shift();
    const [own, by] = asKnown(item);
    if (item.was !== undefined && found === undefined && claims.count(own, by) === 0)
      update.report(place, `names no stored ${kindOf(section)}: "${cut(String(item.was))}"`, ".was");
    const number = numberOf(section, item);
    if (found !== undefined && number !== undefined && (numbers.get(number) ?? found) !== found)
      update.report(place, `must be different: there is already a ${kindOf(section)} "${number}"`, ".number");
    if (item.number === null && claims.count(item, key) > 1) {
      const called = update.names.keyOf(section, { ...item, number: undefined });
      const sentence = `cannot go: several things are "${called}", and only the number tells them apart`;
      update.report(place, sentence, ".number");
    }
    return found;
  });
  const keyed = given.map((item, at) => hasKey(update, item, { source, section, at }));
  for (const at of former) if (at !== undefined) claims.take(at);
  const said = (item: Raw) => fields.flatMap(({ name }) => (item[name] === undefined ? [] : [name]));
  const found = given.map((item, at) => (keyed[at] ? (former[at] ?? claim(item, said(item))) : undefined));
  return given.map((item, at) => {
    const stored = known[found[at] ?? (keyed[at] ? claim(item, []) : undefined) ?? -1];
    return keyed[at] ? (stored ?? update.add(section)).id : undefined;
  });
}

/**
 * Matches the things of the sections whose things have no names. They get ids in place of names first: these are in
 * their keys.
 */
export function matchOthers(update: Update, source: Source): Matches {
  const matches: Matches = new Map();
  for (const section of sectionNames) {
    const { noun } = sections[section];
    const given = source.document[section];
    if (noun !== undefined || given === undefined) continue;
    const resolved = given.map((item, at) => resolvedThing(update, source, section, item, `${section}[${at}]`));
    update.resolved.set(given, resolved);
    if (section === "schedule") spellUnits(update, resolved);
    const ids = isKeyed(section)
      ? new SectionMatching(update, section).match(source, resolved)
      : matchByFields(update, source, section, resolved);
    matches.set(section, ids);
  }
  return matches;
}
