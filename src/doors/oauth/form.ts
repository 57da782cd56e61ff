// The parameters of OAuth requests, out of a query or a form body (RFC 6749 section 3.1), and the answers that all of its
// endpoints give. Knows no endpoint.
import { OAuthRefusal } from "../../access/oauth.ts";
import { Refusal } from "../../errors.ts";
import { readBody, textOf } from "../body.ts";
import { type Exchange, sendJson } from "../exchange.ts";

const bodyLimit = 64 * 1024;
/** RFC 6749 section 5.1. */
export const noStore = { "cache-control": "no-store", pragma: "no-cache" } as const;

/** The form in a body. Throws 415 for another content type, 413 for more than 64 KiB. */
export async function readForm(exchange: Exchange): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(exchange.req.headers["content-type"] ?? ""))
    throw new Refusal(415, "content-type must be application/x-www-form-urlencoded");
  return new URLSearchParams(textOf(await readBody(exchange, bodyLimit)));
}

/** A parameter, which must stand once; undefined where it is absent or empty. */
export function parameter(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw new OAuthRefusal("invalid_request", `${name} must stand once`);
  return values[0] || undefined;
}

/** As parameter, for one that must be there. */
export function requiredParameter(form: URLSearchParams, name: string): string {
  const value = parameter(form, name);
  if (value === undefined) throw new OAuthRefusal("invalid_request", `${name} is required`);
  return value;
}

/** Sends a refusal as `{error, error_description, detail}`: in OAuth's own form, and in that of every other door. */
export function sendOAuthProblem(exchange: Exchange, { error, message, status }: OAuthRefusal): void {
  // RFC 6749 section 5.2 keeps quotes and backslashes out of descriptions.
  const error_description = message.replace(/[^\x20-\x7e]|["\\]/g, "'");
  sendJson(exchange, status, JSON.stringify({ error, error_description, detail: message }), noStore);
}
