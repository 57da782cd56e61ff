// The first part of the table of operations, in the order of the API reference: what most clients call. Each row is defined next to its
// handler, in the file of its noun.
import { listActivity } from "./activity.ts";
import { decideApproval, getApproval, listApprovals } from "./approvals.ts";
import { getAssetBundle } from "./asset_bundle.ts";
import { listVersions } from "./asset_versions.ts";
import { createAsset, createVersion, getAsset, listAssets } from "./assets.ts";
import { getCharacterBundle, getSceneBundle } from "./bundles.ts";
import { getDayBundle } from "./day_bundle.ts";
import { getDelivery, listDeliveries } from "./deliveries.ts";
import { getDepartment, listDepartments } from "./departments.ts";
import { listEvents } from "./events.ts";
import { listJobs } from "./jobs.ts";
import { getManifest } from "./manifest.ts";
import { getMe } from "./me.ts";
import { getMedia, getMediaContent, getMediaTicket } from "./media.ts";
import { createNote, getNote, listNotes } from "./notes.ts";
import type { Operation } from "./operation.ts";
import { getPerson, listPeople } from "./people.ts";
import { createLookBrief, createSessionToken } from "./percep.ts";
import { getProduction, listEpisodes } from "./production.ts";
import { getPurchaseOrders, listOrders } from "./purchase_orders.ts";
import { getScene, listScenes } from "./scenes.ts";
import { getSchedule, getShootDay, listCastDays } from "./schedule.ts";
import { listScriptChanges } from "./script_changes.ts";
import { search } from "./search.ts";
import { decideSubmission, listSubmissions, listTurnovers, submitTurnover } from "./turnovers.ts";
import { getAssetUsage } from "./usage.ts";
import { listVendors } from "./vendors.ts";

export const usualOperations: readonly Operation[] = [
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
];
