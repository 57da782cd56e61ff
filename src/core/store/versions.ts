// Finds the versions of assets by their numbers, and sets their status by the approvals about them.
import type { ApprovalId, NodeId, ProductionId } from "../ids.ts";
import { change, value } from "./statements.ts";
import type { Store } from "./store.ts";

type ApprovalKey = { production_id: ProductionId; approval_id: ApprovalId };

export const versionIdOf = value<{ node_id: NodeId; version: number }, number>("find_version_id");
const keepVersionStatus = change("keep_version_status");
const settleVersionStatus = change("settle_version_status");

/**
 * Sets the status of the version that an approval is about by its decision, or gives the former status back if it was reopened. Does
 * nothing for an approval without a version.
 */
export function settleVersion(store: Store, key: ApprovalKey, reopened = false): void {
  if (!reopened) keepVersionStatus(store, key);
  settleVersionStatus(store, key);
  if (reopened) keepVersionStatus(store, key);
}
