// Versions of assets: their schemas (released; locked, for a reader who may not see it yet; landed, the answer to its
// upload), the id of one by its number, and its status by the approvals about it.
import * as v from "valibot";
import type { ApprovalId, NodeId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import * as out from "../core/records.ts";
import { change, one, value } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";
import { externalIdFields, repeatedField } from "./external_ids.ts";
import { touchNode } from "./nodes.ts";
import { notePlace } from "./note.ts";

const { describe } = input;

/** What every form of a version has. */
export const versionFields = { version: out.count, variant: out.text, status: out.text };

/** What the answer to a POST says of a file whose name was changed. */
export const sentName = describe(
  out.text,
  "The name as it was sent, if the label is another one; at most 300 characters.",
);

/** A released version. */
export const versionSummary = out.record(
  "VersionSummary",
  v.object({
    id: out.id,
    ...versionFields,
    note: v.nullable(out.text),
    note_place: describe(v.nullable(notePlace), "The place on the still that the note is about; null without one."),
    media_path: describe(
      v.nullable(out.text),
      "Append it to /media/ unchanged and add a media ticket. Null if the version has no media.",
    ),
    media_id: describe(
      v.nullable(out.id),
      "The bytes are at /media/{media_id}/content. Null if the version has no media.",
    ),
    created_by: v.nullable(out.text),
    created_by_person_id: v.nullable(out.id),
    archived: v.boolean(),
    created_at: v.nullable(out.timestamp),
    released: v.literal(true),
  }),
);

/** The newest version of an asset, released or not. */
export const newestVersion = v.object({ id: out.id, ...versionFields, released: v.boolean() });

/** What is shown of a version that is not released. */
export const lockedVersion = out.record(
  "LockedVersion",
  v.object({
    id: out.id,
    ...versionFields,
    released: v.literal(false),
    locked: v.literal(true),
  }),
);

/** The answer to the upload of a version. */
export const landedVersion = out.record(
  "LandedVersion",
  v.object({
    id: out.id,
    node_id: out.id,
    ...versionFields,
    note: v.nullable(out.text),
    created_at: v.nullable(out.timestamp),
    released: v.boolean(),
    ...externalIdFields,
    ...repeatedField,
    sent_as: v.optional(sentName),
  }),
);

type ApprovalKey = { production_id: ProductionId; approval_id: ApprovalId };
interface ApprovedVersion {
  node_id: NodeId;
  status: string;
}

/** The id of a version by its asset and its number; undefined if there is none. */
export const versionIdOf = value<{ node_id: NodeId; version: number }, number>("find_version_id");
const keepVersionStatus = change("keep_version_status");
const settleVersionStatus = change("settle_version_status");
const approvedVersion = one<ApprovalKey, ApprovedVersion>("get_approved_version");

/**
 * Sets the status of the version that an approval is about by its decision, or gives the former status back if it was
 * reopened. Does nothing for an approval without a version. Where the status changes, the asset was changed at the time
 * `now`.
 */
export function settleVersion(store: Store, { now, ...key }: ApprovalKey & { now: string }, reopened = false): void {
  const before = approvedVersion(store, key);
  if (before === undefined) return;
  if (!reopened) keepVersionStatus(store, key);
  settleVersionStatus(store, key);
  if (reopened) keepVersionStatus(store, key);
  if (approvedVersion(store, key)?.status === before.status) return;
  touchNode(store, { production_id: key.production_id, node_id: before.node_id, now });
}
