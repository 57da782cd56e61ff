// Finds the fewest things of a sequence that have to move so that the others are in order.

/** The positions of `values` outside a longest increasing run of them. Undefined values are in none. */
export function movedPositions(values: readonly (number | undefined)[]): Set<number> {
  const ends: number[] = []; // the position of the least end of a run of each length
  const previous = values.map(() => -1);
  for (const [at, value] of values.entries()) {
    if (value === undefined) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
  }
  const moved = new Set(values.keys());
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) moved.delete(at);
  return moved;
}
