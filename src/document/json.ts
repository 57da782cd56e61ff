// Reads JSON text without losing anything in silence: digits that a number cannot hold, and keys that are no plain keys
// to JavaScript, are found and named by their place. Knows nothing of productions.
import { CommandRefusal } from "../errors.ts";

/** A number whose digits a JavaScript number does not keep. */
class Inexact {
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

const isExact = (value: number, source: string): boolean =>
  Number.isFinite(value) && decimal(String(value)) === decimal(source);

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

const exactly: Reviver = (_, value, { source }) =>
  typeof value !== "number" || source === undefined || isExact(value, source) ? value : new Inexact(source);

// What a string may not hold as it is: a quote, a backslash, a control character.
const plainCharacters = `[^"\\\\${String.raw`\u0000-\u001f`}]`;
const token = new RegExp(
  [
    `("(?:${plainCharacters}+|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*")`,
    "(-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null)",
    "([[{\\]},:])",
  ].join("|"),
  "y",
);
const blank = /[ \t\r\n]*/y;

/** Where JSON text stops being JSON: JavaScript's own message names no place for a long text. */
function faultIn(text: string): number {
  const open: ("[" | "{")[] = [];
  let expected = "value";
  token.lastIndex = 0;
  for (;;) {
    blank.lastIndex = token.lastIndex;
    blank.exec(text);
    const at = blank.lastIndex;
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) return at;
    const [, string, scalar, mark] = found;
    const inside = open.at(-1);
    if (string !== undefined && /key/.test(expected)) expected = "colon";
    else if (mark === ":" && expected === "colon") expected = "value";
    else if (mark === "," && expected === "comma" && inside !== undefined) expected = inside === "{" ? "key" : "value";
    else if (
      (mark === "}" && inside === "{" && /end|comma/.test(expected)) ||
      (mark === "]" && inside === "[" && /end|comma/.test(expected))
    ) {
      open.pop();
      expected = "comma";
    } else if (!/^value/.test(expected) || mark === ":" || mark === "," || mark === "}" || mark === "]") return at;
    else if (mark === "{" || mark === "[") {
      open.push(mark);
      expected = mark === "{" ? "key or end" : "value or end";
    } else if (string !== undefined || scalar !== undefined) expected = "comma";
  }
}

// Between keys and values JSON has no quotes but its own, so what this finds is a member and never a part of a text.
const longMember = /(?<!\\)"mtime_ns"[ \t\r\n]*:[ \t\r\n]*(-?[1-9]\d{15,18})(?=[ \t\r\n]*[,}])/g;

/**
 * The JSON value of `text`, in which an mtime_ns of more digits than a number keeps is a text for digitsOf.
 * Throws CommandRefusal with the line and column of the first fault.
 */
export function parseJson(text: string, file: string): unknown {
  const marked = text.includes('"mtime_ns"') ? text.replace(longMember, '"mtime_ns":"\\u0000$1"') : text;
  // The reviver costs three times the parse, so only a text with other long numbers or exponents pays for it.
  const plain = !/[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE])/.test(marked);
  try {
    return plain ? JSON.parse(marked) : JSON.parse(marked, exactly as Parameters<typeof JSON.parse>[1]);
  } catch {
    const before = text.slice(0, faultIn(text)).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new CommandRefusal(`${file} is not JSON: it cannot be read from line ${before.length}, column ${column}`);
  }
}

/** The digits of an mtime_ns that parseJson kept as text, or the value as it is. */
export const digitsOf = (value: unknown): unknown =>
  typeof value === "string" && value.startsWith("\0") ? value.slice(1) : value;

const mostLevels = 100;

/** 64-bit digits as a JSON number, whatever a JavaScript number could hold of them. */
export const rawNumber = (digits: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);

type Step = string | number;

const placeOf = (steps: readonly Step[]): string =>
  steps.map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${step}`)).join("");

/** Reports, by place, what JSON can say and the database or JavaScript cannot keep as it is. */
export function checkKept(value: unknown, report: (place: string, sentence: string) => void): void {
  const steps: Step[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "string") {
      if (steps.at(-1) === "mtime_ns" && value !== digitsOf(value))
        report(placeOf(steps), `has more digits than a number keeps: ${digitsOf(value)}`);
      if (!value.isWellFormed()) report(placeOf(steps), "must be well-formed Unicode");
      return;
    }
    if (typeof value !== "object" || value === null) return;
    if (value instanceof Inexact) report(placeOf(steps), `has more digits than a number keeps: ${value.source}`);
    else if (steps.length === mostLevels) report(placeOf(steps), `must not be nested deeper than ${mostLevels} levels`);
    else if (Array.isArray(value)) for (let at = 0; at < value.length; at++) into(at, value[at]);
    else for (const key in value) into(key, (value as Record<string, unknown>)[key]);
  };
  const into = (step: Step, value: unknown): void => {
    steps.push(step);
    if (typeof step === "string" && (step in Object.prototype || step === "prototype"))
      report(placeOf(steps), "must have another name: this one is JavaScript's own");
    else if (typeof step === "string" && !step.isWellFormed()) report(placeOf(steps), "must be well-formed Unicode");
    walk(value);
    steps.pop();
  };
  walk(value);
}
