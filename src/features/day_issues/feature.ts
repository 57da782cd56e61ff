// Call sheets as they were issued: the bundle of a shoot day is kept, so that a sheet can say what changed since.
import type { Feature } from "../../core/feature.ts";
import type { EventTypeRows } from "../../core/store/event_types.ts";
import { hour, second } from "../../core/times.ts";

const eventTypes = {
  "shoot_day.issued": {
    subject: "shoot_day",
    data: ["number", "day_number", "unit"],
    when: "the call sheet of a shoot day is issued",
  },
} as const satisfies EventTypeRows;

type Types = typeof eventTypes;

declare module "../../core/store/event_types.ts" {
  interface EventTypes extends Types {}
}

export const dayIssues: Feature = {
  name: "day_issues",
  url: import.meta.url,
  needs: ["days", "events"],
  eventTypes,
  operations: { days: [() => import("./issues.ts")] },
  timers: [{ first: 5 * second, every: hour, load: () => import("./retention.ts") }],
};
