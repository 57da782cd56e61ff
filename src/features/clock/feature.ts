// The clock by which old things are deleted, and the removal of old copies of the database.
import type { Feature } from "../../core/feature.ts";
import { second } from "../../core/times.ts";

export const clock: Feature = {
  name: "clock",
  url: import.meta.url,
  starts: [{ load: () => import("./start.ts"), delay: () => second }],
};
