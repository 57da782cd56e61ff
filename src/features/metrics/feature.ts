// Figures of a running server, as OpenMetrics text.
import type { Feature } from "../../core/feature.ts";

export const metrics: Feature = {
  name: "metrics",
  url: import.meta.url,
  routes: [{ paths: ["/metrics"], always: true, file: "./route.ts", when: ({ metrics }) => metrics }],
  starts: [{ file: "./start.ts", when: ({ config }) => config.metrics }],
};
