// Reads JSON files and texts without losing anything silently: reports, with their places, digits that a number cannot hold and keys that are
// special in JavaScript.
import { constants, isUtf8 } from "node:buffer";
import { closeSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { CliError, cannotRead, HttpError } from "../../../core/errors.ts";
import { documentLimits, Inexact, parseJson, placeOf, RepeatedKey, type Step } from "../../../core/json.ts";
import { cut } from "../../../core/spelling.ts";
import { isReservedKey } from "../../names/names.ts";

// Matches up to a character that a string must escape: a quote, a backslash, a control character.
const plainCharacters = new RegExp(`[^"\\\\${String.raw`\u0000-\u001f`}]*`, "y");
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const token = /([[{\]},:])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const blank = /[ \t\r\n]*/y;

/** The end of the string at `at`, or the place of its error. In steps: one expression would overflow on a long string. */
function endOfString(text: string, at: number): number | undefined {
  for (let end = at + 1; ; end = escaped.lastIndex) {
    plainCharacters.lastIndex = end;
    plainCharacters.exec(text);
    end = plainCharacters.lastIndex;
    if (text[end] === '"') return end + 1;
    escaped.lastIndex = end;
    if (!escaped.test(text)) return undefined;
  }
}

/** The token at `at` and its end; a punctuation mark is returned as itself. Undefined if it is not valid JSON. */
function tokenAt(text: string, at: number): { kind: string; end: number } | undefined {
  if (text[at] === '"') {
    const end = endOfString(text, at);
    return end === undefined ? undefined : { kind: "string", end };
  }
  token.lastIndex = at;
  const found = token.exec(text);
  return found === null ? undefined : { kind: found[1] ?? "scalar", end: token.lastIndex };
}

/** The place of the first error in JSON text. JavaScript's own message gives no place for a long text. */
function faultIn(text: string): number {
  const open: string[] = []; // the marks that must close what is open
  let expected = "value";
  for (let end = 0; ; ) {
    blank.lastIndex = end;
    blank.exec(text);
    const at = blank.lastIndex;
    const found = tokenAt(text, at);
    if (found === undefined) return at;
    const { kind } = found;
    end = found.end;
    if (kind === open.at(-1) && /end|comma/.test(expected)) {
      open.pop();
      expected = "comma";
    } else if (kind === "string" && /key/.test(expected)) expected = "colon";
    else if (kind === ":" && expected === "colon") expected = "value";
    else if (kind === "," && expected === "comma" && open.length > 0) expected = open.at(-1) === "}" ? "key" : "value";
    else if (!expected.startsWith("value")) return at;
    else if (kind === "{" || kind === "[") {
      open.push(kind === "{" ? "}" : "]");
      expected = kind === "{" ? "key or end" : "value or end";
    } else if (kind === "string" || kind === "scalar") expected = "comma";
    else return at;
  }
}

/**
 * The JSON value of `text`, with numbers as src/core/json.ts reads them. Throws CliError with the line and column of the first error, and 413
 * for too many values.
 */
export function parseDocument(text: string, file: string, limits = documentLimits()): unknown {
  try {
    return parseJson(text, limits);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (error instanceof RepeatedKey) throw new CliError(`${file}: ${error.message}`);
    const before = text.slice(0, faultIn(text)).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new CliError(`${file} is not valid JSON: the error is at line ${before.length}, column ${column}`);
  }
}

const maxLevels = 100;

/** Why a number does not keep what a text says: it is too large, too near to 0, or has too many digits. */
function lossOf(source: string): string {
  const value = Number(source);
  if (!Number.isFinite(value)) return `is larger than the largest number, about 1.8e308: ${cut(source)}`;
  if (value === 0) return `is nearer to 0 than any number, about 5e-324: ${cut(source)}`;
  return `has more digits than a number keeps: ${cut(source)}`;
}

/** Whether the digits of an integer are those that a number prints for JSON, as an export has them. */
const isLossless = (value: bigint): boolean => JSON.stringify(Number(value)) === String(value);

/**
 * Reports values that JSON can contain but that the database or JavaScript cannot store, with their places. Makes a number of each long
 * integer whose digits it keeps.
 */
export function checkLossless(value: unknown, report: (place: string, sentence: string) => void): void {
  const steps: Step[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "string") {
      if (!value.isWellFormed()) report(placeOf(steps), "must be well-formed Unicode");
      return;
    }
    if (typeof value === "bigint") report(placeOf(steps), lossOf(String(value)));
    if (typeof value !== "object" || value === null) return;
    if (value instanceof Inexact) report(placeOf(steps), lossOf(value.source));
    else if (steps.length === maxLevels) report(placeOf(steps), `must not be nested deeper than ${maxLevels} levels`);
    else if (Array.isArray(value)) for (let at = 0; at < value.length; at++) into(value, at);
    else for (const key in value) into(value, key);
  };
  const into = (holder: object, step: Step): void => {
    const values = holder as Record<Step, unknown>; // an array has its steps too
    const value = values[step];
    steps.push(step);
    if (typeof step === "string" && isReservedKey(step))
      report(placeOf(steps), "must have another name: JavaScript reserves this name");
    else if (typeof step === "string" && !step.isWellFormed()) report(placeOf(steps), "must be well-formed Unicode");
    if (typeof value === "bigint" && isLossless(value)) values[step] = Number(value);
    else walk(value);
    steps.pop();
  };
  walk(value);
}

/** The size in bytes of the file at `path`, which errors call `file`. Throws CliError if there is none. */
export function sizeOfFile(path: string, file = path): number {
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotRead(file, error);
  }
  if (found === undefined) throw new CliError(`there is no file ${file}`);
  if (!found.isFile()) throw new CliError(`${file} is not a file`);
  return found.size;
}

/** The first bytes of the file at `path`, which errors call `file`: 4 KiB. Throws CliError if it cannot be read. */
export function openingOf(path: string, file: string): Buffer {
  const bytes = Buffer.alloc(Math.min(sizeOfFile(path, file), 4096));
  try {
    const handle = openSync(path, "r");
    try {
      return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/** The bytes of the file at `path`, which errors call `file`. Throws CliError if it cannot be read. */
export function bytesOfFile(path: string, file: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/** The text of the file at `path`, which errors call `file`. */
export function textOf(path: string, file = path): string {
  if (sizeOfFile(path, file) > constants.MAX_STRING_LENGTH)
    throw new CliError(
      `${file} is larger than ${Math.floor(constants.MAX_STRING_LENGTH / 1e6)} MB, the maximum; put the media into files next to the document`,
    );
  const bytes = bytesOfFile(path, file);
  if (!isUtf8(bytes)) throw new CliError(`${file} is not UTF-8 text`);
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString("utf8", marked ? 3 : 0);
}
