// The admin API for keys, engagements, grants, storage, releases, vendors and the audit, the rotation of keys, and the
// removal of submitted work.
import type { Feature } from "../../core/feature.ts";
import type { EventTypeRows } from "../../core/store/event_types.ts";
import { minute } from "../../core/times.ts";

const version = ["node_id", "version", "variant"] as const;

const eventTypes = {
  "version.released": { subject: "version", data: version, when: "a version is released" },
  "version.archived": { subject: "version", data: version, when: "a version is archived" },
  "storage.move_approved": { subject: "storage_move", data: ["src", "dst"], when: "an admin approves a file move" },
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
  needs: ["names"],
  operations: {
    "admin/keys": [() => import("./access.ts")],
    "admin/engagements": [() => import("./access.ts")],
    "admin/grants": [() => import("./access.ts")],
    "admin/storage": [() => import("./storage.ts")],
    "admin/audit": [() => import("./audit.ts")],
    "admin/versions": [() => import("./version_release.ts")],
    vendors: [() => import("./vendor_list.ts")],
  },
  eventTypes,
  timers: [{ first: 10 * minute, every: 10 * minute, load: () => import("./former_tokens.ts") }],
  commands: [
    { group: "Access", words: ["keys"], load: () => import("./commands.ts") },
    { group: "Production", words: ["submissions"], load: () => import("./commands.ts") },
    { group: "Production", words: ["approvals", "versions"], load: () => import("./review_commands.ts") },
    { group: "Access", words: ["audit"], load: () => import("./audit_command.ts") },
    { group: "Access", words: ["whoami"], load: () => import("./whoami.ts") },
    { group: "Storage", words: ["storage"], load: () => import("./storage_commands.ts") },
  ],
};
