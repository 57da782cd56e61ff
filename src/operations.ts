// The table of all operations, in the order of the API reference: what most clients call, what the storage agent calls, and what an admin
// does. Each row is defined next to its handler, in the file of its noun. A server loads this file only for what needs all of them.

import { listAudit } from "./admin/audit.ts";
import { listHistory } from "./admin/history.ts";
import {
  addEngagement,
  addGrant,
  endEngagement,
  listEngagements,
  listKeys,
  mintKey,
  revokeGrant,
  revokeKey,
} from "./admin/operations/access.ts";
import { reopenApproval } from "./admin/operations/approvals.ts";
import { decideScriptChange, decideScriptChanges } from "./admin/operations/script_changes.ts";
import { addStorageMove, installStorage, listStorageMoves } from "./admin/operations/storage.ts";
import {
  changeFiles,
  getChangeSet,
  getProductionDocument,
  importDocuments,
  removeThing,
  undoChangeSet,
} from "./admin/operations/updates.ts";
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
import { listActivity } from "./operations/activity.ts";
import { decideApproval, getApproval, listApprovals } from "./operations/approvals.ts";
import { createAsset, createVersion, getAsset, listAssets, listVersions } from "./operations/assets.ts";
import { getAssetBundle, getCharacterBundle, getSceneBundle } from "./operations/bundles.ts";
import { getDayBundle } from "./operations/day_bundle.ts";
import { getDelivery, listDeliveries } from "./operations/deliveries.ts";
import { getDepartment, listDepartments } from "./operations/departments.ts";
import { listEvents } from "./operations/events.ts";
import { listJobs } from "./operations/jobs.ts";
import { getManifest } from "./operations/manifest.ts";
import { getMe } from "./operations/me.ts";
import { getMedia, getMediaContent, getMediaTicket } from "./operations/media.ts";
import { createNote, getNote, listNotes } from "./operations/notes.ts";
import type { Operation } from "./operations/operation.ts";
import { getPerson, listPeople } from "./operations/people.ts";
import { createLookBrief, createSessionToken } from "./operations/percep.ts";
import { getProduction, listEpisodes } from "./operations/production.ts";
import { getPurchaseOrders, listOrders } from "./operations/purchase_orders.ts";
import { getScene, listScenes } from "./operations/scenes.ts";
import { getSchedule, getShootDay, listCastDays } from "./operations/schedule.ts";
import { listScriptChanges } from "./operations/script_changes.ts";
import { search } from "./operations/search.ts";
import { putMediaProxy } from "./operations/stand_ins.ts";
import { postStorageEvents } from "./operations/storage.ts";
import { acknowledgeStorageTask, listStorageTasks } from "./operations/storage_tasks.ts";
import { decideSubmission, listSubmissions, listTurnovers, submitTurnover } from "./operations/turnovers.ts";
import { getAssetUsage } from "./operations/usage.ts";
import { listVendors } from "./operations/vendors.ts";

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
