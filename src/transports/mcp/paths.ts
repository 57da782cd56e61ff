// The paths of the MCP endpoint. The protected-resource metadata names the first.
export const mcpPaths = ["/mcp", "/api/v1/mcp"] as const;
