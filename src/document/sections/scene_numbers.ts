// Orders the numbers of scenes, and gives numbers to scenes that have none.
import { firstWhere } from "../../sequences.ts";

/** A number in the form in which two of them are compared: "11 a" is 11A, "012" is 12. */
export const canonicalNumber = (number: string): string =>
  number
    .toUpperCase()
    .replace(/\s+|\.$/g, "")
    .replace(/(^|[^0-9])0+(?=\d)/g, "$1");

export type SortKey = readonly [number: number, withPrefix: number, rest: string];

/** The order of scene numbers: A12 before 12, 12 before 12A, 12A before 13. */
export function sortKey(number: string): SortKey | undefined {
  const [, before = "", digits, after = ""] = /^([A-Z]*)(\d+)(.*)$/.exec(canonicalNumber(number)) ?? [];
  return digits === undefined ? undefined : [Number(digits), before === "" ? 1 : 0, `${before}${after}`];
}

export function compareNumbers(one: string, other: string): number {
  return compareKeys(sortKey(one), sortKey(other));
}

export function compareKeys(left: SortKey | undefined, right: SortKey | undefined): number {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? 1 : -1;
  return left[0] - right[0] || left[1] - right[1] || (left[2] < right[2] ? -1 : left[2] > right[2] ? 1 : 0);
}

/** Finds the first of `scenes` with a greater number, in log n steps. */
export function firstAbove<T>(scenes: readonly T[], numberOf: (scene: T) => string): (number: string) => T | undefined {
  const heights: T[] = [];
  for (const scene of scenes) {
    const top = heights.at(-1);
    if (top === undefined || compareNumbers(numberOf(scene), numberOf(top)) > 0) heights.push(scene);
  }
  return (number) => heights[firstWhere(heights, (scene) => compareNumbers(numberOf(scene), number) > 0)];
}

/** A to Z without I and O, which read as 1 and 0 on a slate; then AA, AB, … */
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ";

function nextLetters(before: string): string {
  const last = before.at(-1);
  if (last === undefined) return "A";
  const next = letters[letters.indexOf(last) + 1];
  return next === undefined ? `${nextLetters(before.slice(0, -1))}A` : before.slice(0, -1) + next;
}

/** The first number after `stem` and its letters that is not taken: 12B after 12A, A1 before 1. */
function nextFree(taken: ReadonlySet<string>, after: string, join: (letters: string) => string): string {
  let suffix = nextLetters(after);
  while (taken.has(join(suffix).toUpperCase())) suffix = nextLetters(suffix);
  return join(suffix);
}

/**
 * The numbers of scenes in the order of the script. Scenes none of which is numbered get 1, 2, 3. A scene without a number
 * among numbered ones takes the number before it with the next free letter (12, then 12A and 12B); before the first
 * numbered scene the letter stands in front (A1, B1), as is the custom. `others` are numbers that are taken too.
 */
export function numberScenes(numbers: readonly (string | null)[], others: readonly string[] = []): string[] {
  const first = numbers.find((number) => number !== null);
  if (first === undefined || first === null) return numbers.map((_, at) => String(at + 1));
  const taken = new Set([...numbers, ...others].flatMap((number) => (number === null ? [] : number.toUpperCase())));
  let stem: string | undefined;
  let after = "";
  return numbers.map((number) => {
    if (number !== null) {
      [, stem, after] = /^(.*?\d)([A-Z]*)$/.exec(number.toUpperCase()) ?? ["", number, ""];
      return number;
    }
    const before = stem;
    const given =
      before === undefined
        ? nextFree(taken, after, (suffix) => `${suffix}${first}`)
        : nextFree(taken, after, (suffix) => `${before}${suffix}`);
    taken.add(given.toUpperCase());
    after = before === undefined ? given.slice(0, -first.length) : given.slice(before.length);
    return given;
  });
}
