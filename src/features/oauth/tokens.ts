// POST /token exchanges codes and refresh tokens for tokens (RFC 6749 sections 4.1.3 and 6). POST /revoke revokes
// tokens (RFC 7009). All clients are public, so they authenticate by the code or token that they have.
import type { App } from "../../core/context.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { sendJson } from "../../core/http/send.ts";
import { timestampOf } from "../../core/times.ts";
import { findClient } from "./clients.ts";
import { noStore, parameter, readUrlEncoded, requiredParameter, resourceAddress, unknownClient } from "./form.ts";
import { OAuthError } from "./settings.ts";
import { exchangeCode, refreshTokens, revokeToken, type Tokens } from "./sign_ins.ts";

/** Returns the client's id. Throws invalid_client if it is not registered. */
function checkClient(app: App, client_id: string): string {
  if (findClient(app.store, client_id, timestampOf(app), app.config.oauth_redirect_schemes) === undefined)
    throw new OAuthError("invalid_client", unknownClient, 401);
  return client_id;
}

async function tokensFor(app: App, form: URLSearchParams): Promise<Tokens> {
  const grant_type = requiredParameter(form, "grant_type");
  if (grant_type !== "authorization_code" && grant_type !== "refresh_token")
    throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  const client_id = checkClient(app, requiredParameter(form, "client_id"));
  const named = parameter(form, "resource");
  const resource = named === undefined ? undefined : resourceAddress(app.addresses, named);
  if (grant_type === "refresh_token") {
    const refresh_token = requiredParameter(form, "refresh_token");
    const scope = parameter(form, "scope");
    return refreshTokens(app, { refresh_token, client_id, scope, resource }, timestampOf(app));
  }
  const code = requiredParameter(form, "code");
  const redirect_uri = requiredParameter(form, "redirect_uri");
  const code_verifier = requiredParameter(form, "code_verifier");
  return exchangeCode(app, { code, client_id, redirect_uri, code_verifier, resource }, timestampOf(app));
}

export const tokenEndpoint = async (ctx: RequestContext): Promise<void> =>
  sendJson(ctx, 200, JSON.stringify(await tokensFor(ctx.app, await readUrlEncoded(ctx))), noStore);

export async function revocationEndpoint(ctx: RequestContext): Promise<void> {
  const { app } = ctx;
  const form = await readUrlEncoded(ctx);
  const named = parameter(form, "client_id");
  // Anyone who has a token may revoke it, but a client that sends its client_id may revoke only its own tokens.
  const client_id = named === undefined ? undefined : checkClient(app, named);
  await revokeToken(app.store, { token: requiredParameter(form, "token"), client_id }, timestampOf(app));
  sendJson(ctx, 200, "{}", noStore);
}
