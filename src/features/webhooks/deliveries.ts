// Delivers events to webhooks: to each webhook in order and at least once, with retries, and to several webhooks at the
// same time.
import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../../core/store/store.ts";
import { hour, minute, second } from "../../core/times.ts";
import { cursorAt, positionOf } from "../events/cursors.ts";
import type { Feed } from "../events/feed.ts";
import type { EventPage, LoggedEvent } from "../events/log.ts";
import type { DestinationRules } from "./destinations.ts";
import type { TryResult } from "./posting.ts";
import {
  deleteSetAside,
  type deliveryOutcomes,
  dueWebhooks,
  findWebhook,
  nextSetAside,
  postponeWebhook,
  recordDelivery,
  replaySetAside,
  setEventAside,
  settleWebhook,
  storePause,
  type Webhook,
} from "./webhook_rows.ts";

/**
 * The delays after the first failed tries of an event, in milliseconds; then it is tried every minute for a day, and
 * then every ten minutes.
 */
const firstDelays: readonly number[] = [5 * second, 15 * second, 30 * second, minute];
const triesInADay = 24 * 60;
const maxDelay = 10 * minute;

/**
 * The delay after the failed try number `tries` of an event, for any failure. An event is never dropped because its
 * receiver is unavailable.
 */
export const retryDelay = (tries: number): number =>
  firstDelays[tries - 1] ?? (tries <= firstDelays.length + triesInADay ? minute : maxDelay);

/**
 * After so many answers that refuse the event itself it is set aside, because those behind it would wait for it as long
 * as the log keeps it.
 */
export const maxRefusals = 10;
/**
 * Whether an answer says that the event is not accepted, and not that the receiver is away, busy, or has another key or
 * address.
 */
const isRefusal = (status: number | null): boolean =>
  status !== null && [400, 406, 409, 413, 415, 422].includes(status);
/** How often webhooks that wait for a later try are looked for. */
const interval = second;
/** How long the end of the server waits for the tries in progress. */
const endTime = 2 * second;
/** A position that only passed events of other types is stored after so many events, or after so much time. */
const unstoredEvents = 500;
const unstoredTime = hour;
/** After this time a webhook is served again whose result could not be stored, so that its receiver is not flooded. */
const failureDelay = minute;

export interface DeliveryOptions {
  clock: () => number;
  /** The setting webhook_hosts is read for each try, because a running server may get another. */
  config: { webhook_hosts: readonly string[] };
  /** The time of one try in milliseconds; 15 seconds by default. */
  timeout?: number | undefined;
}

interface Tried {
  result: TryResult;
  milliseconds: number;
}

interface Outcome {
  tries: number;
  outcome: (typeof deliveryOutcomes)[number];
  next_try_at?: string | null;
}

export class Deliveries {
  readonly #store: Store;
  readonly #feed: Feed;
  readonly #options: DeliveryOptions;
  readonly #closing = new AbortController();
  /** The webhooks that are being served. */
  readonly #running = new Map<number, Promise<void>>();
  /** The webhooks for which a commit came while they were being served. */
  readonly #again = new Set<number>();
  /** What a webhook has passed without a delivery of these types, and when its position was stored. */
  readonly #passed = new Map<number, { from: number; types: string; position: number; storedAt: number }>();
  /** The webhooks whose last result could not be stored, and when they are served again. */
  readonly #blocked = new Map<number, number>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #stopListening: () => void;
  #ownPort: number | undefined;
  #ended = false;

  constructor(store: Store, feed: Feed, options: DeliveryOptions) {
    this.#feed = feed;
    this.#store = store;
    this.#options = options;
    this.#stopListening = feed.onChange(() => this.#wake());
    this.#timer = setInterval(() => this.#wake(), interval);
    this.#timer.unref();
  }

