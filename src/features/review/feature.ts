// What the production does with work beyond the decisions of approvals: it answers what vendors submitted, and takes a
// decision back.
import type { Feature } from "../../core/feature.ts";
import type { EventTypeRows } from "../../core/store/event_types.ts";

const eventTypes = {
  "submission.decided": {
    subject: "submission",
    data: ["delivery_id", "decision", "title"],
    verbs: ["submission.accepted", "submission.returned"],
    when: "submitted work is accepted or returned",
  },
  "approval.taken_back": {
    subject: "approval",
    data: ["position", "round", "node_id", "delivery_id", "version_id"],
    when: "the last decision of an approval is taken back",
  },
} as const satisfies EventTypeRows;

type Types = typeof eventTypes;

declare module "../../core/store/event_types.ts" {
  interface EventTypes extends Types {}
}

export const review: Feature = {
  name: "review",
  url: import.meta.url,
  eventTypes,
  operations: { submissions: [() => import("./answers.ts")], approvals: [() => import("./taking_back.ts")] },
};
