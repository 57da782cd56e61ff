// Meets the peer of a primary, before the server listens and then from time to time.
import type { App } from "../../core/context.ts";
import { CliError } from "../../core/errors.ts";
import type { Condition } from "../../core/feature.ts";
import { stateOf } from "../../core/feature_state.ts";
import type { Serving } from "../../core/serving.ts";
import { supersededSentence } from "../../core/store/replica.ts";
import { doubtOf, meetPeer, type Peer, peerOf, stepDown, tookOver } from "./peer.ts";

declare module "../../core/feature_state.ts" {
  interface FeatureOptions {
    /** How often the peer is asked, in milliseconds; every 10 seconds by default. */
    peerInterval?: number;
  }
}

/** In milliseconds. */
const defaultInterval = 10_000;

/** What is in doubt about the peer; undefined if all is well, or if there is no peer. */
const doubts = stateOf((): { doubt: string | undefined } => ({ doubt: undefined }));

export const openConditions = (app: App) => (): Condition[] => {
  const { peer } = app.config;
  if (peer === undefined || app.copy !== undefined) return [];
  const { doubt } = doubts(app);
  const problem = doubt && `the peer ${peer.url} ${doubt}`;
  return [{ name: "peer", problem, summary: "the other one of two boxes does not answer, or takes writes too" }];
};

/** Asks once. Returns whether the peer took over; then the directory is a replica's. */
async function ask({ store, notice }: App, peer: Peer, state: { doubt: string | undefined }): Promise<boolean> {
  let doubt: string | undefined;
  try {
    const statement = await meetPeer(peer, store);
    if (!store.database.open) return false;
    if (tookOver(store, statement)) {
      await stepDown(store, peer, statement);
      return true;
    }
    doubt = doubtOf(store, statement);
  } catch (error) {
    doubt = `does not answer (${(error as Error).message}), so nobody knows whether it took over`;
  }
  if (doubt !== state.doubt && store.database.open)
    notice(doubt === undefined ? `the peer ${peer.url} answers` : `the peer ${peer.url} ${doubt}`);
  state.doubt = doubt;
  return false;
}

/**
 * Throws CliError if the peer took over. If the peer does not answer, the server serves: otherwise one dead box would stop both.
 */
export async function start({ app, data }: Serving): Promise<void> {
  const peer = peerOf(data, app.config) as Peer; // feature.ts starts this only with a peer
  const state = doubts(app);
  if (await ask(app, peer, state)) throw new CliError(supersededSentence(data) as string); // the record was just written
  const timer = setInterval(async () => {
    if (!app.store.database.open || !(await ask(app, peer, state))) return;
    clearInterval(timer);
    app.options.superseded?.();
  }, app.options.peerInterval ?? defaultInterval).unref();
  const end = (): void => clearInterval(timer);
  app.onEnd(end);
  app.onClose(end);
}
