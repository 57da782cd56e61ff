// Builds shoot days from the rows of a schedule, and collects what its strips say about single scenes.
import { firstOf, listed } from "../../core/wording.ts";
import { dayForm, dayText, type UnitDay, unitKey } from "../../graph/units.ts";
import { effectIn } from "../names/heading_words.ts";
import { quoted } from "../names/names.ts";
import { eighthsSaid } from "../names/page_lengths.ts";
import { type BoardItem, splitDays } from "../paperwork/board_days.ts";
import { dateReader } from "../paperwork/dates.ts";
import { dayBreakOf, type PrintedDayBreak } from "../paperwork/day_breaks.ts";
import type { Findings } from "../paperwork/findings.ts";
import { GatheredScenes } from "../paperwork/gathered_scenes.ts";
import { elementsOfScenesIn, shootDaysIn } from "../paperwork/known_names.ts";
import { definedFields, type PaperDocument } from "../paperwork/partial.ts";
import { type SceneMention, ScriptScenes } from "../paperwork/scenes.ts";
import { ShootDays } from "../paperwork/shoot_days.ts";
import { append } from "../sequences/sequences.ts";
import { farDates } from "./cells.ts";
import { timeOrRefusal } from "./day_cells.ts";
import type { ListBuilding, Values } from "./list.ts";
import type { scheduleColumns } from "./schedule.ts";

interface Strip {
  line: number;
  values: Values<typeof scheduleColumns>;
  scenes: SceneMention[];
  /** What a row of text says. */
  text?: string;
  /** A cell of it could not be read. */
  broken: boolean;
}

type Schedule = ListBuilding<typeof scheduleColumns, PrintedDayBreak>;
type Item = BoardItem<Strip, PrintedDayBreak>;

/** "COMPANY MOVE", "LUNCH": words, where a scene has a number. */
function isBanner(text: string): boolean {
  const words = text.replace(/\b(?:parts?|scenes?|thru|and)\b/gi, " ");
  return !/\d/.test(words) || /\p{L}{4}/u.test(words);
}

