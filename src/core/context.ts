// The context of a call: the open application, the caller and the time. Types only.

import type { Jobs } from "../features/documents/jobs.ts";
import type { Feed } from "../features/events/feed.ts";
import type { Replica } from "../features/replica/replica.ts";
import type { Providers } from "../features/restyle/providers.ts";
import type { ResumableUploads } from "../features/uploads/resumable_uploads.ts";
import type { Deliveries } from "../features/webhooks/deliveries.ts";
import type { BodyBudget } from "./access/body_budget.ts";
import type { Caller } from "./access/callers.ts";
import type { RateLimiter } from "./access/rate_limiter.ts";
import type { Tickets } from "./access/tickets.ts";
import type { Config } from "./config.ts";
import type { Attempt, Idempotency } from "./idempotency.ts";
import type { Answer } from "./operation.ts";
import type { Blobs } from "./store/blobs.ts";
import type { Store } from "./store/database.ts";
import type { Health } from "./store/health.ts";
import type { SettledClock } from "./store/settled_clock.ts";
import type { Reads } from "./store/table_revisions.ts";

/** The addresses at which clients reach this server, without a trailing slash; each is the server's own address by default. */
export interface Addresses {
  /** Host of /api/v1. */
  base_url: string;
  /** Host of /mcp and of the protected-resource metadata. */
  mcp_url: string;
  /** Host of /media. */
  media_url: string;
  /** The authorization server's issuer. */
  auth_url: string;
}

/** The open application: everything that a call may use. */
export interface App {
  store: Store;
  /** Whether the database can be read and written. */
  health: Health;
  blobs: Blobs;
  resumable: ResumableUploads;
  idempotency: Idempotency;
  /** Wakes those who wait for events. */
  feed: Feed;
  /** Delivers events to webhooks. */
  deliveries: Deliveries;
  /** Runs imports and decisions on threads. */
  jobs: Jobs;
  /** Limits the memory that request bodies use. */
  bodies: BodyBudget;
  tickets: Tickets;
  providers: Providers;
  addresses: Addresses;
  /** The settings. */
  config: Config;
  /** What a replica refuses; undefined if this server is a primary. */
  replica: Replica | undefined;
  /** Called when the peer took over. From then on nothing is written, and the directory is a replica's. */
  superseded: () => void;
  /** Limits the requests of each key; undefined if no rate limit is configured. */
  rates: RateLimiter<number> | undefined;
  /** Limits the invalid credentials, and the forms without a proof, of each network. */
  failures: RateLimiter<string>;
  /** The current time in milliseconds. */
  clock: () => number;
  /** The time by which old things are deleted. */
  settled: SettledClock;
}

/** The present time, in the format of stored timestamps. */
export const timestampOf = ({ clock }: Pick<App, "clock">): string => new Date(clock()).toISOString();

export interface Context {
  app: App;
  caller: Caller;
  /** The Authorization header of the call. */
  credentials: string;
  /** Calls `listener` once the client has disconnected or the answer is sent. */
  onClose: (listener: () => void) => void;
  /** The time of the call, in the format of stored timestamps. */
  now: string;
  /** The statements that the answer is made with. */
  reads: Reads;
  /**
   * Returns a context with the current time and a newly authenticated caller. Throws 401 if the credentials are no longer
   * valid.
   */
  renew: () => Context;
  /**
   * Runs `work` in one write transaction, with a renewed context, and returns its result. An operation that writes calls this
   * once and returns what it returns.
   */
  write: <T extends Answer>(work: (context: Context) => T) => Promise<T>;
  /** The attempt of a request with an Idempotency-Key, for an operation that writes on another thread. */
  attempt?: Attempt | undefined;
}

/** The parameters of every statement that reads a production within the caller's reach. */
export interface Reach {
  production_id: number;
  /** Null for a production-wide key, which is not clamped. */
  engagement_id: number | null;
  now: string;
}

export const reachOf = ({ caller, now }: Pick<Context, "caller" | "now">): Reach => ({
  production_id: caller.production_id,
  engagement_id: caller.engagement_id,
  now,
});
