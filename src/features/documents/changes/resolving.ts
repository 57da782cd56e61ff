// Puts ids in place of the names in what documents say. Reports what names nothing, and a list that names one thing
// twice.
import { cut } from "../../../core/wording.ts";
import { dayOfKey, unitKey } from "../../../graph/units.ts";
import { meantOf } from "../../names/meant.ts";
import type { Source } from "../read/sources.ts";
import { type Field, type Form, layoutOf, type Raw } from "../sections/form.ts";
import { thingAt } from "../sections/problems.ts";
import { type AnySection, type Noun, namings } from "../sections/sections.ts";
import { calledBy } from "./called.ts";
import { forUpdates, hashedMedium, type Update } from "./update.ts";

/** Where a thing stands whose names are resolved. */
interface Resolving {
  update: Update;
  source: Source;
  /** The place of the thing in its document. */
  place: string;
}

function idOf(resolving: Resolving, noun: Noun, name: string, at: string): number | null {
  const { update, source, place } = resolving;
  const id = update.names.of(noun).find(name);
  if (id !== undefined) return id;
  // What could not be read may have this name.
  if (isUnsure(update, noun)) {
    source.problems.leaveOut(place + at);
    return null;
  }
  const meant = meantOf(name, update.names.of(noun).withoutAccents(name));
  if (meant?.found === undefined) {
    source.problems.add(place + at, `names no ${noun}: ${meant?.sentence ?? `"${cut(name)}"`}`);
    return null;
  }
  sayRead(resolving, meant.sentence);
  return update.names.of(noun).find(meant.found) ?? null;
}

/** Whether a scene lacks its episode, which is a part of its name, or has one that it cannot have. */
const hasUnsureScenes = forUpdates((update) => {
  const isEpisodic = update.production.next.format === "episodic";
  const lacks = ({ episode }: Raw): boolean =>
    isEpisodic ? update.names.of("episode").find(String(episode)) === undefined : (episode ?? undefined) !== undefined;
  return update.sources.some(({ document }) => document.scenes?.some(lacks));
});

const isUnsure = (update: Update, noun: Noun): boolean =>
  update.unsure.has(namings[noun].list) || (noun === "scene" && hasUnsureScenes(update));

const reportIn = ({ source, place }: Resolving, at: string, sentence: string): void =>
  source.problems.add(place + at, sentence);

/** Says that a reference was read as a name that differs from it in accents. */
function sayRead({ source, place }: Resolving, sentence: string): void {
  source.kept.push({ thing: thingAt(source.document, place), sentence });
}

/** The texts of stored calls that name nothing. */
function storedTexts({ rows }: Update): Set<string> {
  const sql = "SELECT DISTINCT who FROM day_calls WHERE production_id = ? AND who IS NOT NULL";
  return new Set(rows.all<{ who: string }>(sql, rows.production_id).map(({ who }) => who));
}

/** What a text names of several nouns; the text itself if it names nothing. */
function target(resolving: Resolving, nouns: readonly Noun[], text: string, at: string): unknown {
  const { update, source, place } = resolving;
  const { value, meant } = calledBy(update, nouns, text);
  if (meant === undefined) return value;
  // A text that is stored so, or that a whole document has, stays.
  if (meant.found !== undefined || update.options.is_new || storedTexts(update).has(text))
    sayRead(resolving, meant.sentence);
  else source.problems.add(place + at, `names nobody: ${meant.sentence}`);
  return value;
}

function resolveList(resolving: Resolving, item: Form, list: readonly unknown[], at: string): unknown[] {
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

function resolveFields(resolving: Resolving, fields: readonly Field[], thing: Raw, at: string): Raw {
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
function resolve(resolving: Resolving, spec: Form, value: unknown, at: string): unknown {
  const { noun, nouns, item, fields, medium } = spec;
  if (value === undefined || value === null) return value;
  if (typeof value === "string") {
    if (noun !== undefined) return idOf(resolving, noun, value, at);
    return nouns === undefined ? value : target(resolving, nouns, value, at);
  }
  if (typeof value !== "object") return value;
  if (medium) return hashedMedium(value as Raw); // an object with the fields of a medium
  if (Array.isArray(value)) return item === undefined ? value : resolveList(resolving, item, value, at);
  // an object with these fields
  return fields === undefined ? value : resolveFields(resolving, fields, value as Raw, at);
}

/** A thing of a section as a document has it, with ids in place of names. */
export const resolvedThing = (update: Update, source: Source, section: AnySection, thing: Raw, place: string): Raw =>
  resolveFields({ update, source, place }, layoutOf(section).fields, thing, "");

/** The names of units by what makes two of them one, as they were first written. */
const unitsOf = forUpdates(({ rows }) => {
  const sql = "SELECT unit FROM shoot_days WHERE production_id = ? AND unit IS NOT NULL ORDER BY id DESC";
  return new Map(rows.all<{ unit: string }>(sql, rows.production_id).map(({ unit }) => [unitKey(unit), unit]));
});

/** Gives days the units as these were first written. With `was`, a day stays in its unit if the document says none. */
export function spellUnits(update: Update, days: readonly Raw[]): void {
  const units = unitsOf(update);
  for (const day of days) {
    const former = day.unit === undefined ? dayOfKey(String(day.was ?? "")) : undefined;
    const unit = former?.unit || day.unit;
    if (typeof unit !== "string" || unit === "") continue;
    const known = units.get(unitKey(unit)) ?? unit;
    units.set(unitKey(unit), known);
    day.unit = known;
  }
}
