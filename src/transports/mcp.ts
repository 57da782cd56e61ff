// The MCP door: POST /mcp. Checks the request in a fixed order, reads its one message, and sends what the method answers.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { App } from "../context.ts";
import { HttpError } from "../errors.ts";
import { contextOf } from "../pipeline.ts";
import { readBody } from "./http/body.ts";
import { checkOrigin } from "./http/origin.ts";
import { checkMethod, type RequestContext, sendJson } from "./http/request_context.ts";
import {
  errorMessage,
  methodNotFound,
  ProtocolError,
  type RpcRequest,
  readMessage,
  resultMessage,
} from "./mcp/messages.ts";
import { type Call, methodsOf, protocolVersion } from "./mcp/methods.ts";
import { type Registry, registryOf } from "./mcp/registry.ts";
import { openResultCache } from "./mcp/result_cache.ts";

const bodyLimit = 12 * 1024 * 1024;
/** A request that is answered at once has at most so many bytes of body. */
const shortBody = 4096;

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
  ] as never);
  ctx.res.end(body, "latin1");
}

/** Whether nothing about the request can be refused before its message is read, but its key. */
function isPlain(req: IncomingMessage): boolean {
  const { origin, "content-encoding": encoding, "mcp-protocol-version": version } = req.headers;
  if (req.method !== "POST" || origin !== undefined || encoding !== undefined) return false;
  return takesType(req) && (version === undefined || version === protocolVersion);
}

function messageIn(body: Buffer): RpcRequest | undefined {
  try {
    return readMessage(body);
  } catch {
    return undefined;
  }
}

export interface McpTransport {
  (ctx: RequestContext): Promise<void>;
  /** To be told of every connection. */
  connected(socket: Socket): void;
  /**
   * Answers at once where the whole request has arrived and its result is kept; false where not, whatever the reason. To be
   * called when what has arrived is parsed: one tick after the request.
   */
  kept(ctx: RequestContext): boolean;
}

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

/** `registry` is what is offered; `keeps` says whether answers may be kept in memory. */
export function openMcpTransport(app: App, registry: Registry = registryOf(), keeps = true): McpTransport {
  const methods = methodsOf(registry);
  const results = openResultCache(app, keeps);

  /** The result as bytes. Throws a ProtocolError, and what leaves as a bare status. */
  async function answer(call: Call, revision: number): Promise<string> {
    const { request, message } = call;
    const method = methods.get(message.method);
    if (method === undefined) throw new ProtocolError(methodNotFound, "there is no method of that name");
    request.operation = `mcp ${message.method}`;
    return results.keep(call, revision, await method(call));
  }

  const transport = async (ctx: RequestContext): Promise<void> => {
    const { req, request } = ctx;
    request.operation = "mcp";
    checkMethod(ctx, "POST");
    const revision = app.store.revision(); // before the caller is known: a key that is revoked from here on ends what is kept
    const context = contextOf(app, request);
    checkOrigin(req.headers.origin, app.addresses);
    if (!takesType(req)) throw new HttpError(415, "content-type must be application/json");
    const body = ctx.body ?? (await readBody(ctx, bodyLimit));
    checkVersion(req);
    await reply(ctx, body, (message) => answer({ request, context, message }, revision));
  };

  return Object.assign(transport, {
    connected: results.connected,
    kept(ctx: RequestContext): boolean {
      const { req, request } = ctx;
      const length = Number(req.headers["content-length"]);
      if (!(length > 0 && length <= shortBody) || req.readableLength !== length || !isPlain(req)) return false;
      ctx.body = req.read() as Buffer;
      const message = messageIn(ctx.body);
      const found = message && results.kept(ctx, message);
      if (message === undefined || found === undefined || app.rates?.take(found.key_id) === false) return false;
      request.operation = found.operation;
      request.key_id = found.key_id;
      sendResult(ctx, message.id, found.body);
      return true;
    },
  });
}
