// Backups: into a file, into a folder on a schedule, and restoring them.
import type { Feature } from "../../core/feature.ts";

export const backup: Feature = {
  name: "backup",
  url: import.meta.url,
  commands: [{ group: "Storage", words: ["backup", "restore"], file: "./commands.ts" }],
  starts: [{ file: "./start.ts", when: ({ config }) => config.backup !== undefined }],
};
