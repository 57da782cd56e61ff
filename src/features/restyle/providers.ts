// The two restyle providers. Besides this folder, only webhooks and the storage agent open outbound connections.

import type { Config } from "../../core/config.ts";
import { HttpError } from "../../core/errors.ts";
import { stateOf } from "../../core/feature_state.ts";
import { importLazily } from "../../core/network.ts";
import type { LookBrief } from "./brief.ts";
import type { ProviderState } from "./checks.ts";
import type { Outbound } from "./outbound.ts";
import type { SessionToken } from "./restyle.ts";

export type { LookBrief, ProviderState, SessionToken };

/** Concurrent requests for the same work share one execution. */
export interface SingleFlight {
  /** Returns the running work of that name, or starts it. Throws 503 if the maximum number is already running. */
  join<T>(name: string, start: () => Promise<T>): Promise<T>;
}

/** `max` is the maximum number of concurrent executions. */
function openSingleFlight(max: number): SingleFlight {
  const running = new Map<string, Promise<unknown>>();
  return {
    join<T>(name: string, start: () => Promise<T>): Promise<T> {
      const existing = running.get(name);
      if (existing !== undefined) return existing as Promise<T>; // safe: a name always stands for the same kind of work
      if (running.size >= max)
        throw new HttpError(503, `${max} look briefs are already being created; try again in a moment`, {
          "retry-after": "5",
        });
      const flight = start().finally(() => running.delete(name));
      running.set(name, flight);
      return flight;
    },
  };
}

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
    timeLimit: AbortSignal.timeout,
    shortTimeout: 5_000,
    retryDelay: [200, 600],
    maxRetryAfter: 2_000,
    ...options,
    closing: closing.signal,
  };
  return {
    async createToken(model) {
      const { createToken } = await importLazily<typeof import("./restyle.ts")>("./restyle.ts", import.meta);
      return createToken(outbound, config, model);
    },
    async distil(jpeg) {
      const { requestBrief: distil } = await importLazily<typeof import("./look.ts")>("./look.ts", import.meta);
      return distil(outbound, config, jpeg);
    },
    singleFlight: openSingleFlight(maxInFlight),
    async check() {
      const { checkProviders } = await importLazily<typeof import("./checks.ts")>("./checks.ts", import.meta);
      return checkProviders(outbound, config);
    },
    close: () => closing.abort(),
  };
}

declare module "../../core/feature_state.ts" {
  interface FeatureOptions {
    /** Replaces the fetch function and the timeouts of calls to the providers. */
    outbound?: OutboundOptions;
  }
}

/** The providers of an application. */
export const providersOf = stateOf((app) => {
  const providers = openProviders(app.config, { clock: app.clock, ...app.options.outbound });
  app.onClose(providers.close);
  return providers;
});
