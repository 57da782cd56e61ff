// Results kept in memory for the same call of the same credentials, as ResponseCache holds them. As text with one character a
// byte: a socket takes that together with the headers, without another copy.
import type { Socket } from "node:net";
import type { App } from "../../context.ts";
import type { RequestContext } from "../http/request_context.ts";
import { type CachedResponse, ResponseCache } from "../http/response_cache.ts";
import { openRevisionLook } from "../http/revision_look.ts";
import { type RpcRequest, toLatin1 } from "./messages.ts";
import type { Call, Result } from "./methods.ts";

/** Of what a result is kept under, in characters: longer arguments are not asked twice. */
const longestName = 1000;

/** JSON has no form for a bigint of its own. */
const distinct = (_: string, value: unknown): unknown =>
  typeof value === "bigint" ? { digits: String(value) } : value;

export interface ResultCache {
  /** To be told of every connection. */
  connected(socket: Socket): void;
  /** The result that is kept for a message of these credentials, which hold for as long as it does. */
  kept(ctx: RequestContext, message: RpcRequest): CachedResponse<string> | undefined;
  /** Keeps a result where it lasts; answers its bytes. `revision` is the store's before the caller was known. */
  keep(call: Call, revision: number, result: Result): string;
}

/** `keeps` says whether anything may be kept. */
export function openResultCache(app: App, keeps: boolean): ResultCache {
  const answers = new ResponseCache<string>(app);
  const looks = openRevisionLook(app.store);
  // As JSON, so that a value of another type or in another place never has the name of the one that was answered.
  const nameOf = (authorization: string | undefined, { method, params }: RpcRequest): string =>
    JSON.stringify(
      { authorization, method, name: params.name, uri: params.uri, arguments: params.arguments },
      distinct,
    );
  return {
    connected: looks.connected,
    kept: ({ request, req }, message) =>
      answers.get(nameOf(request.authorization, message), app.clock(), looks.revision(req.socket)),
    keep({ request, context, message }, revision, { text, cacheable }) {
      const body = toLatin1(text);
      const name = nameOf(request.authorization, message);
      if (keeps && cacheable && name.length <= longestName)
        answers.put(name, context, revision, { body, etag: "", operation: request.operation ?? "mcp" });
      return body;
    },
  };
}
