// Installing Tallylight as a service, and upgrading it.
import type { Feature } from "../../core/feature.ts";

export const service: Feature = {
  name: "service",
  url: import.meta.url,
  needs: ["agent", "replica"],
  checks: { file: "./upgrade_check.ts" },
  commands: [
    { group: "Running", words: ["service"], file: "./service.ts" },
    { group: "Running", words: ["upgrade"], file: "./upgrade.ts" },
  ],
};
