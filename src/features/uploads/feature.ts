// Resumable uploads (tus 1.0).
import type { Feature } from "../../core/feature.ts";

export const uploads: Feature = {
  name: "uploads",
  url: import.meta.url,
  routes: [{ paths: ["/api/v1/uploads"], below: "/api/v1/uploads/", file: "./route.ts" }],
  timers: [{ first: 0, every: 600_000, file: "./sweep.ts" }],
  uploads: "./state.ts",
};
