// Parses JSON for every reader. One pass over the text before parsing refuses deep nesting and too many values, and
// finds the numbers that JavaScript would round: long integers keep all digits, and any other such number becomes an
// Inexact, which no schema accepts. A request body is parsed in pieces, between which the event loop goes on; only
// JSON.parse itself is one piece.
import { randomUUID } from "node:crypto";
import { tooLarge } from "./errors.ts";
import { requestTurn } from "./limits.ts";
import { cut, withCommas } from "./wording.ts";

const maxDepth = 64;
/** Of all arrays and objects together. A full storage batch has 8,000 values; a file is one text. */
const maxValues = 50_000;
/** The characters of all keys together: JSON.parse looks each of them up, which takes long. */
const maxKeys = 1 << 21;
/** A number of fewer characters and without an exponent keeps all digits. */
const longNumber = 16;
/** How many digits a bigint may have: of more, making one takes long. */
const maxDigits = 100;
/** A longer number is not compared with what JavaScript makes of it, and only so much of it is kept. */
const maxExact = 1000;
/** How many Inexact numbers a text may have. Readers refuse it for these, so the others are left to JSON.parse. */
const maxInexact = 200;

/** A number whose digits a JavaScript number does not keep. */
export class Inexact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

const [zero, point, minus] = [0x30, 0x2e, 0x2d];
/** No JavaScript number prints more digits than these, without zeros before and behind them. */
const maxPrinted = 17;

/**
 * The digits of a number's text without outer zeros, and the power of ten of the last one. Scanned: /0+$/ would begin
 * again at each zero.
 */
function decimal(text: string): { digits: string; power: number } {
  const mark = Math.max(text.indexOf("e"), text.indexOf("E"));
  const [mantissaEnd, exponent] = mark === -1 ? [text.length, 0] : [mark, Number(text.slice(mark + 1))];
  const pointAt = text.indexOf(".");
  const wholeEnd = pointAt === -1 ? mantissaEnd : pointAt;
  let start = 0;
  for (let code = text.charCodeAt(0); code === zero || code === point || code === minus; )
    code = text.charCodeAt(++start);
  let end = mantissaEnd;
  for (let code = text.charCodeAt(end - 1); end > start && (code === zero || code === point); )
    code = text.charCodeAt(--end - 1);
  const power = wholeEnd - end + (end > wholeEnd ? 1 : 0) + exponent;
  return { digits: text.slice(start, end).replace(".", ""), power };
}

