// Opens a data directory and serves it over node:http: selects the transport by the path, sets limits and timeouts,
// logs each request, and shuts down once the requests in progress have finished.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { type AppOptions, type OpenApp, openApp } from "./app.ts";
import { readConfig, readListsAgain } from "./config.ts";
import type { App } from "./context.ts";
import { migrateData } from "./directory_migration.ts";
import { CliError, codeOf, errorOf, HttpError } from "./errors.ts";
import { contribution, openServing, startFeatures, startTimers } from "./features.ts";
import { type AccessLog, openAccessLog, type WriteLine } from "./http/access_log.ts";
import { clientOf } from "./http/client.ts";
import {
  answerOthers,
  type BodyTimeouts,
  Connections,
  defaultBodyTimeouts,
  drain,
  watchBody,
} from "./http/connections.ts";
import { nameRequest, type RequestContext, type Transport } from "./http/request_context.ts";
import {
  deferContinue,
  headerLimit,
  headProblem,
  isLoopback,
  isUnspecified,
  mediaPath,
  openCors,
  targetOf,
} from "./http/request_head.ts";
import { ResponseCache } from "./http/response_cache.ts";
import { sendProblem } from "./http/send.ts";
import { loadHttp, loadHttps } from "./late_loading.ts";
import { connectionArrived } from "./limits.ts";
import type { Credentials } from "./pipeline.ts";
import type { Interfaces, ReachableAddress } from "./reachable_address.ts";
import type { RequestListener } from "./serving.ts";
import { databaseName, openErrorMessage } from "./store/database.ts";
import { recordServerAddresses, removeServerAddresses } from "./store/directory_records.ts";
import { ownerAdvice } from "./store/disk_space.ts";
import { answersFromCache, openTransports, unguarded } from "./transports.ts";

export interface ServerOptions extends Omit<AppOptions, "openCopy"> {
  /** Whether the directory is a copy of another one, which is served read-only; false by default. */
  replica?: boolean;
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** Receives each log line; standard error by default. */
  log?: WriteLine;
  /** Whether responses are cached in memory; true by default. */
  cacheAnswers?: boolean;
  /** The time after which an idle connection is closed, in milliseconds; one minute by default. */
  idleTimeout?: number;
  /** How fast request bodies must arrive; defaultBodyTimeouts by default. */
  bodyTimeouts?: BodyTimeouts;
  /** Certificate and key in PEM format. If given, the server uses https. */
  tls?: { cert: string; key: string };
  /** The machine's network interfaces; those that the operating system reports by default. */
  interfaces?: Interfaces;
  /** How often the interfaces are looked at, in milliseconds; every 5 seconds by default. */
  interfacesEvery?: number;
}

export interface RunningServer {
  /**
   * http://HOST:PORT or https://HOST:PORT. HOST is the configured host, or `chosen` if the server listens on every
   * address.
   */
  url: string;
  port: number;
  /** The address in `url` if the server listens on every address of the machine; otherwise undefined. */
  chosen: ReachableAddress | undefined;
  app: App;
  /** Reads the lists of the settings again. Returns a sentence that says what changed, or why the former lists stay. */
  reload(): string;
  /** Uses another certificate for the connections that come; those that are open keep theirs. */
  useCertificate(tls: { cert: string; key: string }): void;
  /** Waits until the requests in progress have finished, at most 30 seconds, then closes everything. */
  close(): Promise<void>;
}

/** How long `close` waits for the requests in progress, in milliseconds. */
const closeTimeout = 30_000;

/** Adds the age of a copy to a response. */
function addAge({ copy }: App, res: ServerResponse): void {
  const age = copy?.age();
  if (typeof age === "number") res.setHeader("tallylight-replica-age", age);
}

/**
 * Whether a refusal counts against its network: of credentials that are invalid, or of a request that has none and may
 * not be sent.
 */
function isFailure({ status }: HttpError, { path, credentials }: RequestContext): boolean {
  if (status === 401) return credentials.authorization !== undefined || path.startsWith(mediaPath);
  return status === 403 && credentials.key_id === undefined;
}

