// Reads dates as people and spreadsheets write them. If a date of digits can be read in two ways, its column or the
// caller decides.
import { listed } from "../../core/wording.ts";
import { fold, quoted } from "../names/names.ts";
import { remembering } from "../sequences/sequences.ts";
import { CellRefusal } from "./findings.ts";
import type { DateOrder } from "./partial.ts";

/** One date, or the date in each order of digits, or the reason why it is not a date. */
export type DateReading = { date: string } | { orders: ReadonlyMap<DateOrder, string> } | { problem: string };

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdays = "sun mon tue wed thu fri sat".split(" ");
const weekdayNames = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** The months and weekdays in English, each before what German and French call it. */
const monthsAndDays = `Jan januar jaenner janner janvier janv, Feb februar feber fevrier fevr fev, Mar marz maerz mrz mars, Apr avril avr, May mai, Jun juni juin,
  Jul juli juillet juil, Aug aout, Sep septembre, Oct oktober okt octobre, Nov novembre, Dec dezember dez decembre,
  Mon montag mo lundi lun, Tue dienstag di mardi, Wed mittwoch mi mercredi mer, Thu donnerstag do jeudi jeu, Fri freitag fr vendredi ven,
  Sat samstag sonnabend sa samedi sam, Sun sonntag so dimanche dim`;
const foreignWords = new Map(
  monthsAndDays.split(/,\s+/).flatMap((entry) => {
    const [english = "", ...words] = entry.split(" ");
    return words.map((word) => [word, english] as const);
  }),
);
const inEnglish = (text: string): string =>
  text.replace(/\p{L}[\p{L}\p{M}]+/gu, (word) => foreignWords.get(fold(word)) ?? word);

const monthWord = `(?:${months.join("|")})[a-z]{0,6}`;
const weekdayWord = `(?:${weekdays.join("|")})[a-z]{0,6}`;
const dayNumber = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
const year = String.raw`'?(?:\d{4}|\d\d)`;
const gap = String.raw`[\s,./-]{1,3}`;

const dayFirst = new RegExp(`^(${dayNumber})${gap}(?:of )?(${monthWord})\\.?${gap}(${year})$`, "i");
const monthFirst = new RegExp(`^(${monthWord})\\.?${gap}(${dayNumber})${gap}(${year})$`, "i");
const withoutYear = new RegExp(
  `^(?:${dayNumber}${gap}${monthWord}|${monthWord}\\.?${gap}${dayNumber}|\\d{1,2}[/.]\\d{1,2}\\.?)$`,
  "i",
);
const digits = /^(\d{1,4})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{1,4})$/;
const trailingTime = /[T\s]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?\s*(?:Z|[ap]m|[+-]\d\d:?\d\d)?$/i;

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const twoDigits = (number: number): string => String(number).padStart(2, "0");

/** YYYY-MM-DD, or undefined if the calendar has no such day, or it is before 1900. */
function isoDate(year: number, month: number, day: number): string | undefined {
  const exists = day >= 1 && day <= (daysOfMonths[month - 1] ?? 0) && (month !== 2 || day < 29 || isLeap(year));
  return exists && year >= 1900 ? `${year}-${twoDigits(month)}-${twoDigits(day)}` : undefined;
}

const fullYear = (text: string): number => (text.length === 2 ? 2000 + Number(text) : Number(text));
const weekdayOf = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay();

/** The date for each order of a date with only digits; undefined if the text is not such a date. */
function fromDigits(text: string): Map<DateOrder, string> | undefined {
  const [, one, mark, two, three] = digits.exec(text) ?? [];
  if (one === undefined || two === undefined || three === undefined) return undefined;
  const orders = new Map<DateOrder, string>();
  const add = (order: DateOrder, y: string, m: string, d: string): void => {
    const date = y.length % 2 === 0 && d.length <= 2 ? isoDate(fullYear(y), Number(m), Number(d)) : undefined;
    if (date !== undefined) orders.set(order, date);
  };
  add("dmy", three, two, one);
  if (mark !== ".") add("mdy", three, one, two); // nobody writes the month first before a point
  add("ymd", one, two, three);
  return orders;
}

/** Of two-digit years those before 2015 count only if nothing else fits: 03/04/26 is no day of 2003. */
function likely(orders: ReadonlyMap<DateOrder, string>): ReadonlyMap<DateOrder, string> {
  const recent = [...orders].filter(([order, date]) => order !== "ymd" && date >= "2015");
  return recent.length > 0 ? new Map(recent) : orders;
}

function fromWords(text: string): string | undefined {
  const [, first, second = "", third = ""] = dayFirst.exec(text) ?? monthFirst.exec(text) ?? [];
  if (first === undefined) return undefined;
  const [word, number] = /^\d/.test(first) ? [second, first] : [first, second];
  const month = months.indexOf(word.slice(0, 3).toLowerCase()) + 1;
  return isoDate(fullYear(third.replace("'", "")), month, Number.parseInt(number, 10));
}

const weekdayBefore = new RegExp(`^(?<word>${weekdayWord})[.,]*\\s+(?<rest>.*)$`, "i");
const weekdayBehind = new RegExp(`^(?<rest>.*[^\\s,(])[\\s,]*\\(?(?<word>${weekdayWord})\\)?\\.?$`, "i");

