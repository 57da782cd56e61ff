// Reads the event log of a production in pages, and of all productions for the live feed.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "../store/database.ts";
import type { EventType } from "../store/event_types.ts";
import { many, value } from "../store/statements.ts";
import { lastPosition } from "./cursors.ts";

/** A stored event, serialised. */
export interface LoggedEvent {
  id: number;
  production_id: number;
  type: EventType;
  /** The event as JSON text. */
  document: string;
}

type Scanned = Omit<LoggedEvent, "document"> & { document: string | null };

interface Window {
  production_id: number;
  after: number;
  until: number;
  types: string | null;
  window: number;
}

const scan = many<Window, Scanned>("list_events");
const newEventsOf = many<{ after: number; limit: number }, LoggedEvent>("list_new_events");
const lastIdOf = value<object, number>("last_event_id");

/** How many events one look at the log reads to find those of some types. */
const scanSize = 1_000;

export const lastEventId = (store: Store): number => lastIdOf(store, {}) as number; // safe: the statement always has a row

/** The next events of every production, at most `limit`. */
export const newEvents = (store: Store, after: number, limit: number): LoggedEvent[] =>
  newEventsOf(store, { after, limit });

/** Where a reader begins, and what it wants. */
export interface Subscription {
  /** The position to continue from. */
  position: number;
  /** Only these types; every type if it is undefined. */
  types: readonly EventType[] | undefined;
}

export interface PageOptions {
  production_id: number;
  /** The position before the first event. */
  after: number;
  /** Only these types; every type if it is undefined. */
  types: readonly EventType[] | undefined;
  limit: number;
}

export interface Page {
  events: LoggedEvent[];
  /** The position to continue from: also events of other types are before it. */
  position: number;
  /** The id of the last event that was looked at, of any type; undefined if there was none. */
  last: number | undefined;
  /** Whether there are stored events after `position`. */
  more: boolean;
}

/** Reads one part of the log up to the position `until`: as many events as fit into `limit`, or fewer with `more`. */
export function readPart(store: Store, { production_id, after, types, limit }: PageOptions, until: number): Page {
  const window = types === undefined ? limit : Math.max(limit, scanSize);
  const filter = types === undefined ? null : JSON.stringify(types);
  const rows = scan(store, { production_id, after, until, types: filter, window });
  const events: LoggedEvent[] = [];
  for (const { document, ...event } of rows) {
    if (document === null) continue;
    const position = events.at(-1)?.id ?? after;
    if (events.length === limit) return { events, position, last: position, more: true };
    events.push({ ...event, document });
  }
  const last = rows.at(-1)?.id;
  const more = rows.length === window && (last ?? after) < until;
  return { events, position: more ? (last ?? after) : Math.max(until, after), last, more };
}

/** Reads the next page: it has an event if the log has one of the types. Other calls run between the parts of a long log. */
export async function readPage(store: Store, options: PageOptions): Promise<Page> {
  let { after } = options;
  for (;;) {
    const page = readPart(store, { ...options, after }, lastPosition(store, options.production_id));
    if (page.events.length > 0 || !page.more) return page;
    after = page.position;
    await nextTurn();
  }
}
