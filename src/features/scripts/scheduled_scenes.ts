// What approved changes mean for the shoot days: a new part of a scene that is on one, and an omitted scene that still is.

import { listed } from "../../core/spelling.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Raw } from "../documents/sections/form.ts";
import { textsIn } from "../names/sluglines.ts";

/** A scene that is omitted, or a new part of another one; `was` is the name of that scene on the schedule. */
export interface DayChange {
  kind: "leaves" | "part";
  name: string;
  was: string;
}

const questionOf = ({ name, was }: DayChange, days: readonly Raw[]): string => {
  const on = `day ${listed(days.map(({ day_number }) => String(day_number)))}`;
  return `scene ${name} is on no shoot day, and scene ${was} is on ${on}; \`follow\` with the decision puts it after ${was}`;
};

/**
 * The shoot days as a document lists them with what follows, or what is asked about the new parts. Every update warns of a scene that it omits
 * and that is still on a day.
 */
export function scheduleAfter(
  stored: StoredProduction,
  changes: readonly DayChange[],
  { follows, nameNow }: { follows: boolean; nameNow: (was: string) => string },
): { schedule: Raw[]; questions: string[] } {
  if (changes.length === 0) return { schedule: [], questions: [] };
  const days = stored.items("schedule").map(({ raw }) => raw);
  const daysOf = new Map<string, Raw[]>();
  for (const day of days) for (const name of textsIn(day.scenes)) daysOf.set(name, [...(daysOf.get(name) ?? []), day]);
  const found = changes.filter(({ was }) => daysOf.has(was));
  const parts = found.filter(({ kind }) => kind === "part");
  if (!follows) return { schedule: [], questions: parts.map((one) => questionOf(one, daysOf.get(one.was) ?? [])) };
  const leaving = new Set(found.flatMap(({ kind, was }) => (kind === "leaves" ? [was] : [])));
  const partsOf = Map.groupBy(parts, ({ was }) => was);
  const concerned = new Set(found.flatMap(({ was }) => daysOf.get(was) ?? []));
  const schedule = [...concerned].map(({ day_number, scenes }) => ({
    day_number,
    scenes: textsIn(scenes).flatMap((name) => [
      ...(leaving.has(name) ? [] : [nameNow(name)]),
      ...(partsOf.get(name) ?? []).map((part) => part.name),
    ]),
  }));
  return { schedule, questions: [] };
}
