// The page of script changes.
import type { Feature } from "../../../core/feature.ts";

export const scriptsPages: Feature = {
  name: "scripts/pages",
  url: import.meta.url,
  needs: ["scripts", "documents", "history", "documents/pages", "pages"],
  places: { scene_script: { file: "./scene_script.ts", name: "sceneScript" } },
  pages: [
    {
      path: "/settings/script-changes",
      reach: "edit",
      file: "./script_changes.ts",
      show: "showChanges",
      submit: "submitChanges",
      setting: {
        group: "The production",
        label: "Script changes",
        place: 40,
        about: "What a new draft changes, to approve or to dismiss.",
      },
    },
  ],
};
