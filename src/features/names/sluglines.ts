// Reads numbers of scenes and headings, and numbers scenes.
import { withoutEnd } from "../../core/wording.ts";
import { firstWhere } from "../sequences/sequences.ts";
import {
  headingBeginning,
  interiorExterior,
  isDayAndNight,
  isPlainTime,
  isTimePhrase,
  isTimeWord,
  kindOfWord,
  withoutContinuation,
} from "./heading_words.ts";

/** A number in the form in which two of them are compared: "11 a" is 11A, "012" is 12. */
export const canonicalNumber = (number: string): string =>
  number
    .toUpperCase()
    .replace(/\s+|\.$/g, "")
    .replace(/(^|[^0-9])0+([0-9])/g, "$1$2");

export type SortKey = readonly [number: number, withPrefix: number, rest: string];

/** The order of scene numbers: A12 before 12, 12 before 12A, 12A before 13. */
export function sortKey(number: string): SortKey | undefined {
  const [, before = "", digits, after = ""] = /^([A-Z]*)(\d+)(.*)$/s.exec(canonicalNumber(number)) ?? [];
  return digits === undefined ? undefined : [Number(digits), before === "" ? 1 : 0, `${before}${after}`];
}

export function compareNumbers(one: string, other: string): number {
  return compareKeys(sortKey(one), sortKey(other));
}

export function compareKeys(left: SortKey | undefined, right: SortKey | undefined): number {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? 1 : -1;
  return left[0] - right[0] || left[1] - right[1] || (left[2] < right[2] ? -1 : left[2] > right[2] ? 1 : 0);
}

/** Finds the first of `scenes` with a greater number, in log n steps. */
export function firstAbove<T>(scenes: readonly T[], numberOf: (scene: T) => string): (number: string) => T | undefined {
  const heights: T[] = [];
  for (const scene of scenes) {
    const top = heights.at(-1);
    if (top === undefined || compareNumbers(numberOf(scene), numberOf(top)) > 0) heights.push(scene);
  }
  return (number) => heights[firstWhere(heights, (scene) => compareNumbers(numberOf(scene), number) > 0)];
}

/** A to Z without I and O, which read as 1 and 0 on a slate; then AA, AB, … */
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ";

function nextLetters(before: string): string {
  const last = before.at(-1);
  if (last === undefined) return "A";
  const next = letters[letters.indexOf(last) + 1];
  return next === undefined ? `${nextLetters(before.slice(0, -1))}A` : before.slice(0, -1) + next;
}

/** The first number after `stem` and its letters that is not taken: 12B after 12A, A1 before 1. */
function nextFree(taken: ReadonlySet<string>, after: string, join: (letters: string) => string): string {
  let suffix = nextLetters(after);
  while (taken.has(join(suffix).toUpperCase())) suffix = nextLetters(suffix);
  return join(suffix);
}

/**
 * The numbers of scenes in the order of the script. Scenes none of which is numbered get 1, 2, 3. A scene without a
 * number among numbered ones takes the number before it with the next free letter (12, then 12A and 12B); before the
 * first numbered scene the letter stands in front (A1, B1), as is the custom. `others` are numbers that are taken too.
 */
export function numberScenes(numbers: readonly (string | null)[], others: readonly string[] = []): string[] {
  const first = numbers.find((number) => number !== null);
  if (first === undefined || first === null) return numbers.map((_, at) => String(at + 1));
  const taken = new Set([...numbers, ...others].flatMap((number) => (number === null ? [] : number.toUpperCase())));
  let stem: string | undefined;
  let after = "";
  return numbers.map((number) => {
    if (number !== null) {
      [, stem, after] = /^(.*?\d)([A-Z]*)$/.exec(number.toUpperCase()) ?? ["", number, ""];
      return number;
    }
    const before = stem;
    const given =
      before === undefined
        ? nextFree(taken, after, (suffix) => `${suffix}${first}`)
        : nextFree(taken, after, (suffix) => `${before}${suffix}`);
    taken.add(given.toUpperCase());
    after = before === undefined ? given.slice(0, -first.length) : given.slice(before.length);
    return given;
  });
}

