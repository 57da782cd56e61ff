// The table of all operations, in the order of the API reference: what most clients call, what the storage agent calls, and what an admin
// does. A server loads this file with the first request that is not one of the first part.

import { listHistory } from "./admin/history.ts";
import { reopenApproval } from "./admin/operations/approvals.ts";
import { listAudit } from "./admin/operations/audit.ts";
import { changeFiles, removeThing } from "./admin/operations/edits.ts";
import { addEngagement, endEngagement, listEngagements } from "./admin/operations/engagements.ts";
import { addGrant, revokeGrant } from "./admin/operations/grants.ts";
import { getChangeSet, undoChangeSet } from "./admin/operations/history.ts";
import { getProductionDocument, importDocuments } from "./admin/operations/import.ts";
import { listKeys, mintKey, revokeKey } from "./admin/operations/keys.ts";
import { decideScriptChange, decideScriptChanges } from "./admin/operations/script_changes.ts";
import { addStorageMove, installStorage, listStorageMoves } from "./admin/operations/storage.ts";
import {
  addWebhook,
  listSetAsideEvents,
  listWebhookDeliveries,
  listWebhooks,
  pauseWebhook,
  removeWebhook,
  replayWebhook,
  resumeWebhook,
  rotateWebhook,
  setWebhook,
  testWebhook,
} from "./admin/operations/webhooks.ts";
import { archiveVersion, releaseVersion } from "./admin/versions.ts";
import type { Operation } from "./operations/operation.ts";
import { putMediaProxy } from "./operations/stand_ins.ts";
import { postStorageEvents } from "./operations/storage.ts";
import { acknowledgeStorageTask, listStorageTasks } from "./operations/storage_tasks.ts";
import { usualOperations } from "./operations/table.ts";

export type { Operation };

export const table: readonly Operation[] = [
  ...usualOperations,

  // Storage
  postStorageEvents,
  putMediaProxy,
  listStorageTasks,
  acknowledgeStorageTask,

  // Administration
  importDocuments,
  getProductionDocument,
  listKeys,
  mintKey,
  revokeKey,
  listEngagements,
  addEngagement,
  endEngagement,
  addGrant,
  revokeGrant,
  releaseVersion,
  archiveVersion,
  reopenApproval,
  decideScriptChange,
  decideScriptChanges,
  removeThing,
  changeFiles,
  listStorageMoves,
  addStorageMove,
  installStorage,
  listHistory,
  getChangeSet,
  undoChangeSet,
  listAudit,
  // Webhooks
  listWebhooks,
  addWebhook,
  pauseWebhook,
  resumeWebhook,
  removeWebhook,
  setWebhook,
  rotateWebhook,
  testWebhook,
  replayWebhook,
  listWebhookDeliveries,
  listSetAsideEvents,
];
