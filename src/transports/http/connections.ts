// The connections of a server: how many there are, how the HTTP parser's refusals are answered, and how they end.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { HttpError } from "../../errors.ts";
import { headerLimit } from "./head.ts";
import type { RequestContext } from "./request_context.ts";

/** A response as text, for where there is no ServerResponse. */
function bareAnswer(status: string, detail: string, header = ""): string {
  const body = JSON.stringify({ detail });
  return (
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n${header}` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}

/** Answers what the HTTP parser refused, if the connection still takes an answer. */
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

/** Sets a server's limits; `refuse` answers a request with a problem. */
export function limitConnections(
  http: Server,
  connections: number,
  refuse: (req: IncomingMessage, res: ServerResponse, problem: HttpError) => void,
): void {
  http.maxConnections = connections;
  http.on("clientError", (error, socket) => refuseConnection(error, socket as Socket)); // a server without http2 has net sockets
  http.on("checkExpectation", (req: IncomingMessage, res: ServerResponse) =>
    refuse(req, res, new HttpError(417, "the only expectation that is met is 100-continue")),
  );
  http.on("connect", (_req: IncomingMessage, socket: Socket) =>
    socket.end(bareAnswer("405 Method Not Allowed", "this server is no proxy", "allow: GET, HEAD, POST\r\n")),
  );
}

/** In milliseconds. */
const lookEvery = 50;
const closeAfter = 1_000;
const maxAnswersTime = 5_000;

/**
 * The open connections of a server and which of them have an answer under way. Closing waits for those, for at most `time`
 * milliseconds, and ends the others, on which Node would wait for a request that may never come.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #busy = new Map<Socket, number>();
  readonly #answers = new Set<Promise<void>>();

  readonly opened = (socket: Socket): void => {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  };

  /** Holds the connection until the answer was sent or the connection ended; closing waits for `answering` too. */
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
        setTimeout(() => socket.destroy(), closeAfter).unref();
      }
    }, lookEvery);
    http.closeIdleConnections();
    await closed;
    clearInterval(look);
    clearTimeout(end);
    // A handler whose client has gone may still be using the store and the log.
    await Promise.race([Promise.allSettled(this.#answers), pause(maxAnswersTime, undefined, { ref: false })]);
  }
}
