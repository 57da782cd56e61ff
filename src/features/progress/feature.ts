// How the show stands: what is planned, shot and late.
import type { Feature } from "../../core/feature.ts";

export const progress: Feature = {
  name: "progress",
  url: import.meta.url,
  needs: ["names"],
  operations: {
    progress: [() => import("./progress.ts")],
  },
};
