// Puts ids in place of the names in what documents say. Reports what names nothing, and a list that names one thing twice.
import { cut } from "../../../core/wording.ts";
import type { Source } from "../match/matching.ts";
import type { Raw } from "../sections/form.ts";
import type { Noun } from "../sections/sections.ts";
import { type AnySection, type Kept, layoutOf, type Spec, sectionOfNoun } from "./layout.ts";
import { hashedMedium, type Update } from "./update.ts";

/** Where a thing stands whose names are resolved. */
interface Resolving {
  update: Update;
  source: Source;
  /** The place of the thing in its document. */
  place: string;
}

function idOf({ update, source, place }: Resolving, noun: Noun, name: string, at: string): number | null {
  const id = update.names.of(noun).find(name);
  if (id !== undefined) return id;
  // What could not be read may have this name.
  if (isUnsure(update, noun)) source.problems.leaveOut(place + at);
  else source.problems.add(place + at, `names no ${noun}: "${cut(name)}"`);
  return null;
}

const unsureScenes = new WeakMap<Update, boolean>();

/** Whether a scene lacks its episode, which is a part of its name, or has one that it cannot have. */
function hasUnsureScenes(update: Update): boolean {
  const known = unsureScenes.get(update);
  if (known !== undefined) return known;
  const isEpisodic = update.production.next.format === "episodic";
  const lacks = ({ episode }: Raw): boolean =>
    isEpisodic ? update.names.of("episode").find(String(episode)) === undefined : (episode ?? undefined) !== undefined;
  const found = update.sources.some(({ document }) => document.scenes?.some(lacks));
  unsureScenes.set(update, found);
  return found;
}

const isUnsure = (update: Update, noun: Noun): boolean =>
  update.unsure.has(sectionOfNoun[noun]) || (noun === "scene" && hasUnsureScenes(update));

const reportIn = ({ source, place }: Resolving, at: string, sentence: string): void =>
  source.problems.add(place + at, sentence);

/** What a text names of several nouns; the text itself if it names nothing. Slugs of departments are not guessed. */
function target({ update: { names } }: Resolving, nouns: readonly Noun[], text: string): unknown {
  const exact = nouns.find((noun) => names.of(noun).ids.has(text));
  const noun = exact ?? nouns.find((one) => one !== "department" && names.of(one).find(text) !== undefined);
  return noun === undefined ? text : { [noun]: names.of(noun).find(text) };
}

function resolveList(resolving: Resolving, item: Spec, list: readonly unknown[], at: string): unknown[] {
  const resolved = list.map((one, index) => resolve(resolving, item, one, `${at}[${index}]`));
  if (item.noun === undefined) return resolved;
  const first = new Map<unknown, number>();
  for (const [index, id] of resolved.entries()) {
    const before = first.get(id);
    if (before === undefined) first.set(id, index);
    else if (id !== null)
      reportIn(
        resolving,
        `${at}[${index}]`,
        `is the same as ${at.slice(at.lastIndexOf(".") + 1)}[${before}]: "${cut(String(list[before]))}"`,
      );
  }
  return resolved;
}

function resolveFields(resolving: Resolving, fields: readonly Kept[], thing: Raw, at: string): Raw {
  let own: Raw | undefined;
  for (const field of fields) {
    const value = thing[field.name];
    if (value === undefined || value === null) continue;
    const next = resolve(resolving, field, value, `${at}.${field.name}`);
    if (next === value) continue;
    own ??= { ...thing };
    own[field.name] = next;
  }
  return own ?? thing;
}

/** A value of a form with ids in place of names. */
function resolve(resolving: Resolving, spec: Spec, value: unknown, at: string): unknown {
  const { noun, nouns, item, fields, medium } = spec;
  if (value === undefined || value === null) return value;
  if (typeof value === "string") {
    if (noun !== undefined) return idOf(resolving, noun, value, at);
    return nouns === undefined ? value : target(resolving, nouns, value);
  }
  if (typeof value !== "object") return value;
  if (medium) return hashedMedium(value as Raw); // an object with the fields of a medium
  if (Array.isArray(value)) return item === undefined ? value : resolveList(resolving, item, value, at);
  return fields === undefined ? value : resolveFields(resolving, fields, value as Raw, at); // an object with these fields
}

/** A thing of a section as a document has it, with ids in place of names. */
export const resolvedThing = (update: Update, source: Source, section: AnySection, thing: Raw, place: string): Raw =>
  resolveFields({ update, source, place }, layoutOf(section).fields, thing, "");