/** The weekday beside a date, 0 for Sunday, and the date without it. */
function splitWeekday(text: string): { weekday?: number; rest: string } {
  const { word, rest } = (weekdayBefore.exec(text) ?? weekdayBehind.exec(text))?.groups ?? {};
  if (word === undefined || rest === undefined) return { rest: text };
  return { weekday: weekdays.indexOf(word.slice(0, 3).toLowerCase()), rest };
}

/**
 * Reads one date: 2026-05-08, 8 May 2026, Friday, May 8, 2026, 08/05/26, with a weekday or a time of day beside it or
 * not. `order` is the order of digits where that is known.
 */
export function readDate(text: string, order?: DateOrder): DateReading {
  const plain = inEnglish(text.slice(0, 100)).trim().replace(/\s+/g, " ");
  const { weekday, rest } = splitWeekday(plain.replace(trailingTime, "").trimEnd());
  const fits = (date: string): boolean => weekday === undefined || weekday === weekdayOf(date);
  const single = fromWords(rest) ?? (/^\d{4}/.test(rest) ? fromDigits(rest)?.get("ymd") : undefined);
  if (single !== undefined)
    return fits(single) ? { date: single } : { problem: `${quoted(text)} is a ${weekdayNames[weekdayOf(single)]}` };
  if (withoutYear.test(rest)) return { problem: `${quoted(text)} has no year` };
  const orders = fromDigits(rest);
  if (orders === undefined || orders.size === 0) return { problem: `${quoted(text)} is not a date` };
  const asked = order === "mdy" && rest.includes(".") ? "dmy" : order;
  const read = asked === undefined ? likely(orders) : new Map([...orders].filter(([each]) => each === asked));
  if (read.size === 0) return { problem: `${quoted(text)} is not a date in the order ${order}` };
  const fitting = new Map([...read].filter(([, date]) => fits(date)));
  if (fitting.size === 0) return { problem: `${quoted(text)} is not a ${weekdayNames[weekday ?? 0]}` };
  const [date] = fitting.values();
  const isSure = order !== undefined || weekday !== undefined || rest.includes(".");
  return date !== undefined && fitting.size === 1 && isSure ? { date } : { orders: fitting };
}

/** Whether a text is a date with its year and nothing else. */
export function isDate(text: string): boolean {
  const bare = text.trim();
  return !trailingTime.test(bare) && !("problem" in readDate(bare));
}

/** Whether a text is a date in the form in which dates are stored. */
export function isStoredDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return year !== undefined && isoDate(Number(year), Number(month), Number(day)) === text;
}

const serial = /^[45]\d{4}$/;
/** Whether a text alone in its column would be read as a number of days. */
export const isSerial = (text: string): boolean => serial.test(text.trim());
/**
 * Reads the dates of a column in which a spreadsheet wrote each as its number of days since 1899-12-30. Undefined for
 * any other text, and in a column where anything else stands.
 */
export function serialReader(texts: Iterable<string>): (text: string) => string | undefined {
  let areSerial: boolean | undefined;
  return (text) => {
    if (!serial.test(text)) return undefined;
    areSerial ??= [...texts].every((one) => !/\S/.test(one) || isSerial(one));
    return areSerial ? new Date(Date.UTC(1899, 11, 30 + Number(text))).toISOString().slice(0, 10) : undefined;
  };
}

const inside = new RegExp(
  `(?:${weekdayWord}[.,]*\\s+)?(?:${dayNumber}${gap}${monthWord}\\.?${gap}${year}|${monthWord}\\.?${gap}${dayNumber}${gap}${year}|\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}([/.-])\\d{1,2}\\1(?:\\d{4}|\\d\\d))(?!\\d)`,
  "i",
);

/**
 * The part of a line that is a date with its year, such as in "END OF DAY 3 - Friday, May 8, 2026 - Total Pages: 4
 * 2/8".
 */
export const findDate = (line: string): string | undefined => inside.exec(inEnglish(line.slice(0, 500)))?.[0];

/** The orders in which every one of `texts` that is digits alone can be read. */
function commonOrders(texts: Iterable<string>): Set<DateOrder> {
  let common: Set<DateOrder> | undefined;
  for (const text of texts) {
    const reading = readDate(text);
    if (!("orders" in reading)) continue;
    const orders = new Set(reading.orders.keys());
    common = common?.intersection(orders) ?? orders;
  }
  return common ?? new Set();
}

const mixed = "is in a column in which some dates begin with the day and some with the month";

/**
 * Reads the dates of one column, in the order that is given or else in the only one in which all of them can be read.
 * Answers a date, YYYY-MM-DD, or what is wrong with it; that it could be two dates is said of the row.
 */
export function dateReader(texts: Iterable<string>, given?: DateOrder): (text: string) => string | CellRefusal {
  let common = given === undefined ? undefined : new Set([given]);
  const read = (text: string): string | CellRefusal => {
    const reading = readDate(text, given);
    if ("problem" in reading) return new CellRefusal(reading.problem);
    if ("date" in reading) return reading.date;
    common ??= commonOrders(texts);
    const dates = new Set([...reading.orders].filter(([order]) => common?.has(order)).map(([, date]) => date));
    const [date] = dates;
    if (date === undefined) return new CellRefusal(`${quoted(text)} ${mixed}`);
    if (dates.size === 1) return date;
    const count = dates.size === 2 ? "two" : "three";
    const orders = listed([...(common ?? [])], "or");
    return new CellRefusal(`${text.trim()} could be ${count} dates; add --dates ${orders}`, true);
  };
  return remembering(read);
}
