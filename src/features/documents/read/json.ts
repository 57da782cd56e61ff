// Reads JSON files and texts without losing anything silently: reports, with their places, digits that a number cannot
// hold and keys that are
// special in JavaScript.
import { constants, isUtf8 } from "node:buffer";
import { closeSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { CliError, HttpError } from "../../../core/errors.ts";
import { Inexact, parseJson, placeOf, RepeatedKey, type Step } from "../../../core/json.ts";
import { invalidJson } from "../../../core/json_fault.ts";
import { cannotRead } from "../../../core/system_errors.ts";
import { cut } from "../../../core/wording.ts";
import { isReservedKey } from "../../names/names.ts";
import { documentLimits } from "../json_limits.ts";

/**
 * The JSON value of `text`, with numbers as src/core/json.ts reads them. Throws CliError with the line and column of
 * the first error, and 413 for too many values.
 */
export function parseDocument(text: string, file: string, limits = documentLimits()): unknown {
  try {
    return parseJson(text, limits);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (error instanceof RepeatedKey) throw new CliError(`${file}: ${error.message}`);
    throw new CliError(invalidJson(file, text));
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
 * Reports values that JSON can contain but that the database or JavaScript cannot store, with their places. Makes a
 * number of each long integer whose digits it keeps.
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
      report(
        placeOf(steps),
        steps.length === 1 ? "is not a known field" : "must have another name: JavaScript reserves this name",
      );
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