  get rules(): DestinationRules {
    return { hosts: this.#options.config.webhook_hosts, ownPort: this.#ownPort };
  }

  /** Begins to deliver. `ownPort` is the port that the server listens on. */
  start(ownPort: number): void {
    this.#ownPort = ownPort;
    this.#wake();
  }

  /** Begins no further try, and waits a moment for those in progress. */
  async end(): Promise<void> {
    this.#ended = true;
    clearInterval(this.#timer);
    this.#stopListening();
    const ended = Promise.allSettled(this.#running.values());
    await Promise.race([ended, pause(endTime, undefined, { ref: false })]);
    this.#closing.abort();
    await ended;
  }

  get #now(): string {
    return new Date(this.#options.clock()).toISOString();
  }

  /** Serves every webhook that is due and not being served. */
  #wake(): void {
    if (this.#ended || this.#ownPort === undefined || !this.#store.database.open) return;
    let due: number[] = [];
    try {
      due = dueWebhooks(this.#store, this.#now);
    } catch {
      // the database is damaged; requests report it
    }
    for (const id of due) this.#serveWhenFree(id);
  }

  #serveWhenFree(id: number): void {
    if (this.#running.has(id)) this.#again.add(id);
    else if ((this.#blocked.get(id) ?? 0) <= this.#options.clock()) this.#running.set(id, this.#begin(id));
  }

  async #begin(id: number): Promise<void> {
    try {
      await this.#serve(id);
      this.#blocked.delete(id);
    } catch {
      this.#blocked.set(id, this.#options.clock() + failureDelay); // the database is busy, or on a full disk
    } finally {
      this.#running.delete(id);
      if (this.#again.delete(id)) this.#serveWhenFree(id); // it alone: two that wake each other would never rest
    }
  }

  /** Delivers event after event until there is none left, a try fails, or the webhook is paused. */
  async #serve(id: number): Promise<void> {
    for (;;) {
      const webhook = findWebhook(this.#store, id);
      if (this.#ended || webhook === undefined || webhook.paused_at !== null) return;
      if ((webhook.next_try_at ?? "") > this.#now) return;
      if (await this.#replaySetAside(webhook)) continue;
      if (await this.#skipRemoved(webhook)) continue;
      const { events, position } = await this.#next(webhook);
      const [event] = events;
      if (event === undefined) return this.#pass(webhook, position);
      if (!(await this.#deliver(webhook, event))) return;
    }
  }

  #next(webhook: Webhook): Promise<EventPage> {
    const { production_id, types } = webhook;
    const after = this.#passedOf(webhook)?.position ?? webhook.position;
    return this.#feed.stored.page({ production_id, after, types: types ?? undefined, limit: 1 });
  }

  /** What the webhook has passed since its position was stored, if it still wants the same types. */
  #passedOf({ id, position, types }: Webhook) {
    const passed = this.#passed.get(id);
    return passed?.from === position && passed.types === String(types) ? passed : undefined;
  }

  /** Tries the next event that is set aside once more, if an admin asked for it. Returns whether there was one. */
  async #replaySetAside(webhook: Webhook): Promise<boolean> {
    const { id: webhook_id, production_id, replayed } = webhook;
    if (replayed === null) return false;
    const store = this.#store;
    const next = nextSetAside(store, { webhook_id, after: replayed });
    const page = { production_id, after: (next?.event_id ?? 0) - 1, types: undefined, limit: 1 };
    const [event] = next === undefined ? [] : (await this.#feed.stored.page(page)).events;
    if (next === undefined || event?.id !== next.event_id) {
      await this.#write(() => replaySetAside(store, { id: webhook_id, replayed: null }));
      return true;
    }
    const tried = await this.#try(webhook, event);
    if (tried === undefined) return false;
    const { status, reason } = tried.result;
    const { event_id } = next;
    await this.#write(() => {
      // otherwise the receiver cannot be reached, and the rest waits too
      const goesOn = reason === null || isRefusal(status);
      replaySetAside(store, { id: webhook_id, replayed: goesOn ? event_id : null });
      const given = { event_id, tries: next.tries + 1, status, now: this.#now };
      if (reason !== null) setEventAside(store, { ...given, webhook_id, reason });
      this.#record(webhook, event, { ...tried, tries: given.tries, outcome: reason === null ? "delivered" : "dead" });
    });
    return true;
  }

  /** If events were removed before they were delivered, records that and goes on with the oldest one. */
  async #skipRemoved(webhook: Webhook): Promise<boolean> {
    const { id, production_id, position } = webhook;
    const floor = positionOf(this.#store, production_id, "start");
    if (position >= floor) return false;
    const reason = "events were removed from the log before they were delivered";
    await this.#write(() => {
      settleWebhook(this.#store, webhook, floor);
      const none = { event_id: null, type: null, status: null, milliseconds: null, next_try_at: null };
      recordDelivery(this.#store, id, { ...none, try: 0, outcome: "skipped", reason }, this.#now);
    });
    return true;
  }

  /** Remembers that there is nothing to deliver up to a position; stores it now and then. */
  async #pass(webhook: Webhook, position: number): Promise<void> {
    const { id, position: from, types } = webhook;
    const now = this.#options.clock();
    const storedAt = this.#passedOf(webhook)?.storedAt ?? now;
    this.#passed.set(id, { from, types: String(types), position, storedAt });
    if (position === from || (position - from < unstoredEvents && now - storedAt < unstoredTime)) return;
    await this.#write(() => settleWebhook(this.#store, webhook, position));
  }

  /**
   * Sends an event once. Undefined if the server stops meanwhile: the result is not known, and the next start tries
   * again.
   */
  async #try(webhook: Webhook, event: LoggedEvent): Promise<Tried | undefined> {
    const message = { id: cursorAt(this.#store, event.id), body: event.document };
    const { clock, timeout } = this.#options;
    const { sendMessage } = await import("./posting.ts");
    const started = performance.now();
    const options = { clock, timeout, rules: this.rules, closing: this.#closing.signal };
    const result = await sendMessage(webhook, message, options);
    if (this.#closing.signal.aborted) return undefined;
    return { result, milliseconds: Math.round(performance.now() - started) };
  }

  /** Makes one try. Returns whether the next event may follow at once. */
  async #deliver(webhook: Webhook, event: LoggedEvent): Promise<boolean> {
    const tried = await this.#try(webhook, event);
    return tried !== undefined && this.#write(() => this.#settle(webhook, event, tried));
  }

  /** Records the result of a try, in a write transaction. Returns whether the next event may follow at once. */
  #settle(webhook: Webhook, event: LoggedEvent, tried: Tried): boolean {
    const store = this.#store;
    const { id, position: former } = webhook;
    const { status, reason, retryAfter } = tried.result;
    const tries = webhook.tries + 1;
    const isRefused = isRefusal(status);
    const refusals = webhook.refusals + (isRefused ? 1 : 0);
    const gone = status === 410;
    const isDead = refusals >= maxRefusals;
    const isSettled = reason === null || isDead;
    const next_try_at = isSettled || gone ? null : this.#nextTry(retryDelay(tries), retryAfter);
    const outcome = reason === null ? "delivered" : isDead ? "dead" : "failed";
    this.#record(webhook, event, { ...tried, tries, outcome, next_try_at });
    if (isDead) setEventAside(store, { event_id: event.id, webhook_id: id, tries, status, reason, now: this.#now });
    if (isSettled) settleWebhook(store, webhook, event.id);
    if (next_try_at !== null) postponeWebhook(store, { id, former, tries, refusals, next_try_at });
    return isSettled;
  }

  /**
   * Records a try. An event that was delivered is no longer set aside. A webhook whose receiver is gone is paused,
   * unless it got another address meanwhile.
   */
  #record(
    { id: webhook_id, url }: Webhook,
    { id: event_id, type }: LoggedEvent,
    { result: { status, reason }, milliseconds, tries, outcome, next_try_at = null }: Tried & Outcome,
  ): void {
    const store = this.#store;
    const delivery = { event_id, type, try: tries, outcome, status, reason, milliseconds, next_try_at };
    recordDelivery(store, webhook_id, delivery, this.#now);
    if (outcome === "delivered") deleteSetAside(store, { webhook_id, event_id });
    if (status === 410 && findWebhook(store, webhook_id)?.url === url)
      storePause(store, { id: webhook_id, reason: "the receiver answered 410: it is gone", now: this.#now });
  }

  #nextTry(delay: number, retryAfter = 0): string {
    return new Date(this.#options.clock() + Math.max(delay, Math.min(retryAfter, maxDelay))).toISOString();
  }

  /** Not durable: an event whose delivery a power failure forgets is delivered again. */
  #write<T>(work: () => T): Promise<T> {
    return this.#store.write(work, { durable: false, reports: true });
  }
}
