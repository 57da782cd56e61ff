// The addresses of the MCP endpoint. Clients compare whole addresses, so the query that asks for all tools is part of them.
import { unprocessable } from "../../errors.ts";

/** The paths of the endpoint. The protected-resource metadata at the root names the first. */
export const mcpPaths = ["/mcp", "/api/v1/mcp"] as const;

const allTools = "?tools=all";

/** Every address of the endpoint, from its root: each path with the tools of the specification, and with all tools. */
export const mcpAddresses: readonly string[] = mcpPaths.flatMap((path) => [path, path + allTools]);

/** The value of `tools` in a query; null if it is absent. */
export const toolsIn = (query: string): string | null =>
  query === "" ? null : (new URLSearchParams(query).getAll("tools").at(-1) ?? null);

/** Whether a query asks for all tools. Throws 422 if it asks for anything else. */
export function asksForAllTools(query: string): boolean {
  const tools = toolsIn(query);
  if (tools !== null && tools !== "all") throw unprocessable("tools must be all or absent");
  return tools === "all";
}

/** The address of a request to one of the paths, without the parts of its query that the endpoint ignores. */
export const mcpAddressOf = (path: string, query: string): string => path + (toolsIn(query) === "all" ? allTools : "");
