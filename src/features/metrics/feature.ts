// Figures of a running server, for Prometheus.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ optional, flag }: Blocks) => ({
  /** Whether GET /metrics is served: to the machine itself, and to keys with the scope admin. */
  metrics: optional(flag, false),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const metrics: Feature = {
  name: "metrics",
  url: import.meta.url,
  settings,
  routes: [{ paths: ["/metrics"], always: true, file: "./route.ts", when: ({ metrics }) => metrics }],
  starts: [{ file: "./start.ts", when: ({ config }) => config.metrics }],
};
