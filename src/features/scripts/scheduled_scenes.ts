// What approved changes mean for the shoot days: a new part of a scene that is on one, and an omitted scene that still
// is.
import { withoutEnd } from "../../core/wording.ts";
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
 * The stored scenes that become omitted, the new parts of stored scenes such as 2A of 2, by the name of that scene, and
 * the new scenes that only have such a number.
 */
function leavingAndParts(scenes: readonly ListedScene[], formerTexts: FormerTexts) {
  const byName = new Map(scenes.map((one) => [itemName(one.item), one]));
  const [leaving, partsOf] = [new Set<string>(), new Map<string, string[]>()];
  const others: string[] = [];
  for (const one of scenes) {
    const name = itemName(one.item);
    const whole = byName.get(withoutEnd(name, /[A-Z]/i))?.stored;
    if (one.stored === undefined) {
      if (whole === undefined || isOmitted(one)) continue;
      if (hasTextOf(one, formerTexts.get(whole.id) ?? null)) listAt(partsOf, nameOf(whole)).push(name);
      else others.push(name);
    } else if (isOmitted(one) && one.stored.raw.status !== "omitted") leaving.add(nameOf(one.stored));
  }
  return { leaving, partsOf, others };
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
  const { leaving, partsOf, others } = leavingAndParts(scenes, formerTexts);
  const unscheduled = others.map((name) => `scene ${name} is new and on no shoot day`);
  if (leaving.size + partsOf.size === 0) return { schedule: [], questions: unscheduled };
  const days = stored.items("schedule").map(({ raw }) => ({ raw, scenes: textsIn(raw.scenes) }));
  const daysOf = new Map<string, UnitDay[]>();
  for (const { raw, scenes } of days) for (const name of new Set(scenes)) listAt(daysOf, name).push(unitDayOf(raw));
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
