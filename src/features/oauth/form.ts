// Reads the parameters of OAuth requests from a query or a form body (RFC 6749 section 3.1), and sends OAuth errors.
// The resource that a token is for (RFC 8707) is this server's MCP endpoint, at any of its addresses.
import type { Addresses } from "../../core/context.ts";
import { HttpError } from "../../core/errors.ts";
import { bodyText, readBodyAs } from "../../core/http/body.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { sendJson } from "../../core/http/send.ts";
import { mcpAddresses } from "../addresses/paths.ts";
import { formPairsOf } from "../pages/form_pairs.ts";
import { OAuthError } from "./settings.ts";

/** Another form of the authorization server, in bytes. */
const oauthBody = 32 << 10;

/** RFC 6749 section 5.1. */
export const noStore = { "cache-control": "no-store", pragma: "no-cache" } as const;

/** The error text if findClient finds no client: it never was registered, or its registration was removed. */
export const unknownClient = "the client is not registered here, or its registration has expired";

/** Reads the form in a body. Throws 415 for another content type, 413 for more than 32 KiB. */
export async function readUrlEncoded(ctx: RequestContext): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(ctx.req.headers["content-type"] ?? ""))
    throw new HttpError(415, "content-type must be application/x-www-form-urlencoded");
  return readBodyAs(ctx, oauthBody, (body) => new URLSearchParams(formPairsOf(bodyText(body))));
}

/** Returns a parameter, or undefined if it is absent or empty. Throws invalid_request if it appears more than once. */
export function parameter(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw new OAuthError("invalid_request", `${name} must appear only once`);
  return values[0] || undefined;
}

/** Returns a parameter. Throws invalid_request if it is absent or empty, or appears more than once. */
export function requiredParameter(form: URLSearchParams, name: string): string {
  const value = parameter(form, name);
  if (value === undefined) throw new OAuthError("invalid_request", `${name} is required`);
  return value;
}

/** Returns the address of the named endpoint, by default the first. Throws invalid_target for any other address. */
export function resourceAddress({ mcp_url }: Addresses, named: string | undefined): string {
  const own = mcpAddresses.map((address) => mcp_url + address);
  if (named === undefined) return own[0] ?? "";
  const plain = URL.parse(named);
  if (plain !== null) plain.pathname = plain.pathname.replace(/\/$/, "");
  const found = own.find((address) => URL.parse(address)?.href === plain?.href);
  if (found === undefined) throw new OAuthError("invalid_target", `resource must be ${own[0]}`);
  return found;
}

/** Sends an error as `{error, error_description, detail}`: in the form of OAuth and in that of the other transports. */
export function sendOAuthProblem(ctx: RequestContext, { error, message, status }: OAuthError): void {
  // RFC 6749 section 5.2 allows no quotes and no backslashes in descriptions.
  const error_description = message.replace(/[^\x20-\x7e]|["\\]/g, "'");
  sendJson(ctx, status, JSON.stringify({ error, error_description, detail: message }), noStore);
}
