// Searches in sequences: the first item for which something holds, the fewest items that have to move so that the others are in order, and
// the places of items that return.

/** The index of the first item for which the test holds, in log n steps: it holds for all after it too. The length if there is none. */
export function firstWhere<T>(items: readonly T[], test: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(items[middle] as T)) high = middle;
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
    const low = firstWhere(ends, (end) => (values[end] as number) >= value);
    previous[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
  }
  const moved = new Set(values.keys());
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) moved.delete(at);
  return moved;
}

/** The list of a key, which is made at its first use. */
export function listAt<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}

/** The strays of a sequence, in their order, by the anchor that each follows; undefined for those before the first anchor. */
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

/** How things of a sequence are found: each by its own key, and the first one of its list by a common one. */
interface Keys<T> {
  own(one: T): unknown;
  start(one: T): unknown;
  /** What it followed: the key of a thing, or the start. */
  after(one: T): unknown;
}

/** A sequence with what returns to it, each after what it followed. What followed something that is gone comes last. */
export function withReturned<T>(staying: readonly T[], returned: readonly T[], { own, start, after }: Keys<T>): T[] {
  const following = new Map(returned.map((one) => [after(one), one]));
  const placed = new Set<T>();
  const place = (first: T | undefined): void => {
    for (let one = first; one !== undefined && !placed.has(one); one = following.get(own(one))) placed.add(one);
  };
  for (const one of [...staying, ...returned]) {
    place(following.get(start(one)));
    place(one);
  }
  return [...placed];
}