export interface Slugline {
  /** INT, EXT, INT/EXT or EST; null if the heading says none, as "REVERSE ON" does. */
  int_ext: string | null;
  set: string | null;
  time_of_day: string | null;
  /** From a closing parenthesis such as (D1) or (NIGHT 2). */
  script_day: string | null;
}

const openings: Readonly<Record<string, string>> = { ")": "(", "]": "[" };

/** A text without what stands in parentheses at its end, or in brackets. */
export function withoutClosing(text: string, closings: Readonly<Record<string, string>> = openings): string {
  let rest = text;
  for (;;) {
    const bare = rest.trimEnd();
    const [open, close] = [closings[bare.at(-1) ?? ""], bare.slice(-1)];
    if (open === undefined) return rest;
    const at = Math.max(bare.lastIndexOf(open), bare.lastIndexOf(close, bare.length - 2));
    if (bare[at] !== open) return rest;
    rest = bare.slice(0, at).trimEnd();
  }
}

/** Words that end a name as often as a time: Ward D, name tag, the den. As times of day they stand alone. */
const shortTimes = new Set("D N CONT DIA DÍA TAG DAG NAT NATT ALBA SERA DEN NOC".split(" "));
/** Of these, the names of rooms and persons in English: beside a time of day of another part they are no time. */
const roomWords = new Set("DEN NOC ALBA SERA NAT".split(" "));
/** What may stand with such a word. */
const besideShort = new Set(
  `NÄCHSTER NÄCHSTEN NÄCHSTE FOLGENDER SELBER DERSELBE HELLER AM DALŠÍ PŘÍŠTÍ TÝŽ POZDNÍ PÓŹNA CIEMNA TARDA TARDE PRIMA OTRO MISMO
  OUTRO MESMO NESTE NÄSTA NÆSTE HEL SEN`.split(/\s+/),
);
/** 2 AM, 7:30 P.M., 14:00, 18 UHR, 18H30. */
const clockTime = /^\d{1,2}(?:[:.]\d\d)?\s?(?:[AP]M|[AP]\.M\.|UHR|HS?|ЧАСОВ)(?:\d\d)?$|^\d{1,2}:\d\d$/;

