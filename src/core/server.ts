// Opens a data directory and serves it over node:http: selects the transport by the path, sets limits and timeouts, logs each
// request, and shuts down once the requests in progress have finished.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { StreamTimes } from "../features/events/event_stream.ts";
import type { Registry } from "../features/mcp/registry.ts";
import type { FinishedRequest, Metrics } from "../features/metrics/metrics.ts";
import { type AppOptions, type OpenApp, openApp } from "./app.ts";
import { readListsAgain } from "./config.ts";
import type { App } from "./context.ts";
import { HttpError } from "./errors.ts";
import { type AccessLog, openAccessLog, type WriteLine } from "./http/access_log.ts";
import { deferContinue } from "./http/body.ts";
import { type BodyTimeouts, defaultBodyTimeouts, drain, watchBody } from "./http/body_timeouts.ts";
import { addressOf } from "./http/client_address.ts";
import { Connections, limitConnections } from "./http/connections.ts";
import { openCors } from "./http/cors.ts";
import { headerLimit, headProblem, targetOf } from "./http/head.ts";
import { mcpPaths, mediaPath, oauthPaths, uploadsPath, wellKnownPath } from "./http/paths.ts";
import { checkMethod, type RequestContext, type Transport } from "./http/request_context.ts";
import { openBatches, ResponseCache } from "./http/response_cache.ts";
import { sendJson, sendProblem } from "./http/send.ts";
import {
  type Interfaces,
  isUnspecified,
  keptAddress,
  loadHttp,
  loadHttps,
  loadLater,
  loadOnce,
  type ReachableAddress,
  reachableAddress,
} from "./network.ts";
import type { Credentials } from "./pipeline.ts";
import { release } from "./release.ts";
import { basePath, openapiPath, openRestTransport } from "./rest.ts";
import { recordServerAddresses, removeServerAddresses } from "./store/server_address.ts";
import { connectionArrived } from "./store/turn.ts";

export interface ServerOptions extends AppOptions {
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** Receives each log line; standard error by default. */
  log?: WriteLine;
  /** Whether responses are cached in memory; true by default. */
  cacheAnswers?: boolean;
  /** The tools, resources and prompts of MCP; those of the table of operations by default. */
  registry?: Registry;
  /** The time after which an idle connection is closed, in milliseconds; one minute by default. */
  idleTimeout?: number;
  /** How fast request bodies must arrive; defaultBodyTimeouts by default. */
  bodyTimeouts?: BodyTimeouts;
  /** When event streams send comments and cut clients off; defaultStreamTimes by default. */
  streamTimes?: StreamTimes;
  /** Certificate and key in PEM format. If given, the server uses https. */
  tls?: { cert: string; key: string };
  /** The machine's network interfaces; those that the operating system reports by default. */
  interfaces?: Interfaces;
  /** How often the peer is asked, in milliseconds; every 10 seconds by default. */
  peerInterval?: number;
  /** How often the interfaces are looked at, in milliseconds; every 5 seconds by default. */
  interfacesEvery?: number;
}

export interface RunningServer {
  /** http://HOST:PORT or https://HOST:PORT. HOST is the configured host, or `chosen` if the server listens on every address. */
  url: string;
  port: number;
  /** The address in `url` if the server listens on every address of the machine; otherwise undefined. */
  chosen: ReachableAddress | undefined;
  app: App;
  /** Reads the lists of the settings again. Returns a sentence that says what changed, or why the former lists stay. */
  reload(): string;
  /** Waits until the requests in progress have finished, at most 30 seconds, then closes everything. */
  close(): Promise<void>;
}

/** How long `close` waits for the requests in progress, in milliseconds. */
const closeTimeout = 30_000;

const healthPath = "/healthz";
const peerPath = "/peer";
const metricsPath = "/metrics";
/** What a replica answers also if its copy is too old: how it is, and no data of a production. */
const stalePaths: readonly string[] = [healthPath, peerPath, metricsPath];
/** How often the peer is asked whether it took over, in milliseconds. */
const peerInterval = 10_000;

