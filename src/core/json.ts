// Parses JSON for every reader. One pass over the text before parsing refuses deep nesting and too many values, and finds the numbers
// that JavaScript would round: long integers keep all digits, and any other such number becomes an Inexact, which no schema accepts.
import { tooLarge } from "./errors.ts";
import { cut, withCommas } from "./spelling.ts";

const maxDepth = 64;
/** Of all arrays and objects together. A full storage batch has 8,000 values; a file is one text. */
const maxValues = 50_000;
/** A number of fewer characters and without an exponent keeps all digits. */
const longNumber = 16;
/** How many digits a bigint may have: of more, making one takes long. */
const maxDigits = 100;
/** In characters. A longer number is taken as Inexact without a comparison, and only so much of it is kept. */
const longestExact = 1000;
/** How many Inexact numbers of a text are kept as such. Schemas refuse these, and with them the text, so further ones may be rounded. */
const maxInexact = 200;

/** A number whose digits a JavaScript number does not keep. */
export class Inexact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** The value of a decimal text: its digits without outer zeros, and the power of ten of the last one. */
function decimal(text: string): string {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  return significant === ""
    ? "0"
    : `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Whether a JavaScript number keeps every digit of a number's text. */
export const isExact = (source: string): boolean =>
  source.length <= longestExact &&
  Number.isFinite(Number(source)) &&
  decimal(String(Number(source))) === decimal(source);

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;
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

/** Returns the position of the closing quote of the string that opens at `at`, or the text's length if it is not closed. */
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

const integer = /^-?\d+$/;
/** JavaScript distinguishes -0 from 0; the database and JSON do not. */
const negativeZero = /^-0(?:\.0+)?(?:[eE][+-]?\d+)?$/;

/** Whether JSON.parse could round the number from `at` to `end`, or give a sign to 0. Most numbers are short and have no exponent. */
const mayChange = (text: string, at: number, end: number): boolean =>
  end - at >= longNumber || /^-0|e/i.test(text.slice(at, end));

/** What a text may have at most. */
export interface JsonLimits {
  depth: number;
  /** The most values, of all texts together that are parsed with this object. */
  values: number;
  /** How many values the texts until now had: parseJson counts on. */
  used: number;
  /** What the error calls the texts. */
  noun: string;
  /** Long integers of more digits are Inexact, unless a number keeps them. */
  digits: number;
}
const bodyLimits = (): JsonLimits => ({
  depth: maxDepth,
  values: maxValues,
  used: 0,
  noun: "a JSON body",
  digits: maxDigits,
});

/** The limits of documents. Any depth is parsed: the reader of documents checks it, and names the place. */
export const documentLimits = (values = Number.POSITIVE_INFINITY): JsonLimits => ({
  depth: Number.POSITIVE_INFINITY,
  values,
  used: 0,
  noun: "the documents of an import",
  digits: maxDigits,
});
/** The limits of JSON in a cell of a list. No field of a list is a long integer, so each number that would be rounded is Inexact. */
export const cellLimits = (): JsonLimits => ({ ...documentLimits(), digits: 0 });

/**
 * Reads what is not in quotes, before JSON.parse does: how many keys there are, and whether JSON.parse could change a number. Throws TooDeep,
 * or 413 for too many values.
 */
function survey(text: string, limits: JsonLimits): { keys: number; changes: boolean } {
  let keys = 0;
  let changes = false;
  let depth = 0;
  let deepest = 0;
  let values = limits.used;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === colon) keys++;
    else if (code === comma) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > limits.depth) throw new TooDeep();
      deepest = Math.max(deepest, depth);
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === minus || isDigit(code)) {
      numberCharacters.lastIndex = at;
      numberCharacters.test(text);
      const end = numberCharacters.lastIndex;
      changes ||= mayChange(text, at, end);
      at = end - 1;
    }
    if (values > limits.values) throw tooLarge(`${limits.noun} must have at most ${withCommas(limits.values)} values`);
  }
  limits.used = values;
  return { keys, changes: changes && deepest <= maxRevived };
}

/** JSON.parse calls itself for each level if it tells the text of numbers. Readers refuse what is nested deeper. */
const maxRevived = 200;

/** Returns a function that gives JSON.parse the value of each number by its text: 0 for -0, a bigint for a long integer, otherwise an Inexact. */
function reviver(digits: number): (key: string, value: unknown, context?: { source?: string }) => unknown {
  let inexact = 0;
  return (_key, value, context) => {
    const source = context?.source ?? "";
    if (typeof value !== "number" || !mayChange(source, 0, source.length)) return value;
    if (source.length <= longestExact && negativeZero.test(source)) return 0;
    if (integer.test(source) && Number.isSafeInteger(value)) return value;
    if (source.length <= digits && integer.test(source)) return BigInt(source);
    return isExact(source) || ++inexact > maxInexact ? value : new Inexact(source.slice(0, longestExact + 1));
  };
}

/**
 * Parses JSON text. Integers of up to 100 digits that are not safe as a number become bigint, other numbers that would be rounded
 * become Inexact, and -0 is 0. Throws a SyntaxError if the text is not JSON, RepeatedKey, and TooDeep or 413 beyond the limits, which are those of a request body
 * by default.
 */
export function parseJson(text: string, limits = bodyLimits()): unknown {
  const { keys, changes } = survey(text, limits);
  const value: unknown = JSON.parse(text);
  if (countKeys([value]) < keys) throw new RepeatedKey(repeatedKeyIn(text));
  return changes ? JSON.parse(text, reviver(limits.digits)) : value;
}

/** How many keys the objects in a list have, at any depth. */
function countKeys(list: readonly unknown[]): number {
  let keys = 0;
  const open: object[] = [list]; // a text may be nested more deeply than calls can be
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (values !== value) keys += values.length;
    for (const one of values) if (typeof one === "object" && one !== null) open.push(one);
  }
  return keys;
}

/** The place of the first key that an object has twice, in JSON text that has one. */
function repeatedKeyIn(text: string): Step[] {
  const open: { keys: Set<string> | undefined; step: Step }[] = [];
  for (let at = 0; at < text.length; at++) {
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
