// REST: /api/v1. Finds the operation by method and path, converts the request to its input, and sends its result.
import { Router } from "itty-router";
import type * as v from "valibot";
import { Bytes, etagOf, Pieces } from "./answers.ts";
import type { BeginAttempt } from "./attempts.ts";
import { jsonBody } from "./body_limits.ts";
import type { App, Context } from "./context.ts";
import { type HttpError, notFound, unprocessable } from "./errors.ts";
import { loadContribution } from "./features.ts";
import { decodeBase64, jsonObjectOf, readBody, readBodyAs } from "./http/body.ts";
import { baseType, decodePart, fieldsOf } from "./http/coercion.ts";
import { keepAlive } from "./http/connections.ts";
import { basePath } from "./http/paths.ts";
import { methodNotAllowed, type RequestContext, requestHeader, type Transport } from "./http/request_context.ts";
import { RequestFiles, uploadField } from "./http/request_files.ts";
import type { CacheableResponse, ResponseCache } from "./http/response_cache.ts";
import {
  type Coding,
  codingOf,
  etagMatches,
  minCompressed,
  sendBytes,
  sendCompressed,
  sendPieces,
  varyOf,
} from "./http/send.ts";
import { type Upload, upload } from "./inputs.ts";
import { requestTurn } from "./limits.ts";
import { importLazily } from "./network.ts";
import { checkUpdatedSince, isStrict, type Operation } from "./operation.ts";
import { operationsAt, pathsInOrder } from "./operation_table.ts";
import { authorize, authorizePath, openContext, perform, validate } from "./pipeline.ts";

/** An operation, and the fields of its path as text. */
interface Match {
  operation: Operation;
  params: Record<string, string>;
}

type Routes = readonly (readonly [method: string, pattern: RegExp, operation: Operation])[];

