// The history of a production, and undo.
import type { Feature } from "../../core/feature.ts";

export const history: Feature = {
  name: "history",
  url: import.meta.url,
  needs: ["documents"],
  operations: {
    "admin/history": ["./history.ts", "./operations.ts"],
  },
  changeSets: "./change_sets.ts",
  commands: [{ group: "Production", words: ["history", "undo"], file: "./commands.ts" }],
};
