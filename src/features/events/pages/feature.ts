// The changes that an open page follows.
import type { Feature } from "../../../core/feature.ts";

export const eventsPages: Feature = {
  name: "events/pages",
  url: import.meta.url,
  needs: ["events", "search", "pages"],
  pages: [{ path: "/live", reach: "engagement", send: () => import("./live.ts").then((m) => m.sendChanges) }],
  places: { cursor: () => import("./live.ts").then((m) => m.newestCursor) },
};
