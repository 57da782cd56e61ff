// MCP: POST /mcp. Checks the request in a fixed order, reads its one message, and sends what the method answers.
import type { IncomingMessage } from "node:http";
import type { App } from "../context.ts";
import { HttpError } from "../errors.ts";
import { openContext } from "../pipeline.ts";
import { readBody } from "./http/body.ts";
import { checkOrigin } from "./http/origin.ts";
import { checkMethod, type RequestContext, type Transport } from "./http/request_context.ts";
import type { ResponseCache } from "./http/response_cache.ts";
import { sendJson } from "./http/send.ts";
import {
  errorMessage,
  methodNotFound,
  ProtocolError,
  type RpcRequest,
  readMessage,
  resultMessage,
  toLatin1,
} from "./mcp/messages.ts";
import { methodsOf, protocolVersion } from "./mcp/methods.ts";
import { type Registry, registryOf } from "./mcp/registry.ts";

const bodyLimit = 12 * 1024 * 1024;
/** A request that is answered from memory has at most so many bytes of body. */
const maxCachedBody = 4096;

const takesType = ({ headers }: IncomingMessage): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "");

function checkVersion({ headers }: IncomingMessage): void {
  const version = headers["mcp-protocol-version"];
  if (version !== undefined && version !== protocolVersion)
    throw new HttpError(400, `MCP-Protocol-Version must be ${protocolVersion}`);
}

/** Sends a result, JSON text with one character a byte, as the answer to the message `id`. */
function sendResult(ctx: RequestContext, id: string, result: string): void {
  const body = resultMessage(id, result);
  ctx.sent = body.length;
  ctx.res.writeHead(200, [
    ...["content-type", "application/json", "content-length", String(body.length)],
    ...["cache-control", "no-store", "x-content-type-options", "nosniff"],
  ]);
  ctx.res.end(body, "latin1");
}

/** Whether nothing about the request can be refused before its message is read, except its key. */
function isPlain(req: IncomingMessage): boolean {
  const { origin, "content-encoding": encoding, "mcp-protocol-version": version } = req.headers;
  if (req.method !== "POST" || origin !== undefined || encoding !== undefined) return false;
  return takesType(req) && (version === undefined || version === protocolVersion);
}

/** The body of a request that has arrived completely and may be answered from memory. */
function arrivedBody(req: IncomingMessage): Buffer | undefined {
  const length = Number(req.headers["content-length"]);
  const isShort = length > 0 && length <= maxCachedBody;
  return isShort && req.readableLength === length && isPlain(req) ? (req.read() as Buffer) : undefined;
}

function messageIn(body: Buffer): RpcRequest | undefined {
  try {
    return readMessage(body);
  } catch {
    return undefined;
  }
}

/** JSON has no form of its own for a bigint. */
const distinct = (_: string, value: unknown): unknown =>
  typeof value === "bigint" ? { digits: String(value) } : value;

/** As JSON, so that a value of another type or in another place never has the name of the one that was answered. */
const cacheName = ({ credentials: { authorization } }: RequestContext, { method, params }: RpcRequest): string =>
  JSON.stringify({ authorization, method, name: params.name, uri: params.uri, arguments: params.arguments }, distinct);

/** Reads the message in `body` and answers it; `answer` makes its result. Throws what leaves as a bare status. */
async function reply(
  ctx: RequestContext,
  body: Buffer,
  answer: (message: RpcRequest) => Promise<string>,
): Promise<void> {
  let message: RpcRequest | undefined;
  try {
    message = readMessage(body);
    if (message === undefined) ctx.res.writeHead(202, { "content-length": 0 }).end();
    else sendResult(ctx, message.id, await answer(message));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    if (message !== undefined) error.id = message.id;
    sendJson(ctx, 200, errorMessage(error), { "cache-control": "no-store" });
  }
}

/** `registry` is what is offered. */
export function openMcpTransport(app: App, cache: ResponseCache, registry: Registry = registryOf()): Transport {
  const methods = methodsOf(registry);
  return {
    readsBody: true,

    async answer(ctx) {
      const { req, credentials } = ctx;
      ctx.operation = "mcp";
      checkMethod(ctx, "POST");
      const revision = app.store.revision(); // before the caller is known: a key that is revoked from here on ends the entry
      const context = openContext(app, credentials);
      checkOrigin(req.headers.origin, app.addresses);
      if (!takesType(req)) throw new HttpError(415, "content-type must be application/json");
      const body = ctx.body ?? (await readBody(ctx, bodyLimit));
      checkVersion(req);
      await reply(ctx, body, async (message) => {
        const method = methods.get(message.method);
        if (method === undefined) throw new ProtocolError(methodNotFound, "there is no method of that name");
        ctx.operation = `mcp ${message.method}`;
        const { text, cacheable } = await method({ ctx, context, message });
        const result = toLatin1(text);
        if (cacheable && body.length <= maxCachedBody)
          cache.put(cacheName(ctx, message), context, revision, { body: result, etag: "", operation: ctx.operation });
        return result;
      });
    },

    answerFromCache(ctx) {
      const body = arrivedBody(ctx.req);
      if (body === undefined) return false;
      ctx.body = body;
      const message = messageIn(body);
      const found = message && cache.get(cacheName(ctx, message), ctx.req.socket);
      if (message === undefined || typeof found?.body !== "string") return false;
      ctx.operation = found.operation;
      ctx.credentials.key_id = found.key_id;
      sendResult(ctx, message.id, found.body);
      return true;
    },
  };
}
