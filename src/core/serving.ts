// What a server gives to the parts of features that run beside it (`starts` of a feature), and to those that count its requests. Types only.
import type { App } from "./context.ts";
import type { Connections } from "./http/connections.ts";

/** A finished request, as the listeners of onRequest get it. */
export interface FinishedRequest {
  operation: string | undefined;
  /** The HTTP status; 0 if no response was sent. */
  status: number;
  milliseconds: number;
  /** How many bytes of body the response had. */
  bytes: number;
  /** Whether the answer came from the response cache. */
  cached: boolean;
  /** Whether the credentials were invalid. */
  refused: boolean;
}

/** The argument of `start` of a feature. */
export interface Serving {
  app: App;
  /** The data directory. */
  data: string;
  connections: Connections;
  /** Calls `listener` with the port once the server listens: at once if it does already. */
  onListening(listener: (port: number) => void): void;
  /** Calls `listener` after each request. */
  onRequest(listener: (request: FinishedRequest) => void): void;
}
