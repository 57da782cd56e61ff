// Responds to errors of the HTTP parser; closes idle connections, and all of them on shutdown; ends requests whose body
// arrives too slowly. docs/reference.md, "Time and rates".
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../config.ts";
import { HttpError } from "../errors.ts";
import { ConnectionShares } from "./connection_shares.ts";
import { hasBody, type RequestContext } from "./request_context.ts";
import { headerLimit } from "./request_head.ts";
import { idleTimeout, sendProblem } from "./send.ts";

/** A response as text, for connections without a ServerResponse. */
function bareResponse(status: string, detail: string, header = ""): string {
  const body = JSON.stringify({ detail });
  return (
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n${header}` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}

/** Responds to an error of the HTTP parser, if the connection is still writable. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const response =
    error.code === "HPE_HEADER_OVERFLOW"
      ? bareResponse(
          "431 Request Header Fields Too Large",
          `the request's headers must have at most ${headerLimit} bytes`,
        )
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? bareResponse("408 Request Timeout", "the request did not arrive in time")
        : bareResponse("400 Bad Request", "the request is not well-formed HTTP");
  socket.end(response);
  socket.once("finish", () => socket.destroySoon());
}

/** Answers what a server gets beside requests. `refuse` responds to a request with an error. */
export function answerOthers(
  http: Server,
  refuse: (req: IncomingMessage, res: ServerResponse, problem: HttpError) => void,
): void {
  // a server without http2 has net sockets
  http.on("clientError", (error, socket) => refuseConnection(error, socket as Socket));
  http.on("checkExpectation", (req: IncomingMessage, res: ServerResponse) =>
    refuse(req, res, new HttpError(417, "the only supported expectation is 100-continue")),
  );
  http.on("connect", (_req: IncomingMessage, socket: Socket) =>
    socket.end(bareResponse("405 Method Not Allowed", "this server is not a proxy", "allow: GET, HEAD, POST\r\n")),
  );
}

/**
 * While the server closes: how often idle connections are looked for, how long each has to end, and how long handlers
 * have. In milliseconds.
 */
const checkInterval = 50;
const closeAfter = 1_000;
const maxHandlersTime = 5_000;

/** How often the connections are checked for traffic in the time of an idle timeout. */
const checks = 4;

const withoutTimeout = new WeakSet<Socket>();

/** Ends the idle timeout of a connection for good. */
export function disableIdleTimeout(socket: Socket): void {
  withoutTimeout.add(socket);
  socket.setTimeout(0);
}

const trafficOf = ({ bytesRead, bytesWritten }: Socket): number => bytesRead + bytesWritten;

/**
 * The open connections of a server, and which of them have a request in progress. Closing waits at most `time`
 * milliseconds for those, and ends the others at once, because Node would wait for their next request, which may never
 * come.
 * A connection without traffic for `timeout` milliseconds gets a "timeout" event, at most a quarter of that time later.
 * Only a connection that was quiet between two checks gets a timer. With the timeouts of node:http, a timer would be
 * set twice for each request, which takes an eighth of the time of a cached response on Deno.
 */
export class Connections {
  /** The open connections, with their traffic in bytes at the last check. */
  readonly #open = new Map<Socket, number>();
  /** How many requests of a connection are in progress. */
  readonly #busy = new Map<Socket, number>();
  readonly #handlers = new Set<Promise<void>>();
  readonly #idleCheck: ReturnType<typeof setInterval>;
  readonly shares: ConnectionShares;

  constructor({ connections, trust_proxy }: Pick<Config, "connections" | "trust_proxy">, timeout = idleTimeout) {
    this.shares = new ConnectionShares(connections, trust_proxy);
    const interval = timeout / checks;
    this.#idleCheck = setInterval(() => this.#checkTraffic(timeout - interval), interval);
    this.#idleCheck.unref();
  }

