// MCP: POST /mcp. Checks the request in a fixed order, reads its one message, and sends the method's result.
import type { IncomingMessage } from "node:http";
import { HttpError } from "../../core/errors.ts";
import type { Opening } from "../../core/feature.ts";
import { readBody } from "../../core/http/body.ts";
import { nameIgnored } from "../../core/http/ignored_parameters.ts";
import { checkMethod, type RequestContext, requestHeader, type Transport } from "../../core/http/request_context.ts";
import { keepAlive, sendJson } from "../../core/http/send.ts";
import { requestTurn } from "../../core/limits.ts";
import { allOperations } from "../../core/operation_table.ts";
import { openContext } from "../../core/pipeline.ts";
import { checkOrigin } from "../addresses/origins.ts";
import { mcpAddressOf, mcpPaths, type ToolSet, toolSetOf } from "../addresses/paths.ts";
import {
  errorMessage,
  methodNotFound,
  ProtocolError,
  type RpcRequest,
  readMessage,
  resultMessage,
  toLatin1,
} from "./messages.ts";
import { methodsOf, protocolVersion } from "./methods.ts";
import { type Registry, registryOf } from "./registry.ts";

declare module "../../core/features.ts" {
  interface FeatureOptions {
    /** The tools, resources and prompts of MCP; those of the table of operations by default. */
    registry?: Registry;
  }
}

/** A message of MCP, which may contain files as base64, in bytes. */
const mcpBody = 12 << 20;
/** The most bytes of body of a request whose response is cached. */
const maxCachedBody = 4096;

const isJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "");

/** `initialize` is answered under any version, because it is what agrees on one. */
async function checkVersion({ headers }: IncomingMessage, body: Buffer): Promise<void> {
  const version = headers["mcp-protocol-version"];
  if (version === undefined || version === protocolVersion) return;
  const message = await readMessage(body).catch(() => undefined);
  if (message?.method !== "initialize") throw new HttpError(400, `MCP-Protocol-Version must be ${protocolVersion}`);
}

/** Sends a result as the response to the message `id`. `result` is JSON text with one character for each byte. */
function sendResult(ctx: RequestContext, id: string, result: string): void {
  const body = resultMessage(id, result);
  ctx.sent = body.length;
  const headers = ["content-type", "application/json", "content-length", String(body.length)];
  headers.push("cache-control", "no-store", "x-content-type-options", "nosniff", requestHeader, ctx.request_name);
  if (ctx.res.shouldKeepAlive) headers.push("keep-alive", keepAlive);
  ctx.res.writeHead(200, headers);
  ctx.res.end(body, "latin1");
}

/** Whether the request passes every check before its message is read, except that of its key. */
function passesChecks(req: IncomingMessage): boolean {
  const { origin, "content-encoding": encoding, "mcp-protocol-version": version } = req.headers;
  if (req.method !== "POST" || origin !== undefined || encoding !== undefined) return false;
  return isJson(req) && (version === undefined || version === protocolVersion);
}

/** Returns the body if it is completely received and the response may be in the cache. */
function receivedBody(req: IncomingMessage): Buffer | undefined {
  const length = Number(req.headers["content-length"]);
  const isShort = length > 0 && length <= maxCachedBody;
  // no encoding is set
  return isShort && req.readableLength === length && passesChecks(req) ? (req.read() as Buffer) : undefined;
}

/** The id of a message where clients write it: first or last. */
const idFirst = /^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}|"[\w-]{1,64}"),/;
const idLast = /,"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}|"[\w-]{1,64}")\}$/;

/** Where the id of a message is; null if it is at neither place. Where it is first, nothing after it may replace it. */
function idIn(text: string): RegExpExecArray | null {
  const first = idFirst.exec(text);
  return first === null || /"id"|\\u00/.test(text.slice(first[0].length)) ? idLast.exec(text) : first;
}

/**
 * The text of a message without its id, with which the response is cached, so that it is found without being parsed.
 */
