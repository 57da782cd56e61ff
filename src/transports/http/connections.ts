// What a connection may do: how fast a body must come, how many connections there are, which hosts and expectations are
// well-formed, and how what the HTTP parser refused is answered. Knows no door.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { HttpError } from "../../errors.ts";
import { hasBody, type RequestContext, sendProblem } from "./request_context.ts";

export const headerLimit = 16 * 1024;
const maxHeaders = 200;
/** Read on of a refused body, so that the client gets to read the refusal. */
const drainLimit = 64 * 1024 * 1024;
const drainTime = 5_000;

/** How fast bodies must come. In milliseconds and bytes. */
export interface BodyTimeouts {
  /** Each window must bring so many bytes of an upload. */
  window: number;
  least: number;
  /** Every other body must be whole by then. */
  whole: number;
}

export const defaultBodyTimeouts: BodyTimeouts = { window: 30_000, least: 32 * 1024, whole: 30_000 };

/** Answers 408 to a body that comes too slowly, and closes; whoever waits for the body sees it break off. */
export function watchBody(ctx: RequestContext, { window, least, whole }: BodyTimeouts): void {
  const { req, res } = ctx;
  if (!hasBody(req)) return;
  const upload = /^multipart\//i.test(req.headers["content-type"] ?? "");
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
      else if (!upload) refuse(`the body did not arrive within ${whole / 1000} s`);
      else if (req.socket.bytesRead - before < least && !req.isPaused())
        refuse(`an upload must bring at least ${least} bytes every ${window / 1000} s`);
      before = req.socket.bytesRead;
    },
    upload ? window : whole,
  );
  res.once("close", () => clearInterval(timer));
}

/** Reads on what a refused client is still sending, within bounds, so that it gets to read the refusal. */
export function drain(req: IncomingMessage): void {
  if (req.complete || !hasBody(req) || req.destroyed) return;
  let bytes = 0;
  const end = setTimeout(() => req.destroy(), drainTime);
  req.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainLimit) req.destroy();
  });
  req.once("close", () => clearTimeout(end));
  req.on("error", () => {});
  req.resume();
}

/**
 * What is wrong with a request's head: 400 for a Host header that is missing, doubled or no host (RFC 9112 section 3.2), which
 * nothing here ever trusts; 431 for headers beyond the limit, which not every runtime's parser adds up.
 */
export function headProblem({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): HttpError | undefined {
  let hosts = 0;
  let size = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    size += name.length + (rawHeaders[at + 1] as string).length + 4;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  if (size > headerLimit || rawHeaders.length > 2 * maxHeaders)
    return new HttpError(431, `a request must have at most ${maxHeaders} headers of ${headerLimit} bytes together`);
  if (hosts > 1) return new HttpError(400, "the request has more than one Host header");
  if (hosts === 0 && httpVersionMinor === 1) return new HttpError(400, "the request has no Host header");
  return /^[\w.~!$&'()*+,;=%:[\]-]{0,300}$/.test(headers.host ?? "")
    ? undefined
    : new HttpError(400, "the Host header is not a host");
}

/** The text of an answer that no ServerResponse can give. */
function bareAnswer(status: string, detail: string, header = ""): string {
  const body = JSON.stringify({ detail });
  return (
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n${header}` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}

/** Answers what the HTTP parser refused, where the connection still takes an answer. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const answer =
    error.code === "HPE_HEADER_OVERFLOW"
      ? bareAnswer(
          "431 Request Header Fields Too Large",
          `the request's headers must have at most ${headerLimit} bytes`,
        )
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? bareAnswer("408 Request Timeout", "the request did not arrive in time")
        : bareAnswer("400 Bad Request", "the request is not well-formed HTTP");
  socket.end(answer);
  socket.once("finish", () => socket.destroySoon());
}

/** Sets a server's limits; `refuse` answers a request with a problem through the usual way. */
export function limitConnections(
  http: Server,
  connections: number,
  refuse: (req: IncomingMessage, res: ServerResponse, problem: HttpError) => void,
): void {
  http.maxConnections = connections;
  http.on("clientError", refuseConnection as never);
  http.on("checkExpectation", (req: IncomingMessage, res: ServerResponse) =>
    refuse(req, res, new HttpError(417, "the only expectation that is met is 100-continue")),
  );
  http.on("connect", (_req: IncomingMessage, socket: Socket) =>
    socket.end(bareAnswer("405 Method Not Allowed", "this server is no proxy", "allow: GET, HEAD, POST\r\n")),
  );
}

const glance = 50;
const farewell = 1_000;
const answersTime = 5_000;

/**
 * The open connections of a server and which of them have an answer under way. Closing waits for those, for `time`
 * milliseconds at the most; on the others nothing is owed, though Node would wait for a request that may never come.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #busy = new Map<Socket, number>();
  readonly #answers = new Set<Promise<void>>();

  readonly opened = (socket: Socket): void => {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  };

  /** Holds the connection until the answer has left, or the connection has; closing waits for `answering` too. */
  hold({ req: { socket }, res }: RequestContext, answering: Promise<void>): void {
    this.#answers.add(answering);
    void answering.finally(() => this.#answers.delete(answering));
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    res.once("close", () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (left === 0) this.#busy.delete(socket);
      else this.#busy.set(socket, left);
    });
  }

  async close(http: Server, time: number): Promise<void> {
    const closed = new Promise((resolve) => http.close(resolve));
    const end = setTimeout(() => http.closeAllConnections(), time);
    const asked = new WeakSet<Socket>();
    const look = setInterval(() => {
      for (const socket of this.#open) {
        if (this.#busy.has(socket) || socket.writableLength > 0 || asked.has(socket)) continue;
        asked.add(socket);
        socket.end();
        setTimeout(() => socket.destroy(), farewell).unref();
      }
    }, glance);
    http.closeIdleConnections();
    await closed;
    clearInterval(look);
    clearTimeout(end);
    // Whose client has gone may be at work still, with the store and the log.
    await Promise.race([Promise.allSettled(this.#answers), pause(answersTime, undefined, { ref: false })]);
  }
}
