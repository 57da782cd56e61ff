// Figures of a running server, for Prometheus.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ setting, flag, name }: Blocks) => ({
  metrics: setting("serves [`GET /metrics`](#metrics)", flag, false),
  metrics_token_file: setting("the file with the token that opens `GET /metrics`, and nothing else", name),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const metrics: Feature = {
  name: "metrics",
  url: import.meta.url,
  needs: ["clock"],
  settings,
  routes: [{ paths: ["/metrics"], always: true, load: () => import("./route.ts"), when: ({ metrics }) => metrics }],
  starts: [{ load: () => import("./start.ts"), when: ({ config }) => config.metrics }],
};
