// What approved changes mean for the shoot days: a new part of a scene that is on one, and an omitted scene that still
// is.
import { listed, withoutEnd } from "../../core/wording.ts";
import { daysText, type UnitDay } from "../../graph/units.ts";
import type { Raw } from "../documents/sections/form.ts";
import { namingOf, unitDayOf } from "../documents/sections/sections.ts";
import type { StoredProduction } from "../documents/stored.ts";
import { textsIn } from "../names/sluglines.ts";
import { listAt } from "../sequences/sequences.ts";
import { isOmitted, itemName, type ListedScene, nameOf } from "./approved_numbers.ts";
import { Likeness } from "./compare/likeness.ts";

/** The texts of scenes as they were approved before the decision, by node. */
export type FormerTexts = ReadonlyMap<number, string | null>;

/** Whether a new scene has text of a stored one. Their numbers prove nothing: 1B may be a new scene beside 1. */
function hasTextOf({ text = null }: ListedScene, former: string | null): boolean {
  return text !== null && former !== null && new Likeness([former], [text]).of(0, 0) >= partLikeness;
}
const partLikeness = 0.4;

/**
 * The stored scenes that become omitted, the new parts of stored scenes such as 2A of 2, by the name of that scene, the
 * other new scenes, and those that come back.
 */
function leavingAndParts(scenes: readonly ListedScene[], formerTexts: FormerTexts) {
  const byName = new Map(scenes.map((one) => [itemName(one.item), one]));
  const [leaving, partsOf] = [new Set<string>(), new Map<string, string[]>()];
  const [others, back]: [string[], string[]] = [[], []];
  for (const one of scenes) {
    const name = itemName(one.item);
    const whole = byName.get(withoutEnd(name, /[A-Z]/i))?.stored;
    if (one.stored === undefined) {
      if (isOmitted(one)) continue;
      if (whole !== undefined && hasTextOf(one, formerTexts.get(whole.id) ?? null))
        listAt(partsOf, nameOf(whole)).push(name);
      else others.push(name);
    } else {
      const was = one.stored.raw.status === "omitted";
      if (isOmitted(one) && !was) leaving.add(nameOf(one.stored));
      if (was && !isOmitted(one)) back.push(nameOf(one.stored));
    }
  }
  return { leaving, partsOf, others, back };
}

/** Says of scenes that they are on no shoot day. */
function onNoDay(names: readonly string[], what: string): string[] {
  if (names.length === 0) return [];
  const are = names.length === 1 ? `scene ${names[0]} is` : `scenes ${listed(names)} are`;
  return [`${are} ${what} and on no shoot day`];
}

/**
 * The shoot days as a document lists them with what follows, or what is asked about the new parts. Every update warns
 * of a scene that it omits and that is still on a day.
 */
export function scheduleAfter(
  stored: StoredProduction,
  scenes: readonly ListedScene[],
  { follows, formerTexts }: { follows: boolean; formerTexts: FormerTexts },
): { schedule: Raw[]; questions: string[] } {
  const { leaving, partsOf, others, back } = leavingAndParts(scenes, formerTexts);
  if (leaving.size + partsOf.size + others.length + back.length === 0) return { schedule: [], questions: [] };
  const days = stored.items("schedule").map(({ raw }) => ({ raw, scenes: textsIn(raw.scenes) }));
  const daysOf = new Map<string, UnitDay[]>();
  for (const { raw, scenes } of days) for (const name of new Set(scenes)) listAt(daysOf, name).push(unitDayOf(raw));
  const without = back.filter((name) => !daysOf.has(name));
  const unscheduled = days.length === 0 ? [] : [...onNoDay(others, "new"), ...onNoDay(without, "in the script again")];
  const questions = [...partsOf].flatMap(([was, parts]) => {
    const on = daysOf.get(was) ?? [];
    return parts.flatMap((name) =>
      on.length === 0
        ? []
        : `scene ${name} is on no shoot day, and scene ${was} is on ${daysText(on)}; to put it after ${was}, undo the decision and repeat it with \`follow\``,
    );
  });
  if (!follows) return { schedule: [], questions: [...questions, ...unscheduled] };
  const namesNow = new Map(scenes.flatMap(({ stored, item }) => (stored ? [[nameOf(stored), itemName(item)]] : [])));
  const concerned = days.filter(({ scenes }) => scenes.some((name) => leaving.has(name) || partsOf.has(name)));
  const schedule = concerned.map(({ raw, scenes }) => ({
    ...namingOf("schedule", raw),
    scenes: scenes.flatMap((name) => [
      ...(leaving.has(name) ? [] : [namesNow.get(name) ?? name]),
      ...(partsOf.get(name) ?? []),
    ]),
  }));
  return { schedule, questions: unscheduled };
}