/** Whether a JavaScript number keeps every digit of a number's text. */
function isExact(source: string): boolean {
  if (source.length > maxExact) return false;
  const given = decimal(source);
  if (given.digits.length > maxPrinted) return false;
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const printed = decimal(String(value));
  return printed.digits === given.digits && (given.digits === "" || printed.power === given.power);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const numberCharacters = /[-+.eE\d]+/y;

/** The text is nested more than 64 levels deep. */
export class TooDeep extends Error {
  constructor() {
    super(`the body is nested more than ${maxDepth} levels deep`);
    this.name = "TooDeep";
  }
}

/** A key of an object or an index of a list. */
export type Step = string | number;

/** The place of a value: "scenes[12].status". */
export const placeOf = (steps: readonly Step[]): string =>
  steps.map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${cut(step)}`)).join("");

/** An object of the text has a key twice: readers would keep one of the values in silence. */
export class RepeatedKey extends Error {
  constructor(steps: readonly Step[]) {
    super(`${cut(placeOf(steps))} is given twice: an object has each key once`);
    this.name = "RepeatedKey";
  }
}

/**
 * Returns the position of the closing quote of the string that opens at `at`, or the text's length if it is not closed.
 */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end > 0 && text.charCodeAt(end - 1) === backslash) {
    let slashes = 1;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) break;
    end = text.indexOf('"', end + 1);
  }
  return end === -1 ? text.length : end;
}

const wellFormed = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integer = /^-?\d+$/;
const valueEnd = /[ \t\r\n]*(?:[,\]}]|$)/y;
/** JavaScript distinguishes -0 from 0; the database and JSON do not. */
const negativeZero = /^-0(?:\.0+)?(?:[eE][+-]?\d+)?$/;

/**
 * Whether the characters from `at` to `end` are a number, where JSON has a value, that JSON.parse could round, or -0.
 */
function mayChange(text: string, at: number, end: number): boolean {
  const source = text.slice(at, Math.min(end, at + maxExact));
  const isZero = negativeZero.test(source);
  if (!isZero && source.length < longNumber && !/e/i.test(source)) return false;
  valueEnd.lastIndex = end;
  if (!wellFormed.test(text.slice(at, end)) || !valueEnd.test(text)) return false;
  if (end - at > maxExact) return true;
  return isZero || !(integer.test(source) && Number.isSafeInteger(Number(source)));
}

/** What a text may have at most. */
export interface JsonLimits {
  depth: number;
  /** Of all texts that are parsed with the same limits. */
  values: number;
  /** How many values the texts had until now. */
  used: number;
  /** How many characters the keys of one text may have together. */
  keys: number;
  /** What the error calls the texts. */
  noun: string;
  /** Long integers of more digits are Inexact, unless a number keeps them. */
  digits: number;
}
/** The limits of a request body. */
export const bodyLimits = (): JsonLimits => ({
  depth: maxDepth,
  values: maxValues,
  used: 0,
  keys: maxKeys,
  noun: "a JSON body",
  digits: maxDigits,
});

/** Between two pieces of work on a text. `true`: the next one is long, so it begins with a turn of its own. */
type Pieces<T> = Generator<boolean | undefined, T, void>;
/** How many characters, numbers or values are one piece. */
const piece = { characters: 1 << 18, numbers: 1_000, values: 5_000 };
/** Parsing a shorter text is short. */
const shortText = 1 << 16;

/**
 * Returns the positions of the numbers that JSON.parse would round or give a sign to 0, and how many keys there are.
 * Throws TooDeep, or 413 for too many values.
 */
function* findLongNumbers(
  text: string,
  limits: JsonLimits,
): Pieces<{ long: [start: number, end: number][]; keys: number }> {
  let rest = piece.characters;
  let numbers = 0;
  const long: [number, number][] = [];
  let keys = 0;
  let lastText = 0;
  let inKeys = 0;
  let depth = 0;
  let values = limits.used;
  let inexact = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (at > rest || numbers > piece.numbers) {
      yield;
      rest = at + piece.characters;
      numbers = 0;
    }
    if (code === quote) {
      const end = endOfString(text, at);
      lastText = end - at;
      at = end;
    } else if (code === colon) {
      keys++;
      inKeys += lastText;
      if (inKeys > limits.keys)
        throw tooLarge(`the keys of ${limits.noun} must have at most ${withCommas(limits.keys)} characters together`);
    } else if (code === comma) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > limits.depth) throw new TooDeep();
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === minus || isDigit(code)) {
      numberCharacters.lastIndex = at;
      numberCharacters.test(text);
      const end = numberCharacters.lastIndex;
      if (mayChange(text, at, end)) {
        numbers++;
        const source = text.slice(at, end);
        const isShort = source.length <= maxExact;
        const isKept =
          isShort && (negativeZero.test(source) || (integer.test(source) && source.length <= limits.digits));
        if (isKept || (inexact < maxInexact && !isExact(source))) {
          long.push([at, end]);
          if (!isKept) inexact++;
        }
      }
      at = end - 1;
    }
    if (values > limits.values) throw tooLarge(`${limits.noun} must have at most ${withCommas(limits.values)} values`);
  }
  limits.used = values;
  return { long, keys };
}

/** The prefix of a long number while JSON.parse sees it as a string. It is random, so that no client can send it. */
const marker = `\0${randomUUID()}:`;
const markerText = JSON.stringify(marker).slice(0, -1);

/** The number of a marked string: 0 for -0, a bigint for another integer, otherwise an Inexact. Other strings stay. */
function restored(text: string, digits: number): unknown {
  if (text.charCodeAt(0) !== 0 || !text.startsWith(marker)) return text; // the first character decides nearly always
  const source = text.slice(marker.length);
  if (negativeZero.test(source)) return 0;
  return integer.test(source) && source.length <= digits ? BigInt(source) : new Inexact(source);
}

/** Readers refuse what is nested deeper. */
const maxRestored = 200;

/** Replaces every marked string in an array or object by its number. */
function* restoreNumbers(root: object, digits: number): Pieces<void> {
  let left = piece.values;
  const open: [value: object, level: number][] = [[root, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, level] = next;
    const entries: [string, unknown][] = Object.entries(value);
    for (const [key, parsed] of entries) {
      if (left-- === 0) {
        yield;
        left = piece.values;
      }
      if (typeof parsed === "object" && parsed !== null && level < maxRestored) open.push([parsed, level + 1]);
      if (typeof parsed !== "string") continue;
      const replaced = restored(parsed, digits);
      if (replaced !== parsed) replace(value, key, replaced);
    }
  }
}

/** Gives another value to a key that JSON.parse has made. */
function replace(value: object, key: string, replaced: unknown): void {
  // JSON.parse has made `__proto__` an own key like any other, and defineProperty keeps it so. On a list it would be
  // slow.
  if (Array.isArray(value)) value[Number(key)] = replaced;
  else Object.defineProperty(value, key, { value: replaced });
}

/** The work of parseJson. */
function* parsing(text: string, limits: JsonLimits): Pieces<unknown> {
  const { long, keys } = yield* findLongNumbers(text, limits);
  const marked = withMarkers(text, long);
  if (text.length > shortText) yield true;
  const root = [JSON.parse(marked)];
  if (text.length > shortText) yield true;
  if ((yield* countKeys(root)) < keys) throw new RepeatedKey(yield* repeatedKeyIn(text));
  if (long.length > 0) yield* restoreNumbers(root, limits.digits);
  return root[0];
}

/**
 * Parses JSON text. Integers of up to 100 digits that are not safe as a number become bigint, other numbers that would
 * be rounded become Inexact, and -0 is 0. Throws a SyntaxError if the text is not JSON, RepeatedKey, and TooDeep or 413
 * beyond the limits, which are those of a request body by default.
 */
export function parseJson(text: string, limits = bodyLimits()): unknown {
  const work = parsing(text, limits);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Parses JSON like parseJson, while turns of the event loop have time. `owner` is who waits. */
export async function parseJsonInTurns(text: string, owner?: unknown): Promise<unknown> {
  const work = parsing(text, bodyLimits());
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (value === true) await requestTurn.next(owner);
    while (requestTurn.isOver) await requestTurn.next(owner);
  }
}

/** The text with its long numbers as marked strings. */
function withMarkers(text: string, long: readonly [start: number, end: number][]): string {
  if (long.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const [start, end] of long) {
    parts.push(text.slice(from, start), markerText, text.slice(start, Math.min(end, start + maxExact + 1)), '"');
    from = end;
  }
  return parts.join("") + text.slice(from);
}

/** How many keys the objects in a list have, at any depth. */
function* countKeys(list: readonly unknown[]): Pieces<number> {
  let left = piece.values;
  let keys = 0;
  const open: object[] = [list]; // a text may be nested more deeply than calls can be
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (values !== value) keys += values.length;
    left -= values.length + 1;
    if (left < 0) {
      yield;
      left = piece.values;
    }
    for (const one of values) if (typeof one === "object" && one !== null) open.push(one);
  }
  return keys;
}

/** The place of the first key that an object has twice, in JSON text that has one. */
function* repeatedKeyIn(text: string): Pieces<Step[]> {
  let rest = piece.characters;
  const open: { keys: Set<string> | undefined; step: Step }[] = [];
  for (let at = 0; at < text.length; at++) {
    if (at > rest) {
      yield;
      rest = at + piece.characters;
    }
    const inner = open.at(-1);
    const mark = text[at];
    if (mark === "{") open.push({ keys: new Set(), step: "" });
    else if (mark === "[") open.push({ keys: undefined, step: 0 });
    else if (mark === "}" || mark === "]") open.pop();
    else if (mark === "," && typeof inner?.step === "number") inner.step++;
    else if (mark === '"') {
      const end = endOfString(text, at);
      if (inner?.keys !== undefined && isKeyBefore(text, end + 1)) {
        inner.step = String(JSON.parse(text.slice(at, end + 1)));
        if (inner.keys.has(inner.step)) return open.map(({ step }) => step);
        inner.keys.add(inner.step);
      }
      at = end;
    }
  }
  return [];
}

const colonNext = /[ \t\r\n]*:/y;
/** Whether the string that ends before `at` is a key. */
function isKeyBefore(text: string, at: number): boolean {
  colonNext.lastIndex = at;
  return colonNext.test(text);
}
