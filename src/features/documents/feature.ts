// Production documents: creating, updating and exporting a production.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ optional, wholeNumber }: Blocks) => ({
  /** How long an import may take in seconds, once it is its turn. */
  import_deadline: optional(wholeNumber(1, 86_400, "seconds"), 60),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const documents: Feature = {
  name: "documents",
  url: import.meta.url,
  needs: ["names", "work", "idempotency", "clashes"],
  settings,
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
