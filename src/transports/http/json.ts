// JSON from strangers: looked over in one pass before it is parsed, so that what costs more than its bytes is refused early, and
// long integers keep their digits without a second parse.
import { randomUUID } from "node:crypto";
import { tooLarge } from "../../errors.ts";

const maxDepth = 64;
/** Values of all arrays and objects together. A full storage batch has 8,000; files travel as one text each. */
const maxValues = 50_000;
/** From so many digits on, a number may not hold them. */
const longDigits = 16;
/** A client's number of more digits is left to the parser, which rounds it. */
const maxDigits = 100;

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** A point, an exponent, or a sign within one. */
const isFraction = (code: number): boolean =>
  code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === minus;

/** Nested deeper than anybody means it. */
export class TooDeep extends Error {}

/** The end of the string that opens at `at`: the position of its closing quote, or the text's end. */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end > 0 && text[end - 1] === "\\") {
    let slashes = 1;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) break;
    end = text.indexOf('"', end + 1);
  }
  return end === -1 ? text.length : end;
}

/** The end of the number that starts at `at`, and whether it is a well-formed integer. */
function endOfNumber(text: string, at: number): { end: number; integer: boolean } {
  const first = text.charCodeAt(at) === minus ? at + 1 : at;
  let end = first;
  while (isDigit(text.charCodeAt(end))) end++;
  if (!isFraction(text.charCodeAt(end))) return { end, integer: text[first] !== "0" };
  while (isDigit(text.charCodeAt(end)) || isFraction(text.charCodeAt(end))) end++;
  return { end, integer: false };
}

/** Where the long integers of a text stand. Throws TooDeep, and 413 for more values than a request may have. */
function lookOver(text: string): [start: number, end: number][] {
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

/** Marks the digits of a long integer; no client can know it. */
const mark = `\0${randomUUID()}:`;
const markText = JSON.stringify(mark).slice(0, -1);

/** The value with every marked text as the integer it stands for: a number where that keeps all digits, else a bigint. */
function unmarked(value: unknown): unknown {
  if (typeof value === "string" && value.startsWith(mark)) {
    const digits = value.slice(mark.length);
    return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
  }
  if (typeof value !== "object" || value === null) return value;
  // JSON.parse made it, so every key is an own one; `__proto__` is one too, and stays as it is.
  for (const key of Object.keys(value)) {
    const held = (value as Record<string, unknown>)[key];
    if (typeof held !== "string" && typeof held !== "object") continue;
    const plain = unmarked(held);
    if (plain !== held)
      Object.defineProperty(value, key, { value: plain, enumerable: true, writable: true, configurable: true });
  }
  return value;
}

/**
 * JSON text as a value; integers that a number cannot hold come as bigint, with up to 100 digits. Throws a SyntaxError for
 * what is not JSON, TooDeep beyond 64 levels, 413 beyond 50,000 values.
 */
export function parseJson(text: string): unknown {
  const long = lookOver(text);
  if (long.length === 0) return JSON.parse(text);
  const parts: string[] = [];
  let from = 0;
  for (const [start, end] of long) {
    parts.push(text.slice(from, start), markText, text.slice(start, end), '"');
    from = end;
  }
  return unmarked(JSON.parse(parts.join("") + text.slice(from)));
}
