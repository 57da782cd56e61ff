// The list of all pages, and of what they load besides. The module of a page is loaded with its first visit.

import { formFields, importFiles, importForm } from "../../core/body_limits.ts";
import { settingsPage, showOverview } from "../admin/pages/frame.ts";
import { editableSections } from "../documents/edit_scope.ts";
import { listPageOf } from "../documents/pages/edit/target.ts";
import { type WebPage, webPage } from "./page.ts";

const deliveries = () => import("./pages/deliveries.ts");
const history = () => import("../history/pages/history.ts");
const resources = () => import("./resources.ts");
const turnovers = () => import("./pages/turnovers.ts");
const vendors = () => import("../admin/pages/vendors.ts");
const board = async () => ({
  ...(await import("./pages/schedule.ts")),
  ...(await import("../documents/pages/board_forms.ts")),
});

const imports = { files: true, form_limit: importForm, files_limit: importFiles } as const;
const uploads = { files: true } as const;

export const pages: readonly WebPage[] = [
  webPage("/", "engagement", () => import("../days/pages/day.ts"), "showToday"),
  webPage("/days/:shoot_day_id", "production", () => import("../days/pages/day.ts"), "showDay", undefined, {
    section: "/",
  }),
  webPage("/days/:shoot_day_id/sheet", "production", () => import("../days/pages/sheet.ts"), "showSheet", undefined, {
    section: "/",
  }),
  webPage("/scenes", "production", () => import("./pages/scenes.ts"), "showScenes"),
  webPage("/scenes/:node_id", "engagement", () => import("./pages/scenes.ts"), "showScene"),
  webPage("/schedule", "production", board, "showSchedule", "changeBoard"),
  webPage("/cast", "production", () => import("../days/pages/cast.ts"), "showCast"),
  webPage("/assets", "production", () => import("./pages/assets.ts"), "showAssets", "submitNew"),
  webPage("/assets/:node_id", "engagement", () => import("./pages/asset.ts"), "showAsset", "submitAsset", uploads),
  webPage("/approvals", "production", () => import("./pages/approvals.ts"), "showApprovals", "submitDecision"),
  webPage("/deliveries", "production", deliveries, "showDeliveries", "mark"),
  webPage("/deliveries/:delivery_id", "production", deliveries, "showDelivery", "submitDelivery"),
  webPage("/people", "production", () => import("./pages/people.ts"), "showPeople"),
  webPage("/activity", "production", () => import("./pages/activity.ts"), "showActivity"),
  webPage("/search", "production", () => import("../search/pages/search.ts"), "showSearch"),
  webPage("/turnovers", "engagement", turnovers, "showTurnovers"),
  webPage("/turnovers/:delivery_id", "engagement", turnovers, "showTurnover", "submitWork", uploads),
  webPage("/orders", "engagement", () => import("./pages/orders.ts"), "showOrders"),
  { path: "/seen-as", reach: "engagement", submit: async (visit) => (await vendors()).submitSeenAs(visit) },
  ...editableSections.flatMap((section) =>
    ["", "/:id"].map((end) =>
      webPage(
        `/edit/${section}${end}`,
        "edit",
        () => import("../documents/pages/edit/edit.ts"),
        "showThing",
        "submitThing",
        {
          ...{ section: listPageOf[section], form_limit: formFields, ...(section === "deliveries" && uploads) },
        },
      ),
    ),
  ),
  { path: "/settings", reach: "edit", show: showOverview },
  settingsPage("keys", () => import("../admin/pages/keys.ts"), "keysView", "submitKeys"),
  settingsPage("vendors", vendors, "showVendors", "submitVendors"),
  settingsPage("import", () => import("../documents/pages/import.ts"), "showImport", "submitImport", imports),
  settingsPage("script-changes", () => import("../scripts/pages/script_changes.ts"), "showChanges", "submitChanges"),
  settingsPage("history", history, "showHistory"),
  settingsPage("history", history, "showSet", "submitUndo", { path: "/settings/history/:id", refused_status: 409 }),
  settingsPage("releases", () => import("../admin/pages/releases.ts"), "showReleases", "submitRelease"),
  settingsPage("storage", () => import("../admin/pages/storage.ts"), "showStorage", "submitStorage"),
  settingsPage("webhooks", () => import("../webhooks/pages/webhooks.ts"), "showWebhooks", "submitWebhooks"),
  settingsPage("sessions", () => import("../admin/pages/sessions.ts"), "showSessions", "submitSession"),
  settingsPage("audit", () => import("../admin/pages/audit.ts"), "showAudit"),
  settingsPage("health", () => import("../admin/pages/health.ts"), "showHealth", "downloadBackup", {
    refused_status: 409,
  }),
  {
    path: "/thumbnails/:media_id",
    reach: "engagement",
    send: async (visit) => (await resources()).sendThumbnail(visit),
  },
  { path: "/stills/:node_id", reach: "production", send: async (visit) => (await resources()).sendNewestStill(visit) },
  { path: "/files/:media_id", reach: "engagement", send: async (visit) => (await resources()).sendFile(visit) },
  { path: "/live", reach: "engagement", send: async (visit) => (await resources()).sendChanges(visit) },
  {
    path: "/cast.csv",
    reach: "production",
    send: async (visit) => (await import("../days/pages/cast.ts")).sendCast(visit),
  },
];
