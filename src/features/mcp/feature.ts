// The MCP endpoint.
import type { Feature } from "../../core/feature.ts";
import { mcpPaths } from "../../core/http/paths.ts";

export const mcp: Feature = {
  name: "mcp",
  url: import.meta.url,
  routes: [{ paths: mcpPaths, file: "./route.ts" }],
  commands: [{ group: "Start", words: ["mcp-config"], file: "./config_command.ts" }],
};
