// The parameters of OAuth requests, out of a query or a form body (RFC 6749 section 3.1), and the answers that all of its
// endpoints give. Knows no endpoint.
import { OAuthError } from "../../access/oauth.ts";
import { HttpError } from "../../errors.ts";
import { readBody, textOf } from "../http/body.ts";
import type { RequestContext } from "../http/request_context.ts";
import { sendJson } from "../http/send.ts";

const bodyLimit = 64 * 1024;
/** RFC 6749 section 5.1. */
export const noStore = { "cache-control": "no-store", pragma: "no-cache" } as const;

/** The form in a body. Throws 415 for another content type, 413 for more than 64 KiB. */
export async function readUrlEncoded(ctx: RequestContext): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(ctx.req.headers["content-type"] ?? ""))
    throw new HttpError(415, "content-type must be application/x-www-form-urlencoded");
  return new URLSearchParams(textOf(await readBody(ctx, bodyLimit)));
}

/** A parameter, which must stand once; undefined where it is absent or empty. */
export function parameter(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw new OAuthError("invalid_request", `${name} must stand once`);
  return values[0] || undefined;
}

/** As parameter, for one that must be there. */
export function requiredParameter(form: URLSearchParams, name: string): string {
  const value = parameter(form, name);
  if (value === undefined) throw new OAuthError("invalid_request", `${name} is required`);
  return value;
}

/** Sends a refusal as `{error, error_description, detail}`: in OAuth's own form, and in that of every other door. */
export function sendOAuthProblem(ctx: RequestContext, { error, message, status }: OAuthError): void {
  // RFC 6749 section 5.2 keeps quotes and backslashes out of descriptions.
  const error_description = message.replace(/[^\x20-\x7e]|["\\]/g, "'");
  sendJson(ctx, status, JSON.stringify({ error, error_description, detail: message }), noStore);
}