/** The operations with the patterns that the router makes of their paths. The router's own fetch is slower: it parses a URL. */
function routesOf(rows: readonly Operation[]): Routes {
  const routed = pathsInOrder(rows);
  const router = Router({ base: basePath });
  for (const { row, path } of routed) router[row.method === "GET" ? "get" : "post"](path, () => undefined);
  return router.routes.map(([method, pattern], at) => [method, pattern, (routed[at] as { row: Operation }).row]);
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

/** Reads the fields of a multipart body. */
async function readForm({ req }: RequestContext, { input, body_limit }: Operation, staged: RequestFiles) {
  const { readMultipart } = await importLazily<typeof import("./http/multipart.ts")>(
    "./http/multipart.ts",
    import.meta,
  );
  const form = await readMultipart(req, staged, { limit: body_limit });
  const files: Record<string, Upload | Upload[]> = {};
  for (const [name, uploads] of form.files) {
    const schema = input.entries[name];
    if (schema !== undefined)
      files[name] = baseType(schema as v.GenericSchema) === "array" ? uploads : (uploads.at(-1) as Upload);
  }
  const filled = form.fields.filter(([, text]) => text !== ""); // a browser also sends the fields that are empty
  return { ...fieldsOf(input, filled), ...files };
}

/** Reads the fields of a JSON body. A file in it is base64; or the body names resumable uploads. */
async function readJson(ctx: RequestContext, operation: Operation, staged: RequestFiles) {
  const { input, body_limit, whole_body } = operation;
  const fields = await readBodyAs(ctx, body_limit ?? jsonBody, jsonObjectOf);
  if (whole_body !== undefined) return { [whole_body]: fields };
  const field = uploadField(operation);
  if (field !== undefined) {
    const files = await staged.findNamed(field.max, fields);
    return { ...fields, [field.name]: field.max === 1 ? files[0] : files };
  }
  for (const [name, schema] of Object.entries(input.entries))
    if (schema === upload && typeof fields[name] === "string") {
      const bytes = decodeBase64(fields[name], name);
      fields[name] = await staged.stage(null, [bytes], bytes.length);
    }
  return fields;
}

/** Reads the operation's input from the query or the body, without the fields of the path. */
async function readInput(ctx: RequestContext, { operation, params }: Match, staged: RequestFiles): Promise<object> {
  const { req, query } = ctx;
  const { method, body, input } = operation;
  if (method === "GET") return fieldsOf(input, new URLSearchParams(query));
  // A list has no other way to be the body than as bytes; its kind is in the query.
  if (operation.whole_body !== undefined && /^text\/csv\b/i.test(req.headers["content-type"] ?? "")) {
    const bytes = await readBody(ctx, operation.body_limit ?? jsonBody);
    return { files: [await staged.stage("body.csv", [bytes], bytes.length)] };
  }
  const isForm = /^multipart\//i.test(req.headers["content-type"] ?? "");
  if (body === "multipart" || (body === "json or multipart" && isForm)) return readForm(ctx, operation, staged);
  if (body !== "none" && Object.keys(input.entries).some((name) => !(name in params)))
    return readJson(ctx, operation, staged);
  await readBody(ctx, jsonBody);
  return {};
}

/** The fields of a POST that its query gives. */
function queryFields({ query }: RequestContext, { query: names, input }: Operation): object {
  if (names === undefined) return {};
  return fieldsOf(
    input,
    [...new URLSearchParams(query)].filter(([name]) => names.includes(name)),
  );
}

/** Throws 422 for a query parameter that a strict operation does not have, and for updated_since where a list does not have it. */
function checkQuery({ query }: RequestContext, { operation, params }: Match): void {
  const { method, input } = operation;
  if (method === "GET" && query.includes("updated_since"))
    checkUpdatedSince(operation, new URLSearchParams(query).keys());
  if (!isStrict(operation)) return;
  const known =
    method === "GET" ? Object.keys(input.entries).filter((name) => !(name in params)) : (operation.query ?? []);
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

/** The content coding in which a document is sent; undefined for none. */
const codingFor = ({ req: { headers } }: RequestContext, { body, etag }: CacheableResponse): Coding | undefined =>
  body.length < minCompressed || etagMatches(headers["if-none-match"], etag)
    ? undefined
    : codingOf(headers["accept-encoding"]);

/**
 * Sends a cacheable document, or 304 if If-None-Match matches. The tag is that of the document in every coding, because the
 * document contains it; Vary keeps the codings apart, and documents have no ranges.
 */
function sendDocument(ctx: RequestContext, document: CacheableResponse, coding?: Coding): void {
  const { req, res } = ctx;
  const { etag, link, coded } = document;
  const body = (coding && coded?.[coding]) ?? document.body;
  const headers = ["etag", etag, "cache-control", "private, no-cache", requestHeader, ctx.request];
  if (document.body.length >= minCompressed) headers.push("vary", varyOf(res));
  if (link !== undefined) headers.push("link", link);
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
  res.end(body);
}

const cacheName = ({ credentials, req }: RequestContext): string => `rest ${credentials.authorization} ${req.url}`;

/** Whether the client asks for server-sent events. */
const wantsStream = ({ req }: RequestContext): boolean =>
  req.method === "GET" && /\btext\/event-stream\b/i.test(req.headers.accept ?? "");

/** Begins the attempt of a POST with an Idempotency-Key. Undefined without one, and if no feature keeps the answers of attempts. */
async function beginAttempt({ app, req }: RequestContext, { caller }: Context, { method, noStore }: Operation) {
  const header = req.headers["idempotency-key"] as string | undefined; // Node joins repeated headers to one string
  if (method !== "POST" || header === undefined) return undefined;
  const keeper = await loadContribution<{ beginAttempt: BeginAttempt }>("attempts");
  return keeper?.beginAttempt(app, caller.key_id, header, noStore);
}

/** Reads the input, runs the operation and sends its result. Staged files that the operation did not store are discarded. */
async function run(
  ctx: RequestContext,
  context: Context,
  match: Match,
  send: (result: Awaited<ReturnType<typeof perform>>, replayed: boolean) => Promise<void> | void,
): Promise<void> {
  const { operation, params } = match;
  const texts = Object.entries(params).map(([name, text]) => [name, decodePart(text, name)] as const);
  const path = fieldsOf(operation.input, texts);
  authorizePath(context, operation, path);
  checkQuery(ctx, match);
  const attempt = await beginAttempt(ctx, context, operation);
  const staged = new RequestFiles(ctx.app, ctx.credentials.key_id);
  let result: Awaited<ReturnType<typeof perform>>;
  try {
    const read = await readInput(ctx, match, staged);
    const given = { ...read, ...queryFields(ctx, operation), ...path };
    if (operation.stream !== undefined && wantsStream(ctx))
      return await operation.stream(ctx, context, validate(operation.input, given));
    // A read waits in perform, which then authorizes it again.
    if (operation.method === "POST") while (requestTurn.isOver) await requestTurn.next(context.caller.key_id);
    result = await perform(context, operation, validate(operation.input, given), attempt);
  } finally {
    attempt?.end();
    await staged.end();
  }
  await send(result, attempt?.replayed === true);
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

  async function sendCoded(ctx: RequestContext, response: CacheableResponse & { body: Buffer }, coding: Coding) {
    const { encoded } = await importLazily<typeof import("./http/compression.ts")>(
      "./http/compression.ts",
      import.meta,
    );
    const bytes = await encoded(response.body, coding);
    cache.addCoding(cacheName(ctx), response, coding, bytes);
    sendDocument(ctx, { ...response, coded: { [coding]: bytes } }, coding);
  }

  return {
    async answer(ctx) {
      const { req, path, credentials } = ctx;
      const method = req.method === "HEAD" ? "GET" : (req.method ?? "GET");
      if (!isNormal(path)) throw notFound();
      const routes = await routesAt(path);
      const match = matchOf(routes, method, path);
      if (match === undefined) throw pathError(routes, path);
      const operation = match.operation.name;
      ctx.operation = operation;
      const revision = app.store.revision(); // read before authentication, so that revoking the key later ends the cache entry
      const context = openContext(app, credentials, (listener) => void ctx.res.once("close", listener));
      const { now } = context; // what it reaches may end while the answer is made in steps
      authorize(context, match.operation);
      await run(ctx, context, match, (result, replayed) => {
        if (result instanceof Bytes) return sendBytes(ctx, result);
        if (result instanceof Pieces) return sendPieces(ctx, result);
        const link = result.next && linkOf(ctx, result.next);
        if (!result.cacheable) {
          const replay = replayed && { "idempotency-replayed": "true" };
          const headers = { "cache-control": "no-store", ...(link && { link }), ...replay };
          return sendCompressed(ctx, 200, Buffer.from(result.text), headers);
        }
        // A page that goes on has another tag than one that does not: a client that gets 304 keeps the Link that it has. What is added to
        // a list with `before`, which is newest first, comes before its pages.
        const goesOn = result.next !== undefined && !("before" in match.operation.input.entries);
        const etag = result.etag ?? etagOf(goesOn ? `${result.text} goes on` : result.text);
        const body = Buffer.from(result.text);
        const response = { body, etag, operation, link };
        cache.put(cacheName(ctx), { ...context, now }, revision, response);
        const coding = codingFor(ctx, response);
        return coding === undefined ? sendDocument(ctx, response) : sendCoded(ctx, response, coding);
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
