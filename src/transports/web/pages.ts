// The list of all pages.
import type { Page } from "./page.ts";
import { activityPage } from "./pages/activity.ts";
import { approvalsPage } from "./pages/approvals.ts";
import { assetPage, assetsPage } from "./pages/assets.ts";
import { dayPage, todayPage } from "./pages/day.ts";
import { deliveriesPage, deliveryPage } from "./pages/deliveries.ts";
import { nodePage } from "./pages/nodes.ts";
import { peoplePage } from "./pages/people.ts";
import { scenePage, scenesPage } from "./pages/scenes.ts";
import { schedulePage } from "./pages/schedule.ts";
import { searchPage } from "./pages/search.ts";

export const pages: readonly Page[] = [
  todayPage,
  dayPage,
  scenesPage,
  scenePage,
  schedulePage,
  assetsPage,
  assetPage,
  approvalsPage,
  deliveriesPage,
  deliveryPage,
  peoplePage,
  activityPage,
  searchPage,
  nodePage,
];
