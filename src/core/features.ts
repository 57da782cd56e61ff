// The features that this program has: finds and loads what they contribute, keeps what each of them has for an open
// application, and starts what runs beside a server. The list itself is in src/features.ts, which every process
// installs when it starts.
import type { App } from "./context.ts";
import type { Feature } from "./feature.ts";
import type { Connections } from "./http/connections.ts";
import type { RequestListener, Serving } from "./serving.ts";

let installed: readonly Feature[] = [];
let address: string | undefined;

/** Throws an Error if a feature needs another one that is not in the list before it. */
function checkNeeds(list: readonly Feature[]): void {
  const known = new Set<string>();
  for (const { name, needs = [] } of list) {
    const missing = needs.find((need) => !known.has(need));
    if (missing !== undefined)
      throw new Error(`the feature ${name} needs ${missing}, which is not in the list before it`);
    known.add(name);
  }
}

/** Installs the features of the program. `url` is the address of the list, which threads load as well. */
export function installFeatures(list: readonly Feature[], url: string): void {
  checkNeeds(list);
  installed = list;
  address = url;
}

/** The features of the program, in the order of the list. */
export const features = (): readonly Feature[] => installed;

/** The address of the list of features, for a thread; undefined if none is installed. */
export const featuresUrl = (): string | undefined => address;

/** The first contribution of a kind; undefined if no feature has one. */
export const contribution = <K extends keyof Feature>(kind: K): Feature[K] | undefined =>
  installed.find((feature) => feature[kind] !== undefined)?.[kind];

/**
 * What a feature may be given when an application is opened, mostly by tests. Each feature adds its own options to this
 * interface.
 */
export interface FeatureOptions {
  /**
   * Called by a feature when the directory has become a replica's and nothing is written any more. `serve` then serves
   * it as a replica.
   */
  superseded?: () => void;
}

/**
 * Returns the function that answers a feature's state of an application. `open` makes it with the first call for an
 * application; it may use `app.onEnd` and `app.onClose`.
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

/**
 * Makes what the features are started with, and the two functions by which the server tells them that it listens and
 * that a request is finished.
 */
export function openServing(app: App, data: string, connections: Connections) {
  const listeners: ((port: number) => void)[] = [];
  const counting: RequestListener[] = [];
  let listening: number | undefined;
  const serving: Serving = {
    app,
    data,
    connections,
    onListening: (listener) => (listening === undefined ? void listeners.push(listener) : listener(listening)),
    onRequest: (listener) => void counting.push(listener),
  };
  const finished: RequestListener = (request, milliseconds, cached) => {
    for (const count of counting) count(request, milliseconds, cached);
  };
  const listens = (port: number): void => {
    listening = port;
    for (const listener of listeners) listener(port);
  };
  return { serving, finished, listens };
}

/** Starts what the features run beside a server. */
export async function startFeatures(serving: Serving): Promise<void> {
  const { app } = serving;
  let ended = false;
  app.onEnd(() => {
    ended = true;
  });
  for (const feature of features())
    for (const { load, when, delay } of feature.starts ?? []) {
      if (when !== undefined && !when(app)) continue;
      const run = async (): Promise<void> => {
        const { start } = await load();
        if (!ended) await start(serving);
      };
      const wait = delay?.(app) ?? 0;
      if (wait === 0) await run();
      else serving.onListening(() => void setTimeout(() => void run(), wait).unref());
    }
}

/** Runs the timers of the features. A run that fails is repeated at its next time. */
export function startTimers(app: App): void {
  if (app.store.unwritable !== undefined) return;
  for (const feature of features())
    for (const { first, every, load } of feature.timers ?? []) {
      const run = async (): Promise<void> => {
        const { runTimer } = await load();
        if (app.store.database.open) await runTimer(app);
      };
      const tick = (): void => void run().catch(() => {});
      const timers = [setTimeout(tick, first), setInterval(tick, every)];
      for (const timer of timers) timer.unref();
      app.onClose(() => timers.forEach(clearTimeout));
    }
}
