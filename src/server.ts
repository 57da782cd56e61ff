// createServer(options): opens a data directory and serves it over node:http. Picks a door by the path, holds the limits and
// time-outs, logs a line a request, and shuts down once what is under way has finished. No globals.
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type AppOptions, type OpenApp, openApp } from "./app.ts";
import type { App } from "./context.ts";
import { addressOf } from "./doors/addresses.ts";
import { holdBack } from "./doors/body.ts";
import { contractPath, openContractDoor } from "./doors/contract.ts";
import { openCors } from "./doors/cors.ts";
import { checkMethod, type Exchange, sendJson, sendProblem } from "./doors/exchange.ts";
import { mcpPaths } from "./doors/mcp/paths.ts";
import type { Registry } from "./doors/mcp/registry.ts";
import { type McpDoor, openMcpDoor } from "./doors/mcp.ts";
import { mediaDoor, mediaPath } from "./doors/media.ts";
import { oauthPaths } from "./doors/oauth/paths.ts";
import { openOAuthDoor } from "./doors/oauth.ts";
import { openPagesDoor } from "./doors/pages.ts";
import { basePath, openRestDoor, type RestDoor } from "./doors/rest.ts";
import { Throttle } from "./doors/throttle.ts";
import { wellKnownDoor, wellKnownPath } from "./doors/wellknown.ts";
import { isDamage, notFound, Refusal } from "./errors.ts";
import {
  Connections,
  drain,
  headerLimit,
  headProblem,
  limitConnections,
  type Pace,
  usualPace,
  watchBody,
} from "./limits.ts";
import { type Log, openLog, type WriteLine } from "./log.ts";
import { type Interfaces, isUnspecified, type ReachableAddress, reachableAddress } from "./network.ts";

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
  /** How fast bodies must come, where not as usual. */
  pace?: Pace;
  /** Certificate and key as PEM: serves https. */
  tls?: { cert: string; key: string };
  /** The machine's network interfaces, if not those that the operating system names. */
  interfaces?: Interfaces;
}

export interface RunningServer {
  /** http://HOST:PORT, or https, where HOST is what it listens on or, if that is every address of the machine, `chosen`. */
  url: string;
  port: number;
  /** The address that was chosen because the server listens on all of them. */
  chosen: ReachableAddress | undefined;
  app: App;
  /** Lets what is under way finish, for half a minute at the most, then closes everything. */
  close(): Promise<void>;
}

type Door = (exchange: Exchange) => Promise<void> | void;

/** A connection on which nothing moves for so long is closed, unless it waits for us. */
const idleTimeout = 60_000;
/** How long closing waits for what is under way, in milliseconds. */
const closingTime = 30_000;

function healthDoor(exchange: Exchange): void {
  exchange.request.operation = "healthz";
  checkMethod(exchange, "GET", "HEAD");
  exchange.app.store.revision(); // the database answers
  sendJson(exchange, 200, '{"ok":true}', { "cache-control": "no-store" });
}

const within = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

const isMcp = (path: string): boolean => (mcpPaths as readonly string[]).includes(path);

interface Doors {
  rest: RestDoor;
  mcp: McpDoor;
  oauth: Door;
  contract: Door;
  pages: Door;
}

function doorOf(path: string, { rest, mcp, oauth, contract, pages }: Doors): Door {
  if (isMcp(path)) return mcp;
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

/** What a problem leaves as: 429 in place of 401 for a network that presented too many keys that are none. */
function openThrottle({ config, clock }: App): (problem: unknown, exchange: Exchange) => unknown {
  const failures = new Throttle(config.failed_keys, 60_000);
  return (problem, { req, path, request }) => {
    if (!(problem instanceof Refusal) || problem.status !== 401) return problem;
    if (request.authorization === undefined && !path.startsWith(mediaPath)) return problem;
    const address = addressOf(req, config.trust_proxy);
    try {
      failures.check(address, clock());
      failures.stroke(address, clock());
      return problem;
    } catch (refusal) {
      return refusal;
    }
  };
}

/** Answers requests through the doors, until it is told to keep no connection any longer. */
function openAnswering(app: OpenApp, doors: Doors, log: Log, connections: Connections, pace: Pace) {
  const throttled = openThrottle(app);
  const cors = openCors(app.config.cors_origins);
  let requests = 0;
  let closing = false;

  async function answer(exchange: Exchange, number: number, started: number): Promise<void> {
    const { req, res, path } = exchange;
    res.on("timeout", (socket: Socket) => {
      if (!req.complete || res.headersSent) socket.destroy(); // else a slow provider is at work, within its own bound
    });
    watchBody(exchange, pace);
    try {
      const problem = headProblem(req);
      if (problem !== undefined) throw problem;
      await doorOf(path, doors)(exchange);
    } catch (error) {
      if (isDamage(error)) app.store.stopWriting();
      if (req.socket.destroyed || res.destroyed || res.writableEnded) exchange.request.error = error;
      else sendProblem(exchange, throttled(error, exchange));
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
    if (closing) res.shouldKeepAlive = false;
    if (cors?.(req, res)) return;
    const attempt = (door: RestDoor | McpDoor): void => {
      if (headProblem(req) === undefined && door.kept(exchange))
        log.request(exchange, number, performance.now() - started);
      else connections.hold(exchange, answer(exchange, number, started));
    };
    if (isMcp(path))
      process.nextTick(attempt, doors.mcp); // its body may have come along
    else attempt(doors.rest);
  };
  const end = (): void => {
    closing = true;
  };
  return { handle, end };
}

const settings = {
  maxHeaderSize: headerLimit,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  noDelay: true,
  requireHostHeader: false, // checkHead answers with a detail
};

/** Starts serving; throws CommandRefusal where the data directory or the address cannot be used. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const app = openApp(options);
  const doors: Doors = {
    rest: openRestDoor(app, undefined, options.keepAnswers),
    mcp: openMcpDoor(app, options.registry, options.keepAnswers),
    oauth: openOAuthDoor(app),
    contract: openContractDoor(app.addresses),
    pages: openPagesDoor(),
  };
  const log = openLog(options.log);
  const connections = new Connections();
  const { handle, end } = openAnswering(app, doors, log, connections, options.pace ?? usualPace);
  const { tls } = options;
  const http: Server = tls ? createHttpsServer({ ...settings, ...tls }, handle) : createHttpServer(settings, handle);
  for (const connected of [doors.rest.connected, doors.mcp.connected, connections.opened])
    http.on(tls ? "secureConnection" : "connection", connected);
  http.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => {
    holdBack(req, res);
    handle(req, res);
  });
  limitConnections(http, app.config.connections, (req, res, problem) => {
    sendProblem({ app, req, res, path: "", query: "", request: { authorization: undefined }, sent: 0 }, problem);
  });
  http.setTimeout(options.idleTimeout ?? idleTimeout);
  await listen(http, options, app);
  const { port, address } = http.address() as AddressInfo;
  const chosen = isUnspecified(address) ? reachableAddress(address, options.interfaces) : undefined;
  const host = chosen?.address ?? options.host;
  const url = `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  app.announce(url);
  const close = async (): Promise<void> => {
    end();
    await connections.close(http, closingTime);
    app.close();
    log.close();
  };
  return { url, port, chosen, app, close };
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
