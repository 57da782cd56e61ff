// Places the scenes of a draft with only revised pages among the scenes that the draft does not have.
import { firstAbove } from "../formats/scene_numbers.ts";
import { firstWhere } from "../sequences.ts";
import type { Comparing, Raised } from "./comparing.ts";
import type { NextRow, Proposal } from "./script_store.ts";

const moves = ({ fields }: Pick<Raised | Proposal, "fields">): boolean => "order" in fields;

/** By the index of a known scene, the pending changes that come after it: what they add or move. -1 is the beginning. */
function waitingAfter({ known }: Comparing, waiting: readonly Proposal[]): Map<number, Proposal[]> {
  const own = known
    .flatMap(({ row }, at) => (row === undefined || row.place === null ? [] : { place: row.place, at }))
    .sort((one, other) => one.place - other.place || other.at - one.at); // the first of equal places is the last here
  const indexBefore = (place: number): number => own[firstWhere(own, (one) => one.place >= place) - 1]?.at ?? -1;
  const placed = waiting.filter((one) => one.place !== null && (one.script_scene_id === null || moves(one)));
  return Map.groupBy(placed, ({ place }) => indexBefore(place as number));
}

/**
 * Gives every scene its place: each new one after the scene before it in the pages, or before the first known one of the pages; where
 * the pages have no known scene, before the first scene with a greater number. `waiting` are the pending changes that the
 * pages are not about; they get their places too.
 */
export function placeAmongOthers(comparing: Comparing, waiting: readonly Proposal[]): void {
  const { known, next, raised } = comparing;
  const moving = new Set(waiting.filter(moves).map(({ script_scene_id }) => script_scene_id));
  const moved = new Set([
    ...raised.flatMap((one) => (one.row !== null && moves(one) ? one.row : [])),
    ...known.flatMap(({ row }, at) => (row !== undefined && moving.has(row.id) ? at : [])),
  ]);
  const places = next.flatMap((row) => row?.place ?? []).sort((one, other) => one - other);
  const inserted = raised.filter((one) => one.place !== null && (one.row === null || moves(one)));
  const following = Map.groupBy(
    inserted,
    ({ place }) => places[firstWhere(places, (other) => other >= (place as number)) - 1] ?? -1,
  );
  const others = waitingAfter(comparing, waiting);
  const rows = next.flatMap((row, at) => (row === undefined || moved.has(at) ? [] : row));
  const above = firstAbove(rows, ({ scene }) => scene.number);
  const alone = Map.groupBy(places.length === 0 ? inserted : [], ({ number }) => above(number));
  const placed: (NextRow | Raised | Proposal)[] = [...(others.get(-1) ?? [])];
  for (const [at, row] of next.entries()) {
    const place = row?.place ?? null;
    if (row !== undefined) placed.push(...(alone.get(row) ?? []));
    if (place !== null && place === places[0]) placed.push(...(following.get(-1) ?? []));
    if (row !== undefined && !moved.has(at)) placed.push(row);
    if (place !== null) placed.push(...(following.get(place) ?? []));
    placed.push(...(others.get(at) ?? []));
  }
  placed.push(...(alone.get(undefined) ?? []));
  for (const [place, one] of placed.entries()) one.place = place;
  for (const { fields, place } of inserted)
    if (fields.order !== undefined && (fields.order.to === null || places.length === 0))
      fields.order = { from: fields.order.from, to: placed[(place as number) - 1]?.scene.number ?? null };
  const rowOf = new Map(known.flatMap(({ row }, at) => (row === undefined ? [] : [[row.id, next[at]] as const])));
  for (const one of raised) if (one.row !== null && !moves(one)) one.place = next[one.row]?.place ?? null;
  for (const one of waiting)
    if (one.script_scene_id !== null && !moves(one)) one.place = rowOf.get(one.script_scene_id)?.place ?? null;
}
