// The admin API for keys, engagements, grants, storage and the audit, the rotation of keys, and the removal of submitted work.
import type { Feature } from "../../core/feature.ts";
import type { EventTypeRows } from "../../core/store/event_types.ts";

const eventTypes = {
  "submission.removed": {
    subject: "submission",
    data: ["delivery_id", "engagement_id", "title"],
    when: "an admin removes submitted work",
  },
} as const satisfies EventTypeRows;

type Types = typeof eventTypes;

declare module "../../core/store/event_types.ts" {
  interface EventTypes extends Types {}
}

export const admin: Feature = {
  name: "admin",
  url: import.meta.url,
  operations: {
    "admin/keys": ["./access.ts"],
    "admin/engagements": ["./access.ts"],
    "admin/grants": ["./access.ts"],
    "admin/storage": ["./storage.ts"],
    "admin/audit": ["./audit.ts"],
  },
  eventTypes,
  commands: [
    { group: "Access", words: ["keys"], file: "./commands.ts" },
    { group: "Production", words: ["submissions"], file: "./commands.ts" },
  ],
};
