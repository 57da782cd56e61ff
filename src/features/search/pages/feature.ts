// The page of search results, and where an asset is used on its page.
import type { Feature } from "../../../core/feature.ts";

export const searchPages: Feature = {
  name: "search/pages",
  url: import.meta.url,
  needs: ["search", "pages", "review"],
  pages: [{ path: "/search", reach: "production", show: () => import("./search_page.ts").then((m) => m.showSearch) }],
  places: {
    asset_usage: () => import("./usage_panels.ts").then((m) => m.usagePanels),
    asset_waits: () => import("./usage_panels.ts").then((m) => m.usageFacts),
  },
};
