// The pages of a list whose rows may move before or behind the last one of a page: a cursor names all rows that were sent.
import type { ProductionId } from "../core/ids.ts";
import { type ListForm, wrongCursor } from "../core/listing.ts";
import type { Store } from "../core/store/store.ts";

type Ids = (store: Store, reach: { production_id: ProductionId }) => readonly { id: number }[];

/**
 * The ids of a list that are in the runs of a place: in turn how far the next run begins behind the last one, and how many ids follow its first.
 * "5.2.4.0" has the ids from 5 to 7, and 11. Throws 422 for anything else.
 */
function idsInRuns(place: string | number, ids: ReturnType<Ids>): number[] {
  const steps = (String(place).match(/\d{1,16}/g) ?? []).map(Number);
  if (steps.join(".") !== place || steps.length % 2 === 1) throw wrongCursor();
  const sent: number[] = [];
  let [from, to, at] = [0, -1, 0];
  for (const { id } of ids) {
    for (; id > to && at < steps.length; at += 2) {
      from = Math.max(to, 0) + (steps[at] ?? 0);
      to = from + (steps[at + 1] ?? 0);
    }
    if (id >= from && id <= to) sent.push(id);
  }
  return sent;
}

/**
 * The options of a list whose rows may move before or behind the last one of a page. The place of its cursor names every row that was sent: the
 * runs of their ids among those that `idsOf` lists (idsInRuns says how they are written).
 */
export const pagedBySentIds = (idsOf: Ids): ListForm => ({
  next(store, reach, former, rows) {
    const ids = idsOf(store, reach);
    const sent = new Set<string | number>(former === undefined ? [] : idsInRuns(former.place, ids));
    for (const { place } of rows) sent.add(place);
    const steps: number[] = [];
    let last = 0;
    let isOpen = false;
    for (const { id } of ids) {
      if (sent.has(id)) {
        if (isOpen) steps.push((steps.pop() ?? 0) + id - last);
        else steps.push(id - last, 0);
        last = id;
      }
      isOpen = sent.has(id);
    }
    return { place: steps.join(".") };
  },
  stored: (place, store, reach) => JSON.stringify(idsInRuns(place, idsOf(store, reach))),
});
