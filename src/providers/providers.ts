// The two restyle providers. Besides this folder, only webhooks and the storage agent open outbound connections.
import type { Config } from "../config.ts";
import type { LookBrief } from "./brief.ts";
import { checkProviders, type ProviderState } from "./checks.ts";
import { distil } from "./look.ts";
import type { Outbound } from "./outbound.ts";
import { createToken, type SessionToken } from "./restyle.ts";
import { openSingleFlight, type SingleFlight } from "./single_flight.ts";

export type { LookBrief, ProviderState, SessionToken };

/** The configured providers. Their errors never contain any part of a provider's response. */
export interface Providers {
  /** Creates a session token for one model. Throws 503 if no key is configured, 502 if the provider fails. */
  createToken(model: string): Promise<SessionToken>;
  /**
   * Creates a look brief of a JPEG. Throws 422 for a problem with the picture, 503 if the provider is not available, otherwise
   * 502.
   */
  distil(jpeg: Buffer): Promise<LookBrief>;
  /** The look briefs in progress. */
  singleFlight: SingleFlight;
  /** Checks whether each provider answers, without costs. */
  check(): Promise<ProviderState[]>;
  /** Aborts every call in progress. */
  close(): void;
}

/** The maximum number of look briefs in progress. Each has a still and its request in memory. */
const maxInFlight = 8;

/** Replacements for the defaults of outbound calls. */
export type OutboundOptions = Partial<Omit<Outbound, "closing">>;

/** Prepares the providers without opening a connection. `options` are for tests. */
export function openProviders(config: Config, options: OutboundOptions = {}): Providers {
  const closing = new AbortController();
  const outbound: Outbound = {
    fetch: globalThis.fetch,
    clock: Date.now,
    shortTimeout: 5_000,
    retryDelay: [200, 600],
    maxRetryAfter: 2_000,
    ...options,
    closing: closing.signal,
  };
  return {
    createToken: (model) => createToken(outbound, config, model),
    distil: (jpeg) => distil(outbound, config, jpeg),
    singleFlight: openSingleFlight(maxInFlight),
    check: () => checkProviders(outbound, config),
    close: () => closing.abort(),
  };
}
