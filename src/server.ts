// createServer(options): opens a data directory and serves it over node:http. Picks a door by the path, holds the limits and
// time-outs, logs a line a request, and shuts down once what is under way has finished. No globals.
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type AppOptions, openApp } from "./app.ts";
import type { App } from "./context.ts";
import { contractPath, openContractDoor } from "./doors/contract.ts";
import { checkMethod, type Exchange, hasBody, sendJson, sendProblem } from "./doors/exchange.ts";
import { mcpPaths } from "./doors/mcp/paths.ts";
import type { Registry } from "./doors/mcp/registry.ts";
import { openMcpDoor } from "./doors/mcp.ts";
import { mediaDoor, mediaPath } from "./doors/media.ts";
import { oauthPaths } from "./doors/oauth/paths.ts";
import { openOAuthDoor } from "./doors/oauth.ts";
import { openPagesDoor } from "./doors/pages.ts";
import { basePath, openRestDoor, type RestDoor } from "./doors/rest.ts";
import { wellKnownDoor, wellKnownPath } from "./doors/wellknown.ts";
import { notFound } from "./errors.ts";
import { openLog, type WriteLine } from "./log.ts";

export interface ServerOptions extends AppOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Takes each log line; standard error where left out. */
  log?: WriteLine;
  /** Whether answers may be kept in memory; true where left out. */
  keepAnswers?: boolean;
  /** What MCP offers; what the table's rows name where left out. */
  registry?: Registry;
  /** After how many milliseconds an idle connection is closed; a minute where left out. */
  idleTimeout?: number;
}

export interface RunningServer {
  /** http://HOST:PORT as it listens. */
  url: string;
  port: number;
  app: App;
  /** Lets what is under way finish, then closes everything. */
  close(): Promise<void>;
}

type Door = (exchange: Exchange) => Promise<void> | void;

const headerLimit = 16 * 1024;
/** A connection on which nothing moves for so long is closed, unless it waits for us. */
const idleTimeout = 60_000;
const drainLimit = 64 * 1024 * 1024;
const drainTime = 5_000;

function healthDoor(exchange: Exchange): void {
  exchange.request.operation = "healthz";
  checkMethod(exchange, "GET", "HEAD");
  exchange.app.store.revision(); // the database answers
  sendJson(exchange, 200, '{"ok":true}', { "cache-control": "no-store" });
}

const within = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

interface Doors {
  rest: RestDoor;
  mcp: Door;
  oauth: Door;
  contract: Door;
  pages: Door;
}

function doorOf(path: string, { rest, mcp, oauth, contract, pages }: Doors): Door {
  if ((mcpPaths as readonly string[]).includes(path)) return mcp;
  if (path === contractPath) return contract;
  if (within(path, basePath)) return rest;
  if (path.startsWith(mediaPath)) return mediaDoor;
  if (path.startsWith(wellKnownPath)) return wellKnownDoor;
  if (Object.values<string>(oauthPaths).includes(path)) return oauth;
  if (path === "/healthz") return healthDoor;
  if (path === "/" || within(path, "/docs")) return pages;
  throw notFound();
}

/** Path and query of a request target, in origin-form or absolute-form (RFC 9112 section 3.2). */
function targetOf(url: string): { path: string; query: string } {
  const from = url.startsWith("/") ? 0 : /^https?:\/\/[^/?#]*/i.exec(url)?.[0].length;
  if (from === undefined) return { path: url, query: "" };
  const target = url.slice(from);
  const mark = target.indexOf("?");
  return mark === -1
    ? { path: target || "/", query: "" }
    : { path: target.slice(0, mark) || "/", query: target.slice(mark + 1) };
}

/** Reads on what a refused client is still sending, within bounds, so that it gets to read the refusal. */
function drain(req: IncomingMessage): void {
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

/** Answers what the HTTP parser refused, where the connection still takes an answer. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, detail] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", `the request's headers must have at most ${headerLimit} bytes`]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "the request did not arrive in time"]
        : ["400 Bad Request", "the request is not well-formed HTTP"];
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Starts serving; throws CommandRefusal where the data directory or the address cannot be used. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const app = openApp(options);
  const rest = openRestDoor(app, undefined, options.keepAnswers);
  const doors: Doors = {
    rest,
    mcp: openMcpDoor(app, options.registry, options.keepAnswers),
    oauth: openOAuthDoor(app),
    contract: openContractDoor(app.addresses),
    pages: openPagesDoor(),
  };
  const log = openLog(options.log);
  let requests = 0;

  async function answer(exchange: Exchange, number: number, started: number): Promise<void> {
    const { req, res, path } = exchange;
    res.on("timeout", (socket: Socket) => {
      if (!req.complete || res.headersSent) socket.destroy(); // else a slow provider is at work, within its own bound
    });
    try {
      await doorOf(path, doors)(exchange);
    } catch (error) {
      if (req.socket.destroyed || res.destroyed) exchange.request.error = error;
      else sendProblem(exchange, error);
      drain(req);
    }
    log.request(exchange, number, performance.now() - started);
    if (exchange.request.key_id !== undefined) app.touch(exchange.request.key_id);
  }

  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const started = performance.now();
    const number = ++requests;
    const request = { authorization: req.headers.authorization };
    const { path, query } = targetOf(req.url ?? "/");
    const exchange: Exchange = { app, req, res, path, query, request, sent: 0 };
    if (rest.kept(exchange)) log.request(exchange, number, performance.now() - started);
    else void answer(exchange, number, started);
  };

  const http = createHttpServer(
    { maxHeaderSize: headerLimit, headersTimeout: 15_000, requestTimeout: 0, keepAliveTimeout: 65_000, noDelay: true },
    handle,
  );
  http.on("connection", rest.connected);
  http.on("clientError", refuseConnection as never);
  http.setTimeout(options.idleTimeout ?? idleTimeout);
  await listen(http, options, app);
  const { port } = http.address() as AddressInfo;
  const url = `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  app.announce(url);
  return { url, port, app, close: () => closeServer(http, app, log) };
}

function listen(http: Server, { host, port }: ServerOptions, app: App & { close(): void }): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", (error) => {
      app.close();
      reject(error);
    });
    http.listen(port, host, resolve);
  });
}

async function closeServer(http: Server, app: App & { close(): void }, log: ReturnType<typeof openLog>): Promise<void> {
  const closed = new Promise((resolve) => http.close(resolve));
  http.closeIdleConnections();
  await closed;
  app.close();
  log.close();
}
