// REST: /api/v1. Finds the operation by method and path, converts the request to its input, and sends its result.
import { Router } from "itty-router";
import { Bytes, etagOf, Pieces } from "./answers.ts";
import type { App, Context } from "./context.ts";
import { type HttpError, notFound, unprocessable } from "./errors.ts";
import { decodePart, fieldsOf } from "./http/coercion.ts";
import { ignoredHeader, ignoredIn } from "./http/ignored_parameters.ts";
import {
  methodNotAllowed,
  nameRequest,
  type RequestContext,
  requestHeader,
  type Transport,
} from "./http/request_context.ts";
import { basePath } from "./http/request_head.ts";
import type { CacheableResponse, ResponseCache } from "./http/response_cache.ts";
import {
  type Coding,
  codingOf,
  etagMatches,
  keepAlive,
  minCompressed,
  sendBytes,
  sendCompressed,
  sendPieces,
  varyOf,
} from "./http/send.ts";
import { validate } from "./inputs.ts";
import { loadOnce } from "./late_loading.ts";
import { turnFor } from "./limits.ts";
import { checkUpdatedSince, isStrict, type Operation } from "./operation.ts";
import { operationsAt, pathsInOrder } from "./operation_table.ts";
import { authorize, authorizePath, type DocumentResult, openContext, perform } from "./pipeline.ts";

/** An operation, and the fields of its path as text. */
interface Match {
  operation: Operation;
  params: Record<string, string>;
}

type Routes = readonly (readonly [method: string, pattern: RegExp, operation: Operation])[];

/**
 * The operations with the patterns that the router makes of their paths. The router's own fetch is slower: it parses a
 * URL.
 */
function routesOf(rows: readonly Operation[]): Routes {
  const routed = pathsInOrder(rows);
  const router = Router({ base: basePath });
  for (const { row, path } of routed) router[row.method === "GET" ? "get" : "post"](path, () => undefined);
  return router.routes.flatMap(([method, pattern], at) => {
    const row = routed[at]?.row;
    return row === undefined ? [] : [[method, pattern, row] as const];
  });
}

function matchOf(routes: Routes, method: string, path: string): Match | undefined {
  for (const [verb, pattern, operation] of routes) {
    const found = verb === method ? pattern.exec(path) : null;
    if (found !== null) return { operation, params: found.groups ?? {} };
  }
  return undefined;
}

/** The error if no operation matches: 405 with Allow if the path has operations of other methods, otherwise 404. */
function pathError(routes: Routes, path: string): HttpError {
  const methods = routes.filter(([, pattern]) => pattern.test(path)).map(([method]) => method);
  if (methods.length === 0) return notFound();
  return methodNotAllowed([...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])))]);
}

/** A path that is normal without further checks: it has no dots, which may be segments, and no encoded characters. */
const plainPath = /^[\w/~-]*$/;
/** Whether a path is in normal form. A path that URL parsing would change must not match any operation. */
const isNormal = (path: string): boolean =>
  plainPath.test(path) || URL.parse(`http://localhost${path}`)?.pathname === path;

/** The names of the query parameters of an operation at its path. */
const queryNames = ({ operation, params }: Match): readonly string[] =>
  operation.method === "GET"
    ? Object.keys(operation.input.entries).filter((name) => !(name in params))
    : (operation.query ?? []);

/** The query parameters that the operation does not have, as the header names them. */
const ignoredOf = ({ query }: RequestContext, match: Match): string | undefined =>
  query === "" || isStrict(match.operation) ? undefined : ignoredIn(query, (name) => queryNames(match).includes(name));

/**
 * Throws 422 for a query parameter that a strict operation does not have, and for updated_since where a list does not
 * have it.
 */
function checkQuery({ query }: RequestContext, match: Match): void {
  const { operation } = match;
  if (operation.method === "GET" && query.includes("updated_since"))
    checkUpdatedSince(operation, new URLSearchParams(query).keys());
  if (!isStrict(operation)) return;
  const known = queryNames(match);
  const unknown = [...new Set(new URLSearchParams(query).keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 50).toWellFormed()));
  const are = known.length === 0 ? "this path takes no query parameters" : `the parameters are ${known.join(", ")}`;
  throw unprocessable(`the query must not have ${names.join(", ")}: ${are}`);
}

