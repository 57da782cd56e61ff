// Says what does not fit together on a shoot day: a short turnaround, characters and scenes on two days, and no
// location.
import type { NodeId } from "../../core/ids.ts";
import { hour } from "../../core/times.ts";
import { listed } from "../../core/wording.ts";
import type { Zone } from "../../core/zones.ts";
import { type DayHours, personalMinutes, personalMoment, wrapMoment } from "../../graph/day_hours.ts";
import { areOtherParts } from "../../graph/scene_parts.ts";
import { dayText, type UnitDay, unitKey } from "../../graph/units.ts";

export interface Character {
  id: string | number;
  label: string;
  /** What sentences call it in place of its label. */
  renamed?: string | undefined;
}

/** What is known of a shoot day. */
export interface DaySheet extends DayHours, UnitDay {
  location?: string | null | undefined;
  /** `node_id` is that of a character where ids tell them apart. */
  calls?: readonly { who: string; time: string; node_id?: NodeId }[] | null | undefined;
  /** Those that are not omitted, with the characters who are in them. */
  scenes: readonly { name: string; part?: string | null; characters: readonly Character[] }[];
}

/**
 * A wrap concerns the calls of so many dates after it: the setting has at most 48 hours, a wrap may be after midnight,
 * and the days may be in zones that are a date apart.
 */
export const earlierDates = 4;
/** How many days of these dates are compared with a day, itself included. */
export const maxNearDays = 50;

/** Whether a time of a day is before another one. What is no time is after each. */
const isEarlier = (day: DaySheet, one: string, other: string): boolean =>
  (personalMinutes(day, one) ?? Number.POSITIVE_INFINITY) < (personalMinutes(day, other) ?? Number.POSITIVE_INFINITY);

/** The first call of each character of a day, by its id or by its name. */
const firstCalls = new WeakMap<DaySheet, ReadonlyMap<string | number, string>>();

function callsOf(day: DaySheet): ReadonlyMap<string | number, string> {
  const known = firstCalls.get(day);
  if (known !== undefined) return known;
  const calls = new Map<string | number, string>();
  for (const { who, time, node_id } of day.calls ?? []) {
    const former = calls.get(node_id ?? who);
    if (former === undefined || isEarlier(day, time, former)) calls.set(node_id ?? who, time);
  }
  firstCalls.set(day, calls);
  return calls;
}

/** The first call of a character. */
function callOf(day: DaySheet, { id, label }: Character): string | null | undefined {
  const [named, own] = [callsOf(day).get(label), typeof id === "number" ? callsOf(day).get(id) : undefined];
  return (named === undefined || (own !== undefined && isEarlier(day, own, named)) ? own : named) ?? day.general_call;
}

/** When the work of a character begins and ends, as far as it is known. */
function spanOf(day: DaySheet, character: Character, zone: Zone) {
  const call = callOf(day, character);
  return { from: personalMoment(day, call, zone), to: wrapMoment(day, zone, call) };
}

const charactersOf = ({ scenes }: DaySheet): ReadonlyMap<string | number, Character> =>
  new Map(scenes.flatMap(({ characters }) => characters.map((character) => [character.id, character] as const)));

const are = (names: readonly string[]): string => `${listed(names)} ${names.length === 1 ? "is" : "are"}`;
const hoursText = (milliseconds: number): string => `${Math.round((milliseconds / hour) * 10) / 10} h`;

/**
 * A sentence about the characters whom both days need, for each text that `say` returns; none for whom it returns
 * undefined.
 */
function sharedBy(day: DaySheet, other: DaySheet, say: (character: Character) => string | undefined): string[] {
  const theirs = charactersOf(other);
  const both = [...charactersOf(day).values()].filter(({ id }) => theirs.has(id));
  return [...Map.groupBy(both, say)].flatMap(([sentence, who]) =>
    sentence === undefined ? [] : [`${are(who.map(({ label, renamed = label }) => renamed))} ${sentence}`],
  );
}

/** The characters who are called too early after an earlier day. */
const shortTurnarounds = (day: DaySheet, other: DaySheet, turnaround: number, zone: Zone): string[] =>
  sharedBy(day, other, (character) => {
    const [from, to] = [spanOf(day, character, zone).from, spanOf(other, character, zone).to];
    if (from === undefined || to === undefined || from - to >= turnaround * hour) return undefined;
    // then both are at the same time, or the other one is later
    if (day.date === other.date && from < to) return undefined;
    const rest = from < to ? "before" : `${hoursText(from - to)} after`;
    const wrap = `the wrap of ${dayText(other)} at ${other.wrap}`;
    return `called at ${callOf(day, character)}, ${rest} ${wrap}; the turnaround is ${turnaround} h`;
  });

/** The characters whom another day of the date needs at the same time, or at a time that is unknown. */
const doubleCalls = (day: DaySheet, other: DaySheet, zone: Zone): string[] =>
  sharedBy(day, other, (character) => {
    const [one, two] = [spanOf(day, character, zone), spanOf(other, character, zone)];
    const isApart =
      (one.to !== undefined && two.from !== undefined && one.to <= two.from) ||
      (two.to !== undefined && one.from !== undefined && two.to <= one.from);
    return isApart ? undefined : `also on ${dayText(other)} at the same time`;
  });

/**
 * What does not fit together for the cast of a day. `others` may be any other days; `zone` is the production's. On one
 * date, a rest is that between days of two units.
 */
export const castClashes = (
  day: DaySheet,
  others: readonly DaySheet[],
  turnaround: number,
  zone: Zone = null,
): string[] =>
  others.flatMap((other) => {
    if (other.date > day.date) return [];
    if (other.date < day.date) return shortTurnarounds(day, other, turnaround, zone);
    const isOfUnit = unitKey(other.unit) === unitKey(day.unit);
    return [...doubleCalls(day, other, zone), ...(isOfUnit ? [] : shortTurnarounds(day, other, turnaround, zone))];
  });

/** The scenes that are on another day too, but for those of which that day has another part. */
export function sharedScenes(day: DaySheet, others: readonly DaySheet[]): string[] {
  const places = new Map(day.scenes.map(({ name }, at) => [name, at]));
  const placeOf = (name: string): number => places.get(name) ?? 0;
  return others.flatMap((other) => {
    const shared = other.scenes.flatMap(({ name, part }) =>
      places.has(name) && !areOtherParts(day.scenes[placeOf(name)]?.part, part) ? name : [],
    );
    const names = shared.toSorted((a, b) => placeOf(a) - placeOf(b));
    const noun = names.length === 1 ? "scene" : "scenes";
    return names.length === 0 ? [] : [`${noun} ${are(names)} also on ${dayText(other)}`];
  });
}

export const noLocation = "no location is given";
