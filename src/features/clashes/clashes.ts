// Says what does not fit together on a shoot day: a short turnaround, characters and scenes on two days, and no location.
import type { NodeId } from "../../core/ids.ts";
import { day, minute } from "../../core/times.ts";
import { listed } from "../../core/wording.ts";

export interface Character {
  id: string | number;
  label: string;
}

/** What is known of a shoot day. Times are texts such as 08:00; other texts are unknown times. */
export interface DaySheet {
  day_number: number;
  date: string;
  general_call?: string | null | undefined;
  wrap?: string | null | undefined;
  location?: string | null | undefined;
  /** `node_id` is that of a character where ids tell them apart. */
  calls?: readonly { who: string; time: string; node_id?: NodeId }[] | null | undefined;
  /** Those that are not omitted, with the characters who are in them. */
  scenes: readonly { name: string; characters: readonly Character[] }[];
}

/** A wrap concerns the calls of so many dates after it: the setting has at most 48 hours, and a wrap may be after midnight. */
export const earlierDates = 3;
/** How many days of these dates are compared with a day, itself included. */
export const maxNearDays = 50;

const minutesOfDay = 1440;

/** A date, some days later. */
export const shifted = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString().slice(0, 10);

/** The minutes of a time of a date since 1970; undefined if the text is no time. */
function minutesAt(date: string, time: string | null | undefined): number | undefined {
  const [matched, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time ?? "") ?? [];
  if (matched === undefined) return undefined;
  return Date.parse(`${date}T00:00:00Z`) / minute + Number(hours) * 60 + Number(minutes);
}

/** The first call of each character of a day, by its id or by its name. */
const firstCalls = new WeakMap<DaySheet, ReadonlyMap<string | number, string>>();

function callsOf(day: DaySheet): ReadonlyMap<string | number, string> {
  const known = firstCalls.get(day);
  if (known !== undefined) return known;
  const calls = new Map<string | number, string>();
  for (const { who, time, node_id } of day.calls ?? []) {
    const former = calls.get(node_id ?? who);
    if (former === undefined || time < former) calls.set(node_id ?? who, time);
  }
  firstCalls.set(day, calls);
  return calls;
}

/** The first call of a character. */
function callOf(day: DaySheet, { id, label }: Character): string | null | undefined {
  const [named, own] = [callsOf(day).get(label), typeof id === "number" ? callsOf(day).get(id) : undefined];
  return (named === undefined || (own !== undefined && own < named) ? own : named) ?? day.general_call;
}

/** When the work of a character begins and ends, as far as it is known. A wrap before the call is after midnight. */
function spanOf(day: DaySheet, character: Character) {
  const from = minutesAt(day.date, callOf(day, character));
  const wrap = minutesAt(day.date, day.wrap);
  const call = from ?? minutesAt(day.date, day.general_call) ?? Number.NEGATIVE_INFINITY;
  return { from, to: wrap === undefined || wrap > call ? wrap : wrap + minutesOfDay };
}

const charactersOf = ({ scenes }: DaySheet): ReadonlyMap<string | number, Character> =>
  new Map(scenes.flatMap(({ characters }) => characters.map((character) => [character.id, character] as const)));

const are = (names: readonly string[]): string => `${listed(names)} ${names.length === 1 ? "is" : "are"}`;
const hoursText = (minutes: number): string => `${Math.round(minutes / 6) / 10} h`;

/** A sentence about the characters whom both days need, for each text that `say` returns; none for whom it returns undefined. */
function sharedBy(day: DaySheet, other: DaySheet, say: (character: Character) => string | undefined): string[] {
  const theirs = charactersOf(other);
  const both = [...charactersOf(day).values()].filter(({ id }) => theirs.has(id));
  return [...Map.groupBy(both, say)].flatMap(([sentence, who]) =>
    sentence === undefined ? [] : [`${are(who.map(({ label }) => label))} ${sentence}`],
  );
}

/** The characters who are called too early after an earlier day. */
const shortTurnarounds = (day: DaySheet, other: DaySheet, turnaround: number): string[] =>
  sharedBy(day, other, (character) => {
    const [from, to] = [spanOf(day, character).from, spanOf(other, character).to];
    if (from === undefined || to === undefined || from - to >= turnaround * 60) return undefined;
    const rest = from < to ? "before" : `${hoursText(from - to)} after`;
    const wrap = `the wrap of day ${other.day_number} at ${other.wrap}`;
    return `called at ${callOf(day, character)}, ${rest} ${wrap}; the turnaround is ${turnaround} h`;
  });

/** The characters whom another day of the date needs at the same time, or at a time that is unknown. */
const doubleCalls = (day: DaySheet, other: DaySheet): string[] =>
  sharedBy(day, other, (character) => {
    const [one, two] = [spanOf(day, character), spanOf(other, character)];
    const isApart =
      (one.to !== undefined && two.from !== undefined && one.to <= two.from) ||
      (two.to !== undefined && one.from !== undefined && two.to <= one.from);
    return isApart ? undefined : `also on day ${other.day_number} at the same time`;
  });

/** What does not fit together for the cast of a day. `others` may be any other days. */
export const castClashes = (day: DaySheet, others: readonly DaySheet[], turnaround: number): string[] =>
  others.flatMap((other) => {
    if (other.date > day.date) return [];
    return other.date === day.date ? doubleCalls(day, other) : shortTurnarounds(day, other, turnaround);
  });

/** The scenes that are on another day too. */
export function sharedScenes(day: DaySheet, others: readonly DaySheet[]): string[] {
  const places = new Map(day.scenes.map(({ name }, at) => [name, at]));
  const placeOf = (name: string): number => places.get(name) ?? 0;
  return others.flatMap((other) => {
    const shared = other.scenes.map(({ name }) => name).filter((name) => places.has(name));
    const names = shared.toSorted((a, b) => placeOf(a) - placeOf(b));
    const noun = names.length === 1 ? "scene" : "scenes";
    return names.length === 0 ? [] : [`${noun} ${are(names)} also on day ${other.day_number}`];
  });
}

export const noLocation = "no location is given";
