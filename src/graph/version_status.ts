// Finds a version by its asset and number, sets the status of versions by the approvals about them, and moves the time of the last change of a
// node.
import type { ApprovalId, NodeId, ProductionId } from "../core/ids.ts";
import { change, one, value } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";

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
/** Moves the time of the last change of a scene or an asset. */
export const touchNode = change("touch_node");

/**
 * Sets the status of the version that an approval is about by its decision, or gives the former status back if it was reopened. Does
 * nothing for an approval without a version. Where the status changes, the asset was changed at the time `now`.
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
