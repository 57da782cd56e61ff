// Files of other programs, as updates of a production.
import type { Feature } from "../../core/feature.ts";

export const paperwork: Feature = {
  name: "paperwork",
  url: import.meta.url,
  needs: ["documents"],
  paperwork: () => import("./reading.ts"),
};
