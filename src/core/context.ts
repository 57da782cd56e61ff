// The context of a call: the open application, the caller and the time. Types only.
import type { Caller } from "./access/callers.ts";
import type { Attempt } from "./attempts.ts";
import type { BodyBudget } from "./body_limits.ts";
import type { Config } from "./config.ts";
import type { HttpError } from "./errors.ts";
import type { FeatureOptions } from "./features.ts";
import type { EngagementId, KeyId, ProductionId } from "./ids.ts";
import type { RateLimiter } from "./limits.ts";
import type { Answer } from "./operation.ts";
import type { Blobs } from "./store/blobs.ts";
import type { Health } from "./store/health.ts";
import type { Store } from "./store/store.ts";

/** A copy of another directory, and what it refuses. */
export interface ServedCopy {
  /** The age of the copy in whole seconds; null if it is not known. */
  age(): number | null;
  /** The error of every call, if the copy must not be used now; undefined otherwise. */
  refusal(): HttpError | undefined;
  /** What /healthz answers if the directory is no copy any more; undefined otherwise. */
  health(): { ok: false; reason: string } | undefined;
  /** The error of a write. */
  readOnly(): HttpError;
  /** Throws 403 if the copy does not serve the key. */
  checkKey(key: { engagement_id: EngagementId | null }): void;
  close(): void;
}

/** What a copy is opened with. */
export interface CopyOptions {
  /** The data directory. */
  data: string;
  /** The current time in milliseconds. */
  clock: () => number;
  config: Config;
}

/**
 * The addresses at which clients reach this server, without a trailing slash; each is the server's own address by
 * default.
 */
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
  /** Limits the memory that request bodies use. */
  bodies: BodyBudget;
  addresses: Addresses;
  /** The settings. */
  config: Config;
  /** Present if the directory is a copy of another one, which is served read-only. */
  copy: ServedCopy | undefined;
  /** What the features were given when the application was opened. */
  options: FeatureOptions;
  /** Limits the requests of each key; undefined if no rate limit is configured. */
  rates: RateLimiter<KeyId | null> | undefined;
  /** Limits the invalid credentials, and the forms without a proof, of each network. */
  failures: RateLimiter<string>;
  /** The current time in milliseconds. */
  clock: () => number;
  /** Tells the administrator how many files of media that the database does not name were moved aside. */
  tellMoved(count: number): void;
  /** Tells the administrator a sentence. */
  notice(sentence: string): void;
  /** Calls `listener` when the server stops taking requests, and waits for it. */
  onEnd(listener: () => Promise<void> | void): void;
  /** Calls `listener` when the application is closed. */
  onClose(listener: () => void): void;
}

/** One call of an operation: what a handler gets besides its input. */
export interface Context {
  app: App;
  caller: Caller;
  /** The Authorization header of the call, or the token of the session that made it. */
  credentials: string;
  /** Calls `listener` once the client has disconnected or the answer is sent. */
  onClose: (listener: () => void) => void;
  /** The time of the call, in the format of stored timestamps. */
  now: string;
  /**
   * Returns a context with the current time and a newly authenticated caller. Throws 401 if the credentials are no
   * longer valid.
   */
  renew: () => Context;
  /**
   * Runs `work` in one write transaction, with a renewed context, and returns its result. An operation that writes
   * calls this once and returns what it returns.
   */
  write: <T extends Answer>(work: (context: Context) => T) => Promise<T>;
  /** The attempt of a request with an Idempotency-Key, for an operation that writes on another thread. */
  attempt?: Attempt | undefined;
}

/** The parameters of every statement that reads a production within the caller's reach. */
export interface Reach {
  production_id: ProductionId;
  /** Null for a production-wide key, which is not clamped. */
  engagement_id: EngagementId | null;
  now: string;
}