function cacheName({ credentials: { authorization }, query }: RequestContext, body: Buffer) {
  if (body.length > maxCachedBody) return undefined;
  const text = body.toString("latin1"); // one character for each byte
  const found = idIn(text);
  if (found === null) return undefined;
  const rest = text.slice(0, found.index) + text.slice(found.index + found[0].length);
  return { id: found[1] ?? "null", name: `${authorization}\n${query}\n${found.index}\n${rest}` };
}

/**
 * Reads the message in `body` and responds with the result of `answer`. Throws errors that are sent as an HTTP status.
 */
async function reply(
  ctx: RequestContext,
  body: Buffer,
  answer: (message: RpcRequest) => Promise<string>,
): Promise<void> {
  let message: RpcRequest | undefined;
  try {
    message = await readMessage(body);
    if (message === undefined) ctx.res.writeHead(202, { "content-length": 0 }).end();
    else sendResult(ctx, message.id, await answer(message));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    if (message !== undefined) error.id = message.id;
    sendJson(ctx, 200, errorMessage(error), { "cache-control": "no-store" });
  }
}

/** Opens the MCP transport of the tools, resources and prompts in `registry`, and of each set at its query. */
export async function openTransport({ app, cache }: Opening): Promise<Transport> {
  const rows = await allOperations();
  const pinnedMethods = methodsOf(app.options.registry ?? registryOf(rows));
  const methodsOfSets = new Map<ToolSet, typeof pinnedMethods>(); // made with the first request, to save memory at rest
  const methodsAt = (query: string): typeof pinnedMethods => {
    const set = toolSetOf(query);
    if (set === undefined) return pinnedMethods;
    const methods = methodsOfSets.get(set) ?? methodsOf(registryOf(rows, set));
    methodsOfSets.set(set, methods);
    return methods;
  };
  return {
    async answer(ctx) {
      const { req, credentials } = ctx;
      ctx.operation = "mcp";
      nameIgnored(ctx, ["tools"]);
      const address = mcpAddressOf(ctx.path, ctx.query);
      if (address !== mcpPaths[0]) ctx.resource = address;
      checkMethod(ctx, ["POST"]);
      // read before authentication, so that revoking the key later ends the cache entry
      const revision = app.store.revision();
      const opened = openContext(app, credentials);
      checkOrigin(req.headers.origin, app.addresses);
      if (!isJson(req)) throw new HttpError(415, "content-type must be application/json");
      const methods = methodsAt(ctx.query);
      const body = ctx.body ?? (await readBody(ctx, mcpBody));
      // the message is parsed in this turn
      if (ctx.body === undefined) while (requestTurn.isOver) await requestTurn.next(credentials.key_id);
      await checkVersion(req, body);
      // what the caller reaches may have ended meanwhile
      const context = ctx.body === undefined ? opened.renew() : opened;
      const { now } = context; // and may end while the answer is made in steps
      await reply(ctx, body, async (message) => {
        const method = methods.get(message.method);
        if (method === undefined) throw new ProtocolError(methodNotFound, "there is no method of that name");
        ctx.operation = `mcp ${message.method}`;
        const { text, cacheable } = await method({ ctx, context, message });
        while (requestTurn.isOver) await requestTurn.next(credentials.key_id); // the answer may be a whole list
        const result = toLatin1(text);
        const entry = cacheable ? cacheName(ctx, body) : undefined;
        if (entry !== undefined)
          cache.put(entry.name, { ...context, now }, revision, { body: result, etag: "", operation: ctx.operation });
        return result;
      });
    },

    answerFromCache(ctx) {
      const body = receivedBody(ctx.req);
      if (body === undefined) return false;
      ctx.body = body;
      const entry = cacheName(ctx, body);
      const found = entry && cache.get(entry.name);
      if (entry === undefined || typeof found?.body !== "string") return false;
      ctx.operation = found.operation;
      ctx.credentials.key_id = found.key_id;
      nameIgnored(ctx, ["tools"]);
      sendResult(ctx, entry.id, found.body);
      return true;
    },
  };
}
