// The paths of the endpoints of MCP, of the authorization server and of uploads.
import { unprocessable } from "../errors.ts";

/** The paths of MCP. The protected-resource metadata at the root names the first. */
export const mcpPaths = ["/mcp", "/api/v1/mcp"] as const;

const allTools = "?tools=all";

/**
 * Every address of MCP, from the root of the server: each path, with and without the query that asks for all tools. Clients compare
 * whole addresses, so the query is part of them.
 */
export const mcpAddresses: readonly string[] = mcpPaths.flatMap((path) => [path, path + allTools]);

/** The value of `tools` in a query; null if it is absent. */
const toolsIn = (query: string): string | null =>
  query === "" ? null : (new URLSearchParams(query).getAll("tools").at(-1) ?? null);

/** Whether a query asks for all tools. Throws 422 if it asks for anything else. */
export function asksForAllTools(query: string): boolean {
  const tools = toolsIn(query);
  if (tools !== null && tools !== "all") throw unprocessable("tools must be all or absent");
  return tools === "all";
}

/** The address of a request to one of the paths, without the parts of its query that MCP ignores. */
export const mcpAddressOf = (path: string, query: string): string => path + (toolsIn(query) === "all" ? allTools : "");

/** The root of the REST API. */
export const basePath = "/api/v1";
/** The description, which is not an operation. */
export const openapiPath = `${basePath}/openapi.json`;
export const uploadsPath = "/api/v1/uploads";
export const mediaPath = "/media/";

export const wellKnownPath = "/.well-known/";
export const protectedResourcePath = `${wellKnownPath}oauth-protected-resource`;
export const authorizationServerPath = `${wellKnownPath}oauth-authorization-server`;

/** The endpoints of the authorization server. They are at the root because clients that read no metadata look there. */
export const oauthPaths = {
  register: "/register",
  authorize: "/authorize",
  token: "/token",
  revoke: "/revoke",
} as const;
