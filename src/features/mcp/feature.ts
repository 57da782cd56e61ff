// The MCP endpoint.
import type { Feature } from "../../core/feature.ts";
import { mcpPaths } from "../addresses/paths.ts";

export const mcp: Feature = {
  name: "mcp",
  url: import.meta.url,
  needs: ["addresses"],
  routes: [{ paths: mcpPaths, load: () => import("./route.ts") }],
  commands: [{ group: "Start", words: ["mcp-config"], load: () => import("./config_command.ts") }],
};
