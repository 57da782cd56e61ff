// Pages for people, in a browser.
import type { Feature } from "../../core/feature.ts";

export const pages: Feature = {
  name: "pages",
  url: import.meta.url,
  needs: ["addresses", "csv", "names", "review"],
  routes: [{ fallback: true, load: () => import("./route.ts") }],
  beginning: () => import("./first_visit.ts"),
  commands: [{ group: "Start", words: ["open"], load: () => import("./commands.ts") }],
  files: {
    "pages.css": ["./tokens.css", "./pages.css"],
    "pages.js": ["./pages.js", "./live.js", "./board.js", "./looking.js"],
    "worker.js": ["./worker.js"],
  },
  pages: [
    {
      path: "/scenes",
      reach: "production",
      show: () => import("./pages/scenes.ts").then((m) => m.showScenes),
      menu: { label: "Script", place: 20, phone: true },
    },
    { path: "/scenes/:node_id", reach: "engagement", show: () => import("./pages/scenes.ts").then((m) => m.showScene) },
    {
      path: "/schedule",
      reach: "production",
      show: () => import("./pages/schedule.ts").then((m) => m.showSchedule),
      menu: { label: "Board", place: 30, phone: true },
    },
    {
      path: "/schedule.csv",
      reach: "production",
      send: () => import("./pages/board_csv.ts").then((m) => m.sendBoard),
    },
    {
      path: "/assets",
      reach: "production",
      show: () => import("./pages/assets.ts").then((m) => m.showAssets),
      submit: () => import("./pages/assets.ts").then((m) => m.submitNew),
      files: true,
      menu: { label: "Assets", place: 50 },
    },
    {
      path: "/assets/:node_id",
      reach: "engagement",
      show: () => import("./pages/asset.ts").then((m) => m.showAsset),
      submit: () => import("./pages/asset.ts").then((m) => m.submitAsset),
      files: true,
    },
    {
      path: "/assets/:node_id/compare",
      reach: "engagement",
      show: () => import("./pages/review.ts").then((m) => m.showCompare),
    },
    {
      path: "/approvals/:approval_id",
      reach: "production",
      show: () => import("./pages/approvals.ts").then((m) => m.showApproval),
      submit: () => import("./pages/approvals.ts").then((m) => m.submitApproval),
    },
    {
      path: "/approvals",
      reach: "production",
      show: () => import("./pages/approvals.ts").then((m) => m.showApprovals),
      submit: () => import("./pages/approvals.ts").then((m) => m.submitDecision),
      menu: { label: "Approvals", place: 60, phone: true },
    },
    {
      path: "/deliveries",
      reach: "production",
      show: () => import("./pages/deliveries.ts").then((m) => m.showDeliveries),
      submit: () => import("./pages/deliveries.ts").then((m) => m.mark),
      menu: { label: "Deliveries", place: 70 },
    },
    {
      path: "/deliveries/:delivery_id",
      reach: "production",
      show: () => import("./pages/deliveries.ts").then((m) => m.showDelivery),
      submit: () => import("./pages/deliveries.ts").then((m) => m.submitDelivery),
    },
    {
      path: "/people",
      reach: "production",
      show: () => import("./pages/people.ts").then((m) => m.showPeople),
      menu: { label: "People", place: 80 },
    },
    {
      path: "/activity",
      reach: "production",
      show: () => import("./pages/activity.ts").then((m) => m.showActivity),
      menu: { label: "Activity", place: 90 },
    },
    {
      path: "/turnovers",
      reach: "engagement",
      show: () => import("./pages/turnovers.ts").then((m) => m.showTurnovers),
    },
    {
      path: "/turnovers/:delivery_id",
      reach: "engagement",
      show: () => import("./pages/turnovers.ts").then((m) => m.showTurnover),
      submit: () => import("./pages/turnovers.ts").then((m) => m.submitWork),
      files: true,
    },
    { path: "/orders", reach: "engagement", show: () => import("./pages/orders.ts").then((m) => m.showOrders) },
    { path: "/settings", reach: "edit", show: () => import("./settings.ts").then((m) => m.showOverview) },
    {
      path: "/thumbnails/:media_id",
      reach: "engagement",
      send: () => import("./resources.ts").then((m) => m.sendThumbnail),
    },
    {
      path: "/stills/:node_id",
      reach: "production",
      send: () => import("./resources.ts").then((m) => m.sendNewestStill),
    },
    { path: "/files/:media_id", reach: "engagement", send: () => import("./resources.ts").then((m) => m.sendFile) },
  ],
};
