// The history of a production, undo, and reopening an approval, which is a change that can be undone.
import type { Feature } from "../../core/feature.ts";

export const history: Feature = {
  name: "history",
  url: import.meta.url,
  needs: ["documents"],
  operations: {
    "admin/history": ["./history.ts", "./operations.ts"],
    "admin/approvals": ["./approvals.ts"],
  },
  changeSets: "./change_sets.ts",
  commands: [
    { group: "Production", words: ["approvals"], file: "./approval_commands.ts" },
    { group: "Production", words: ["history", "undo"], file: "./commands.ts" },
  ],
};
