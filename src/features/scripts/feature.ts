// Scripts: readers of Fountain and Final Draft, drafts, and the changes that a new draft proposes.
import type { Feature } from "../../core/feature.ts";

export const scripts: Feature = {
  name: "scripts",
  url: import.meta.url,
  needs: ["documents", "paperwork"],
  importers: { kind: "script", extensions: [".fountain", ".fdx"], load: () => import("./importers.ts") },
  scriptExporters: { formats: ["fountain", "fdx"], load: () => import("./exporters.ts") },
  scriptFollowing: () => import("./reconcile.ts"),
  operations: {
    "script-changes": [() => import("./operations.ts")],
    "scenes/:id/script": [() => import("./scene_script.ts")],
  },
  sceneScripts: () => import("./scene_script.ts"),
  commands: [
    { group: "Production", words: ["script-changes"], load: () => import("./commands.ts") },
    { group: "Production", words: ["episodes"], load: () => import("./begin_series.ts") },
  ],
};
