// POST /register: dynamic client registration (RFC 7591). It is open to anyone, so its size and rate are limited.
import type { App } from "../../core/context.ts";
import { httpErrorOf } from "../../core/errors.ts";
import { jsonObjectOf, readBodyAs } from "../../core/http/body.ts";
import { clientOf } from "../../core/http/client.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { sendJson } from "../../core/http/send.ts";
import { RateLimiter } from "../../core/limits.ts";
import { minute } from "../../core/times.ts";
import { registerClient } from "./clients.ts";
import { noStore } from "./form.ts";
import { OAuthError } from "./settings.ts";

/** The metadata of a client that registers, in bytes. */
const registrationBody = 16 << 10;

const registrationsAMinute = 30;

async function metadataIn(body: Buffer): Promise<Record<string, unknown>> {
  try {
    return await jsonObjectOf(body);
  } catch (error) {
    throw new OAuthError("invalid_client_metadata", httpErrorOf(error).message);
  }
}

export function openRegistration(app: App) {
  const limiter = new RateLimiter<string>(registrationsAMinute, minute);
  return async (ctx: RequestContext): Promise<void> => {
    const now = app.clock();
    limiter.check(clientOf(ctx).network, now);
    const given = await readBodyAs(ctx, registrationBody, metadataIn);
    const at = new Date(now).toISOString();
    const { client_id, name, redirect_uris } = await registerClient(app, given, at);
    const registered = {
      client_id,
      client_id_issued_at: Math.floor(now / 1000),
      client_name: name,
      redirect_uris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none", // whatever was requested, because all clients are public
    };
    sendJson(ctx, 201, JSON.stringify(registered), noStore);
  };
}
