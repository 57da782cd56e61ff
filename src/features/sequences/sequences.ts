// Searches in sequences: the first item for which something holds, and the fewest items that have to move so that the
// others are in order. Numbers that order items. A reader that remembers what a few texts mean. Handles lists of any
// length: as arguments of a call, the items of a list of 120,000 and more exceed the stack.

/**
 * The index of the first item for which the test holds, in log n steps: it holds for all after it too. The length if
 * there is none.
 */
export function firstWhere<T>(items: readonly T[], test: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle] as T; // it is between 0 and the length
    if (test(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The positions of `values` outside a longest increasing run of them. Undefined values are in none. */
export function movedPositions(values: readonly (number | undefined)[]): Set<number> {
  const ends: number[] = []; // the position of the least end of a run of each length
  const previous = values.map(() => -1);
  for (const [at, value] of values.entries()) {
    if (value === undefined) continue;
    const low = firstWhere(ends, (end) => (values[end] ?? 0) >= value);
    previous[at] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = at;
  }
  const moved = new Set(values.keys());
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) moved.delete(at);
  return moved;
}

/** The list of a key, which is made at its first use. */
export function listAt<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}

/** The values that are in a list before, each time that they come again. */
export function repeated<T>(values: readonly T[]): T[] {
  const seen = new Set<T>();
  return values.filter((value) => seen.size === seen.add(value).size);
}

/** Adds items to the end of a list. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** The values that are in `fixed` or fit between those; they increase. */
function fitting(values: readonly (number | undefined)[], fixed: ReadonlySet<number>): (number | undefined)[] {
  let next = Number.POSITIVE_INFINITY;
  const limits = values.map(() => next);
  for (let at = values.length - 1; at >= 0; at--) {
    if (fixed.has(at)) next = values[at] ?? next;
    limits[at] = next;
  }
  let last = -1;
  return values.map((value = -1, at) => {
    if (fixed.has(at)) last = value;
    return fixed.has(at) || (value > last && value < (limits[at] ?? next)) ? value : undefined;
  });
}

/**
 * The positions of a longest increasing run of the values of the first rank, and of each further rank one of those that
 * fit between.
 */
export function unmovedPositions(values: readonly (number | undefined)[], ranks: readonly number[]): Set<number> {
  let standing = new Set<number>();
  for (const rank of new Set(ranks.toSorted((one, other) => one - other))) {
    const ranked = values.map((value, at) => ((ranks[at] ?? rank) <= rank ? value : undefined));
    const moved = movedPositions(fitting(ranked, standing));
    standing = new Set([...values.keys()].filter((at) => !moved.has(at)));
  }
  return standing;
}

/** For each position the nearest values before it and after it, of those that there are. */
export function nearestAround<T>(values: readonly (T | undefined)[]): [before: T | undefined, after: T | undefined][] {
  const nearest = (all: typeof values) => {
    let last: T | undefined;
    return all.map((one) => {
      const found = last;
      last = one ?? last;
      return found;
    });
  };
  const [before, after] = [nearest(values), nearest(values.toReversed()).reverse()];
  return values.map((_, at) => [before[at], after[at]]);
}

/**
 * The strays of a sequence, in their order, by the anchor that each follows; undefined for those before the first
 * anchor.
 */
export function straysAfter<T>(
  items: readonly T[],
  isStray: (item: T) => boolean,
  isAnchor: (item: T, at: number) => boolean,
): Map<T | undefined, T[]> {
  const strays = new Map<T | undefined, T[]>();
  let anchor: T | undefined;
  for (const [at, item] of items.entries())
    if (isStray(item)) listAt(strays, anchor).push(item);
    else if (isAnchor(item, at)) anchor = item;
  return strays;
}

/** Fills runs of undefined values with values between their neighbours. Returns false if a gap is too small. */
function fillGaps(values: (number | undefined)[], step: number): values is number[] {
  for (let at = 0; at < values.length; at++) {
    if (values[at] !== undefined) continue;
    let end = at;
    while (end < values.length && values[end] === undefined) end++;
    const low = at === 0 ? 0 : (values[at - 1] ?? 0);
    const high = end === values.length ? low + (end - at + 1) * step : (values[end] ?? 0);
    const gap = Math.floor((high - low) / (end - at + 1));
    if (gap < 1) return false;
    for (let index = at; index < end; index++) values[index] = low + gap * (index - at + 1);
    at = end - 1;
  }
  return true;
}

/**
 * The numbers that order a sequence: each thing keeps its `former` one, but the fewest that have to move and what has
 * none get numbers between those of their neighbours. If there is no gap left, all are numbered again, `step` apart,
 * and nothing gets what `unlike` says of its position and of whether it moves.
 */
export function numbersInOrder(
  former: readonly (number | undefined)[],
  step: number,
  unlike: (at: number, moves: boolean) => number | undefined = () => undefined,
) {
  const moved = movedPositions(former);
  const kept = former.map((one, at) => (moved.has(at) ? undefined : one));
  const numberedAgain = (at: number): number => {
    const number = (at + 1) * step;
    return number === unlike(at, moved.has(at)) ? number + 1 : number;
  };
  const numbers = fillGaps(kept, step) ? kept : [...former.keys()].map(numberedAgain);
  return { numbers, moved };
}

/** The greatest of the numbers, and at least 0. */
export const greatest = (numbers: readonly number[]): number => numbers.reduce((most, one) => Math.max(most, one), 0);

/** A reader for rows of which many have the same few texts: it remembers what the first thousand texts mean. */
export function remembering<T>(read: (text: string) => T, longest = Number.POSITIVE_INFINITY): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > longest) return read(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = read(text);
    if (known.size < 1000) known.set(text, made);
    return made;
  };
}
