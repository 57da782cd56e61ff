// createServer(options): opens a data directory and serves it over node:http. Picks a door by the path, holds the limits and
// time-outs, logs a line a request, and shuts down once what is under way has finished. No globals.
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type AppOptions, type OpenApp, openApp } from "./app.ts";
import type { App } from "./context.ts";
import { HttpError, isDamage, notFound } from "./errors.ts";
import { type Interfaces, isUnspecified, type ReachableAddress, reachableAddress } from "./network.ts";
import { type Log, openLog, type WriteLine } from "./transports/http/access_log.ts";
import { holdBack } from "./transports/http/body.ts";
import { addressOf } from "./transports/http/client_address.ts";
import {
  type BodyTimeouts,
  Connections,
  defaultBodyTimeouts,
  drain,
  headerLimit,
  headProblem,
  limitConnections,
  watchBody,
} from "./transports/http/connections.ts";
import { openCors } from "./transports/http/cors.ts";
import { RateLimiter } from "./transports/http/rate_limiter.ts";
import { checkMethod, type RequestContext, sendJson, sendProblem } from "./transports/http/request_context.ts";
import { mcpPaths } from "./transports/mcp/paths.ts";
import type { Registry } from "./transports/mcp/registry.ts";
import { type McpTransport, openMcpTransport } from "./transports/mcp.ts";
import { mediaPath, mediaTransport } from "./transports/media.ts";
import { discoveryTransport, wellKnownPath } from "./transports/oauth/discovery.ts";
import { oauthPaths } from "./transports/oauth/paths.ts";
import { openOAuthTransport } from "./transports/oauth.ts";
import { openapiPath, openOpenapiTransport } from "./transports/openapi.ts";
import { basePath, openRestTransport, type RestTransport } from "./transports/rest.ts";
import { openWebTransport } from "./transports/web.ts";

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
  bodyTimeouts?: BodyTimeouts;
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

type Transport = (ctx: RequestContext) => Promise<void> | void;

/** A connection on which nothing moves for so long is closed, unless it waits for us. */
const idleTimeout = 60_000;
/** How long closing waits for what is under way, in milliseconds. */
const closingTime = 30_000;

function healthTransport(ctx: RequestContext): void {
  ctx.request.operation = "healthz";
  checkMethod(ctx, "GET", "HEAD");
  ctx.app.store.revision(); // the database answers
  sendJson(ctx, 200, '{"ok":true}', { "cache-control": "no-store" });
}

const within = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

const isMcp = (path: string): boolean => (mcpPaths as readonly string[]).includes(path);

interface Transports {
  rest: RestTransport;
  mcp: McpTransport;
  oauth: Transport;
  openapi: Transport;
  pages: Transport;
}

function transportOf(path: string, { rest, mcp, oauth, openapi, pages }: Transports): Transport {
  if (isMcp(path)) return mcp;
  if (path === openapiPath) return openapi;
  if (within(path, basePath)) return rest;
  if (path.startsWith(mediaPath)) return mediaTransport;
  if (path.startsWith(wellKnownPath)) return discoveryTransport;
  if (Object.values<string>(oauthPaths).includes(path)) return oauth;
  if (path === "/healthz") return healthTransport;
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
function openFailureLimiter({ config, clock }: App): (problem: unknown, ctx: RequestContext) => unknown {
  const failures = new RateLimiter(config.failed_keys, 60_000);
  return (problem, { req, path, request }) => {
    if (!(problem instanceof HttpError) || problem.status !== 401) return problem;
    if (request.authorization === undefined && !path.startsWith(mediaPath)) return problem;
    const address = addressOf(req, config.trust_proxy);
    try {
      failures.check(address, clock());
      failures.hit(address, clock());
      return problem;
    } catch (refusal) {
      return refusal;
    }
  };
}

/** Answers requests through the doors, until it is told to keep no connection any longer. */
function openAnswering(
  app: OpenApp,
  transports: Transports,
  log: Log,
  connections: Connections,
  bodyTimeouts: BodyTimeouts,
) {
  const limited = openFailureLimiter(app);
  const cors = openCors(app.config.cors_origins);
  let requests = 0;
  let closing = false;

  async function answer(ctx: RequestContext, number: number, started: number): Promise<void> {
    const { req, res, path } = ctx;
    res.on("timeout", (socket: Socket) => {
      if (!req.complete || res.headersSent) socket.destroy(); // else a slow provider is at work, within its own bound
    });
    watchBody(ctx, bodyTimeouts);
    try {
      const problem = headProblem(req);
      if (problem !== undefined) throw problem;
      await transportOf(path, transports)(ctx);
    } catch (error) {
      if (isDamage(error)) app.store.stopWriting();
      if (req.socket.destroyed || res.destroyed || res.writableEnded) ctx.request.error = error;
      else sendProblem(ctx, limited(error, ctx));
      drain(req);
    }
    log.request(ctx, number, performance.now() - started);
    if (ctx.request.key_id !== undefined) app.touch(ctx.request.key_id);
  }

  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const started = performance.now();
    const number = ++requests;
    const request = { authorization: req.headers.authorization };
    const { path, query } = targetOf(req.url ?? "/");
    const ctx: RequestContext = { app, req, res, path, query, request, sent: 0 };
    if (closing) res.shouldKeepAlive = false;
    if (cors?.(req, res)) return;
    const attempt = (transport: RestTransport | McpTransport): void => {
      if (headProblem(req) === undefined && transport.kept(ctx)) log.request(ctx, number, performance.now() - started);
      else connections.hold(ctx, answer(ctx, number, started));
    };
    if (isMcp(path))
      process.nextTick(attempt, transports.mcp); // its body may have come along
    else attempt(transports.rest);
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

/** Starts serving; throws CliError where the data directory or the address cannot be used. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const app = openApp(options);
  const transports: Transports = {
    rest: openRestTransport(app, undefined, options.keepAnswers),
    mcp: openMcpTransport(app, options.registry, options.keepAnswers),
    oauth: openOAuthTransport(app),
    openapi: openOpenapiTransport(app.addresses),
    pages: openWebTransport(),
  };
  const log = openLog(options.log);
  const connections = new Connections();
  const { handle, end } = openAnswering(app, transports, log, connections, options.bodyTimeouts ?? defaultBodyTimeouts);
  const { tls } = options;
  const http: Server = tls ? createHttpsServer({ ...settings, ...tls }, handle) : createHttpServer(settings, handle);
  for (const connected of [transports.rest.connected, transports.mcp.connected, connections.opened])
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
