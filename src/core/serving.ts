// What a server gives to the parts of features that run beside it (`starts` of a feature), and to those that count its
// requests. Types only.
import type { App } from "./context.ts";
import type { Connections } from "./http/connections.ts";
import type { RequestContext } from "./http/request_context.ts";

/**
 * Gets each request when it is finished. `milliseconds`: from its head to the end of the response. `cached`: whether
 * that came from the cache.
 */
export type RequestListener = (request: RequestContext, milliseconds: number, cached: boolean) => void;

/** The argument of `start` of a feature. */
export interface Serving {
  app: App;
  /** The data directory. */
  data: string;
  connections: Connections;
  /** Calls `listener` with the port once the server listens: at once if it does already. */
  onListening(listener: (port: number) => void): void;
  /** Calls `listener` after each request. */
  onRequest(listener: RequestListener): void;
}
