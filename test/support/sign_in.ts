// Signs an app in over OAuth, as an MCP client does, with an API key that a person pastes.
import * as assert from "uvu/assert";
import type { TestServer } from "./app.ts";
import { signIn } from "./consent_page.ts";

export const code_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"; // RFC 7636, appendix B
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
export const callback = "http://127.0.0.1:33418/callback";

/**
 * Registers an app, signs it in with the key and returns the answer of the token endpoint. `scope` is what the app asks
 * for.
 */
export async function tokensOf(
  server: TestServer,
  key: string,
  scope?: string,
): Promise<{ access_token: string; refresh_token: string; scope: string; client_id: string }> {
  const registration = await server.ask(undefined, "/register", {
    method: "POST",
    body: JSON.stringify({ client_name: "Test app", redirect_uris: [callback] }),
    headers: { "content-type": "application/json" },
  });
  const { client_id } = (await registration.json()) as { client_id: string };
  const request = new URLSearchParams({
    client_id,
    redirect_uri: callback,
    response_type: "code",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(scope !== undefined && { scope }),
  });
  const back = await signIn(`${server.url}/authorize?${request}`, key);
  const code = back.searchParams.get("code") as string;
  const grant = { grant_type: "authorization_code", client_id, redirect_uri: callback, code, code_verifier };
  const response = await server.ask(undefined, "/token", { method: "POST", body: new URLSearchParams(grant) });
  assert.is(response.status, 200, await response.clone().text());
  return { ...((await response.json()) as { access_token: string; refresh_token: string; scope: string }), client_id };
}
