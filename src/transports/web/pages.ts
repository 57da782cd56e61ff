// The list of all pages.
import type { WebPage } from "./page.ts";
import { activityPage } from "./pages/activity.ts";
import { approvalsPage } from "./pages/approvals.ts";
import { assetPage } from "./pages/asset.ts";
import { assetsPage } from "./pages/assets.ts";
import { castPage } from "./pages/cast.ts";
import { dayPage, todayPage } from "./pages/day.ts";
import { deliveriesPage, deliveryPage } from "./pages/deliveries.ts";
import { editPages } from "./pages/edit/edit.ts";
import { nodePage } from "./pages/nodes.ts";
import { ordersPage } from "./pages/orders.ts";
import { peoplePage } from "./pages/people.ts";
import { scenePage, scenesPage } from "./pages/scenes.ts";
import { schedulePage } from "./pages/schedule.ts";
import { searchPage } from "./pages/search.ts";
import { seenAsPage } from "./pages/seen_as.ts";
import { auditPage } from "./pages/settings/audit.ts";
import { healthPage } from "./pages/settings/health.ts";
import { changeSetPage, historyPage } from "./pages/settings/history.ts";
import { importPage } from "./pages/settings/import.ts";
import { keysPage } from "./pages/settings/keys.ts";
import { overviewPage } from "./pages/settings/overview.ts";
import { releasesPage } from "./pages/settings/releases.ts";
import { scriptChangesPage } from "./pages/settings/script_changes.ts";
import { sessionsPage } from "./pages/settings/sessions.ts";
import { storagePage } from "./pages/settings/storage.ts";
import { vendorsPage } from "./pages/settings/vendors.ts";
import { webhooksPage } from "./pages/settings/webhooks.ts";
import { sheetPage } from "./pages/sheet.ts";
import { turnoverPage, turnoversPage } from "./pages/turnovers.ts";

export const pages: readonly WebPage[] = [
  todayPage,
  dayPage,
  sheetPage,
  scenesPage,
  scenePage,
  schedulePage,
  castPage,
  assetsPage,
  assetPage,
  approvalsPage,
  deliveriesPage,
  deliveryPage,
  peoplePage,
  activityPage,
  searchPage,
  nodePage,
  turnoversPage,
  turnoverPage,
  ordersPage,
  seenAsPage,
  ...editPages,
  overviewPage,
  keysPage,
  vendorsPage,
  importPage,
  scriptChangesPage,
  historyPage,
  changeSetPage,
  releasesPage,
  storagePage,
  webhooksPage,
  sessionsPage,
  auditPage,
  healthPage,
];
