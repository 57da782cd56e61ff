// Breaks scripts down for a stored production, with its departments and assets and the departments that --map gives for categories.

import type { StoredProduction } from "../documents/nouns/stored.ts";
import { slugOf } from "../names/names.ts";
import { type CategoryRules, categoryKey, defaultRules } from "../paperwork/categories.ts";
import { departmentsOf } from "../paperwork/departments.ts";
import type { Pairs } from "../paperwork/header_maps.ts";
import type { KnownThing } from "../paperwork/partial.ts";
import type { BreakdownOptions } from "./breakdown.ts";

/** The rules of a breakdown with the departments that are given for categories: {"Props": "property"}. */
function rulesOf(departments: Pairs): CategoryRules {
  const rules: Record<string, CategoryRules[string]> = { ...defaultRules };
  for (const [category, department] of Object.entries(departments)) {
    const key = categoryKey(category);
    rules[key] = { kind: rules[key]?.kind ?? (slugOf(category, "-") || "asset"), department };
  }
  return rules;
}

/** The options of a breakdown of a script of a stored production. */
export function breakdownOptions(
  stored: StoredProduction,
  departments: Pairs,
  episode: string | undefined,
): BreakdownOptions {
  const known = stored.items("assets").map(({ raw }): KnownThing => ({ ...raw, label: String(raw.label) }));
  const rules = rulesOf(departments);
  return { departments: departmentsOf(stored), known, rules, ...(episode !== undefined && { episode }) };
}
