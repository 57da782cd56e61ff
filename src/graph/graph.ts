// The specification's nouns: what a production has, and what is done with it.
import type { Feature } from "../core/feature.ts";
import { mediaPath } from "../core/http/paths.ts";

export const graph: Feature = {
  name: "graph",
  url: import.meta.url,
  operations: {
    me: ["./me.ts"],
    production: ["./production.ts"],
    departments: ["./departments.ts"],
    scenes: ["./scenes.ts"],
    assets: ["./assets.ts", "./notes.ts"],
    notes: ["./notes.ts"],
    schedule: ["./schedule.ts"],
    cast: ["./schedule.ts"],
    deliveries: ["./deliveries.ts"],
    approvals: ["./approvals.ts", "./taking_back.ts"],
    "script-changes": ["./script_changes.ts"],
    activity: ["./activity.ts"],
    people: ["./people.ts"],
    jobs: ["./jobs.ts"],
    episodes: ["./production.ts"],
    vendors: ["./vendors.ts"],
    bundles: ["./bundles.ts"],
    turnovers: ["./turnovers.ts"],
    submissions: ["./turnovers.ts"],
    media: ["./media.ts"],
    "media-ticket": ["./media.ts"],
    "purchase-orders": ["./purchase_orders.ts"],
    orders: ["./purchase_orders.ts"],
    storage: ["./storage.ts", "./media_proxies.ts", "./storage_tasks.ts"],
    "admin/versions": ["./version_release.ts"],
  },
  routes: [{ below: mediaPath, file: "./media_route.ts" }],
};
