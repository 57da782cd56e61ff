// The page of search results.
import type { Feature } from "../../../core/feature.ts";

export const searchPages: Feature = {
  name: "search/pages",
  url: import.meta.url,
  needs: ["search", "pages"],
  pages: [{ path: "/search", reach: "production", file: "./search.ts", show: "showSearch" }],
};
