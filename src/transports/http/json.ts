// Parses untrusted JSON. One pass over the text before parsing refuses deep nesting and too many values, and finds the long
// integers, so that they keep all digits.
import { randomUUID } from "node:crypto";
import { tooLarge } from "../../errors.ts";

const maxDepth = 64;
/** Of all arrays and objects together. A full storage batch has 8,000 values; a file is one text. */
const maxValues = 50_000;
/** An integer of this many digits may exceed Number.MAX_SAFE_INTEGER. */
const longDigits = 16;
/** Integers with more digits are left to JSON.parse, which rounds them. */
const maxDigits = 100;

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

/** Returns the end of the number that starts at `at`, and whether it is a well-formed integer. */
function endOfNumber(text: string, at: number): { end: number; integer: boolean } {
  const first = text.charCodeAt(at) === minus ? at + 1 : at;
  let end = first;
  while (isDigit(text.charCodeAt(end))) end++;
  if (!isFraction(text.charCodeAt(end))) return { end, integer: text[first] !== "0" };
  while (isDigit(text.charCodeAt(end)) || isFraction(text.charCodeAt(end))) end++;
  return { end, integer: false };
}

/** Returns the positions of the long integers in a text. Throws TooDeep, or 413 for more than 50,000 values. */
function findLongIntegers(text: string): [start: number, end: number][] {
  const long: [number, number][] = [];
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > maxDepth) throw new TooDeep();
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === minus || isDigit(code)) {
      const { end, integer } = endOfNumber(text, at);
      if (integer && end - at >= longDigits && end - at <= maxDigits) long.push([at, end]);
      at = Math.max(at, end - 1);
    }
    if (values > maxValues) throw tooLarge(`a JSON body must have at most ${maxValues.toLocaleString("en")} values`);
  }
  return long;
}

/** The prefix of a long integer while JSON.parse sees it as a string. It is random, so that no client can send it. */
const marker = `\0${randomUUID()}:`;
const markerText = JSON.stringify(marker).slice(0, -1);

/** The integer of a marked string: a number if that is exact, otherwise a bigint. Other strings stay. */
function restored(text: string): unknown {
  if (text.charCodeAt(0) !== 0 || !text.startsWith(marker)) return text; // the first character decides nearly always
  const digits = text.slice(marker.length);
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
}

/** Replaces every marked string in an array or object by its integer. */
function restoreIntegers(value: object): void {
  // The value comes from JSON.parse, so `__proto__` is an own key like any other: defineProperty keeps it so.
  for (const key of Object.keys(value)) {
    const parsed = (value as Record<string, unknown>)[key];
    if (typeof parsed === "object" && parsed !== null) restoreIntegers(parsed);
    if (typeof parsed !== "string") continue;
    const replaced = restored(parsed);
    if (replaced === parsed) continue;
    if (key === "__proto__")
      Object.defineProperty(value, key, { value: replaced, enumerable: true, writable: true, configurable: true });
    else (value as Record<string, unknown>)[key] = replaced;
  }
}

/**
 * Parses JSON text. Integers of up to 100 digits that are not safe as a number become bigint. Throws a SyntaxError if the text is
 * not JSON, TooDeep for more than 64 levels, 413 for more than 50,000 values.
 */
export function parseJson(text: string): unknown {
  const long = findLongIntegers(text);
  if (long.length === 0) return JSON.parse(text);
  const parts: string[] = [];
  let from = 0;
  for (const [start, end] of long) {
    parts.push(text.slice(from, start), markerText, text.slice(start, end), '"');
    from = end;
  }
  const root = [JSON.parse(parts.join("") + text.slice(from))];
  restoreIntegers(root);
  return root[0];
}
