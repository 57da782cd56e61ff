// What the operations may ask of the outside: the two restyle providers. The only code that opens outbound connections
// stands in this folder.
import type { Config } from "../config.ts";
import type { LookBrief } from "./brief.ts";
import { check, type ProviderState } from "./checks.ts";
import { distil } from "./look.ts";
import type { Outbound } from "./outbound.ts";
import { createToken, type SessionToken } from "./restyle.ts";
import { openSingleFlight, type SingleFlight } from "./single_flight.ts";

export type { LookBrief, ProviderState, SessionToken };

/** The providers as configured. A refusal of theirs names what is wrong and holds nothing that a provider said. */
export interface Providers {
  /** A client token for one model. Throws 503 where there is no key, else 502. */
  createToken(model: string): Promise<SessionToken>;
  /** A brief of a JPEG's bytes. Throws 422 for the picture, 503 where none is to be had for now, else 502. */
  distil(jpeg: Buffer): Promise<LookBrief>;
  /** Look briefs under way. */
  singleFlight: SingleFlight;
  /** Whether each provider answers; spends nothing. */
  check(): Promise<ProviderState[]>;
  /** Ends every call under way. */
  close(): void;
}

/** Each call under way holds a still and its request in memory. */
const maxInFlight = 8;

/** How providers are reached, where it is not as usual. */
export type Reaching = Partial<Omit<Outbound, "closing">>;

/** Opens no connection yet. `reaching` is for tests: another fetch, shorter times. */
export function openProviders(config: Config, reaching: Reaching = {}): Providers {
  const closing = new AbortController();
  const outbound: Outbound = {
    fetch: globalThis.fetch,
    clock: Date.now,
    promptly: 5_000,
    pause: [200, 600],
    patience: 2_000,
    ...reaching,
    closing: closing.signal,
  };
  return {
    createToken: (model) => createToken(outbound, config, model),
    distil: (jpeg) => distil(outbound, config, jpeg),
    singleFlight: openSingleFlight(maxInFlight),
    check: () => check(outbound, config),
    close: () => closing.abort(),
  };
}
