// The reference of the API, in a browser.
import type { Feature } from "../../../core/feature.ts";

export const openapiPages: Feature = {
  name: "openapi/pages",
  url: import.meta.url,
  needs: ["openapi", "pages"],
  routes: [{ paths: ["/docs", "/docs/"], load: () => import("./reference.ts") }],
  files: {
    "reference.css": ["../../pages/tokens.css", "./reference.css"],
    "reference.js": ["./reference.js"],
    "swagger-ui.css": ["swagger-ui-dist/swagger-ui.css"],
    "swagger-ui-bundle.js": ["swagger-ui-dist/swagger-ui-bundle.js"],
  },
};
