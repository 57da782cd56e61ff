// Backups: into a file, into a folder on a schedule, and restoring them.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";
import { shellWord } from "../../core/spelling.ts";

/** The name of a backup in a folder: its time in UTC, without characters that a file system refuses. */
export const backupName = /^(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\d\.\d{3}Z)$/;
/** The list of the members of a backup. */
export const manifestName = "manifest.json";

const isBackup = (folder: string, name: string): boolean =>
  backupName.test(name) && existsSync(join(folder, name, manifestName));

const settings = ({ optional, strictObject, wholeNumber, folder, object }: Blocks) => {
  const count = (min: number, unit: string, byDefault: number) => optional(wholeNumber(min, 1_000, unit), byDefault);
  return {
    /** The folder in which the server makes backups, how often, and which it keeps; no backups by default. */
    backup: optional(
      object(
        {
          folder: folder,
          every: optional(wholeNumber(1, 8_760, "hours"), 24),
          keep: optional(
            strictObject(
              { daily: count(1, "days", 7), weekly: count(0, "weeks", 4), monthly: count(0, "months", 12) },
              'must have a keep such as {"daily": 7, "weekly": 4, "monthly": 12}',
            ),
            {},
          ),
        },
        '{"folder": "/mnt/backup", "every": 24, "keep": {"daily": 7, "weekly": 4, "monthly": 12}}',
      ),
    ),
  };
};

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const backup: Feature = {
  name: "backup",
  url: import.meta.url,
  needs: ["work", "soundness"],
  settings,
  commands: [{ group: "Storage", words: ["backup", "restore"], file: "./commands.ts" }],
  folder: (path) =>
    readdirSync(path).some((name) => isBackup(path, name))
      ? `it is a folder of backups; \`tallylight restore ${shellWord(path)} --data DIR\` restores the last one`
      : undefined,
  figures: "./figures.ts",
  starts: [{ file: "./start.ts", when: ({ config }) => config.backup !== undefined }],
};
