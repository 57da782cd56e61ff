// What the `who` of a call means: an asset, a character by its performer, a person or a department, also where accents
// differ.
import { sameName, samePerson, withoutAccents } from "../../../core/wording.ts";
import { type Meant, meantOf } from "../../names/meant.ts";
import type { Noun, SectionName } from "../sections/sections.ts";
import { forUpdates, type Update } from "./update.ts";

export interface Called {
  /** What is named, as `{asset: 12}`; the text itself if nothing is. */
  value: unknown;
  /** What is said where nothing is named exactly so: which one was taken, or which ones it may be. */
  meant?: Meant<string>;
}

/** The fields besides names by which calls find things, each with where it is stored. */
const furtherNames = {
  assets: {
    field: "performer",
    sql: "SELECT id, performer AS text FROM nodes WHERE production_id = ? AND performer IS NOT NULL",
  },
  departments: { field: "name", sql: "SELECT id, name AS text FROM departments WHERE production_id = ?" },
} as const;

/** The names of things with the text of their further field: as documents give it, otherwise as it is stored. */
function furtherOf(update: Update, section: keyof typeof furtherNames, noun: Noun): Map<string, string> {
  const { field, sql } = furtherNames[section];
  const { rows } = update;
  const names = update.names.of(noun);
  const texts = new Map<string, string>();
  for (const { id, text } of rows.all<{ id: number; text: string }>(sql, rows.production_id)) {
    const name = names.nameOf(id);
    if (name !== undefined) texts.set(name, text);
  }
  for (const item of update.sources.flatMap(({ document }) => document[section satisfies SectionName] ?? [])) {
    const name = names.spelled(update.names.nameIn(section, item) ?? "");
    if (name !== undefined && typeof item[field] === "string") texts.set(name, item[field]);
    else if (name !== undefined && item[field] === null) texts.delete(name);
  }
  return texts;
}

const indexesOf = forUpdates((update) => {
  const performed = [...furtherOf(update, "assets", "asset")];
  const departments = [...furtherOf(update, "departments", "department")];
  return {
    byPerformer: Map.groupBy(performed, ([, performer]) => samePerson(performer)),
    unaccented: Map.groupBy(performed, ([, performer]) => withoutAccents(performer)),
    byDepartment: Map.groupBy(departments, ([, name]) => sameName(name)),
  };
});

/** What a text names of several nouns. */
export function calledBy(update: Update, nouns: readonly Noun[], text: string): Called {
  const { names } = update;
  const target = (noun: Noun, name: string): Called => ({ value: { [noun]: names.of(noun).find(name) } });
  const exact = nouns.find((noun) => names.of(noun).idOf(text) !== undefined);
  const noun = exact ?? nouns.find((one) => one !== "department" && names.of(one).find(text) !== undefined);
  if (noun !== undefined) return target(noun, text);
  const index = indexesOf(update);
  const [played, ...others] = index.byPerformer.get(samePerson(text)) ?? [];
  if (played !== undefined && others.length === 0) return target("asset", played[0]);
  const [department] = played === undefined ? (index.byDepartment.get(sameName(text)) ?? []) : [];
  if (department !== undefined) return target("department", department[0]);
  const characters = played === undefined ? index.unaccented.get(withoutAccents(text)) : [played, ...others];
  const assets = [
    ...(played === undefined ? names.of("asset").withoutAccents(text) : []),
    ...(characters ?? []).map(([name]) => name),
  ];
  const people = played === undefined ? names.of("person").withoutAccents(text) : [];
  const meant = meantOf(text, [...assets, ...people]);
  if (meant?.found === undefined) return { value: text, ...(meant && { meant }) };
  return { ...target(assets.includes(meant.found) ? "asset" : "person", meant.found), meant };
}