/** The Link header of a page of a list that goes on (RFC 8288): the same request with the cursor of the next page. */
function linkOf({ app, path, query }: RequestContext, next: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set("after", next);
  return `<${app.addresses.base_url}${path}?${parameters}>; rel="next"`;
}

/** The header with the number of rows of all pages of a list. */
const totalHeader = "tallylight-total";

/** The content coding in which a document is sent; undefined for none. A 304 has no body to compress. */
const codingFor = ({ req: { headers } }: RequestContext, { body, etag }: CacheableResponse): Coding | undefined =>
  body.length < minCompressed || etagMatches(headers["if-none-match"], etag)
    ? undefined
    : codingOf(headers["accept-encoding"]);

/**
 * Sends a cacheable document, or 304 if If-None-Match matches. The tag is that of the document in every coding, because
 * the document contains it; Vary keeps the codings apart, and documents have no ranges.
 */
function sendDocument(ctx: RequestContext, document: CacheableResponse, coding?: Coding): void {
  const { req, res } = ctx;
  const { etag, link, total, ignored, coded } = document;
  const body = (coding && coded?.[coding]) ?? document.body;
  const headers = ["etag", etag, "cache-control", "private, no-cache", requestHeader, ctx.request_name];
  if (document.body.length >= minCompressed) headers.push("vary", varyOf(res));
  if (link !== undefined) headers.push("link", link);
  if (total !== undefined) headers.push(totalHeader, String(total));
  if (ignored !== undefined) headers.push(ignoredHeader, ignored);
  if (res.shouldKeepAlive) headers.push("keep-alive", keepAlive);
  if (etagMatches(req.headers["if-none-match"], etag)) {
    res.writeHead(304, headers);
    res.end();
    return;
  }
  ctx.sent = body.length;
  headers.push("content-type", "application/json", "content-length", String(body.length));
  headers.push("x-content-type-options", "nosniff");
  if (coding !== undefined) headers.push("content-encoding", coding);
  res.writeHead(200, headers);
  res.end(body, "latin1");
}

const cacheName = ({ credentials, req }: RequestContext): string => `rest ${credentials.authorization} ${req.url}`;

/** Whether the client asks for server-sent events. */
const wantsStream = ({ req }: RequestContext): boolean =>
  req.method === "GET" && /\btext\/event-stream\b/i.test(req.headers.accept ?? "");

/** What the pipeline answers. */
export type OperationResult = Awaited<ReturnType<typeof perform>>;

/** Loaded with the first POST, so that a server that only answers reads is smaller. */
const loadPosts = loadOnce(() => import("./rest_posts.ts"));

/**
 * Reads the input, runs the operation and sends its result. `replayed`: it is the stored answer of an earlier attempt.
 */
async function run(
  ctx: RequestContext,
  context: Context,
  match: Match,
  send: (result: OperationResult, replayed: boolean) => Promise<void> | void,
): Promise<void> {
  const { operation, params } = match;
  const texts = Object.entries(params).map(([name, text]) => [name, decodePart(text, name)] as const);
  const path = fieldsOf(operation.input, texts);
  authorizePath(context, operation, path);
  checkQuery(ctx, match);
  if (operation.method === "POST") {
    const { runPost } = await loadPosts();
    const { result, replayed } = await runPost(ctx, context, operation, path);
    return send(result, replayed);
  }
  const given = { ...fieldsOf(operation.input, new URLSearchParams(ctx.query)), ...path };
  const input = validate(operation.input, given);
  if (operation.stream !== undefined && wantsStream(ctx)) {
    nameRequest(ctx);
    return operation.stream(ctx, context, input);
  }
  // a read waits in perform, which then authorizes it again
  return send(await perform(context, operation, input), false);
}

/** A body of so many bytes or fewer is copied, and sent in one piece with its head. */
const copiedUpTo = 16 * 1024;

/** A text as a body is kept. */
function bodyOf(text: string): Buffer | string {
  const bytes = Buffer.from(text);
  return bytes.length > copiedUpTo ? bytes : bytes.toString("latin1");
}

