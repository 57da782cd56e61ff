// The request context: one request, its response and what all transports need to know about them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { App } from "../context.ts";
import { HttpError } from "../errors.ts";
import type { Credentials } from "../pipeline.ts";

/** One request, as the transports pass it on. */
export interface RequestContext {
  app: App;
  req: IncomingMessage;
  res: ServerResponse;
  /** The name of the request in the access log, which the answer has as Tallylight-Request. */
  request_name: string;
  /** The path of the request target, neither decoded nor normalised. */
  path: string;
  /** The query of the request target without its question mark. */
  query: string;
  credentials: Credentials;
  /** The name of the operation, for the access log. */
  operation?: string;
  /** An error of the server, for the access log. */
  error?: unknown;
  /** Bytes of the response's body, for the access log. */
  sent: number;
  /**
   * What names the address of the request in the address of the metadata of its authorization; absent for what the root
   * describes.
   */
  resource?: string;
  /** The request's body, if it has been read. */
  body?: Buffer;
}

/** The header of every answer that names its request as the access log does. */
export const requestHeader = "tallylight-request";

/** Sets the header that names the request. */
export const nameRequest = ({ res, request_name }: RequestContext): unknown =>
  res.setHeader(requestHeader, request_name);

/** Whether the request comes from a browser that shows a page, and not from a program. */
export const wantsHtml = ({ req }: RequestContext): boolean => /\btext\/html\b/.test(req.headers.accept ?? "");

/** Handles the requests of some paths. */
export interface Transport {
  answer(ctx: RequestContext): Promise<void> | void;
  /**
   * Responds at once from the response cache. Returns false if it cannot, for any reason. A short body is readable
   * then.
   */
  answerFromCache?(ctx: RequestContext): boolean;
  /**
   * Whether `answer` sends the header that names the request with its others. A header that is set before them makes
   * Node send them slower.
   */
  namesRequests?: boolean;
}

/** 405 with an Allow header: the path exists, and supports only `methods`. */
export function methodNotAllowed(methods: readonly string[]): HttpError {
  const allow = methods.join(", ");
  return new HttpError(405, `this path supports only ${allow}`, { allow });
}

/** Throws 405 if the request's method is not one of `methods`. */
export function checkMethod({ req }: RequestContext, methods: readonly string[]): void {
  if (!methods.includes(req.method ?? "")) throw methodNotAllowed(methods);
}

/** Whether the request has a body (RFC 9112 section 6). */
export const hasBody = (req: IncomingMessage): boolean =>
  req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
