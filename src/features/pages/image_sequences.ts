// Finds the sequences among pictures: those of one type in one folder whose names differ only in the last number before
// the ending.

export interface Sequence<M> {
  /** "sh010.[1001-1100].exr". */
  name: string;
  /** The pictures that are there, by their numbers. */
  media: readonly M[];
  /** The numbers that are not there, as "1017, 1030-1032"; empty if there are all. */
  missing: string;
}

interface Numbered<M> {
  medium: M;
  number: number;
  digits: string;
}

/** Fewer pictures are no sequence. */
const fewest = 3;
/** How many ranges of missing numbers are named. */
const rangesNamed = 20;

/**
 * The parts of a name with a number before its ending; undefined without one, and for the number of a version or a
 * take.
 */
function partsOf(label: string): { before: string; digits: string; ending: string } | undefined {
  const [, before = "", digits = "", ending = ""] = /^(.*?)(\d{1,12})(\.[^./]*)?$/s.exec(label) ?? [];
  if (digits === "" || /(?:^|[^\p{L}])(?:v|ver|take)[ ._-]?$/iu.test(before)) return undefined;
  return { before, digits, ending };
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** A number with as many digits as the first one of its sequence. */
const padded = (number: number, width: number): string => String(number).padStart(width, "0");

/** The numbers of a step that are not there, as ranges. */
function missingIn(numbers: readonly number[], step: number, width: number): string {
  const ranges: string[] = [];
  for (const [at, number] of numbers.entries()) {
    const next = numbers[at + 1];
    if (next === undefined || next === number + step) continue;
    const [from, to] = [padded(number + step, width), padded(next - step, width)];
    ranges.push(from === to ? from : `${from}-${to}`);
  }
  const rest = ranges.length - rangesNamed;
  return rest > 0 ? `${ranges.slice(0, rangesNamed).join(", ")} and ${rest} more gaps` : ranges.join(", ");
}

/** The sequence of pictures with the same name around their numbers; undefined if they are none. */
function sequenceOf<M>(before: string, ending: string, given: readonly Numbered<M>[]): Sequence<M> | undefined {
  const all = given.toSorted((a, b) => a.number - b.number);
  const numbers = all.map(({ number }) => number);
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined || new Set(numbers).size < Math.max(fewest, numbers.length))
    return undefined;
  let step = 0;
  for (const [at, number] of numbers.entries())
    if (at > 0) step = greatestDivisor(step, number - (numbers[at - 1] ?? 0));
  if (numbers.length * 2 < (last - first) / step + 1) return undefined; // less than half of them are there
  const width = all[0]?.digits.startsWith("0") ? (all[0]?.digits.length ?? 0) : 0;
  const range = `${padded(first, width)}-${padded(last, width)}${step > 1 ? `x${step}` : ""}`;
  return {
    name: `${before}[${range}]${ending}`,
    media: all.map(({ medium }) => medium),
    missing: missingIn(numbers, step, width),
  };
}

/**
 * The sequences among media, and the other media, each in the order of the first one. Numbers with zeros before them
 * and others are of one sequence only if all have the same number of digits.
 */
export function sequencesIn<M extends { label: string; content_type: string }>(
  media: readonly M[],
): (Sequence<M> | M)[] {
  const groups = new Map<string, { before: string; ending: string; all: Numbered<M>[] }>();
  for (const medium of media) {
    const parts = medium.content_type.startsWith("image/") ? partsOf(medium.label) : undefined;
    if (parts === undefined) continue;
    const { before, digits, ending } = parts;
    const key = JSON.stringify([medium.content_type, before, ending, digits.startsWith("0") ? digits.length : ""]);
    const group = groups.get(key) ?? { before, ending, all: [] };
    group.all.push({ medium, number: Number(digits), digits });
    groups.set(key, group);
  }
  const found = [...withPadded(groups).values()].flatMap(
    ({ before, ending, all }) => sequenceOf(before, ending, all) ?? [],
  );
  const said = new Set<Sequence<M>>();
  const ofMedium = new Map(found.flatMap((one) => one.media.map((medium) => [medium, one] as const)));
  return media.flatMap((medium): (Sequence<M> | M)[] => {
    const sequence = ofMedium.get(medium);
    if (sequence === undefined) return [medium];
    if (said.has(sequence)) return [];
    said.add(sequence);
    return [sequence];
  });
}

/** The groups, of which one with zeros before its numbers also has the numbers that need none: 0998, 0999, 1000. */
function withPadded<M>(groups: ReadonlyMap<string, { before: string; ending: string; all: Numbered<M>[] }>) {
  const all = new Map(groups);
  for (const [key, group] of groups) {
    const [type, before, ending, padding]: [string, string, string, number | ""] = JSON.parse(key);
    if (padding === "") continue;
    const plainKey = JSON.stringify([type, before, ending, ""]);
    const plain = all.get(plainKey);
    const fitting = plain?.all.filter(({ digits }) => digits.length === padding) ?? [];
    if (plain === undefined || fitting.length === 0) continue;
    all.set(key, { ...group, all: [...group.all, ...fitting] });
    all.set(plainKey, { ...plain, all: plain.all.filter((one) => !fitting.includes(one)) });
  }
  return all;
}

/** Whether it is a sequence and not a medium. */
export const isSequence = <M>(one: Sequence<M> | M): one is Sequence<M> =>
  typeof one === "object" && one !== null && "media" in one && "missing" in one;
