// The keys of the things that have no names and that no two share, such as the number of a shoot day within its unit:
// they are matched like names.
import { dayForm, dayOfKey } from "../../../graph/units.ts";
import type { Raw } from "../sections/form.ts";
import { type SectionName, sections, unitDayOf } from "../sections/sections.ts";

/** The field with the key; the unit of a day may be absent. */
export const keyField = (section: SectionName): string => sections[section].key?.at(-1) ?? "";

/** What makes two keys of a section one; undefined where a thing has none. */
export function keyForm(section: SectionName, item: Raw): string | undefined {
  const value = item[keyField(section)] ?? undefined;
  // a date or a name
  return value === undefined || section !== "schedule" ? (value as string | undefined) : dayForm(unitDayOf(item));
}

/** What `was` says that a thing was called, in the same form. */
export function formerKey(section: SectionName, was: string): string {
  const day = section === "schedule" ? dayOfKey(was) : undefined;
  return day === undefined ? was : dayForm(day);
}
