// What runs beside a server, and those who count requests, are given. Types only.
import type { App } from "./context.ts";
import type { Connections } from "./http/connections.ts";

/** A request that is finished, for those who count them. */
export interface FinishedRequest {
  operation: string | undefined;
  /** 0 if no head was sent. */
  status: number;
  milliseconds: number;
  /** Of the response's body. */
  bytes: number;
  /** Whether the answer came from the response cache. */
  cached: boolean;
  /** Whether the credentials were invalid. */
  refused: boolean;
}

/** What runs beside a server is started with. */
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
