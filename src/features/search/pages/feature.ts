// The page of search results, and where an asset is used on its page.
import type { Feature } from "../../../core/feature.ts";

export const searchPages: Feature = {
  name: "search/pages",
  url: import.meta.url,
  needs: ["search", "pages"],
  pages: [{ path: "/search", reach: "production", file: "./search_page.ts", show: "showSearch" }],
  places: { asset_usage: { file: "./usage_panels.ts", name: "usagePanels" } },
};