/** Replaces a refusal with 429 if its network has had too many of them. */
function limited(problem: unknown, ctx: RequestContext): unknown {
  if (!(problem instanceof HttpError) || !isFailure(problem, ctx)) return problem;
  const { failures, clock } = ctx.app;
  try {
    failures.check(clientOf(ctx).network, clock());
    return problem;
  } catch (tooMany) {
    return tooMany;
  }
}

/** What answers the requests of a server. */
interface Answering {
  app: OpenApp;
  transportOf: (path: string) => Transport;
  log: AccessLog;
  connections: Connections;
  bodyTimeouts: BodyTimeouts;
  finished: RequestListener;
}

/** Answers one request, whose head has a problem or not. Sends every error. */
async function answer(
  { app, bodyTimeouts }: Answering,
  ctx: RequestContext,
  transport: Transport,
  problem: HttpError | undefined,
): Promise<void> {
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

/**
 * More requests are not kept waiting: a client that sends many at once must soon meet the limits of an unread response.
 */
const batchSize = 128;

/** Starts the requests that are read in one turn of the event loop together, at most `batchSize` of them. */
function openBatches(): (start: () => void) => void {
  let batch: (() => void)[] = [];
  const run = (): void => {
    const starts = batch;
    batch = [];
    for (const start of starts) start();
  };
  return (start) => {
    const length = batch.push(start);
    if (length === 1) setImmediate(run);
    else if (length === batchSize) run();
  };
}

/** Returns the handler of requests, and `end`, which makes every further response close its connection. */
function openHandler(answering: Answering) {
  const schedule = openBatches();
  const { app, transportOf, log, connections, finished } = answering;
  const cors = openCors(app.config);
  let closing = false;

  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const started = performance.now();
    const { path, query } = targetOf(req.url ?? "/");
    const credentials: Credentials = { authorization: req.headers.authorization };
    const ctx: RequestContext = { app, req, res, request_name: log.nextRequest(), path, query, credentials, sent: 0 };
    if (closing) res.shouldKeepAlive = false;
    res.setMaxListeners(0); // each of the jobs that a request waits for, one after another, ends with its connection
    addAge(app, res);
    if (cors?.(req, res)) return;
    const transport = transportOf(path);
    const problem = headProblem(req) ?? (app.copy === undefined || unguarded(path) ? undefined : app.copy.refusal());
    const finish = (cached: boolean): void => {
      const milliseconds = performance.now() - started;
      log.request(ctx, milliseconds);
      finished(ctx, milliseconds, cached);
      if (credentials.key_id === undefined) return;
      if (cached) connections.shares.answered(ctx);
      if (credentials.key_id !== null) app.touch(credentials.key_id);
    };
    // Once the body has been read that came with the head: MCP answers from the cache by its body.
    schedule(() => {
      if (problem === undefined && answersFromCache(transport, ctx)) return finish(true);
      if (transport.namesRequests !== true) nameRequest(ctx);
      const answered = answer(answering, ctx, transport, problem).then(() => finish(false));
      connections.track(ctx, answered);
    });
  };
  const end = (): void => {
    closing = true;
  };
  return { handle, end };
}

const httpOptions = {
  maxHeaderSize: headerLimit,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  requestTimeout: 0,
  keepAliveTimeout: 0, // Connections ends idle connections
  noDelay: true,
  requireHostHeader: false, // headProblem checks it and responds with a detail
};

/** Returns what opens the directory as a copy. Throws CliError if no feature does. */
async function copyOpener(): Promise<AppOptions["openCopy"]> {
  const found = contribution("copy");
  if (found === undefined)
    throw new CliError("this program does not serve copies: the feature replica is not installed");
  return (await found()).openCopy;
}

