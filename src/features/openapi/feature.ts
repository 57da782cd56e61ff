// The description of the API.
import type { Feature } from "../../core/feature.ts";
import { openapiPath } from "../addresses/paths.ts";

export const openapi: Feature = {
  name: "openapi",
  url: import.meta.url,
  needs: ["addresses"],
  routes: [{ paths: [openapiPath], load: () => import("./route.ts") }],
  commands: [{ group: "Start", words: ["openapi"], load: () => import("./command.ts") }],
};
