// Readers of schedules of other programs.
import type { Feature } from "../../core/feature.ts";

export const schedules: Feature = {
  name: "schedules",
  url: import.meta.url,
  needs: ["documents", "paperwork"],
  importers: { kind: "list", extensions: [".uss", ".sex", ".msd"], load: () => import("./importers.ts") },
};
