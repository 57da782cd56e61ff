// Scripts: readers of Fountain and Final Draft, drafts, and the changes that a new draft proposes.
import type { Feature } from "../../core/feature.ts";

export const scripts: Feature = {
  name: "scripts",
  url: import.meta.url,
  needs: ["documents", "paperwork"],
  importers: { kind: "script", extensions: [".fountain", ".fdx"], file: "./importers.ts" },
  scriptExporters: { formats: ["fountain", "fdx"], file: "./exporters.ts" },
  scriptUndo: "./script_undo.ts",
  scriptFollowing: "./followed_updates.ts",
  operations: {
    "script-changes": ["./operations.ts"],
    "scenes/:id/script": ["./scene_script.ts"],
  },
  commands: [{ group: "Production", words: ["script-changes"], file: "./commands.ts" }],
};
