// The REST door: /api/v1. Finds the row by method and path, makes plain values of the wire, and sends what the row answers.
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { Router } from "itty-router";
import type { App, Context } from "../context.ts";
import { HttpError, notFound } from "../errors.ts";
import { Upload, upload } from "../inputs.ts";
import { Bytes, etagOf } from "../operations/answers.ts";
import { type Operation, table } from "../operations.ts";
import { authorize, authorizePath, contextOf, run } from "../pipeline.ts";
import { decodeBase64, jsonObjectOf, readBody } from "./http/body.ts";
import { decodePart, fieldsOf } from "./http/coercion.ts";
import { etagMatches } from "./http/conditional.ts";
import { type RequestContext, sendBytes, sendJson } from "./http/request_context.ts";
import { ResponseCache } from "./http/response_cache.ts";
import { openRevisionLook } from "./http/revision_look.ts";

export const basePath = "/api/v1";
const defaultBodyLimit = 1 << 20;

interface RouterRequest {
  method: string;
  url: string;
  params: Record<string, string>;
}

/** What a request's path and method come to: the row, and the path's fields as text. */
interface Match {
  operation: Operation;
  params: Record<string, string>;
}

function openRouter(rows: readonly Operation[]) {
  const router = Router<RouterRequest, []>({ base: basePath });
  for (const operation of rows)
    router[operation.method === "GET" ? "get" : "post"](operation.path, ({ params }) => ({ operation, params }));
  return router;
}

/** A path that a URL leaves as it is: without dots, which may be segments, and without what may be encoded. */
const plainPath = /^[\w/~-]*$/;

/** The row of a method and a path. By the router's patterns, without its fetch, which parses a URL and waits. */
function matchOf(router: ReturnType<typeof openRouter>, method: string, path: string): Match | undefined {
  for (const [verb, pattern, [handler]] of router.routes) {
    const found = verb === method ? pattern.exec(path) : null;
    if (found !== null) return handler?.({ params: found.groups ?? {} } as never) as Match;
  }
  return undefined;
}

/** The refusal of a path that no row has: 405 with Allow where another method would do, else 404. */
function pathError(router: ReturnType<typeof openRouter>, pathname: string): HttpError {
  const methods = router.routes.filter(([, pattern]) => pattern.test(pathname)).map(([method]) => method);
  if (methods.length === 0) return notFound();
  const allow = [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])))].join(", ");
  return new HttpError(405, `this path takes ${allow}`, { allow });
}

/** A file that came as base64 in a JSON body. Throws 422 if it is not base64, 503 beside too many other uploads. */
async function stageBase64(
  { app, request }: RequestContext,
  name: string,
  text: string,
  staged: (file: string) => void,
): Promise<Upload> {
  const bytes = decodeBase64(text, name);
  const end = app.blobs.uploads.begin(request.key_id ?? 0, bytes.length);
  try {
    const staging = app.blobs.stage();
    staged(staging.file);
    await pipeline([bytes], staging);
    return new Upload(null, staging.staged());
  } finally {
    end();
  }
}

/** The row's input, as far as the wire can say it; files are staged, and `staged` is told of each. */
async function readInput(
  ctx: RequestContext,
  { operation, params }: Match,
  path: object,
  staged: (file: string) => void,
) {
  const { req, app, query, request } = ctx;
  if (operation.method === "GET") return { ...fieldsOf(operation.input, new URLSearchParams(query)), ...path };
  const type = req.headers["content-type"] ?? "";
  const multipart =
    operation.body === "multipart" || (operation.body === "json or multipart" && /^multipart\//i.test(type));
  if (multipart) {
    const { readMultipart } = await import("./http/multipart.ts"); // with the first form: a server at rest is smaller and starts sooner
    const form = await readMultipart(
      req,
      app.blobs,
      request.key_id ?? 0,
      ({ file }) => staged(file),
      operation.body_limit,
    );
    const files: Record<string, Upload | Upload[]> = {};
    for (const [name, uploads] of form.files) {
      const schema = operation.input.entries[name];
      if (schema !== undefined) files[name] = schema.type === "array" ? uploads : (uploads.at(-1) as Upload);
    }
    const filled = form.fields.filter(([, text]) => text !== ""); // a form sends what was left empty too
    return { ...fieldsOf(operation.input, filled), ...files, ...path };
  }
  if (operation.body === "none" || Object.keys(operation.input.entries).every((name) => name in params)) {
    await readBody(ctx, defaultBodyLimit);
    return path;
  }
  const fields = jsonObjectOf(await readBody(ctx, operation.body_limit ?? defaultBodyLimit));
  for (const [name, schema] of Object.entries(operation.input.entries))
    if (schema === upload && typeof fields[name] === "string")
      fields[name] = await stageBase64(ctx, name, fields[name], staged);
  return { ...fields, ...path };
}

/** A bundle carries its ETag as its last field; every other document is its own hash. */
const bundleEtag = /"etag":"\\"([0-9a-f]{32})\\""\}$/;

