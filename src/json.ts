// Parses JSON for every reader. One pass over the text before parsing refuses deep nesting and too many values, and looks for numbers
// that JavaScript would round: long integers keep all digits, and any other such number becomes an Inexact, which no schema accepts.
import { tooLarge } from "./errors.ts";
import { withCommas } from "./spelling.ts";

const maxDepth = 64;
/** Of all arrays and objects together. A full storage batch has 8,000 values; a file is one text. */
const maxValues = 50_000;
/** A number of fewer characters and without an exponent keeps all digits. */
const longNumber = 16;
/** Integers with more digits are Inexact. */
const maxDigits = 100;

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
  Number.isFinite(Number(source)) && decimal(String(Number(source))) === decimal(source);

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

const integer = /^-?\d+$/;

/** What the text of a number says: a bigint for an integer that is not safe as a number, an Inexact for what JavaScript would round. */
function numberOf(source: string): number | bigint | Inexact {
  const value = Number(source);
  if (source.length < longNumber && !/e/i.test(source)) return value;
  if (integer.test(source) && source.length <= maxDigits) return Number.isSafeInteger(value) ? value : BigInt(source);
  return isExact(source) ? value : new Inexact(source);
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
}
const bodyLimits = (): JsonLimits => ({ depth: maxDepth, values: maxValues, used: 0, noun: "a JSON body" });

/** Returns how deep a text is nested, and whether JSON.parse would round a number of it. Throws TooDeep, or 413 for too many values. */
function scan(text: string, limits: JsonLimits): { deepest: number; isRounded: boolean } {
  let [depth, deepest] = [0, 0];
  let values = limits.used;
  let isRounded = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      deepest = Math.max(deepest, ++depth);
      if (depth > limits.depth) throw new TooDeep();
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === minus || isDigit(code)) {
      let end = at + 1;
      while (isDigit(text.charCodeAt(end)) || isFraction(text.charCodeAt(end))) end++;
      isRounded ||= typeof numberOf(text.slice(at, end)) !== "number";
      at = end - 1;
    }
    if (values > limits.values) throw tooLarge(`${limits.noun} must have at most ${withCommas(limits.values)} values`);
  }
  limits.used = values;
  return { deepest, isRounded };
}

/** Readers refuse what is nested deeper. */
const maxRestored = 200;

/** How many Inexact numbers a text may have. Readers refuse it for these, so the others stay as JSON.parse reads them. */
const maxInexact = 200;

/** Reads numbers by their text, which every supported runtime gives to a reviver. */
function restoring(): (key: string, value: unknown, context: { source?: string }) => unknown {
  let inexact = 0;
  return (_, value, { source }) => {
    const read = typeof value === "number" && source !== undefined ? numberOf(source) : value;
    return read instanceof Inexact && ++inexact > maxInexact ? value : read;
  };
}

/**
 * Parses JSON text. Integers of up to 100 digits that are not safe as a number become bigint, other numbers that would be rounded
 * become Inexact. Throws a SyntaxError if the text is not JSON, TooDeep or 413 beyond the limits, which are those of a request body
 * by default.
 */
export function parseJson(text: string, limits = bodyLimits()): unknown {
  const { deepest, isRounded } = scan(text, limits);
  // The types of JavaScript do not know the third parameter yet.
  return isRounded && deepest <= maxRestored
    ? JSON.parse(text, restoring() as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

declare const shape: unique symbol;

/** JSON text of a T. The type exists only at compile time. */
export type JsonText<T> = string & { readonly [shape]: T };

/** Converts a value to JSON text. */
export const jsonText = <T>(value: T): JsonText<T> => JSON.stringify(value) as JsonText<T>; // safe: it is the text of a T
