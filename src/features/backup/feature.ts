// Backups: into a file, into a folder on a schedule, and restoring them.
import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Feature } from "../../core/feature.ts";
import { commandText } from "../../core/program.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";
import { shellWord } from "../../core/wording.ts";

/**
 * The name of a backup in a folder: its time in UTC, without characters that a file system refuses, or what it was made
 * before.
 */
const backupName = /^(\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z|before-[0-9A-Za-z.+]+)(-\d+)?$/;
/** The list of the members of a backup. */
export const manifestName = "manifest.json";

export const isBackupName = (name: string): boolean => backupName.test(name);

const settings = ({ v, setting, wholeNumber, object }: Blocks) => {
  const { optional, strictObject, picklist } = v;
  const message = "must be the whole path of a folder";
  const folder = v.pipe(v.string(message), v.check(isAbsolute, message));
  const count = (unit: string) => optional(wholeNumber(0, 10_000, unit));
  const example = '{"hourly": 24, "daily": 7, "weekly": 4, "monthly": 12}';
  return {
    backup: setting(
      "where the server makes [backups](operating.md#backups), every how many hours, which it keeps, and whether it reads them `daily` or `weekly`; only `folder` is required",
      object(
        {
          folder,
          every: optional(wholeNumber(1, 8_760, "hours"), 24),
          keep: optional(
            strictObject(
              {
                last: count("backups"),
                hourly: count("hours"),
                daily: count("days"),
                weekly: count("weeks"),
                monthly: count("months"),
              },
              `must have a keep such as ${example}`,
            ),
            JSON.parse(example),
          ),
          verify: optional(picklist(["daily", "weekly"], 'must have a verify of "daily" or "weekly"')),
        },
        `{"folder": "/mnt/backup", "every": 24, "keep": ${example}}`,
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
  commands: [{ group: "Storage", words: ["backup", "restore"], load: () => import("./commands.ts") }],
  folder: (path) =>
    readdirSync(path).some((name) => isBackupName(name) && existsSync(join(path, name, manifestName)))
      ? `it is a folder of backups; ${commandText(`restore ${shellWord(path)} --data DIR`)} restores the last one`
      : undefined,
  backUpBefore: () => import("./before_upgrade.ts"),
  figures: () => import("./figures.ts"),
  conditions: () => import("./scheduled_backups.ts"),
  checks: { load: () => import("./checks.ts") },
  starts: [{ load: () => import("./scheduled_backups.ts"), when: ({ config }) => config.backup !== undefined }],
};