  /** Sets a timer for the connections without traffic since the last check, and clears it when there was some. */
  #checkTraffic(timeout: number): void {
    for (const [socket, former] of this.#open) {
      const traffic = trafficOf(socket);
      this.#open.set(socket, traffic);
      if (traffic !== former) socket.setTimeout(0);
      // traffic restarts a timer that is set
      else if (!socket.timeout && !withoutTimeout.has(socket)) socket.setTimeout(timeout);
    }
  }

  /** Call this for each connection, of TLS once it is secure. */
  readonly opened = (socket: Socket): void => {
    this.#open.set(socket, trafficOf(socket));
    socket.once("close", () => this.#open.delete(socket));
  };

  /** The open connections, and those with a request in progress. */
  counts(): { open: number; busy: number } {
    return { open: this.#open.size, busy: this.#busy.size };
  }

  /**
   * Counts the connection as busy until the response is sent or the connection is closed. Closing waits for `handler`
   * too.
   */
  track(ctx: RequestContext, handler: Promise<void>): void {
    const { req, res } = ctx;
    const { socket } = req;
    this.#handlers.add(handler);
    void handler.finally(() => this.#handlers.delete(handler));
    if (res.closed) return; // the client disconnected before the request was started
    this.shares.begun(ctx);
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    res.once("close", () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (left === 0) this.#busy.delete(socket);
      else this.#busy.set(socket, left);
    });
  }

  /** Closes the server. Requests in progress have `time` milliseconds. */
  async close(http: Server, time: number): Promise<void> {
    const closed = new Promise((resolve) => http.close(resolve));
    const end = setTimeout(() => http.closeAllConnections(), time);
    const ended = new WeakSet<Socket>();
    const check = setInterval(() => {
      for (const socket of this.#open.keys()) {
        if (this.#busy.has(socket) || socket.writableLength > 0 || ended.has(socket)) continue;
        ended.add(socket);
        socket.end();
        setTimeout(() => socket.destroy(), closeAfter).unref();
      }
    }, checkInterval);
    http.closeIdleConnections();
    await closed;
    clearInterval(check);
    clearInterval(this.#idleCheck);
    clearTimeout(end);
    // A handler whose client has disconnected may still be using the store and the log.
    await Promise.race([Promise.allSettled(this.#handlers), pause(maxHandlersTime, undefined, { ref: false })]);
  }
}

/** The content types of uploads: forms, and parts of resumable uploads. */
const uploadTypes = /^(?:multipart\/|application\/offset\+octet-stream)/i;

/** How fast bodies must arrive. Times are in milliseconds, `min` is in bytes. */
export interface BodyTimeouts {
  /** At least `min` bytes of an upload must arrive in each window. */
  window: number;
  min: number;
  /** Every other body must be complete after this time. */
  complete: number;
}

/** docs/reference.md, "Time and rates". */
export const defaultBodyTimeouts: BodyTimeouts = { window: 30_000, min: 32 * 1024, complete: 30_000 };

/**
 * How many bytes of a refused body are read and for how long, in milliseconds, so that the client gets the response.
 * Apache passes a response on only once it has sent the whole body.
 */
const drainLimit = 512 * 1024 * 1024;
const drainTime = 60_000;

/**
 * Responds 408 if the body arrives too slowly, and closes the connection; a reader of the body then gets a close event.
 */
export function watchBody(ctx: RequestContext, { window, min, complete }: BodyTimeouts): void {
  const { req, res } = ctx;
  if (!hasBody(req)) return;
  const upload = uploadTypes.test(req.headers["content-type"] ?? "");
  let before = req.socket.bytesRead;
  const refuse = (detail: string): void => {
    clearInterval(timer);
    if (req.complete || req.destroyed || res.headersSent) return;
    sendProblem(ctx, new HttpError(408, detail));
    res.once("close", () => req.destroy());
  };
  const timer = setInterval(
    () => {
      if (req.complete || req.destroyed) clearInterval(timer);
      else if (!upload) refuse(`the body did not arrive within ${complete / 1000} s`);
      else if (req.socket.bytesRead - before < min && req.readableLength === 0)
        refuse(`at least ${min} bytes of an upload must arrive every ${window / 1000} s`);
      before = req.socket.bytesRead;
    },
    upload ? window : complete,
  );
  res.once("close", () => clearInterval(timer));
}

/**
 * Reads the rest of a refused body, within limits: a client that is still sending would not read the response
 * otherwise.
 */
export function drain(req: IncomingMessage): void {
  if (req.complete || !hasBody(req) || req.destroyed) return;
  let bytes = 0;
  // Once the request is answered, none of its events tells that its connection is gone: nothing waits for this.
  const end = setTimeout(() => req.destroy(), drainTime).unref();
  req.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainLimit) req.destroy();
  });
  req.once("close", () => clearTimeout(end));
  req.on("error", () => {});
  req.resume();
}
