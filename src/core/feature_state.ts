// What a feature keeps for an open application. The application names no feature: a feature asks for its own state by a function.
import type { App } from "./context.ts";

/** What a feature may be given when an application is opened, mostly by tests. Each feature adds its own options to this interface. */
export interface FeatureOptions {
  /** Called by a feature when the directory has become a replica's and nothing is written any more. `serve` then serves it as a replica. */
  superseded?: () => void;
}

/**
 * Returns the function that answers a feature's state of an application. `open` makes it with the first call for an application; it may
 * use `app.onEnd` and `app.onClose`.
 */
export function stateOf<T extends object>(open: (app: App) => T): (app: App) => T {
  const states = new WeakMap<App, T>();
  return (app) => {
    let state = states.get(app);
    if (state === undefined) {
      state = open(app);
      states.set(app, state);
    }
    return state;
  };
}
