// The MCP door: POST /mcp. Checks the request in a fixed order, reads its one message, and sends what the method answers.
import type { IncomingMessage } from "node:http";
import { contextOf } from "../call.ts";
import type { App, Context } from "../context.ts";
import { Refusal } from "../errors.ts";
import { readBody } from "./body.ts";
import { checkMethod, type Exchange, sendBody, sendJson } from "./exchange.ts";
import { KeptAnswers } from "./kept.ts";
import {
  errorMessage,
  type Fields,
  methodNotFound,
  ProtocolError,
  type RpcRequest,
  readMessage,
  resultMessage,
} from "./mcp/messages.ts";
import { type Call, methodsOf, protocolVersion } from "./mcp/methods.ts";
import { type Offer, type Registry, registryOf } from "./mcp/registry.ts";
import { checkOrigin } from "./origin.ts";

const bodyLimit = 12 * 1024 * 1024;
/** Of what an answer is kept under, in characters: longer arguments are not asked twice. */
const longestName = 1000;
const unkept = { "cache-control": "no-store" };

function checkContentType({ headers }: IncomingMessage): void {
  if (!/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? ""))
    throw new Refusal(415, "content-type must be application/json");
}

function checkVersion({ headers }: IncomingMessage): void {
  const version = headers["mcp-protocol-version"];
  if (version !== undefined && version !== protocolVersion)
    throw new Refusal(400, `MCP-Protocol-Version must be ${protocolVersion}`);
}

/** Answers the same call of the same credentials with the same bytes, for as long as they hold. */
function openKeeper(app: App, keeps: boolean) {
  const answers = new KeptAnswers(app);
  return async (
    { request, context, method }: Call,
    { lasting, listing }: Offer,
    given: Fields,
    answer: () => Promise<string>,
  ): Promise<Buffer> => {
    const name = `${request.authorization} ${method} ${listing.name} ${JSON.stringify(given)}`;
    if (!keeps || !lasting || name.length > longestName) return Buffer.from(await answer());
    const found = answers.get(name, app.clock());
    if (found !== undefined) return found.body;
    const revision = app.store.revision();
    const body = Buffer.from(await answer());
    answers.put(name, context, revision, { body, etag: "", operation: listing.name });
    return body;
  };
}

/** `registry` is what is offered; `keeps` says whether answers may be kept in memory. */
export function openMcpDoor(app: App, registry: Registry = registryOf(), keeps = true) {
  const methods = methodsOf(registry, openKeeper(app, keeps));

  /** The result as JSON text. Throws a ProtocolError, and what leaves as a bare status. */
  async function answer(request: Exchange["request"], context: Context, message: RpcRequest): Promise<Buffer> {
    const method = methods.get(message.method);
    if (method === undefined) throw new ProtocolError(methodNotFound, "there is no method of that name");
    request.operation = `mcp ${message.method}`;
    const result = await method({ request, context, method: message.method, params: message.params });
    return typeof result === "string" ? Buffer.from(result) : result;
  }

  return async (exchange: Exchange): Promise<void> => {
    const { req, request } = exchange;
    request.operation = "mcp";
    checkMethod(exchange, "POST");
    const context = contextOf(app, request);
    checkOrigin(req.headers.origin, app.addresses);
    checkContentType(req);
    const body = await readBody(req, bodyLimit);
    checkVersion(req);
    let message: RpcRequest | undefined;
    try {
      message = readMessage(body);
      if (message === undefined) exchange.res.writeHead(202, { "content-length": 0 }).end();
      else sendBody(exchange, 200, resultMessage(message.id, await answer(request, context, message)), unkept);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      if (message !== undefined) error.id = message.id;
      sendJson(exchange, 200, errorMessage(error), unkept);
    }
  };
}
