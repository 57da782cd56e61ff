// The pages of a shoot day: today, the call sheet, and the cast.
import type { Feature } from "../../../core/feature.ts";

export const daysPages: Feature = {
  name: "days/pages",
  url: import.meta.url,
  needs: ["days", "cast", "pages"],
  places: { note_departments: { file: "./note_departments.ts", name: "noteDepartments" } },
  pages: [
    {
      path: "/",
      reach: "engagement",
      file: "./day.ts",
      show: "showToday",
      menu: { label: "Today", place: 10, phone: true },
    },
    { path: "/days/:shoot_day_id", reach: "production", file: "./day.ts", show: "showDay", section: "/" },
    {
      path: "/days/:shoot_day_id/sheet",
      reach: "production",
      file: "./call_sheet.ts",
      show: "showSheet",
      section: "/",
    },
    { path: "/days/:shoot_day_id/sheet", reach: "production", file: "./printing.ts", submit: "recordPrinting" },
    { path: "/cast", reach: "production", file: "./cast.ts", show: "showCast", menu: { label: "Cast", place: 40 } },
    { path: "/cast.csv", reach: "production", file: "./cast.ts", send: "sendCast" },
  ],
};
