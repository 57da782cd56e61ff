// Removes old entries in small steps: events, of which it keeps the position up to which they were removed, and what
// the setting limits.
import { setTimeout as pause } from "node:timers/promises";
import type { App } from "../../core/context.ts";
import type { ProductionId } from "../../core/ids.ts";
import { change, many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { day } from "../../core/times.ts";
import { settledClockOf } from "../clock/settled_clock.ts";
import { lastEventId } from "./log.ts";

/** In milliseconds. */
const maxAge = 30 * day;
/** The number of events that are kept. */
const maxEvents = 1_000_000;
/** The number of events that one transaction removes. */
const stepSize = 1_000;
/** Between two steps, in milliseconds. */
const stepPause = 50;

interface OldEvent {
  id: number;
  production_id: ProductionId;
}

const removable = many<{ before: string; last: number; limit: number }, OldEvent>("list_removable_events");
const deleteEvents = change("delete_events");
const raiseFloor = change("raise_event_floor");

interface Oldest {
  before: string;
  limit: number;
}
/**
 * Removes rows of a table that are older than a time, at most 1,000 but never the newest, whose id tells the next one.
 */
type Trim = (store: Store, given: Oldest) => { changes: number };
/** The settings of retention, with the rows that they limit. */
const trims = {
  storage_events: change("trim_storage_events"),
  activity: change("trim_activity"),
  audit: change("trim_audit"),
  change_sets: change("trim_change_sets"),
} satisfies Record<string, Trim>;

const mediaOfOldSets = many<Oldest, { sha256: string }>("list_media_of_old_sets");
/** Is called with the hash of bytes that may be needed no longer. */
type Freed = (sha256: string) => void;

export interface Retention {
  /** In milliseconds. */
  maxAge: number;
  maxEvents: number;
  /** How many days the rows of other tables are kept; without a limit if absent. */
  days?: Partial<Record<keyof typeof trims, number | undefined>>;
}

export const defaultRetention: Retention = { maxAge, maxEvents, days: { change_sets: 400 } };

/**
 * Removes events that are older than 30 days or beyond the newest million, at most 1,000, in a write transaction.
 * Returns how many it removed. The floor of a production says up to which position events may be missing.
 */
export function trimLog(store: Store, now: string, { maxAge, maxEvents }: Retention = defaultRetention): number {
  const before = new Date(Date.parse(now) - maxAge).toISOString();
  const removed = removable(store, { before, last: lastEventId(store) - maxEvents, limit: stepSize });
  const floors = new Map(removed.map(({ id, production_id }) => [production_id, id]));
  for (const [production_id, id] of floors) raiseFloor(store, { production_id, id });
  deleteEvents(store, { ids: JSON.stringify(removed.map(({ id }) => id)) });
  return removed.length;
}

/**
 * Removes rows that are older than the setting allows, at most 1,000 of each table, in a write transaction. Returns
 * whether more are left.
 */
export function trimTables(store: Store, now: string, { days = {} }: Pick<Retention, "days">, freed: Freed): boolean {
  let more = false;
  const entries = Object.entries(trims) as [keyof typeof trims, Trim][]; // its own keys
  for (const [name, trim] of entries) {
    const keptDays = days[name];
    if (keptDays === undefined) continue;
    const given = { before: new Date(Date.parse(now) - keptDays * day).toISOString(), limit: stepSize };
    if (name === "change_sets") for (const { sha256 } of mediaOfOldSets(store, given)) freed(sha256);
    if (trim(store, given).changes === stepSize) more = true;
  }
  return more;
}

/** The retention of an application: the usual one with what its settings say. */
export const retentionOf = ({ config }: App): Retention => ({
  ...defaultRetention,
  days: { ...defaultRetention.days, ...config.retention },
});

/** Does steps of removal, each in a transaction of its own, until one says that nothing is left. */
export async function removeInSteps(app: App, removeSome: (now: string) => boolean): Promise<void> {
  const { store } = app;
  const settled = settledClockOf(app);
  const step = () =>
    // a step that a power failure undoes is made again
    store.write(() => removeSome(new Date(settled.now()).toISOString()), { durable: false });
  while (store.database.open && (await step())) await pause(stepPause, undefined, { ref: false });
}

/** Trims the log and the tables as the settings say. */
export function runTimer(app: App): Promise<void> {
  const { store, blobs } = app;
  const retention = retentionOf(app);
  return removeInSteps(app, (now) => {
    const more = trimTables(store, now, retention, blobs.removeIfUnneeded);
    return trimLog(store, now, retention) === stepSize || more;
  });
}
