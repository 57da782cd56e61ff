// Parses JSON for every reader. One pass over the text before parsing refuses deep nesting and too many values, and finds the numbers
// that JavaScript would round: long integers keep all digits, and any other such number becomes an Inexact, which no schema accepts.
import { randomUUID } from "node:crypto";
import { tooLarge } from "./errors.ts";
import { withCommas } from "./spelling.ts";

const maxDepth = 64;
/** Of all arrays and objects together. A full storage batch has 8,000 values; a file is one text. */
const maxValues = 50_000;
/** A number of fewer characters and without an exponent keeps all digits. */
const longNumber = 16;
/** How many digits a bigint may have: of more, making one takes long. */
const maxDigits = 100;
/** A longer number is not compared with what JavaScript makes of it. */
const longestExact = 1000;
/** How many Inexact numbers a text may have. Readers refuse it for these, so the others are left to JSON.parse. */
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
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "0" : `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Whether a JavaScript number keeps every digit of a number's text. */
export const isExact = (source: string): boolean =>
  source.length <= longestExact &&
  Number.isFinite(Number(source)) &&
  decimal(String(Number(source))) === decimal(source);

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const minus = 0x2d;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** A decimal point, an exponent, or the sign of an exponent. */
const isFraction = (code: number): boolean =>
  code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === minus;

/** The text is nested more than 64 levels deep. */
export class TooDeep extends Error {
  constructor() {
    super(`the body is nested more than ${maxDepth} levels deep`);
    this.name = "TooDeep";
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

const wellFormed = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integer = /^-?\d+$/;
const valueEnd = /[ \t\r\n]*(?:[,\]}]|$)/y;
/** For JavaScript another value than 0; the database, and JSON that is written, know only 0. */
const negativeZero = /^-0(?:\.0+)?(?:[eE][+-]?\d+)?$/;

/** Whether the characters from `at` to `end` are a number, where JSON has a value, that JSON.parse could round, or -0. */
function mayChange(text: string, at: number, end: number): boolean {
  const source = text.slice(at, end);
  const isZero = negativeZero.test(source);
  if (!isZero && source.length < longNumber && !/e/i.test(source)) return false;
  valueEnd.lastIndex = end;
  if (!wellFormed.test(source) || !valueEnd.test(text)) return false;
  return isZero || !(integer.test(source) && Number.isSafeInteger(Number(source)));
}

/** What a text may have at most. */
export interface JsonLimits {
  depth: number;
  /** Of all texts that are parsed with the same limits. */
  values: number;
  /** How many values the texts had until now. */
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

/** The limits of documents: any depth, which is checked later, with its place. */
export const documentLimits = (values = Number.POSITIVE_INFINITY): JsonLimits => ({
  ...{ depth: Number.POSITIVE_INFINITY, values, used: 0, noun: "the documents of an import", digits: maxDigits },
});
/** Those of JSON in a cell of a list: no field that a list has is read with more digits than a number keeps. */
export const cellLimits = (): JsonLimits => ({ ...documentLimits(), digits: 0 });

/** Returns the positions of the numbers that JSON.parse would round or give a sign to 0. Throws TooDeep, or 413 for too many values. */
function findLongNumbers(text: string, limits: JsonLimits): [start: number, end: number][] {
  const long: [number, number][] = [];
  let depth = 0;
  let values = limits.used;
  let inexact = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > limits.depth) throw new TooDeep();
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === minus || isDigit(code)) {
      let end = at + 1;
      while (isDigit(text.charCodeAt(end)) || isFraction(text.charCodeAt(end))) end++;
      if (mayChange(text, at, end)) {
        const source = text.slice(at, end);
        const isKept = negativeZero.test(source) || (integer.test(source) && source.length <= limits.digits);
        if (isKept || (!isExact(source) && ++inexact <= maxInexact)) long.push([at, end]);
      }
      at = end - 1;
    }
    if (values > limits.values) throw tooLarge(`${limits.noun} must have at most ${withCommas(limits.values)} values`);
  }
  limits.used = values;
  return long;
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
function restoreNumbers(value: object, digits: number, level = 0): void {
  if (level > maxRestored) return;
  // The value comes from JSON.parse, so `__proto__` is an own key like any other: defineProperty keeps it so.
  for (const key of Object.keys(value)) {
    const parsed = (value as Record<string, unknown>)[key];
    if (typeof parsed === "object" && parsed !== null) restoreNumbers(parsed, digits, level + 1);
    if (typeof parsed !== "string") continue;
    const replaced = restored(parsed, digits);
    if (replaced === parsed) continue;
    if (key === "__proto__")
      Object.defineProperty(value, key, { value: replaced, enumerable: true, writable: true, configurable: true });
    else (value as Record<string, unknown>)[key] = replaced;
  }
}

/**
 * Parses JSON text. Integers of up to 100 digits that are not safe as a number become bigint, other numbers that would be rounded
 * become Inexact, and -0 is 0. Throws a SyntaxError if the text is not JSON, TooDeep or 413 beyond the limits, which are those of a request body
 * by default.
 */
export function parseJson(text: string, limits = bodyLimits()): unknown {
  const long = findLongNumbers(text, limits);
  if (long.length === 0) return JSON.parse(text);
  const parts: string[] = [];
  let from = 0;
  for (const [start, end] of long) {
    parts.push(text.slice(from, start), markerText, text.slice(start, end), '"');
    from = end;
  }
  const root = [JSON.parse(parts.join("") + text.slice(from))];
  restoreNumbers(root, limits.digits);
  return root[0];
}

declare const shape: unique symbol;

/** JSON text of a T. The type exists only at compile time. */
export type JsonText<T> = string & { readonly [shape]: T };

/** Converts a value to JSON text. */
export const jsonText = <T>(value: T): JsonText<T> => JSON.stringify(value) as JsonText<T>; // safe: it is the text of a T
