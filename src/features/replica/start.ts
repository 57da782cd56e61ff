// Asks the peer of a primary, before the server listens and then from time to time.
import type { Serving } from "../../core/serving.ts";
import { openFence } from "./peer.ts";

declare module "../../core/feature_state.ts" {
  interface FeatureOptions {
    /** How often the peer is asked, in milliseconds; every 10 seconds by default. */
    peerInterval?: number;
  }
}

/** In milliseconds. */
const defaultInterval = 10_000;

/** Throws CliError if the peer took over. */
export async function start({ app, data }: Serving): Promise<void> {
  const { store, config, options, notice } = app;
  const end = await openFence({
    store,
    data,
    notice,
    peer: config.peer as string, // feature.ts starts this only with a peer
    superseded: () => options.superseded?.(),
    every: options.peerInterval ?? defaultInterval,
  });
  app.onEnd(end);
  app.onClose(end);
}
