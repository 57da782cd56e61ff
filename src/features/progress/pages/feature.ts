// The page that says how the show stands.
import type { Feature } from "../../../core/feature.ts";

export const progressPages: Feature = {
  name: "progress/pages",
  url: import.meta.url,
  needs: ["progress", "pages"],
  pages: [
    {
      path: "/progress",
      reach: "production",
      show: () => import("./progress.ts").then((m) => m.showProgress),
      menu: { label: "Progress", place: 35 },
    },
  ],
};
