// Builds shoot days from the rows of a schedule, and collects what its strips say about single scenes.

import { listed } from "../spelling.ts";
import { type BoardItem, splitDays } from "./board.ts";
import { dateReader } from "./dates.ts";
import { type PrintedDayBreak, timeOfDay } from "./day_breaks.ts";
import type { Findings } from "./findings.ts";
import type { ListBuilding } from "./list.ts";
import { type PaperDocument, said } from "./partial.ts";
import { ScriptScenes } from "./scenes.ts";
import type { scheduleColumns } from "./schedule.ts";
import { type Strip, sceneParts } from "./schedule_scenes.ts";
import { clean } from "./sheets.ts";
import { ShootDays } from "./shoot_days.ts";

type Schedule = ListBuilding<typeof scheduleColumns, PrintedDayBreak>;
type Item = BoardItem<Strip, PrintedDayBreak>;

/** "COMPANY MOVE", "LUNCH": words, where a scene has a number. */
function isBanner(text: string): boolean {
  const words = text.replace(/\b(?:parts?|scenes?|thru|and)\b/gi, " ");
  return !/\d/.test(words) || /\p{L}{4}/u.test(words);
}

/** The text of a row without a scene as a banner; undefined if it is a sum or the foot of a page. */
function bannerText(texts: readonly string[]): string | undefined {
  const text = clean(texts.join(" "));
  return text === "" || /^(?:(?:grand |sub-?)?totals?\b|page \d|printed\b)/i.test(text) ? undefined : text;
}

/** Where banners stand: before the strip that follows them on their day, otherwise after the last one. */
class Banners {
  #waiting: { text: string; day: unknown }[] = [];
  #last: { strip: Strip; day: unknown } | undefined;

  add(text: string | undefined, { day, date }: Strip["values"]): void {
    if (text !== undefined) this.#waiting.push({ text, day: day ?? date });
  }

