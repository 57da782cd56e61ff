// Finds where the rows of a list are in a later state of it, in linear time.

/**
 * Pairs equal texts in their order: each takes the next equal one. Returns the places of the first list's texts in the
 * second.
 */
function pairs(from: readonly string[], to: readonly string[]): Map<number, number> {
  const places = Map.groupBy(to.keys(), (at) => to[at]);
  const passed = new Map<string, number>();
  const found = new Map<number, number>();
  let next = 0;
  for (const [at, text] of from.entries()) {
    const own = places.get(text) ?? [];
    let first = passed.get(text) ?? 0;
    while (first < own.length && (own[first] as number) < next) first++; // below its length
    passed.set(text, first);
    const place = own[first];
    if (place === undefined) continue;
    found.set(at, place);
    next = place + 1;
  }
  return found;
}

/**
 * The place of each row in the later list; undefined for one that is gone. Equal rows are the same. Between those, as
 * many rows as before are the same in their order; otherwise those of one name are.
 */
export function alignedRows(
  from: readonly string[],
  to: readonly string[],
  namesFrom: readonly string[],
  namesTo: readonly string[],
): (number | undefined)[] {
  const equal = pairs(from, to);
  const aligned: (number | undefined)[] = from.map((_, at) => equal.get(at));
  const ends = [...equal, [from.length, to.length] as const];
  let [start, startTo] = [0, 0];
  for (const [end, endTo] of ends) {
    const isLong = end - start === endTo - startTo;
    const named = isLong ? undefined : pairs(namesFrom.slice(start, end), namesTo.slice(startTo, endTo));
    for (let at = start; at < end; at++) {
      const place = isLong ? at - start : named?.get(at - start);
      aligned[at] = place === undefined ? undefined : startTo + place;
    }
    [start, startTo] = [end + 1, endTo + 1];
  }
  return aligned;
}
