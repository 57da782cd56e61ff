// Smaller pictures of media, made by the package sharp where it is installed.
import type { Feature } from "../../core/feature.ts";
import { hour, minute } from "../../core/times.ts";

export const pictures: Feature = {
  name: "pictures",
  url: import.meta.url,
  needs: ["work"],
  pictures: () => import("./pictures.ts"),
  checks: { load: () => import("./memory_bound.ts") },
  timers: [{ first: minute, every: hour, load: () => import("./sweep.ts") }],
};