/** The answer of a read, which may be sent again until something changes. */
function cacheableOf(
  { input }: Operation,
  operation: string,
  { text, etag, next, total }: DocumentResult,
  link?: string,
) {
  // A page that goes on has another tag than one that does not, because a client that gets 304 keeps the Link that it
  // has. A list with the input `before` needs no other tag: it is newest first, so what is added to it never makes an
  // earlier page go on.
  const goesOn = next !== undefined && !("before" in input.entries);
  return { body: bodyOf(text), etag: etag ?? etagOf(goesOn ? `${text} goes on` : text), operation, link, total };
}

/** Sends what may not be sent again: the answer of a write, or one that differs at every call. */
function sendOnce(ctx: RequestContext, { text, total }: DocumentResult, link: string | undefined, replayed: boolean) {
  const headers = {
    "cache-control": "no-store",
    ...(link && { link }),
    ...(total !== undefined && { [totalHeader]: String(total) }),
    ...(replayed && { "idempotency-replayed": "true" }),
  };
  return sendCompressed(ctx, 200, Buffer.from(text), headers);
}

/** Compresses a response, keeps that, and sends it. */
async function sendCoded(
  ctx: RequestContext,
  cache: ResponseCache,
  response: CacheableResponse,
  coding: Coding,
): Promise<void> {
  const { encoded } = await import("./http/compression.ts");
  const { body } = response;
  const bytes = await encoded(typeof body === "string" ? Buffer.from(body, "latin1") : body, coding);
  cache.addCoding(cacheName(ctx), response, coding, bytes);
  sendDocument(ctx, { ...response, coded: { [coding]: bytes } }, coding);
}

/** Opens the REST transport. */
export function openRestTransport(app: App, cache: ResponseCache): Transport {
  const routes = new Map<readonly Operation[], Routes>();
  const routesAt = async (path: string): Promise<Routes> => {
    const rows = await operationsAt(path.slice(basePath.length));
    const known = routes.get(rows) ?? routesOf(rows);
    routes.set(rows, known);
    return known;
  };

  return {
    namesRequests: true,
    async answer(ctx) {
      const { req, path, credentials } = ctx;
      const method = req.method === "HEAD" ? "GET" : (req.method ?? "GET");
      if (!isNormal(path)) throw notFound();
      const routes = await routesAt(path);
      const match = matchOf(routes, method, path);
      if (match === undefined) throw pathError(routes, path);
      const operation = match.operation.name;
      ctx.operation = operation;
      const ignored = ignoredOf(ctx, match);
      if (ignored !== undefined) ctx.res.setHeader(ignoredHeader, ignored);
      // read before authentication, so that revoking the key later ends the cache entry
      const revision = app.store.revision();
      const context = openContext(app, credentials, (listener) => void ctx.res.once("close", listener));
      const { now } = context; // what it reaches may end while the answer is made in steps
      authorize(context, match.operation);
      await run(ctx, context, match, async (result, replayed) => {
        if (!("cacheable" in result && result.cacheable)) nameRequest(ctx);
        if (result instanceof Bytes) return sendBytes(ctx, result);
        if (result instanceof Pieces) return sendPieces(ctx, result);
        const link = result.next === undefined ? undefined : linkOf(ctx, result.next);
        if (!result.cacheable) return sendOnce(ctx, result, link, replayed);
        const response = { ...cacheableOf(match.operation, operation, result, link), ignored };
        if (match.operation.reports === undefined) cache.put(cacheName(ctx), { ...context, now }, revision, response);
        await turnFor(result.text, context.caller.key_id);
        const coding = codingFor(ctx, response);
        return coding === undefined ? sendDocument(ctx, response) : sendCoded(ctx, cache, response, coding);
      });
    },

    answerFromCache(ctx) {
      if (ctx.req.method !== "GET") return false;
      let coding: Coding | undefined;
      const found = cache.get(cacheName(ctx), (cached) => {
        coding = codingFor(ctx, cached);
        return coding === undefined || cached.coded?.[coding] !== undefined;
      });
      if (found === undefined) return false;
      ctx.operation = found.operation;
      ctx.credentials.key_id = found.key_id;
      sendDocument(ctx, found, coding);
      return true;
    },
  };
}
