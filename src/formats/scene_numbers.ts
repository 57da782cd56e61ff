// Orders the numbers of scenes, and gives numbers to scenes that have none.
import { firstWhere } from "../sequences.ts";

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
