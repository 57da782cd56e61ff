// Sign-in for MCP clients: an authorization server for public clients.
import type { Feature } from "../../core/feature.ts";
import { oauthPaths, wellKnownPath } from "../addresses/paths.ts";

export const oauth: Feature = {
  name: "oauth",
  url: import.meta.url,
  needs: ["addresses", "pages"],
  routes: [
    { below: wellKnownPath, file: "./discovery.ts" },
    { paths: Object.values(oauthPaths), file: "./route.ts" },
  ],
};
