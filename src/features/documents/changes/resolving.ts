// Puts ids in place of the names in what documents say. Reports what names nothing, and a list that names one thing twice.
import { cut } from "../../../core/wording.ts";
import type { Raw } from "../sections/form.ts";
import type { Noun } from "../sections/sections.ts";
import { type Kept, layoutOf, type Spec, sectionOfNoun } from "./layout.ts";
import { hashedMedium, type Update } from "./update.ts";

/** What names are resolved in: problems of `problems` are at places below `place`. */
interface Resolving {
  update: Update;
  report(field: string, sentence: string): void;
}

function idOf({ update, report }: Resolving, noun: Noun, name: string, at: string): number | null {
  const id = update.names.of(noun).find(name);
  if (id !== undefined) return id;
  // What could not be read may have this name.
  if (!isUnsure(update, noun)) report(at, `names no ${noun}: "${cut(name)}"`);
  return null;
}

const isUnsure = ({ unsure, production }: Update, noun: Noun): boolean =>
  unsure.has(sectionOfNoun[noun]) ||
  (noun === "scene" && (unsure.has("episodes") || production.next.format === undefined));

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
      resolving.report(
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
export const resolvedThing = (
  update: Update,
  section: Parameters<typeof layoutOf>[0],
  thing: Raw,
  report: Resolving["report"],
): Raw => resolveFields({ update, report }, layoutOf(section).fields, thing, "");
