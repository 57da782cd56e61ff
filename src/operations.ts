// The table of all operations, in the order of the API reference: what most clients call, what the storage agent calls, and what an admin
// does. Each row is defined next to its handler, in the file of its noun. A server loads this file only for what needs all of them.

import { listAudit } from "./core/audit.ts";
import type { Operation } from "./core/operation.ts";
import {
  addEngagement,
  addGrant,
  endEngagement,
  listEngagements,
  listKeys,
  mintKey,
  revokeGrant,
  revokeKey,
} from "./features/admin/access.ts";
import { reopenApproval } from "./features/admin/approvals.ts";
import { addStorageMove, installStorage, listStorageMoves } from "./features/admin/storage.ts";
import { getDayBundle } from "./features/days/day_bundle.ts";
import {
  changeFiles,
  getChangeSet,
  getProductionDocument,
  importDocuments,
  removeThing,
  undoChangeSet,
} from "./features/documents/operations.ts";
import { listEvents } from "./features/events/operations.ts";
import { listHistory } from "./features/history/history.ts";
import { createLookBrief, createSessionToken } from "./features/restyle/percep.ts";
import { decideScriptChange, decideScriptChanges } from "./features/scripts/operations.ts";
import { getManifest } from "./features/search/manifest.ts";
import { search } from "./features/search/search.ts";
import { getAssetUsage } from "./features/search/usage.ts";
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
} from "./features/webhooks/operations.ts";
import { listActivity } from "./graph/activity.ts";
import { decideApproval, getApproval, listApprovals } from "./graph/approvals.ts";
import { createAsset, createVersion, getAsset, listAssets, listVersions } from "./graph/assets.ts";
import { getAssetBundle, getCharacterBundle, getSceneBundle } from "./graph/bundles.ts";
import { getDelivery, listDeliveries } from "./graph/deliveries.ts";
import { getDepartment, listDepartments } from "./graph/departments.ts";
import { listJobs } from "./graph/jobs.ts";
import { getMe } from "./graph/me.ts";
import { getMedia, getMediaContent, getMediaTicket } from "./graph/media.ts";
import { createNote, getNote, listNotes } from "./graph/notes.ts";
import { getPerson, listPeople } from "./graph/people.ts";
import { getProduction, listEpisodes } from "./graph/production.ts";
import { getPurchaseOrders, listOrders } from "./graph/purchase_orders.ts";
import { getScene, listScenes } from "./graph/scenes.ts";
import { getSchedule, getShootDay, listCastDays } from "./graph/schedule.ts";
import { listScriptChanges } from "./graph/script_changes.ts";
import { putMediaProxy } from "./graph/stand_ins.ts";
import { postStorageEvents } from "./graph/storage.ts";
import { acknowledgeStorageTask, listStorageTasks } from "./graph/storage_tasks.ts";
import { decideSubmission, listSubmissions, listTurnovers, submitTurnover } from "./graph/turnovers.ts";
import { listVendors } from "./graph/vendors.ts";
import { archiveVersion, releaseVersion } from "./graph/version_release.ts";

export type { Operation };

export const table: readonly Operation[] = [
  getMe,
  getManifest,

  // Reads
  getProduction,
  listDepartments,
  getDepartment,
  listScenes,
  getScene,
  listAssets,
  getAssetUsage,
  getAsset,
  listNotes,
  getNote,
  listVersions,
  getSchedule,
  getShootDay,
  listCastDays,
  listDeliveries,
  getDelivery,
  listApprovals,
  getApproval,
  listScriptChanges,
  listActivity,
  listPeople,
  getPerson,
  listJobs,
  listEpisodes,
  listVendors,
  search,
  listEvents,

  // One round trip
  getSceneBundle,
  getCharacterBundle,
  getAssetBundle,
  getDayBundle,
  listTurnovers,
  listSubmissions,
  submitTurnover,
  getMedia,
  getMediaContent,
  getMediaTicket,

  // Restyle helpers
  createSessionToken,
  createLookBrief,

  getPurchaseOrders,
  listOrders,

  // Writes
  createAsset,
  createNote,
  createVersion,
  decideApproval,
  decideSubmission,

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
