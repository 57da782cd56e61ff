// What an operation is handed: the open application, who is calling, and the moment of the call. Types only.
import type { Caller } from "./access/callers.ts";
import type { RateLimiter } from "./access/rate_limiter.ts";
import type { Tickets } from "./access/tickets.ts";
import type { Config } from "./config.ts";
import type { Idempotency } from "./idempotency.ts";
import type { Answer } from "./operations/operation.ts";
import type { Providers } from "./providers/providers.ts";
import type { Blobs } from "./store/blobs.ts";
import type { Store } from "./store/database.ts";
import type { BodyBudget } from "./transports/http/body_budget.ts";

/** The addresses that clients know this server by; each is this server itself unless configured otherwise. No trailing slash. */
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

/** One open server: everything a call may use, and no globals. */
export interface App {
  store: Store;
  blobs: Blobs;
  idempotency: Idempotency;
  /** What request bodies may hold of the memory. */
  bodies: BodyBudget;
  tickets: Tickets;
  providers: Providers;
  addresses: Addresses;
  /** What the deployment set. */
  config: Config;
  /** Where keys have a rate limit. */
  rates: RateLimiter<number> | undefined;
  /** The present moment in milliseconds. */
  clock: () => number;
}

export interface Context {
  app: App;
  caller: Caller;
  /** The moment of the call, as stored moments are written. */
  now: string;
  /** The caller and the moment anew. Throws 401 if the credentials have ended since. */
  renew: () => Context;
  /**
   * Runs `work` in one write transaction, with the caller and the moment as they are then, and answers what it answers. An
   * operation that writes does so once, and answers what this answers.
   */
  write: <T extends Answer>(work: (context: Context) => T) => Promise<T>;
}

/** The parameters that every statement over a production starts from. */
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
