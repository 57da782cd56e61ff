// Resumable uploads of the scripts of pages.
import type { Feature } from "../../../core/feature.ts";

export const uploadsPages: Feature = {
  name: "uploads/pages",
  url: import.meta.url,
  needs: ["uploads", "pages"],
  places: { upload: () => import("./upload.ts").then((m) => m.answerUpload) },
};