/** Creates the HTTP or HTTPS server that gives its requests to `handle`. */
function createServer(
  { tls }: ServerOptions,
  app: App,
  connections: Connections,
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): Server & { setSecureContext?(tls: { cert: string; key: string }): void } {
  const http = tls
    ? loadHttps().createServer({ ...httpOptions, ...tls }, handle)
    : loadHttp().createServer(httpOptions, handle);
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
  answerOthers(http, (req, res, problem) => {
    addAge(app, res);
    const credentials = { authorization: undefined };
    // it is not logged
    sendProblem({ app, req, res, request_name: "", path: "", query: "", credentials, sent: 0 }, problem);
  });
  return http;
}

/** Only a server that other machines can reach needs it. */
const loadAddresses = () => import("./reachable_address.ts");

/**
 * Starts the server. Throws CliError if the data directory cannot be used, and the system's error if the address
 * cannot.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const openCopy = options.replica ? await copyOpener() : undefined;
  const environment = options.environment ?? process.env;
  // a server that its settings refuse changes nothing
  const config = options.config ?? readConfig(options.data, environment);
  if (openCopy === undefined) await migrateData(options.data, { notice: options.notice });
  const app = openApp({ ...options, config, openCopy });
  const closeAfter = (error: unknown): never => {
    app.close();
    const isDamaged = codeOf(error).startsWith("SQLITE_CORRUPT");
    throw isDamaged ? new CliError(openErrorMessage(error, join(options.data, databaseName))) : error;
  };
  const connections = new Connections(app.config, options.idleTimeout);
  const { serving, finished, listens } = openServing(app, options.data, connections);
  await startFeatures(serving).catch(closeAfter);
  const cache = new ResponseCache(app, options.cacheAnswers);
  const log = openAccessLog(options.log);
  const bodyTimeouts = options.bodyTimeouts ?? defaultBodyTimeouts;
  const answering = { app, transportOf: openTransports({ app, cache }), log, connections, bodyTimeouts, finished };
  const { handle, end } = openHandler(answering);
  const http = createServer(options, app, connections, handle);
  const addresses = isLoopback(options.host) ? undefined : await loadAddresses().catch(closeAfter);
  const { port, address } = await listen(http, options).catch(closeAfter);
  const chosen = isUnspecified(address) ? addresses?.reachableAddress(address, options.interfaces) : undefined;
  const urlOf = (host: string) =>
    `${options.tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const url = urlOf(chosen?.address ?? options.host);
  const announce = (url: string) => {
    app.announce(url);
    recordServerAddresses(options.data, app.addresses);
  };
  announce(url);
  const changed = (host: string) => announce(urlOf(host));
  const { interfaces, interfacesEvery } = options;
  const endLooking = chosen && addresses?.lookForChanges(chosen, address, interfaces, interfacesEvery, changed);
  listens(port);
  startTimers(app);
  const close = async (): Promise<void> => {
    end();
    endLooking?.();
    // before the lock of the data directory is released
    await Promise.all([connections.close(http, closeTimeout), app.end()]);
    removeServerAddresses(options.data);
    app.close();
    log.close();
  };
  const reload = () => readListsAgain(app.config, options.data, environment);
  const useCertificate: RunningServer["useCertificate"] = (tls) => http.setSecureContext?.({ ...tls });
  return { url, port, chosen, app, reload, useCertificate, close };
}

/** The error of a server that cannot start, as a sentence where the address is the reason. */
export function listenProblemOf(error: unknown, host: string, port: number): unknown {
  const { code, path, syscall } = errorOf(error);
  if (code === "EACCES" && path !== undefined) return new CliError(`${path} cannot be used; ${ownerAdvice(path)}`);
  if (path !== undefined || (syscall !== undefined && !["listen", "getaddrinfo"].includes(syscall))) return error;
  if (code === "EADDRINUSE")
    return new CliError(`port ${port} of ${host} is in use by another program; choose another port with --port`);
  if (code === "EACCES") return new CliError(`this user may not listen on port ${port} of ${host}`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new CliError(`${host} is not an address of this machine`);
  return error;
}

/** Listens. Returns where. */
function listen(http: Server, { host, port }: ServerOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    http.on("error", reject); // later it does nothing: a connection that cannot be accepted ends nothing else
    // a text only for a socket in the file system
    http.listen(port, host, () => resolve(http.address() as AddressInfo));
  });
}
