// What is wrong with a running server: looks every minute, and records an event when something turns bad or is right
// again.
import type { Feature } from "../../core/feature.ts";
import type { EventTypeRows } from "../../core/store/event_types.ts";
import { minute, second } from "../../core/times.ts";

const eventTypes = {
  "health.changed": {
    subject: "production",
    data: ["condition", "ok", "reason"],
    verbs: [],
    when: "something of the server turns bad or is right again, such as `backup`, `backup_verification`, `media`, `disk` or `clock`; every production has it",
  },
} as const satisfies EventTypeRows;

type HealthTypes = typeof eventTypes;

declare module "../../core/store/event_types.ts" {
  interface EventTypes extends HealthTypes {}
}

export const health: Feature = {
  name: "health",
  url: import.meta.url,
  needs: ["clock"],
  eventTypes,
  figures: () => import("./figures.ts"),
  conditions: () => import("./machine.ts"),
  checks: { load: () => import("./checks.ts") },
  timers: [{ first: 10 * second, every: minute, load: () => import("./watching.ts") }],
};