const healthTransport: Transport = {
  answer(ctx) {
    ctx.operation = "healthz";
    checkMethod(ctx, ["GET", "HEAD"]);
    const { replica, health } = ctx.app;
    const state = replica?.health() ?? health.state();
    const { ok, ...rest } =
      state.ok && replica ? { ok: true, epoch: state.epoch, replica: { age: replica.age() } } : state;
    const answer = { ok, ...(ok && { version: release }), ...rest };
    sendJson(ctx, state.ok ? 200 : 503, JSON.stringify(answer), { "cache-control": "no-store" });
  },
};

const within = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

/** What the transports that are loaded later are opened with; each takes what it needs. */
interface Opening {
  app: App;
  cache: ResponseCache;
  registry: Registry | undefined;
  metrics: Metrics | undefined;
}

/** A transport of a file that is loaded with the first request for it, so that the server starts sooner and rests smaller. */
function loadedLater(file: string, opening: Opening): Transport {
  const load = loadOnce(() => loadLater<{ openTransport(opening: Opening): Transport }>(file, import.meta));
  let loaded: Transport | undefined;
  return {
    async answer(ctx) {
      const { openTransport } = await load();
      loaded ??= openTransport(opening);
      await loaded.answer(ctx);
    },
    answerFromCache: (ctx) => loaded?.answerFromCache?.(ctx) === true,
  };
}

/** Opens the transports; returns a function that selects the transport of a path. */
function openTransports(opening: Opening, streamTimes: StreamTimes | undefined): (path: string) => Transport {
  const { app, cache, metrics } = opening;
  const later = (file: string): Transport => loadedLater(file, opening);
  const transports: readonly (readonly [transport: Transport, serves: (path: string) => boolean])[] = [
    [later("../features/mcp/route.ts"), (path) => (mcpPaths as readonly string[]).includes(path)],
    [later("../features/openapi/route.ts"), (path) => path === openapiPath],
    [later("../features/uploads/route.ts"), (path) => within(path, uploadsPath)],
    [openRestTransport(app, cache, streamTimes), (path) => within(path, basePath)],
    [later("../graph/media_route.ts"), (path) => path.startsWith(mediaPath)],
    [later("../features/oauth/discovery.ts"), (path) => path.startsWith(wellKnownPath)],
    [later("../features/oauth/route.ts"), (path) => Object.values<string>(oauthPaths).includes(path)],
    [healthTransport, (path) => path === healthPath],
    [later("../features/replica/peer_route.ts"), (path) => path === peerPath],
    [later("../features/metrics/route.ts"), (path) => path === metricsPath && metrics !== undefined],
  ];
  const web = later("../features/pages/route.ts");
  return (path) => transports.find(([, serves]) => serves(path))?.[0] ?? web;
}

/** Adds the age of a replica's copy to a response. */
function addAge({ replica }: App, res: ServerResponse): void {
  const age = replica?.age();
  if (typeof age === "number") res.setHeader("tallylight-replica-age", age);
}

/** Whether a refusal counts against its network: of credentials that are invalid, or of a request that has none and may not be sent. */
function isFailure({ status }: HttpError, { path, credentials }: RequestContext): boolean {
  if (status === 401) return credentials.authorization !== undefined || path.startsWith(mediaPath);
  return status === 403 && credentials.key_id === undefined;
}

/** Replaces a refusal with 429 if its network has had too many of them. */
function limited(problem: unknown, ctx: RequestContext): unknown {
  if (!(problem instanceof HttpError) || !isFailure(problem, ctx)) return problem;
  const { failures, config, clock } = ctx.app;
  try {
    failures.check(addressOf(ctx.req, config.trust_proxy), clock());
    return problem;
  } catch (tooMany) {
    return tooMany;
  }
}

/** What the metrics count of a request. */
function finishedRequest(ctx: RequestContext, milliseconds: number, cached: boolean): FinishedRequest {
  const { res, operation, path, credentials, sent: bytes } = ctx;
  const status = res.headersSent ? res.statusCode : 0;
  const refused = status === 401 && (credentials.authorization !== undefined || path.startsWith(mediaPath));
  return { operation, status, milliseconds, bytes, cached, refused };
}

