// The two restyle providers. Besides this folder, only webhooks and the storage agent open outbound connections.
import type { Config } from "../../core/config.ts";
import { busy } from "../../core/errors.ts";
import { stateOf } from "../../core/features.ts";
import { checkProviders } from "./checks.ts";
import { requestBrief } from "./look.ts";
import type { Outbound } from "./outbound.ts";
import { createToken } from "./restyle.ts";

/** The maximum number of look briefs in progress. Each has a still and its request in memory. */
const maxInFlight = 8;

/**
 * Concurrent requests for the same work share one execution: calls `start`, or answers the work of that name. Throws
 * 503 if too many run.
 */
function openSingleFlight() {
  const running = new Map<string, Promise<unknown>>();
  return <T>(name: string, start: () => Promise<T>): Promise<T> => {
    const existing = running.get(name);
    if (existing !== undefined) return existing as Promise<T>; // safe: a name always stands for the same kind of work
    if (running.size >= maxInFlight) throw busy(`${maxInFlight} look briefs are already being created`);
    const flight = start().finally(() => running.delete(name));
    running.set(name, flight);
    return flight;
  };
}

/** Replacements for the defaults of outbound calls. */
export type OutboundOptions = Partial<Omit<Outbound, "closing">>;

/**
 * Prepares the providers without opening a connection. `options` are for tests. Their errors never contain any part of
 * a provider's response.
 */
export function openProviders(config: Config, options: OutboundOptions = {}) {
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
    createToken: (model: string) => createToken(outbound, config, model),
    distil: (jpeg: Buffer) => requestBrief(outbound, config, jpeg),
    /** The look briefs in progress. */
    singleFlight: openSingleFlight(),
    /** Checks whether each provider answers, without costs. */
    check: () => checkProviders(outbound, config),
    /** Aborts every call in progress. */
    close: () => closing.abort(),
  };
}

declare module "../../core/features.ts" {
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
