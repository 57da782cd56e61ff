// The pages of script changes and of episodes.
import type { Feature } from "../../../core/feature.ts";

export const scriptsPages: Feature = {
  name: "scripts/pages",
  url: import.meta.url,
  needs: ["scripts", "documents", "history", "documents/pages", "pages"],
  places: { scene_script: () => import("./scene_script.ts").then((m) => m.sceneScript) },
  pages: [
    {
      path: "/settings/episodes",
      reach: "edit",
      show: () => import("./episodes.ts").then((m) => m.showEpisodes),
      submit: () => import("./episodes.ts").then((m) => m.submitEpisodes),
      refused_status: 422,
      setting: {
        group: "Show",
        label: "Episodes",
        place: 33,
        about: "The episodes of a series: their order, their scenes and pages, and the current one.",
        state: () => import("./settings_states.ts").then((m) => m.episodesState),
      },
    },
    {
      path: "/settings/script-changes",
      reach: "edit",
      show: () => import("./script_changes.ts").then((m) => m.showChanges),
      submit: () => import("./script_changes.ts").then((m) => m.submitChanges),
      setting: {
        group: "Show",
        label: "Script changes",
        place: 10,
        about: "What a new draft changes, to approve or to dismiss.",
        state: () => import("./settings_states.ts").then((m) => m.changesState),
      },
    },
  ],
};
