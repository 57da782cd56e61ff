// Cursors: positions in the event log of a production, as clients see them. A cursor names the epoch of the database,
// because a restored database gives the ids after the backup to other events.
import { HttpError, unprocessable } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import { epoch } from "../../core/store/database_mark.ts";
import { one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";

interface Bounds {
  /** The id of the newest stored event of the production; 0 if there is none. */
  last: number;
  /** The id of the newest event that was removed; 0 if none was. */
  floor: number;
}

const boundsOf = one<{ production_id: ProductionId }, Bounds>("event_bounds");

export const cursorAt = (store: Store, position: number): string => `${epoch(store)}-${position}`;

/** The position of the newest event of a production. */
export function lastPosition(store: Store, production_id: ProductionId): number {
  const { last, floor } = boundsOf(store, { production_id }) as Bounds; // safe: the statement always has a row
  return Math.max(last, floor);
}

const gone = (why: string): HttpError =>
  new HttpError(410, `the cursor ${why}: get a new cursor, read the lists again and continue with after=now`);

/**
 * The position of a cursor, of `start` or of `now`; `field` names it in errors. Throws 422 if it is not a cursor, 410
 * if it is of another epoch or if events after it were removed.
 */
export function positionOf(store: Store, production_id: ProductionId, written: string, field = "after"): number {
  const { last, floor } = boundsOf(store, { production_id }) as Bounds; // safe: the statement always has a row
  if (written === "now") return Math.max(last, floor);
  if (written === "start") return floor;
  const [, of, digits] = /^([0-9a-f]{8})-(0|[1-9]\d{0,15})$/.exec(written) ?? [];
  const position = Number(digits);
  if (of === undefined || !Number.isSafeInteger(position))
    throw unprocessable(`${field} must be the cursor of an earlier answer, start or now`);
  if (of !== epoch(store)) throw gone("is from before the database was restored");
  if (position < floor) throw gone("is too old, because the log no longer has the events after it");
  if (position > Math.max(last, floor)) throw gone("is from another copy of the database");
  return position;
}
