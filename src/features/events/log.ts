// Reads the event log of a production in pages.
import type { ProductionId } from "../../core/ids.ts";
import type { EventType } from "../../core/store/event_types.ts";
import { many, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";

/** A stored event, serialised. */
export interface LoggedEvent {
  id: number;
  type: EventType;
  /** The event as JSON text. */
  document: string;
}

type Scanned = Omit<LoggedEvent, "document"> & { document: string | null };

interface Window {
  production_id: ProductionId;
  after: number;
  until: number;
  types: string | null;
  window: number;
}

const scan = many<Window, Scanned>("list_events");
const lastIdOf = value<object, number>("last_event_id");

/** How many ids one look at the log covers to find the events of some types. */
const scanSize = 1_000;

// safe: the statement always has a row
export const lastEventId = (store: Store): number => lastIdOf(store, {}) as number;

/** Where a reader begins, and what it wants. */
export interface Subscription {
  /** The position to continue from. */
  position: number;
  /** Only these types; every type if it is undefined. */
  types: readonly EventType[] | undefined;
}

export interface PageOptions {
  production_id: ProductionId;
  /** The position before the first event. */
  after: number;
  /** Only these types; every type if it is undefined. */
  types: readonly EventType[] | undefined;
  limit: number;
}

export interface EventPage {
  events: LoggedEvent[];
  /** The position to continue from: also events of other types are before it. */
  position: number;
  /** The id of the last event that was looked at, of any type; undefined if there was none. */
  last: number | undefined;
  /** Whether there are stored events after `position`. */
  more: boolean;
  /** What streams send of the events, made by the first of those that share the page. */
  text?: Buffer;
}

/**
 * Reads one part of the log up to the position `until`: as many events as fit into `limit`, or fewer with `more`. A
 * part of some types ends at a multiple of 1,000, so that readers that began at different positions read the same
 * parts.
 */
export function readPart(store: Store, { production_id, after, types, limit }: PageOptions, until: number): EventPage {
  const isFiltered = types !== undefined;
  const end = isFiltered ? Math.min(until, after - (after % scanSize) + scanSize) : until;
  const window = isFiltered ? scanSize : limit;
  const filter = isFiltered ? JSON.stringify(types) : null;
  const rows = scan(store, { production_id, after, until: end, types: filter, window });
  const events: LoggedEvent[] = [];
  for (const { document, ...event } of rows) {
    if (document === null) continue;
    const position = events.at(-1)?.id ?? after;
    if (events.length === limit) return { events, position, last: position, more: true };
    events.push({ ...event, document });
  }
  const last = rows.at(-1)?.id;
  const reached = rows.length === window ? (last ?? after) : end;
  return { events, position: Math.max(reached, after), last, more: reached < until };
}