export interface RestTransport {
  (ctx: RequestContext): Promise<void>;
  /** To be told of every connection. */
  connected(socket: Socket): void;
  /** Answers at once where an answer is kept; false where none is. */
  kept(ctx: RequestContext): boolean;
}

/** `rows` is the table; `keep` says whether answers may be kept in memory. */
export function openRestTransport(app: App, rows: readonly Operation[] = table, keep = true): RestTransport {
  const router = openRouter(rows);
  const answers = new ResponseCache<Buffer>(app);
  const looks = openRevisionLook(app.store);

  function send(ctx: RequestContext, body: Buffer, etag: string): void {
    const { req, res } = ctx;
    if (etagMatches(req.headers["if-none-match"], etag)) {
      res.writeHead(304, ["etag", etag, "cache-control", "private, no-cache"] as never);
      res.end();
      return;
    }
    ctx.sent = body.length;
    res.writeHead(200, [
      ...["content-type", "application/json", "content-length", String(body.length), "etag", etag],
      ...["cache-control", "private, no-cache", "x-content-type-options", "nosniff"],
    ] as never);
    res.end(body);
  }

  async function answer(ctx: RequestContext, context: Context, match: Match, revision: number): Promise<void> {
    const { operation, params } = match;
    const path = fieldsOf(
      operation.input,
      Object.entries(params).map(([name, text]) => [name, decodePart(text, name)]),
    );
    authorizePath(context, operation, path);
    const attempt =
      operation.method === "POST"
        ? app.idempotency.begin(context.caller.key_id, ctx.req.headers["idempotency-key"] as string, operation.noStore)
        : undefined;
    const files: string[] = [];
    let result: string | Bytes;
    try {
      const given = await readInput(ctx, match, path, (file) => files.push(file));
      result = await run(context, operation, given, attempt);
    } finally {
      attempt?.end();
      await Promise.all(files.map((file) => app.blobs.discard({ file })));
    }
    if (result instanceof Bytes) return sendBytes(ctx, result);
    if (operation.method !== "GET") {
      const replayed = attempt?.replayed ? { "idempotency-replayed": "true" } : {};
      return sendJson(ctx, 200, result, { "cache-control": "no-store", ...replayed });
    }
    if (operation.noStore) return sendJson(ctx, 200, result, { "cache-control": "no-store" });
    const known = bundleEtag.exec(result.slice(-64))?.[1];
    const etag = known === undefined ? etagOf(result) : `"${known}"`;
    const body = Buffer.from(result);
    if (keep) answers.put(nameOf(ctx), context, revision, { body, etag, operation: operation.name });
    send(ctx, body, etag);
  }

  const nameOf = ({ request, req }: RequestContext): string => `${request.authorization} ${req.url}`;

  const transport = async (ctx: RequestContext): Promise<void> => {
    const { req, path, request } = ctx;
    const method = req.method === "HEAD" ? "GET" : (req.method ?? "GET");
    // Only the characters of a path: what a URL would normalise away must not match.
    if (!plainPath.test(path) && URL.parse(`http://localhost${path}`)?.pathname !== path) throw notFound();
    const match = matchOf(router, method, path);
    if (match === undefined) throw pathError(router, path);
    request.operation = match.operation.name;
    const revision = app.store.revision(); // before the caller is known: a key that is revoked from here on ends what is kept
    const context = contextOf(app, request);
    authorize(context, match.operation);
    await answer(ctx, context, match, revision);
  };

  return Object.assign(transport, {
    connected: looks.connected,
    kept(ctx: RequestContext): boolean {
      if (ctx.req.method !== "GET") return false;
      const found = answers.get(nameOf(ctx), app.clock(), looks.revision(ctx.req.socket));
      if (found === undefined || app.rates?.take(found.key_id) === false) return false;
      ctx.request.operation = found.operation;
      ctx.request.key_id = found.key_id;
      send(ctx, found.body, found.etag);
      return true;
    },
  });
}
