// The departments of a stored production, and those that --map gives for categories of tags.
import type { StoredProduction } from "../documents/stored.ts";
import type { Pairs } from "./header_maps.ts";

/** The slugs of the departments of a production. */
export const departmentsOf = (stored: StoredProduction): string[] =>
  stored.items("departments").map(({ raw }) => String(raw.slug));

/** The categories whose department does not exist, in sentences. */
export function departmentProblems(stored: StoredProduction, departments: Pairs): string[] {
  const known = new Set(departmentsOf(stored));
  return Object.entries(departments).flatMap(([category, slug]) =>
    known.has(slug) ? [] : [`--map gives ${category} to the department ${slug}, which does not exist`],
  );
}
