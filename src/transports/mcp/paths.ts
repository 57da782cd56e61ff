// Where the MCP door stands: the first is the address that discovery names.
export const mcpPaths = ["/mcp", "/api/v1/mcp"] as const;