/** NIGHT; NIGHT, FOG; DAY/CONTINUOUS; EARLY MORNING; DAY 3; 2 AM; MAGIC HOUR; but not DAY CARE CENTRE. */
function isTime(given: string): boolean {
  const text = withoutContinuation(given);
  const bare = withoutClosing(text);
  if (isDayAndNight(bare)) return true;
  const words = bare.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  const last = words.at(-1) ?? "";
  const first = /^([\p{L}'’-]+)\s*(?:$|[,/([&.;:])/u.exec(text)?.[1];
  if (first !== undefined && isTimeWord(first)) return true;
  if (words.length > 4) return false;
  if ([4, 3, 2].some((count) => isTimePhrase(words.slice(-count).join(" "))) || clockTime.test(bare)) return true;
  const [counted, number] = words;
  if (words.length === 2 && /^\d{1,3}$/.test(number ?? "") && isCounted(counted)) return true;
  if (!isTimeWord(last)) return false;
  return !shortTimes.has(last) || words.slice(0, -1).every((word) => besideShort.has(word));
}
/** Whether a number may follow a time of day: DAY 3, TAG 3. */
const isCounted = (word = ""): boolean =>
  isTimeWord(word) && (!shortTimes.has(word) || /^(?:D[IÍ]A|[TD]AG|DEN|NOC)$/.test(word));

/** The parts between dashes: a hyphen is none unless it has a space beside it or stands with others. */
const betweenDashes = (text: string): string[] =>
  text
    .replace(/[-–—]{2,}|[–—]/g, " - ")
    .replace(/\s+/g, " ")
    .split(/ -|- /)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/**
 * The set and the time of day of what follows INT or EXT, in capitals. Behind a word of another language (`isForeign`)
 * a time of day may also stand after only a space, or before the set: INNEN KÜCHE TAG, EXTÉRIEUR/JOUR. RUE.
 */
function splitTime(text: string, isForeign = false): [set: string, time: string | null] {
  const parts = betweenDashes(text);
  const isContinued = (part: string, at: number): boolean =>
    withoutContinuation(part) === "" && (at > 1 ? isTime(parts[at - 1] ?? "") : isForeign && part !== "SUITE");
  // GÜN on a keyboard without Ü: in English a gun.
  const isGun = (part: string): boolean => isForeign && part === "GUN";
  const found = parts.filter((part, at) => at > 0 && (isTime(part) || isGun(part) || isContinued(part, at)));
  const sure = found.filter((part) => !roomWords.has(part));
  const times = sure.length > 0 ? sure : found;
  const set = parts.filter((part) => !times.includes(part)).join(" - ");
  if (times.length > 0) return [set, withoutClosing(times.join(" - "))];
  const bare = withoutEnd(withoutClosing(text), /[\s,.;:]/);
  const last = /^(.*[^\s,.;:])\s+(\S+)$/.exec(bare);
  const isLast = isForeign ? isTimeWord : isPlainTime;
  if (last?.[2]?.split("/").every((one) => isLast(one) || isGun(one))) return [last[1] ?? "", last[2]];
  const listed = bare.search(/[,.;:/][^,.;:/]*$/);
  const [before, behind] = [bare.slice(0, Math.max(0, listed)).trimEnd(), bare.slice(listed + 1).trim()];
  if (/[^,.;:/]$/.test(before) && (isTime(behind) || isGun(behind))) return [before, behind];
  const [front = "", early = "", next = ""] = /^(\p{L}+)([\s./]+)/u.exec(bare) ?? [];
  const isEarly = isForeign ? isTimeWord(early) : isEarlyTime(early, next, bare.slice(front.length));
  if (isEarly && front.length < bare.length) return [bare.slice(front.length).replace(/^[\s–—-]+/, ""), early];
  // French scripts say the time before the set: INT. JOUR - CUISINE.
  const [first = "", ...rest] = parts;
  return rest.length > 0 && isTimeWord(first) ? [rest.join(" - "), first] : [set, null];
}

/** Whether INT is followed by a time of day as in INT. NUIT CUISINE; NUIT DES ROIS and NIGHT CLUB are sets. */
const isEarlyTime = (word: string, between: string, rest: string): boolean =>
  /^(?:JOUR|NUIT|SOIR|MATIN|GIORNO|NOTTE|NACHT|NOCHE|NOITE)$/.test(word) &&
  (/[./]/.test(between) || !/^(?:D[EUIA]|DES|DEL|DELLA|DOS?|DAS?)\s|^D['’]/.test(rest));

/**
 * Whether a line, in any case, ends in a time of day after a dash, a comma, a full stop or a slash, or after a space if
 * it is a usual one.
 */
export function endsInTime(text: string): boolean {
  const body = text.slice(0, 500).toUpperCase();
  return splitTime(body.slice(headingBeginning(body)?.text.length ?? 0))[1] !== null;
}

const word = /[^\s　./:,()[\]：，、。・·／（）［］–—-]+/gu;

/**
 * The parts of a heading that may have INT, EXT and the time of day in front of its set or behind it, as in scripts
 * without capitals and in KÜCHE - INNEN/TAG.
 */
function partsByEnds(text: string): Omit<Slugline, "script_day"> {
  const words = [...text.matchAll(word)];
  let int_ext: string | null = null;
  const times: (readonly [first: number, last: number])[] = [];
  /** How many words, from one in the direction of `step`, are INT or EXT or a time of day. */
  const taken = (at: number, step: 1 | -1): number => {
    const [text = ""] = words[at] ?? [];
    const kind = kindOfWord(text);
    if (kind !== undefined) int_ext = int_ext === null || int_ext === kind ? kind : "INT/EXT";
    if (kind !== undefined) return 1;
    const from = (count: number) => (step === 1 ? at : at - count + 1);
    const phrase = (count: number) => words.slice(Math.max(0, from(count)), from(count) + count).join(" ");
    const count = [3, 2].find((count) => isTimePhrase(phrase(count))) ?? Number(isTimeWord(text));
    if (count > 0) times.push([from(count), from(count) + count - 1]);
    return count;
  };
  let [first, last] = [0, words.length - 1];
  for (let count = 1; first <= last && count > 0; first += count) count = taken(first, 1);
  for (let count = 1; first <= last && count > 0; last -= count) count = taken(last, -1);
  const time_of_day = timesIn(text, words, times);
  const [from, to] = [words[first], words[last]];
  if (from === undefined || to === undefined || first > last) return { int_ext, set: null, time_of_day };
  const end = to.index + to[0].length;
  const set = text.slice(from.index, end) + (/^[)）\]］]/.exec(text.slice(end))?.[0] ?? "");
  return { int_ext, set, time_of_day };
}

/** Times of day as they are written, those beside each other with what stands between them. */
function timesIn(
  text: string,
  words: readonly RegExpExecArray[],
  times: readonly (readonly [first: number, last: number])[],
): string | null {
  const runs: [first: number, last: number][] = [];
  for (const [first, last] of times.toSorted(([one], [other]) => one - other)) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] + 1 === first) run[1] = last;
    else runs.push([first, last]);
  }
  const parts = runs.map(([first, last]) => {
    const end = words[last];
    const run = text.slice(words[first]?.index, end && end.index + end[0].length);
    return withoutClosing(`${run})`) === `${run})` ? run : withoutClosing(`${run})`);
  });
  return parts.join(" - ") || null;
}

