// Delivers events to webhooks: to each webhook in order and at least once, with retries, and to several webhooks at the same time.
import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../../store/database.ts";
import { cursorAt, positionOf } from "../cursors.ts";
import type { Feed } from "../feed.ts";
import type { EventPage, LoggedEvent } from "../log.ts";
import { type DestinationRules, webhookUrl } from "./destinations.ts";
import { post, type TryResult } from "./posting.ts";
import {
  dueWebhooks,
  findWebhook,
  postponeWebhook,
  recordDelivery,
  settleWebhook,
  storePause,
  type Webhook,
} from "./rows.ts";
import { signatureHeaders } from "./signatures.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays between the tries of an event, in milliseconds. After the try that follows the last one, the event is dead. */
export const retryDelays: readonly number[] = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];
/** Each delay is between this part of it and its whole, so that receivers are not called in step. */
const jitter = 0.1;
/** The longest Retry-After that is honoured. */
const maxRetryAfter = 24 * hour;
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
  /** The setting webhook_hosts. */
  hosts: readonly string[];
  /** The time of one try in milliseconds; 15 seconds by default. */
  timeout?: number | undefined;
}

/** The secrets that sign a message at a time: the new one, and the former one during a rotation. */
const secretsOf = ({ secret, former_secret, former_until }: Webhook, now: string): string[] =>
  former_secret !== null && (former_until ?? "") > now ? [secret, former_secret] : [secret];

/** Sends a message to a webhook. `id` is the same for every try. */
export function sendMessage(
  webhook: Webhook,
  message: { id: string; body: string },
  {
    clock,
    ...options
  }: { clock: () => number; rules: DestinationRules; closing: AbortSignal; timeout?: number | undefined },
): Promise<TryResult> {
  const time = clock();
  const headers = signatureHeaders({ ...message, time }, secretsOf(webhook, new Date(time).toISOString()));
  return post({ url: webhookUrl(webhook.url), headers, body: message.body }, { clock, ...options });
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
  /** What a webhook has passed without a delivery, and when its position was stored. */
  readonly #passed = new Map<number, { from: number; position: number; storedAt: number }>();
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
    return { hosts: this.#options.hosts, ownPort: this.#ownPort };
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
    for (const id of due) {
      if (this.#running.has(id)) this.#again.add(id);
      else if ((this.#blocked.get(id) ?? 0) <= this.#options.clock()) this.#running.set(id, this.#begin(id));
    }
  }

  async #begin(id: number): Promise<void> {
    try {
      await this.#serve(id);
      this.#blocked.delete(id);
    } catch {
      this.#blocked.set(id, this.#options.clock() + failureDelay); // the database is busy, or on a full disk
    } finally {
      this.#running.delete(id);
      if (this.#again.delete(id)) this.#wake();
    }
  }

  /** Delivers event after event until there is none left, a try fails, or the webhook is paused. */
  async #serve(id: number): Promise<void> {
    for (;;) {
      const webhook = findWebhook(this.#store, id);
      if (this.#ended || webhook === undefined || webhook.paused_at !== null) return;
      if ((webhook.next_try_at ?? "") > this.#now) return;
      if (await this.#skipRemoved(webhook)) continue;
      const { events, position } = await this.#next(webhook);
      const [event] = events;
      if (event === undefined) return this.#pass(webhook, position);
      if (!(await this.#deliver(webhook, event))) return;
    }
  }

  #next(webhook: Webhook): Promise<EventPage> {
    const passed = this.#passed.get(webhook.id);
    const after = passed?.from === webhook.position ? passed.position : webhook.position;
    const { production_id, types } = webhook;
    return this.#feed.stored.page({ production_id, after, types: types ?? undefined, limit: 1 });
  }

  /** If events were removed before they were delivered, records that and goes on with the oldest one. */
  async #skipRemoved({ id, production_id, position }: Webhook): Promise<boolean> {
    const floor = positionOf(this.#store, production_id, "start");
    if (position >= floor) return false;
    const reason = "events were removed from the log before they were delivered";
    await this.#write(() => {
      settleWebhook(this.#store, { id, former: position, position: floor });
      const none = { event_id: null, type: null, status: null, milliseconds: null, next_try_at: null };
      recordDelivery(this.#store, id, { ...none, try: 0, outcome: "skipped", reason }, this.#now);
    });
    return true;
  }

  /** Remembers that there is nothing to deliver up to a position; stores it now and then. */
  async #pass({ id, position: from }: Webhook, position: number): Promise<void> {
    const passed = this.#passed.get(id);
    const now = this.#options.clock();
    const storedAt = passed?.from === from ? passed.storedAt : now;
    this.#passed.set(id, { from, position, storedAt });
    if (position === from || (position - from < unstoredEvents && now - storedAt < unstoredTime)) return;
    await this.#write(() => settleWebhook(this.#store, { id, former: from, position }));
  }

  /** Makes one try. Returns whether the next event may follow at once. */
  async #deliver(webhook: Webhook, event: LoggedEvent): Promise<boolean> {
    const message = { id: cursorAt(this.#store, event.id), body: event.document };
    const started = performance.now();
    const { clock, timeout } = this.#options;
    const result = await sendMessage(webhook, message, {
      clock,
      timeout,
      rules: this.rules,
      closing: this.#closing.signal,
    });
    if (this.#closing.signal.aborted) return false; // its result is not known; the next start tries again
    const milliseconds = Math.round(performance.now() - started);
    return this.#write(() => this.#settle(webhook, event, result, milliseconds));
  }

  /** Records the result of a try, in a write transaction. Returns whether the next event may follow at once. */
  #settle(
    { id, position: former, tries }: Webhook,
    event: LoggedEvent,
    result: TryResult,
    milliseconds: number,
  ): boolean {
    const store = this.#store;
    const { status, reason } = result;
    const delay = retryDelays[tries];
    const gone = status === 410;
    const isSettled = reason === null || (delay === undefined && !gone);
    const next_try_at = isSettled || gone ? null : this.#nextTry(delay as number, result.retryAfter);
    const outcome = reason === null ? "delivered" : isSettled ? "dead" : "failed";
    const { id: event_id, type } = event;
    recordDelivery(
      store,
      id,
      { event_id, type, try: tries + 1, outcome, status, reason, milliseconds, next_try_at },
      this.#now,
    );
    if (isSettled) settleWebhook(store, { id, former, position: event_id });
    if (gone) storePause(store, { id, reason: "the receiver answered 410: it is gone", now: this.#now });
    if (next_try_at !== null) postponeWebhook(store, { id, former, tries: tries + 1, next_try_at });
    return isSettled;
  }

  #nextTry(delay: number, retryAfter = 0): string {
    const jittered = delay * (1 - Math.random() * jitter);
    return new Date(this.#options.clock() + Math.max(jittered, Math.min(retryAfter, maxRetryAfter))).toISOString();
  }

  /** Not durable: an event whose delivery a power failure forgets is delivered again. */
  #write<T>(work: () => T): Promise<T> {
    return this.#store.write(work, { durable: false });
  }
}
