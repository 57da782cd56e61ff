// The bundle of a shoot day.
import type { Feature } from "../../core/feature.ts";

export const days: Feature = {
  name: "days",
  url: import.meta.url,
  needs: ["names", "clashes"],
  operations: {
    bundles: ["./day_bundle.ts"],
  },
};
