// The history of a production, undo, and reopening an approval, which is a change that can be undone.
import type { Feature } from "../../core/feature.ts";
import type { EventTypeRows } from "../../core/store/event_types.ts";

const eventTypes = {
  "approval.reopened": { subject: "approval", data: ["round"], when: "an approval is reopened" },
  "approval.asked_again": {
    subject: "approval",
    data: ["node_id", "version_id", "former_version_id", "round"],
    when: "an approval is asked again about a version; `former_version_id` is the one that it named before",
  },
} as const satisfies EventTypeRows;

type Types = typeof eventTypes;

declare module "../../core/store/event_types.ts" {
  interface EventTypes extends Types {}
}

export const history: Feature = {
  name: "history",
  url: import.meta.url,
  eventTypes,
  needs: ["documents", "review"],
  operations: {
    "admin/history": [() => import("./history.ts"), () => import("./operations.ts")],
    "admin/approvals": [() => import("./approvals.ts")],
    approvals: [() => import("./approvals.ts")],
  },
  changeSets: () => import("./change_sets.ts"),
  commands: [
    { group: "Production", words: ["approvals"], load: () => import("./approval_commands.ts") },
    { group: "Production", words: ["history", "undo"], load: () => import("./commands.ts") },
  ],
};
