// Backups: into a file, into a folder on a schedule, and restoring them.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Feature } from "../../core/feature.ts";
import { shellWord } from "../../core/spelling.ts";

/** The name of a backup in a folder: its time in UTC, without characters that a file system refuses. */
export const backupName = /^(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\d\.\d{3}Z)$/;
/** The list of the members of a backup. */
export const manifestName = "manifest.json";

const isBackup = (folder: string, name: string): boolean =>
  backupName.test(name) && existsSync(join(folder, name, manifestName));

export const backup: Feature = {
  name: "backup",
  url: import.meta.url,
  commands: [{ group: "Storage", words: ["backup", "restore"], file: "./commands.ts" }],
  folder: (path) =>
    readdirSync(path).some((name) => isBackup(path, name))
      ? `it is a folder of backups; \`tallylight restore ${shellWord(path)} --data DIR\` restores the last one`
      : undefined,
  starts: [{ file: "./start.ts", when: ({ config }) => config.backup !== undefined }],
};
