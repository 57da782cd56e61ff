// The bundle of a shoot day, and the day out of days.
import type { Feature } from "../../core/feature.ts";

export const days: Feature = {
  name: "days",
  url: import.meta.url,
  needs: ["names", "clashes", "cast"],
  operations: {
    bundles: [() => import("./day_bundle.ts")],
    cast: [() => import("./cast.ts")],
  },
};
