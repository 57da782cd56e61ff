// The pages of a shoot day: today, the call sheet, and the cast.
import type { Feature } from "../../../core/feature.ts";

export const daysPages: Feature = {
  name: "days/pages",
  url: import.meta.url,
  needs: ["days", "day_issues", "cast", "pages"],
  places: { note_departments: () => import("./note_departments.ts").then((m) => m.noteDepartments) },
  pages: [
    {
      path: "/",
      reach: "engagement",
      show: () => import("./day.ts").then((m) => m.showToday),
      menu: { label: "Today", place: 10, phone: true },
    },
    {
      path: "/days/:shoot_day_id",
      reach: "production",
      show: () => import("./day.ts").then((m) => m.showDay),
      section: "/",
    },
    {
      path: "/days/:shoot_day_id/sheet",
      reach: "production",
      show: () => import("./call_sheet.ts").then((m) => m.showSheet),
      section: "/",
    },
    {
      path: "/days/:shoot_day_id/sheet",
      reach: "production",
      submit: () => import("./issuing.ts").then((m) => m.issueSheet),
    },
    {
      path: "/cast",
      reach: "production",
      show: () => import("./cast.ts").then((m) => m.showCast),
      menu: { label: "Cast", place: 40 },
    },
    { path: "/cast.csv", reach: "production", send: () => import("./cast.ts").then((m) => m.sendCast) },
  ],
};
