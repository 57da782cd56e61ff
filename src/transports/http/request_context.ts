// One request and its response, as every transport sees them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { App } from "../../context.ts";
import { HttpError } from "../../errors.ts";
import type { Credentials } from "../../pipeline.ts";

export interface RequestContext {
  app: App;
  req: IncomingMessage;
  res: ServerResponse;
  /** The path of the request target as it came: neither decoded nor normalised. */
  path: string;
  /** The query of the request target without its question mark. */
  query: string;
  credentials: Credentials;
  /** What was asked for, for the access log. */
  operation?: string;
  /** What went wrong on the server's side, for the access log. */
  error?: unknown;
  /** Bytes of the body that were sent, for the access log. */
  sent: number;
  /** The request's body, if it was read already. */
  body?: Buffer;
}

/** How a transport answers its requests. */
export interface Transport {
  answer(ctx: RequestContext): Promise<void> | void;
  /** Answers at once from memory; false if it cannot, whatever the reason. */
  answerFromCache?(ctx: RequestContext): boolean;
  /** Whether answering from memory needs the body, which arrives one tick after the head if at all. */
  readsBody?: true;
}

/** Throws 405 for a method that the path does not take. */
export function checkMethod({ req }: RequestContext, ...methods: readonly string[]): void {
  if (methods.includes(req.method ?? "")) return;
  const allow = methods.join(", ");
  throw new HttpError(405, `this path takes ${allow}`, { allow });
}

/** Whether the request announces a body (RFC 9112 section 6). */
export const hasBody = (req: IncomingMessage): boolean =>
  req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
