// POST /register: a client introduces itself (RFC 7591). Open to anyone, and so bounded in size and rate.
import { registerClient } from "../../access/clients.ts";
import { OAuthRefusal } from "../../access/oauth.ts";
import type { App } from "../../context.ts";
import { refusalOf } from "../../errors.ts";
import { addressOf } from "../addresses.ts";
import { jsonObjectOf, readBody } from "../body.ts";
import { type Exchange, sendJson } from "../exchange.ts";
import { Throttle } from "../throttle.ts";
import { noStore } from "./form.ts";

const bodyLimit = 16 * 1024;
const minute = 60_000;
const registrationsAMinute = 30;

function metadataIn(body: Buffer): Record<string, unknown> {
  try {
    return jsonObjectOf(body);
  } catch (error) {
    throw new OAuthRefusal("invalid_client_metadata", refusalOf(error).message);
  }
}

export function openRegistration(app: App) {
  const throttle = new Throttle(registrationsAMinute, minute);
  return async (exchange: Exchange): Promise<void> => {
    const now = app.clock();
    const address = addressOf(exchange.req, app.config.trust_proxy);
    throttle.check(address, now);
    throttle.stroke(address, now);
    const given = metadataIn(await readBody(exchange, bodyLimit));
    const { client_id, name, redirect_uris } = await registerClient(app.store, given, new Date(now).toISOString());
    const registered = {
      client_id,
      client_id_issued_at: Math.floor(now / 1000),
      client_name: name,
      redirect_uris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none", // whatever was asked: there are public clients only
    };
    sendJson(exchange, 201, JSON.stringify(registered), noStore);
  };
}