const scriptDay = /\(\s*((?:(?:SCRIPT|STORY)\s+)?(?:DAY|NIGHT)\s*\d{1,3}[A-Z]?|[DN]\d{1,3}[A-Z]?)\s*\)\s*$/;

/** Behind a time of day the parentheses may be missing: DAY - D1. */
const bareScriptDay = /[-–—]\s*([DN]\d{1,3}[A-Z]?)\s*$/;
function foundScriptDay(heading: string): RegExpExecArray | null {
  const bare = bareScriptDay.exec(heading.slice(-10));
  if (bare === null) return heading.endsWith(")") ? scriptDay.exec(heading) : null;
  const front = heading.slice(0, -bare[0].length);
  return endsInTime(front) ? Object.assign(bare, { index: front.length }) : null;
}

/** The script day with which a heading in capitals ends, as (D1) does. */
export const scriptDayOf = (heading: string): string | null => foundScriptDay(heading.slice(0, 500))?.[1] ?? null;

/** Takes `heading` apart; it may be in any case. The longest heading that is looked at has 500 characters. */
export function parseSlugline(heading: string): Slugline {
  const text = heading.slice(0, 500).normalize("NFC").trim().toUpperCase();
  const { text: prefix = "", words } = headingBeginning(text) ?? {};
  const day = foundScriptDay(text);
  const described = day === null ? text : text.slice(0, day.index);
  if (prefix === "" || words === "caseless") {
    const parts = partsByEnds(described);
    if (parts.int_ext !== null || words === "caseless" || !/[\p{Lu}\p{Ll}]/u.test(text))
      return { ...parts, script_day: day?.[1] ?? null };
  }
  const body = described
    .slice(prefix.length)
    .replace(/^[-–—/:,\s]+/, "")
    .trim();
  const [found, time] = splitTime(body, words === "cased" && !/^(?:INT|EXT)(?!\p{L})/u.test(prefix));
  // Two places of one scene: INT. KITCHEN / EXT. STREET.
  const [second = ""] = words === "own" ? (/(?<=[/&] ?)(?:INT|EXT)\. /.exec(found) ?? []) : [];
  const set = found.replace(second, "").replace(/\/$/, "").trimEnd();
  return {
    int_ext: prefix === "" ? null : interiorExterior(second === "" ? prefix : `${prefix}/${second}`),
    set: set === "" ? null : set,
    time_of_day: time === "" ? null : time,
    script_day: day?.[1] ?? null,
  };
}

/** The texts of a list, such as the cast of a scene. */
export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
