// Production documents: creating, updating and exporting a production.
import type { Feature } from "../../core/feature.ts";

export const documents: Feature = {
  name: "documents",
  url: import.meta.url,
  operations: {
    "admin/import": ["./operations.ts"],
    "admin/export": ["./operations.ts"],
    "admin/remove": ["./operations.ts"],
    "admin/files": ["./operations.ts"],
  },
  commands: [
    { group: "Start", words: ["init"], file: "./export_commands.ts" },
    { group: "Start", words: ["import"], file: "./import_command.ts" },
    { group: "Production", words: ["list", "set"], file: "./update_commands.ts" },
    { group: "Production", words: ["export"], file: "./export_commands.ts" },
  ],
};
