// Breaks scripts down for a stored production, with its departments and assets and the departments that --map gives for categories.
import type { StoredProduction } from "../document/nouns/stored.ts";
import type { BreakdownOptions } from "../formats/breakdown.ts";
import { type CategoryRules, categoryKey, defaultRules } from "../formats/categories.ts";
import type { DraftScene } from "../formats/drafts.ts";
import type { KnownThing } from "../formats/partial.ts";
import type { Script, ScriptScene } from "../formats/script.ts";
import { slugOf } from "../spelling.ts";
import type { Pairs } from "./maps.ts";

/** The rules of a breakdown with the departments that are given for categories: {"Props": "property"}. */
function rulesOf(departments: Pairs): CategoryRules {
  const rules: Record<string, CategoryRules[string]> = { ...defaultRules };
  for (const [category, department] of Object.entries(departments)) {
    const key = categoryKey(category);
    rules[key] = { kind: rules[key]?.kind ?? (slugOf(category, "-") || "asset"), department };
  }
  return rules;
}

const departmentsOf = (stored: StoredProduction): string[] =>
  stored.items("departments").map(({ raw }) => String(raw.slug));

/** The categories whose department does not exist, in sentences. */
export function departmentProblems(stored: StoredProduction, departments: Pairs): string[] {
  const known = new Set(departmentsOf(stored));
  return Object.entries(departments).flatMap(([category, slug]) =>
    known.has(slug) ? [] : [`--map gives ${category} to the department ${slug}, which does not exist`],
  );
}

/** The options of a breakdown of a script of a stored production. */
export function breakdownOptions(
  stored: StoredProduction,
  departments: Pairs,
  episode: string | undefined,
): BreakdownOptions {
  const known = stored.items("assets").map(({ raw }) => raw as unknown as KnownThing); // as the schema has them
  const rules = rulesOf(departments);
  return { departments: departmentsOf(stored), known, rules, ...(episode !== undefined && { episode }) };
}

const scriptScene = (scene: DraftScene): ScriptScene => ({
  number: scene.number,
  line: 0,
  slugline: scene.slugline,
  synopsis: scene.synopsis,
  omitted: scene.omitted,
  paragraphs: [],
  characters: scene.cast.map((name) => ({ key: name.toUpperCase(), name })),
  eighths: scene.eighths,
  page: null,
  script_day: scene.script_day,
  tags: new Map(Object.entries(scene.tags)),
  revision: null,
});

/** Scenes of a kept draft as a script without text. */
export const scriptOf = (scenes: readonly DraftScene[]): Script => ({
  ...{ title: null, title_page: new Map(), revisions: [], problems: [], warnings: [] },
  scenes: scenes.map(scriptScene),
});
