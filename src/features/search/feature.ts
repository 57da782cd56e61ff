// Finding things: search, where an asset is used, and the manifest of a vendor.
import type { Feature } from "../../core/feature.ts";

export const search: Feature = {
  name: "search",
  url: import.meta.url,
  needs: ["sequences", "events"],
  operations: {
    search: [() => import("./search.ts")],
    assets: [() => import("./usage.ts")],
    me: [() => import("./manifest.ts"), () => import("./manifest_changes.ts")],
  },
};
