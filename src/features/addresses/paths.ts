// The paths of features that other features name: MCP and its sets of tools, the authorization server, the description,
// and uploads.
import { unprocessable } from "../../core/errors.ts";
import { basePath } from "../../core/http/request_head.ts";

/** The paths of MCP. The protected-resource metadata at the root names the first. */
export const mcpPaths = ["/mcp", "/api/v1/mcp"] as const;

/** The sets of tools that a query asks for: those for a model that helps people, and every possible one. */
export const toolSets = ["assistant", "all"] as const;
/** The name of a set. */
export type ToolSet = (typeof toolSets)[number];
const isToolSet = (text: string | null): text is ToolSet => toolSets.some((known) => known === text);
/** The query that asks for a set; empty for the fifteen. */
export const toolsQuery = (set: ToolSet | undefined): string => (set === undefined ? "" : `?tools=${set}`);

/**
 * Every address of MCP, from the root of the server: each path, with and without the queries that ask for a set of
 * tools. Clients compare whole addresses, so the query is part of them.
 */
export const mcpAddresses: readonly string[] = mcpPaths.flatMap((path) =>
  [undefined, ...toolSets].map((set) => path + toolsQuery(set)),
);

/** The value of `tools` in a query; null if it is absent. */
const toolsIn = (query: string): string | null =>
  query === "" ? null : (new URLSearchParams(query).getAll("tools").at(-1) ?? null);

/** The set of tools that a query asks for; undefined for the fifteen. Throws 422 if it asks for anything else. */
export function toolSetOf(query: string): ToolSet | undefined {
  const tools = toolsIn(query);
  if (tools === null || isToolSet(tools)) return tools ?? undefined;
  throw unprocessable(`tools must be ${toolSets.join(", ")} or absent`);
}

/** The address of a request to one of the paths, without the parts of its query that MCP ignores. */
export function mcpAddressOf(path: string, query: string): string {
  const tools = toolsIn(query);
  return path + toolsQuery(isToolSet(tools) ? tools : undefined);
}

/** The description, which is not an operation. */
export const openapiPath = `${basePath}/openapi.json`;
/** The root of resumable uploads. */
export const uploadsPath = `${basePath}/uploads`;

/** The metadata of MCP's authorization (RFC 9728, RFC 8414). */
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

/** The clients in Python and JavaScript, and the types of the latter. */
export const clientPaths = {
  python: "/docs/tallylight.py",
  javascript: "/docs/tallylight.mjs",
  declarations: "/docs/tallylight.d.ts",
} as const;
