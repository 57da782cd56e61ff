// Discovery: serves the protected-resource metadata (RFC 9728) and the authorization-server metadata (RFC 8414). It is
// public.
import { signInScopes } from "../../core/access/callers.ts";
import type { Addresses } from "../../core/context.ts";
import { notFound } from "../../core/errors.ts";
import { checkMethod, type Transport } from "../../core/http/request_context.ts";
import { sendJson } from "../../core/http/send.ts";
import {
  authorizationServerPath,
  mcpAddressOf,
  mcpPaths,
  oauthPaths,
  protectedResourcePath,
} from "../addresses/paths.ts";

// scopes_supported is absent because the official clients would request all scopes in it, whatever their configuration
// says.
const protectedResource = ({ auth_url, base_url }: Addresses, resource: string) => ({
  resource,
  authorization_servers: [auth_url],
  bearer_methods_supported: ["header"],
  resource_name: "Tallylight",
  resource_documentation: `${base_url}/docs`,
});

const authorizationServer = ({ auth_url, base_url }: Addresses) => ({
  issuer: auth_url,
  authorization_endpoint: auth_url + oauthPaths.authorize,
  token_endpoint: auth_url + oauthPaths.token,
  registration_endpoint: auth_url + oauthPaths.register,
  revocation_endpoint: auth_url + oauthPaths.revoke,
  scopes_supported: signInScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${base_url}/docs`,
});

/**
 * RFC 9728 section 3.1: the metadata of a resource is at the well-known path, followed by the resource's own path and
 * query.
 */
function documentAt(path: string, query: string, addresses: Addresses): object | undefined {
  if (path === authorizationServerPath) return authorizationServer(addresses);
  const of =
    path === protectedResourcePath ? mcpPaths[0] : mcpPaths.find((mcpPath) => path === protectedResourcePath + mcpPath);
  return of && protectedResource(addresses, addresses.mcp_url + mcpAddressOf(of, query));
}

export const openTransport = (): Transport => ({
  answer(ctx) {
    ctx.operation = "well-known";
    const document = documentAt(ctx.path, ctx.query, ctx.app.addresses);
    if (document === undefined) throw notFound();
    checkMethod(ctx, ["GET", "HEAD"]);
    sendJson(ctx, 200, JSON.stringify(document), { "cache-control": "no-cache" });
  },
});
