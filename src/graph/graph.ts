// What the graph adds to the program, in the form of a feature: the operations of the nouns of a production, their
// event types, and the media route.
import type { Feature } from "../core/feature.ts";
import { mediaPath } from "../core/http/request_head.ts";
import type { EventTypeRows } from "../core/store/event_types.ts";

const engagement = ["vendor", "title"] as const;
const grant = ["engagement_id", "verb", "node_id", "department_id", "delivery_id", "expires_at"] as const;
const key = ["label", "scopes", "engagement_id"] as const;
const move = ["src", "dst"] as const;
const version = ["node_id", "version", "variant"] as const;

const eventTypes = {
  "asset.created": { subject: "asset", data: ["label", "kind", "status", "department"], when: "an asset is created" },
  "note.created": {
    subject: "note",
    data: ["node_id", "version_id"],
    verbs: ["note.added"],
    when: "a note is added to an asset",
  },
  "version.landed": { subject: "version", data: version, when: "a version of an asset is uploaded" },
  "approval.decided": {
    subject: "approval",
    data: [
      ...(["title", "status", "position", "steps", "decision", "note", "decided_by", "decided_by_person_id"] as const),
      ...(["awaiting", "node_id", "delivery_id", "version_id"] as const),
    ],
    verbs: ["approval.approved", "approval.changes_requested"],
    when: "a step of an approval is decided; `status` and `awaiting` are those of the approval after it, `steps` is how many it has, and `version_id` is what was signed",
  },
  "submission.created": {
    subject: "submission",
    data: ["delivery_id", "engagement_id", "title"],
    verbs: ["turnover.submitted"],
    when: "a vendor submits work on a delivery",
  },
  "storage.reported": {
    subject: "storage_install",
    data: ["filespace", "accepted"],
    when: "the storage agent reports a batch of file events; one event for each batch",
  },
  "storage.proxied": {
    subject: "storage_file",
    data: ["filespace", "path", "media_id"],
    verbs: ["storage.stand_in_put"],
    when: "a stand-in for a library file is stored",
  },
  "storage.fingerprinted": {
    subject: "storage_move",
    data: [...move, "src_sha256"],
    when: "the storage agent records the fingerprint of a file that it is about to move",
  },
  "storage.moved": { subject: "storage_move", data: move, when: "the storage agent has moved a file" },
  "storage.move_failed": {
    subject: "storage_move",
    data: [...move, "note"],
    when: "the storage agent could not move a file",
  },
  "storage.installed": { subject: "storage_install", data: ["filespace"], when: "a filespace is made the active one" },
  "key.minted": { subject: "key", data: key, when: "a key is minted" },
  "key.revoked": { subject: "key", data: key, when: "a key is revoked" },
  "vendor.added": {
    subject: "vendor",
    data: ["key", "fields"],
    verbs: ["engagement.added", "vendors.imported"],
    when: "an import, or the first engagement of a new vendor, adds a vendor",
  },
  "engagement.added": { subject: "engagement", data: engagement, when: "a vendor is engaged" },
  "engagement.ended": { subject: "engagement", data: engagement, when: "an engagement is ended" },
  "grant.added": { subject: "grant", data: grant, when: "an engagement is granted something" },
  "grant.changed": { subject: "grant", data: grant, when: "the expiry of a grant is replaced" },
  "grant.revoked": { subject: "grant", data: grant, when: "a grant is revoked" },
} as const satisfies EventTypeRows;

type Types = typeof eventTypes;

declare module "../core/store/event_types.ts" {
  interface EventTypes extends Types {}
}

export const graph: Feature = {
  name: "graph",
  url: import.meta.url,
  eventTypes,
  operations: {
    me: [() => import("./me.ts")],
    production: [() => import("./production.ts")],
    departments: [() => import("./departments.ts")],
    scenes: [() => import("./scenes.ts")],
    assets: [
      () => import("./assets.ts"),
      () => import("./new_assets.ts"),
      () => import("./new_versions.ts"),
      () => import("./notes.ts"),
    ],
    batch: [() => import("./new_assets.ts"), () => import("./new_versions.ts")],
    notes: [() => import("./notes.ts")],
    schedule: [() => import("./schedule.ts")],
    deliveries: [() => import("./deliveries.ts")],
    approvals: [() => import("./approvals.ts")],
    "script-changes": [() => import("./script_changes.ts")],
    activity: [() => import("./activity.ts")],
    people: [() => import("./people.ts")],
    jobs: [() => import("./jobs.ts")],
    episodes: [() => import("./production.ts")],
    bundles: [() => import("./bundles.ts")],
    turnovers: [() => import("./turnovers.ts")],
    media: [() => import("./media.ts")],
    "media-ticket": [() => import("./media.ts")],
    "purchase-orders": [() => import("./purchase_orders.ts")],
    orders: [() => import("./purchase_orders.ts")],
    storage: [() => import("./storage.ts"), () => import("./stand_ins.ts"), () => import("./storage_tasks.ts")],
  },
  starts: [{ load: () => import("./tickets.ts") }, { load: () => import("./media_typing.ts"), delay: () => 2_000 }],
  routes: [{ below: mediaPath, load: () => import("./media_route.ts") }],
};