/** Opens the metrics of a server if the setting is on. */
async function openMetrics(app: App, connections: Connections): Promise<Metrics | undefined> {
  if (!app.config.metrics) return undefined;
  const file = "../features/metrics/server_figures.ts";
  return (await loadLater<typeof import("../features/metrics/server_figures.ts")>(file, import.meta)).openMetrics(
    app,
    connections,
  );
}

/** Answers from the response cache. Returns false if it cannot; if it failed, the transport meets the same error and reports it. */
function answersFromCache(transport: Transport, ctx: RequestContext): boolean {
  try {
    return transport.answerFromCache?.(ctx) === true;
  } catch (error) {
    if (!ctx.res.headersSent) return false;
    ctx.error = error;
    ctx.res.destroy();
    return true;
  }
}

/** Answers requests; `end` makes every further response close its connection. */
function openAnswering(
  app: OpenApp,
  transportOf: (path: string) => Transport,
  schedule: (start: () => void) => void,
  log: AccessLog,
  connections: Connections,
  bodyTimeouts: BodyTimeouts,
  metrics: Metrics | undefined,
) {
  const cors = openCors(app.config);
  let requests = 0;
  let closing = false;

  async function answer(ctx: RequestContext, transport: Transport, problem: HttpError | undefined): Promise<void> {
    const { req, res } = ctx;
    res.on("timeout", (socket: Socket) => {
      if (!req.complete || res.headersSent) socket.destroy(); // otherwise a provider is called, which has its own timeout
    });
    watchBody(ctx, bodyTimeouts);
    try {
      if (problem !== undefined) throw problem;
      await transport.answer(ctx);
    } catch (error) {
      app.health.failed(error);
      if (req.socket.destroyed || res.destroyed || res.writableEnded) ctx.error = error;
      else sendProblem(ctx, limited(error, ctx));
      drain(req);
    }
  }

  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const started = performance.now();
    const number = ++requests;
    const { path, query } = targetOf(req.url ?? "/");
    const credentials: Credentials = { authorization: req.headers.authorization };
    const ctx: RequestContext = { app, req, res, path, query, credentials, sent: 0 };
    if (closing) res.shouldKeepAlive = false;
    addAge(app, res);
    if (cors?.(req, res)) return;
    const transport = transportOf(path);
    const problem = headProblem(req) ?? (stalePaths.includes(path) ? undefined : app.replica?.refusal());
    const finish = (cached: boolean): void => {
      const milliseconds = performance.now() - started;
      log.request(ctx, number, milliseconds);
      metrics?.request(finishedRequest(ctx, milliseconds, cached));
      if (credentials.key_id === undefined) return;
      connections.shares.trusted(req.socket);
      app.touch(credentials.key_id);
    };
    const start = (): void => {
      if (problem === undefined && answersFromCache(transport, ctx)) finish(true);
      else
        connections.track(
          ctx,
          answer(ctx, transport, problem).then(() => finish(false)),
        );
    };
    schedule(start);
  };
  const end = (): void => {
    closing = true;
  };
  return { handle, end };
}

/** Few servers make backups. */
const loadBackups = () =>
  loadLater<typeof import("../features/backup/schedule.ts")>("../features/backup/schedule.ts", import.meta);

const settings = {
  maxHeaderSize: headerLimit,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  requestTimeout: 0,
  keepAliveTimeout: 0, // Connections ends idle connections
  noDelay: true,
  requireHostHeader: false, // headProblem checks it and responds with a detail
};

/** Asks the peer of a primary, from now on until the returned function is called. Throws CliError if the peer took over. */
async function openFenceOf(
  { store, config, replica, notice }: OpenApp,
  { data, peerInterval: every = peerInterval }: ServerOptions,
  superseded: () => void,
): Promise<() => void> {
  if (config.peer === undefined || replica !== undefined || store.unwritable !== undefined) return () => {};
  const { openFence } = await loadLater<typeof import("../features/replica/peer.ts")>(
    "../features/replica/peer.ts",
    import.meta,
  );
  return openFence({ store, data, peer: config.peer, superseded, notice, every });
}

