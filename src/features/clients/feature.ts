// Clients of the API in Python and JavaScript, one file each, that the server offers for download.
import type { Feature } from "../../core/feature.ts";
import { clientPaths } from "../addresses/paths.ts";

export const clients: Feature = {
  name: "clients",
  url: import.meta.url,
  needs: ["addresses", "openapi"],
  routes: [{ paths: Object.values(clientPaths), load: () => import("./route.ts") }],
};