/** Whether a banner has a word that no scene is called, such as LUNCH, or is a rule between strips. */
const isPlainBanner = (text: string): boolean => /\p{L}{4}/u.test(text) || /^[\s–—=*_~#-]*$/.test(text);

function warnOfBanner(cell: string, scenes: readonly SceneMention[], findings: Findings, line: number): void {
  const named = scenes.map(({ reference }) => reference);
  findings.warn(
    named.length === 0
      ? `${quoted(cell)} is not in the script and was read as a banner`
      : `${quoted(cell)} was read as a banner, although it names ${firstOf(named)}`,
    { line },
  );
}

/** The foot of a page, which says nothing of the schedule. */
const isFoot = (text: string): boolean => /^(?:page \d|printed\b)/i.test(text);

/** The text of a row without a scene as a banner; undefined if it is a sum or the foot of a page. */
function bannerText(texts: readonly string[], findings: Findings): string | undefined {
  const text = findings.clean(texts.join(" "));
  return text === "" || /^(?:grand |sub-?)?totals?\b/i.test(text) || isFoot(text) ? undefined : text;
}

type Row = Schedule["entries"][number];

/** Warns of what a row without a scene says of one. */
function nameOfScene(values: Row["values"], line: number, findings: Findings): void {
  const { part, episode, slugline, int_ext, set, time_of_day, synopsis, script_day } = values;
  const fields = { part, episode, slugline, int_ext, set, time_of_day, synopsis, script_day };
  const named = Object.keys(definedFields(fields)).map((name) => name.replaceAll("_", " "));
  if (named.length > 0)
    findings.warn(`this row has no scene: its ${listed(named)} ${named.length === 1 ? "was" : "were"} ignored`, {
      line,
    });
}

/**
 * What a row is: a strip, a row of text, or what a row without a scene says about its day. Undefined if it says
 * nothing.
 */
function stripOf({ line, values, broken, rest }: Row, script: ScriptScenes, findings: Findings): Strip | undefined {
  const { scenes: cell, part, episode, day, date, pages, cast, ...others } = values;
  const isStrip = (pages?.eighths ?? 0) > 0 || cast !== undefined;
  const textOf = (texts: readonly string[]): Strip | undefined => {
    const text = bannerText(texts, findings);
    return text === undefined ? undefined : { line, values, scenes: [], broken, text };
  };
  if (cell === undefined) {
    const saysMore = Object.keys(others).length > 0;
    nameOfScene(values, line, findings);
    const isOfDay = day !== undefined || date !== undefined;
    if (isStrip) findings.warn("this row has no scene number and was ignored", { line });
    else if (!saysMore && rest.length > 0) return textOf(rest);
    else if (isOfDay && !saysMore) findings.warn("this row has no scene; it says nothing but its day", { line });
    return isOfDay || (saysMore && !isStrip) ? { line, values, scenes: [], broken } : undefined;
  }
  const { scenes: named, unknown } = script.read(cell, episode, { line });
  const scenes = named.map((one) => (one.part === "" ? { ...one, part: part ?? "" } : one));
  if (unknown.length > 0 && isBanner(cell) && !isStrip) {
    if (scenes.length > 0 || rest.length > 0 || !isPlainBanner(cell)) warnOfBanner(cell, scenes, findings, line);
    return textOf([cell, ...rest]);
  }
  for (const message of unknown) findings.problem(message, { line });
  return { line, values, scenes, broken };
}

/** The strips and the day breaks, in the order of the file. Scenes that are not in the script are problems. */
function itemsOf({ entries, options, findings, took }: Schedule): Item[] {
  const script = new ScriptScenes(options, findings);
  const items: Item[] = [];
  // What stands above the beginning of a day, or above its first scene, belongs to that day.
  const held: Item[] = [];
  let isOpen = false;
  for (const row of entries) {
    const strip = row.banner === undefined ? stripOf(row, script, findings) : undefined;
    if (strip === undefined && isFoot(row.rest.join(" "))) took(row.line);
    if (row.banner?.edge === "end") append(items, held.splice(0));
    if (row.banner !== undefined) items.push({ dayBreak: row.banner });
    isOpen = row.banner === undefined && (isOpen || (strip !== undefined && strip.scenes.length > 0));
    if (strip === undefined) continue;
    if (strip.scenes.length > 0) took(row.line);
    held.push({ strip });
    if (isOpen) append(items, held.splice(0));
  }
  const last = items.findLastIndex((item) => "strip" in item);
  return [...items.slice(0, last + 1), ...held, ...items.slice(last + 1)];
}

const stripsOf = (items: readonly Item[]): Strip[] => items.flatMap((item) => ("strip" in item ? [item.strip] : []));
const breaksOf = (items: readonly Item[]): PrintedDayBreak[] =>
  items.flatMap((item) => ("dayBreak" in item ? [item.dayBreak] : []));

function warnOfUnplaced(strips: readonly Strip[], findings: Findings): void {
  const [first] = strips.filter(({ scenes }) => scenes.length > 0);
  for (const { line, scenes } of strips)
    if (scenes.length === 0) findings.warn("this row is on no shoot day and was ignored", { line });
  const count = strips.reduce((sum, { scenes }) => sum + scenes.length, 0);
  if (first !== undefined && count > 0)
    findings.warn(`${count === 1 ? "a scene is" : `${count} scenes are`} here, but on no shoot day`, {
      line: first.line,
    });
}

/** What the day breaks say about their days. Their dates are read together, as those of a column are. */
function applyBreaks(
  breaks: readonly (readonly [day: UnitDay, dayBreak: PrintedDayBreak])[],
  days: ShootDays,
  schedule: Schedule,
): void {
  const { options, findings } = schedule;
  const column = breaks.flatMap(([, { date }]) => date ?? []);
  const read = dateReader(column, options.dates);
  const look = farDates({ column, known: options.known }, read);
  for (const [day, { line, date, general_call, location, wrap }] of breaks) {
    for (const [field, text] of Object.entries(definedFields({ general_call, wrap }))) {
      const time = timeOrRefusal(text);
      if (typeof time === "string") days.setFields(day, { [field]: time }, line);
      else schedule.findings.problem(time.message, { line });
    }
    days.addFields(day, { location });
    const reading = date === undefined ? undefined : read(date);
    if (reading === undefined) days.setFields(day, {}, line);
    else if (typeof reading === "string") {
      look(reading, (sentence) => findings.warn(sentence, { line }));
      days.setFields(day, { date: reading }, line);
    } else {
      days.markDateUnreadable(day);
      schedule.findings.problem(reading.message, { line });
    }
  }
}

function addStrip(day: UnitDay, strip: Strip, days: ShootDays, { took }: Schedule): void {
  const { line, values, scenes, broken, text } = strip;
  took(line);
  if (broken) days.markDateUnreadable(day);
  const { date, general_call, status, wrap, time_zone, location, notes, calls, banners, lines, pages } = values;
  days.setFields(day, definedFields({ date, general_call, status, wrap, time_zone }), line);
  days.addFields(day, { location, notes, calls, banners, lines }, { line, scenes });
  if (text !== undefined) days.addText(day, text);
  days.addScenes(day, scenes, { line, eighths: eighthsSaid(pages) });
}

const breakText = ({ unit, number = 0 }: PrintedDayBreak): string => dayText({ unit, day_number: number });

function addByBreaks(items: readonly Item[], days: ShootDays, schedule: Schedule): void {
  const board = splitDays(items);
  for (const { start, end } of board.conflicting)
    schedule.findings.problem(`${breakText(start)} begins on line ${start.line}, and ${breakText(end)} ends here`, {
      line: end.line,
    });
  applyBreaks(
    board.days.flatMap(({ day, breaks }) => breaks.map((each) => [day, each] as const)),
    days,
    schedule,
  );
  for (const { day, strips } of board.days) for (const strip of strips) addStrip(day, strip, days, schedule);
  warnOfUnplaced(board.unplaced, schedule.findings);
}

/**
 * A value for each strip. Merged cells leave theirs in their first row alone, so that an empty cell takes it from
 * above, which is a warning; where rows repeat their values, an empty cell is empty.
 */
function fillDown<V>(
  strips: readonly Strip[],
  findings: Findings,
  read: (strip: Strip) => V | undefined,
): (V | undefined)[] {
  const values = strips.map(read);
  const repeats = values.some((value, at) => value !== undefined && at > 0 && value === values[at - 1]);
  if (repeats) return values;
  let above: V | undefined;
  const filled = values.map((value) => {
    above = value ?? above;
    return above;
  });
  const first = values.findIndex((value, at) => value === undefined && filled[at] !== undefined);
  if (first >= 0)
    findings.warn("from this row on, rows without a day were put on the day of the row above them", {
      line: strips[first]?.line ?? 0,
    });
  return filled;
}

/** `shot` are the strips that are no text, and `numbers` their days. */
function addByColumn(
  items: readonly Item[],
  shot: readonly Strip[],
  numbers: readonly (UnitDay | undefined)[],
  days: ShootDays,
  schedule: Schedule,
): void {
  const strips = stripsOf(items);
  const dayOf = new Map(shot.map((strip, at) => [strip, numbers[at]]));
  const placeOf = ({ values: { date, unit } }: Strip) => `${date} ${unit ?? ""}`;
  const byDate = new Map(shot.map((strip, at) => [placeOf(strip), numbers[at]]));
  // A row of text is on the day that it names, otherwise on that of the strip that follows it.
  let next = numbers.findLast((number) => number !== undefined);
  for (const strip of strips.toReversed()) {
    const { date } = strip.values;
    const day = dayOfStrip(strip, schedule);
    if (strip.text !== undefined) dayOf.set(strip, day ?? (date === undefined ? next : byDate.get(placeOf(strip))));
    else next = dayOf.get(strip) ?? next;
  }
  const unplaced: Strip[] = [];
  for (const strip of strips) {
    const day = dayOf.get(strip);
    if (day === undefined) unplaced.push(strip);
    else addStrip(day, strip, days, schedule);
  }
  const breaks = breaksOf(items).flatMap((each) =>
    each.number === undefined ? [] : [[{ unit: each.unit, day_number: each.number }, each] as const],
  );
  applyBreaks(breaks, days, schedule);
  warnOfUnplaced(unplaced, schedule.findings);
}

/**
 * Where the file has dates alone: the numbers that the production's days have on those dates, or 1, 2, 3 where it has
 * none.
 */
function numbersByDate(strips: readonly Strip[], { options, findings }: Schedule): (UnitDay | undefined)[] {
  const { byForm, onDate } = shootDaysIn(options.known.items("schedule"));
  const numbers = new Map<string, Map<string, UnitDay>>();
  return fillDown(strips, findings, ({ values }) => values.date).map((date, at) => {
    if (date === undefined) return undefined;
    const unit = strips[at]?.values.unit ?? "";
    const known = [...(onDate.get(date) ?? [])].find((day) => unitKey(day.unit) === unitKey(unit));
    if (known !== undefined) return known;
    const own = numbers.get(unitKey(unit)) ?? new Map<string, UnitDay>();
    numbers.set(unitKey(unit), own);
    const day = own.get(date) ?? { unit, day_number: own.size + 1 };
    if (!own.has(date) && byForm.size > 0)
      findings.problem(`${date} is not a shoot day of ${unit === "" ? "the production" : unit}; add a column Day`, {
        line: strips[at]?.line ?? 0,
      });
    own.set(date, day);
    return day;
  });
}

/** The day of a row; its unit stands in its own column or with the number. */
function dayOfStrip(
  { values: { day, unit }, line }: Strip,
  { findings }: Pick<Schedule, "findings">,
): UnitDay | undefined {
  if (day === undefined) return undefined;
  if (unit !== undefined && day.unit !== undefined && unitKey(unit) !== unitKey(day.unit))
    findings.problem(`the row has two units: ${unitName(unit)} and ${unitName(day.unit)}`, { line });
  return { unit: unit ?? day.unit ?? "", day_number: day.day_number };
}

const unitName = (unit: string): string => (unit === "" ? "the main unit" : quoted(unit));

/** The days of rows, also of those that leave out what the row above says. A unit alone is that of the day above. */
function filledDays(strips: readonly Strip[], schedule: Schedule): (UnitDay | undefined)[] {
  const days = new Map<string, UnitDay>();
  const filled = fillDown(strips, schedule.findings, (strip) => {
    const day = dayOfStrip(strip, schedule);
    if (day !== undefined) days.set(dayForm(day), day);
    return day && dayForm(day);
  });
  return filled.map((form, at) => {
    const [day, { day: own, unit } = {}] = [days.get(form ?? ""), strips[at]?.values];
    return day !== undefined && own === undefined && unit !== undefined ? { ...day, unit } : day;
  });
}

function addDays(items: readonly Item[], days: ShootDays, schedule: Schedule): void {
  const strips = stripsOf(items).filter(({ text }) => text === undefined);
  if (strips.some(({ values }) => values.day !== undefined))
    addByColumn(items, strips, filledDays(strips, schedule), days, schedule);
  else if (breaksOf(items).length > 0) addByBreaks(items, days, schedule);
  else if (strips.some(({ values }) => values.date !== undefined))
    addByColumn(items, strips, numbersByDate(strips, schedule), days, schedule);
  else if (strips.length > 0)
    schedule.findings.problem(
      `the file does not say when scenes are shot: it has no day breaks and no column ${listed(["Day", "Date"], "or")}`,
    );
}

/** Two letters: A/M may be a time of day. */
const isTwoLetters = (text: string): boolean => /^\p{L}\P{L}+\p{L}$/u.test(text);

/**
 * Inside or outside and the time of day, which may stand in one column: INT/JOUR. What a scene has already as such a
 * text is not parted; nor are two letters in the column of times.
 */
function effectsIn({ known }: Schedule["options"]) {
  const elements = [...elementsOfScenesIn(known.items("scenes")).values()];
  const stored = new Set(elements.flatMap(({ int_ext, time_of_day }) => [int_ext, time_of_day]));
  const parted = (text: string | undefined) => (text === undefined || stored.has(text) ? undefined : effectIn(text));
  return ({ int_ext, time_of_day }: Strip["values"]): { int_ext?: string; time_of_day?: string } => {
    if (int_ext !== undefined) return { int_ext, ...parted(int_ext), ...definedFields({ time_of_day }) };
    const effect = isTwoLetters(time_of_day ?? "") ? undefined : parted(time_of_day);
    return effect ?? definedFields({ time_of_day });
  };
}

/**
 * What strips say of their scenes. Of a strip with several scenes only the cast numbers count; a warning names what
 * else it says.
 */
export function gatheredOf(
  strips: Iterable<Omit<Strip, "broken">>,
  { options, findings }: Pick<Schedule, "options" | "findings">,
): GatheredScenes {
  const gathered = new GatheredScenes(options);
  const effectOf = effectsIn(options);
  for (const { scenes, values, line } of strips) {
    const { slugline, synopsis, set, script_day, pages, cast } = values;
    const { int_ext, time_of_day } = effectOf(values);
    findings.mention((cast?.numbers.length ?? 0) * scenes.length, { line });
    gathered.linkAssets(scenes, gathered.charactersOf(cast?.numbers ?? []));
    gathered.addLength(scenes, eighthsSaid(pages));
    const [first, another] = scenes;
    if (first === undefined) continue;
    const texts = { slugline, synopsis, int_ext, set, time_of_day, script_day };
    if (another === undefined) {
      const say = (sentence: string): void => findings.warn(sentence, { line });
      const given = gathered.castOf(first.reference, cast?.names ?? [], findings, say);
      gathered.add(first.reference, { texts, lists: [["cast", given.cast]] });
      continue;
    }
    const ignored = [
      ...Object.keys(definedFields(texts)).map((name) => name.replaceAll("_", " ")),
      ...gathered.namesOfNone(scenes, cast?.names ?? []).map(quoted),
    ];
    if (ignored.length > 0)
      findings.warn(
        `${firstOf(ignored)} ${ignored.length === 1 ? "was" : "were"} ignored: the row has several scenes`,
        {
          line,
        },
      );
  }
  return gathered;
}

/** The day break that stands above the headings, where no column has days: that of the first page. */
function breaksAbove({ above, has, took }: Schedule): Item[] {
  if (has("day") || has("date")) return [];
  return above.flatMap(({ cells, line }): Item[] => {
    const dayBreak = dayBreakOf(cells.filter((cell) => cell !== "").join(" "), line);
    if (dayBreak === undefined || dayBreak.edge === "end") return [];
    took(line);
    return [{ dayBreak }];
  });
}

export function buildSchedule(schedule: Schedule): PaperDocument {
  const { options, findings } = schedule;
  const days = new ShootDays(options, findings);
  const items = [...breaksAbove(schedule), ...itemsOf(schedule)];
  addDays(items, days, schedule);
  const scenes = gatheredOf(stripsOf(items), schedule).document(findings);
  return { ...(scenes.length === 0 ? {} : { scenes }), schedule: days.document() };
}