  before(values: Strip["values"]): string[] {
    const own = values.day ?? values.date;
    const isEnded = (day: unknown) => day !== undefined && day === this.#last?.day && day !== own;
    const texts: string[] = [];
    for (const { text, day } of this.#waiting)
      (isEnded(day) ? (this.#last as { strip: Strip }).strip.after : texts).push(text);
    this.#waiting = [];
    return texts;
  }

  stripRead(strip: Strip): void {
    this.#last = { strip, day: strip.values.day ?? strip.values.date };
  }

  endDay(): void {
    if (this.#last === undefined) return; // they wait for the first strip of the day
    for (const { text } of this.#waiting) this.#last.strip.after.push(text);
    this.#waiting = [];
    this.#last = undefined;
  }
}

/** The strips and the day breaks, in the order of the file. Scenes that are not in the script are problems. */
function itemsOf({ entries, options, findings }: Schedule): Item[] {
  const script = new ScriptScenes(options);
  const banners = new Banners();
  const stripOf = (entry: Pick<Strip, "line" | "values" | "scenes" | "broken">): Item[] => {
    const strip = { ...entry, before: banners.before(entry.values), after: [] };
    banners.stripRead(strip);
    return [{ strip }];
  };
  const items = entries.flatMap(({ line, values, banner, broken, rest }): Item[] => {
    if (banner !== undefined) {
      banners.endDay();
      return [{ dayBreak: banner }];
    }
    const { scenes: cell, episode, day, date, pages, cast, ...others } = values;
    const isStrip = pages !== undefined || cast !== undefined;
    if (cell === undefined) {
      if (isStrip) findings.warn("this row has no scene number and was ignored", { line });
      const isDay = Object.keys(others).length > 0 || rest.length === 0;
      if (!isStrip && !isDay) banners.add(bannerText(rest), values);
      return (day === undefined && date === undefined) || !isDay ? [] : stripOf({ line, values, scenes: [], broken });
    }
    const { scenes, unknown } = script.read(cell, episode, { line });
    if (unknown.length > 0 && isBanner(cell) && !isStrip) {
      banners.add(bannerText([cell, ...rest]), values);
      return [];
    }
    for (const message of unknown) findings.problem(message, { line });
    return stripOf({ line, values, scenes, broken });
  });
  banners.endDay();
  return items;
}

const stripsOf = (items: readonly Item[]): Strip[] => items.flatMap((item) => ("strip" in item ? [item.strip] : []));
const breaksOf = (items: readonly Item[]): PrintedDayBreak[] =>
  items.flatMap((item) => ("dayBreak" in item ? [item.dayBreak] : []));

function warnOfLoose(strips: readonly Strip[], findings: Findings): void {
  const [first] = strips;
  const count = strips.reduce((sum, { scenes }) => sum + scenes.length, 0);
  if (first !== undefined && count > 0)
    findings.warn(`${count === 1 ? "a scene is" : `${count} scenes are`} here, but on no shoot day`, {
      line: first.line,
    });
}

/** What the day breaks say about their days. Their dates are read together, as those of a column are. */
function applyBreaks(
  breaks: readonly (readonly [day: number, dayBreak: PrintedDayBreak])[],
  days: ShootDays,
  schedule: Schedule,
): void {
  const read = dateReader(
    breaks.flatMap(([, { date }]) => date ?? []),
    schedule.options.dates,
  );
  for (const [day, { line, date, general_call, location }] of breaks) {
    if (general_call !== undefined) days.say(day, { general_call: timeOfDay(general_call) }, line);
    if (location !== undefined) days.tell(day, { location });
    const reading = date === undefined ? undefined : read(date);
    if (reading === undefined) days.say(day, {}, line);
    else if ("date" in reading) days.say(day, { date: reading.date }, line);
    else {
      days.excuse(day);
      schedule.findings.problem(reading.problem, { line });
    }
  }
}

function addStrip(day: number, { line, values, scenes, broken, before, after }: Strip, days: ShootDays): void {
  if (broken) days.excuse(day);
  const { date, general_call, status, wrap, location, notes, calls, banners } = values;
  days.say(day, said({ date, general_call, status, wrap }), line);
  days.tell(day, { location, notes, calls, banners });
  const first = scenes[0]?.reference;
  days.tell(day, { banners: before.map((text) => (first === undefined ? { text } : { before: first, text })) });
  days.shoot(day, scenes);
  days.tell(day, { banners: after.map((text) => ({ text })) });
}

function addByBreaks(items: readonly Item[], days: ShootDays, schedule: Schedule): void {
  const board = splitDays(items);
  for (const { begun, ended } of board.disagreeing)
    schedule.findings.problem(`day ${begun.number} begins on line ${begun.line}, and day ${ended.number} ends here`, {
      line: ended.line,
    });
  applyBreaks(
    board.days.flatMap(({ number, breaks }) => breaks.map((each) => [number, each] as const)),
    days,
    schedule,
  );
  for (const { number, strips } of board.days) for (const strip of strips) addStrip(number, strip, days);
  warnOfLoose(board.loose, schedule.findings);
}

/**
 * A value for each strip. Merged cells leave theirs in their first row alone, so that an empty cell takes it from above, which
 * is a warning; where rows repeat their values, an empty cell is empty.
 */
function filledDown<V>(
  strips: readonly Strip[],
  findings: Findings,
  read: (strip: Strip) => V | undefined,
): (V | undefined)[] {
  const own = strips.map(read);
  const repeats = own.some((value, at) => value !== undefined && at > 0 && value === own[at - 1]);
  if (repeats) return own;
  let above: V | undefined;
  const filled = own.map((value) => {
    above = value ?? above;
    return above;
  });
  const first = own.findIndex((value, at) => value === undefined && filled[at] !== undefined);
  if (first >= 0)
    findings.warn("from this row on, rows without a day were put on the day of the row above them", {
      line: strips[first]?.line ?? 0,
    });
  return filled;
}

function addByColumn(
  items: readonly Item[],
  numbers: readonly (number | undefined)[],
  days: ShootDays,
  schedule: Schedule,
): void {
  const loose: Strip[] = [];
  for (const [at, strip] of stripsOf(items).entries()) {
    const day = numbers[at];
    if (day === undefined) loose.push(strip);
    else addStrip(day, strip, days);
  }
  const breaks = breaksOf(items).flatMap((each) => (each.number === undefined ? [] : [[each.number, each] as const]));
  applyBreaks(breaks, days, schedule);
  warnOfLoose(loose, schedule.findings);
}

/** Where the file has dates alone: the numbers that the production's days have on those dates, or 1, 2, 3 where it has none. */
function numbersByDate(strips: readonly Strip[], { options, findings }: Schedule): (number | undefined)[] {
  const known = new Map(options.known.shoot_days.toReversed().map(({ date, day_number }) => [date, day_number]));
  const numbers = new Map(known);
  return filledDown(strips, findings, ({ values }) => values.date).map((date, at) => {
    if (date === undefined) return undefined;
    if (!numbers.has(date)) {
      numbers.set(date, numbers.size + 1);
      if (known.size > 0)
        findings.problem(`${date} is not a shoot day of the production; add a column Day`, {
          line: strips[at]?.line ?? 0,
        });
    }
    return numbers.get(date);
  });
}

function addDays(items: readonly Item[], days: ShootDays, schedule: Schedule): void {
  const strips = stripsOf(items);
  if (strips.some(({ values }) => values.day !== undefined))
    addByColumn(
      items,
      filledDown(strips, schedule.findings, ({ values }) => values.day),
      days,
      schedule,
    );
  else if (breaksOf(items).length > 0) addByBreaks(items, days, schedule);
  else if (strips.some(({ values }) => values.date !== undefined))
    addByColumn(items, numbersByDate(strips, schedule), days, schedule);
  else if (strips.length > 0)
    schedule.findings.problem(
      `the file does not say when scenes are shot: it has no day breaks and no column ${listed(["Day", "Date"], "or")}`,
    );
}

export function buildSchedule(schedule: Schedule): PaperDocument {
  const days = new ShootDays(schedule.options.known, schedule.findings);
  const items = itemsOf(schedule);
  addDays(items, days, schedule);
  const scenes = sceneParts(stripsOf(items), schedule.options, schedule.findings);
  return { ...(scenes.length === 0 ? {} : { scenes }), schedule: days.document() };
}
