// The list of all pages, and of what they load besides. The module of a page is loaded with its first visit.
import { editableSections } from "../../admin/edit.ts";
import { formFields, importFiles, importForm } from "../../body_limits.ts";
import { loadLater } from "../../network.ts";
import { type WebPage, webPage } from "./page.ts";
import { listPageOf } from "./pages/edit/target.ts";
import { settingsPage, showOverview } from "./pages/settings/frame.ts";

const moduleOf =
  <M>(file: string) =>
  () =>
    loadLater<M>(file, import.meta);
const activity = moduleOf<typeof import("./pages/activity.ts")>("./pages/activity.ts");
const approvals = moduleOf<typeof import("./pages/approvals.ts")>("./pages/approvals.ts");
const asset = moduleOf<typeof import("./pages/asset.ts")>("./pages/asset.ts");
const assets = moduleOf<typeof import("./pages/assets.ts")>("./pages/assets.ts");
const audit = moduleOf<typeof import("./pages/settings/audit.ts")>("./pages/settings/audit.ts");
const boardForms = moduleOf<typeof import("./pages/board_forms.ts")>("./pages/board_forms.ts");
const cast = moduleOf<typeof import("./pages/cast.ts")>("./pages/cast.ts");
const day = moduleOf<typeof import("./pages/day.ts")>("./pages/day.ts");
const deliveries = moduleOf<typeof import("./pages/deliveries.ts")>("./pages/deliveries.ts");
const edit = moduleOf<typeof import("./pages/edit/edit.ts")>("./pages/edit/edit.ts");
const health = moduleOf<typeof import("./pages/settings/health.ts")>("./pages/settings/health.ts");
const history = moduleOf<typeof import("./pages/settings/history.ts")>("./pages/settings/history.ts");
const importing = moduleOf<typeof import("./pages/settings/import.ts")>("./pages/settings/import.ts");
const keys = moduleOf<typeof import("./pages/settings/keys.ts")>("./pages/settings/keys.ts");
const nodes = moduleOf<typeof import("./pages/nodes.ts")>("./pages/nodes.ts");
const orders = moduleOf<typeof import("./pages/orders.ts")>("./pages/orders.ts");
const people = moduleOf<typeof import("./pages/people.ts")>("./pages/people.ts");
const releases = moduleOf<typeof import("./pages/settings/releases.ts")>("./pages/settings/releases.ts");
const scenes = moduleOf<typeof import("./pages/scenes.ts")>("./pages/scenes.ts");
const schedule = moduleOf<typeof import("./pages/schedule.ts")>("./pages/schedule.ts");
const scriptChanges = moduleOf<typeof import("./pages/settings/script_changes.ts")>(
  "./pages/settings/script_changes.ts",
);
const search = moduleOf<typeof import("./pages/search.ts")>("./pages/search.ts");
const sessions = moduleOf<typeof import("./pages/settings/sessions.ts")>("./pages/settings/sessions.ts");
const sheet = moduleOf<typeof import("./pages/sheet.ts")>("./pages/sheet.ts");
const storage = moduleOf<typeof import("./pages/settings/storage.ts")>("./pages/settings/storage.ts");
const turnovers = moduleOf<typeof import("./pages/turnovers.ts")>("./pages/turnovers.ts");
const vendors = moduleOf<typeof import("./pages/settings/vendors.ts")>("./pages/settings/vendors.ts");
const webhooks = moduleOf<typeof import("./pages/settings/webhooks.ts")>("./pages/settings/webhooks.ts");
const resources = moduleOf<typeof import("./resources.ts")>("./resources.ts");
const board = async () => ({ ...(await schedule()), ...(await boardForms()) });

const imports = { files: true, form_limit: importForm, files_limit: importFiles } as const;
const uploads = { files: true } as const;

export const pages: readonly WebPage[] = [
  webPage("/", "engagement", day, "showToday"),
  webPage("/days/:shoot_day_id", "production", day, "showDay", undefined, { section: "/" }),
  webPage("/days/:shoot_day_id/sheet", "production", sheet, "showSheet", undefined, {
    section: "/",
  }),
  webPage("/scenes", "production", scenes, "showScenes"),
  webPage("/scenes/:node_id", "engagement", scenes, "showScene"),
  webPage("/schedule", "production", board, "showSchedule", "changeBoard"),
  webPage("/cast", "production", cast, "showCast"),
  webPage("/assets", "production", assets, "showAssets", "submitNew"),
  webPage("/assets/:node_id", "engagement", asset, "showAsset", "submitAsset", uploads),
  webPage("/approvals", "production", approvals, "showApprovals", "submitDecision"),
  webPage("/deliveries", "production", deliveries, "showDeliveries", "mark"),
  webPage("/deliveries/:delivery_id", "production", deliveries, "showDelivery", "submitDelivery"),
  webPage("/people", "production", people, "showPeople"),
  webPage("/activity", "production", activity, "showActivity"),
  webPage("/search", "production", search, "showSearch"),
  webPage("/nodes/:node_id", "production", nodes, "showNode"),
  webPage("/turnovers", "engagement", turnovers, "showTurnovers"),
  webPage("/turnovers/:delivery_id", "engagement", turnovers, "showTurnover", "submitWork", uploads),
  webPage("/orders", "engagement", orders, "showOrders"),
  { path: "/seen-as", reach: "engagement", submit: async (visit) => (await vendors()).submitSeenAs(visit) },
  ...editableSections.flatMap((section) =>
    ["", "/:id"].map((end) =>
      webPage(`/edit/${section}${end}`, "edit", edit, "showThing", "submitThing", {
        ...{ section: listPageOf[section], form_limit: formFields, ...(section === "deliveries" && uploads) },
      }),
    ),
  ),
  { path: "/settings", reach: "edit", show: showOverview },
  settingsPage("keys", keys, "keysView", "submitKeys"),
  settingsPage("vendors", vendors, "showVendors", "submitVendors"),
  settingsPage("import", importing, "showImport", "submitImport", imports),
  settingsPage("script-changes", scriptChanges, "showChanges", "submitChanges"),
  settingsPage("history", history, "showHistory"),
  settingsPage("history", history, "showSet", "submitUndo", { path: "/settings/history/:id", refused_status: 409 }),
  settingsPage("releases", releases, "showReleases", "submitRelease"),
  settingsPage("storage", storage, "showStorage", "submitStorage"),
  settingsPage("webhooks", webhooks, "showWebhooks", "submitWebhooks"),
  settingsPage("sessions", sessions, "showSessions", "submitSession"),
  settingsPage("audit", audit, "showAudit"),
  settingsPage("health", health, "showHealth", "downloadBackup", {
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
  { path: "/cast.csv", reach: "production", send: async (visit) => (await cast()).sendCast(visit) },
];