/** Starts the server. Throws CliError if the data directory cannot be used, and the system's error if the address cannot. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  let endFence = () => {};
  const superseded = (): void => {
    endFence();
    options.superseded?.();
  };
  const app = openApp({ ...options, superseded });
  endFence = await openFenceOf(app, options, superseded).catch((error: unknown) => {
    app.close();
    throw error;
  });
  const cache = new ResponseCache(app, options.cacheAnswers);
  const log = openAccessLog(options.log);
  const connections = new Connections(app.config, options.idleTimeout);
  const metrics = await openMetrics(app, connections);
  const { registry, streamTimes } = options;
  const transportOf = openTransports({ app, cache, registry, metrics }, streamTimes);
  const schedule = openBatches(() => cache.startBatch());
  const timeouts = options.bodyTimeouts ?? defaultBodyTimeouts;
  const { handle, end } = openAnswering(app, transportOf, schedule, log, connections, timeouts, metrics);
  const { tls } = options;
  const http: Server = tls
    ? loadHttps().createServer({ ...settings, ...tls }, handle)
    : loadHttp().createServer(settings, handle);
  http.on("connection", (socket: Socket) => {
    connectionArrived();
    connections.shares.opened(socket);
  });
  if (tls) http.on("secureConnection", (socket: Socket) => connections.shares.secured(socket));
  http.on(tls ? "secureConnection" : "connection", connections.opened);
  http.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => {
    deferContinue(req, res);
    handle(req, res);
  });
  limitConnections(http, app.config.connections, (req, res, problem) => {
    addAge(app, res);
    sendProblem({ app, req, res, path: "", query: "", credentials: { authorization: undefined }, sent: 0 }, problem);
  });
  await listen(http, options).catch((error: unknown) => {
    endFence();
    app.close();
    throw error;
  });
  const { port, address } = http.address() as AddressInfo;
  const chosen = isUnspecified(address) ? reachableAddress(address, options.interfaces) : undefined;
  const urlOf = (host: string) => `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const url = urlOf(chosen?.address ?? options.host);
  const announce = (url: string) => {
    app.announce(url);
    recordServerAddresses(options.data, app.addresses);
  };
  announce(url);
  const endLooking =
    chosen === undefined ? () => {} : lookForChanges(chosen, address, options, (host) => announce(urlOf(host)));
  if (app.store.unwritable === undefined) app.deliveries.start(port); // a replica writes nothing, and its primary delivers
  const endBackups = app.config.backup === undefined ? () => {} : (await loadBackups()).keepBackedUp(app, app.notice);
  const close = async (): Promise<void> => {
    end();
    endFence();
    endLooking();
    endBackups();
    app.feed.end();
    await Promise.all([connections.close(http, closeTimeout), app.deliveries.end()]);
    const backups = await loadBackups().catch(() => undefined); // a file that can no longer be loaded has begun no backup
    await Promise.all([app.jobs.end(), backups?.endBackup(app)]); // before the lock of the data directory is released
    removeServerAddresses(options.data);
    app.close();
    log.close();
  };
  const reload = () => readListsAgain(app.config, options.data, options.environment ?? process.env);
  return { url, port, chosen, app, reload, close };
}

/** How often the interfaces of the machine are looked at, in milliseconds. */
const lookInterval = 5_000;

/** Calls `changed` with another address whenever the machine has lost the one that clients get. Returns a function that ends it. */
function lookForChanges(
  chosen: ReachableAddress,
  bound: string,
  { interfaces, interfacesEvery = lookInterval }: ServerOptions,
  changed: (address: string) => void,
): () => void {
  let current = chosen;
  const timer = setInterval(() => {
    const now = keptAddress(current, bound, interfaces);
    if (now.address !== current.address) changed(now.address);
    current = now;
  }, interfacesEvery);
  timer.unref();
  return () => clearInterval(timer);
}

function listen(http: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    http.on("error", reject); // later it does nothing: a connection that cannot be accepted ends nothing else
    http.listen(port, host, resolve);
  });
}
