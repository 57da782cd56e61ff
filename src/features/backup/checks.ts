// What is wrong with the backups of a data directory, for tallylight doctor.
import type { Config } from "../../core/config.ts";
import { CliError } from "../../core/errors.ts";
import type { Finding } from "../../core/feature.ts";
import { hour } from "../../core/times.ts";
import { newestBefore, requireFolder, unlistedNames, unlistedSentence } from "./backup_folder.ts";
import { verificationOf } from "./verification.ts";

function problemsOf({ folder, every }: NonNullable<Config["backup"]>, now: number): string[] {
  requireFolder(folder);
  const newest = newestBefore(folder, now);
  const isLate = newest !== undefined && now - Date.parse(newest.created_at) > 2 * every * hour;
  return [
    ...(newest === undefined ? [`${folder} has no backup yet`] : []),
    ...(isLate ? [`the last backup in ${folder} is late: it was made at ${newest.created_at}`] : []),
    ...unlistedNames(folder).map((name) => unlistedSentence(folder, name)),
    ...(verificationOf(folder)?.problems ?? []),
  ];
}

export function checkData(_data: string, config: Config | undefined): Finding[] {
  if (config === undefined) return []; // its settings are a finding of their own
  const { backup } = config;
  if (backup === undefined)
    return [
      { check: "backups", ok: true, detail: "the setting backup names no folder, so no server makes any", items: [] },
    ];
  let items: string[];
  try {
    items = problemsOf(backup, Date.now());
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    items = [error.message];
  }
  const ok = items.length === 0;
  return [
    {
      check: "backups",
      ok,
      detail: ok ? `${backup.folder} has a backup that is not late` : "the data may be lost with this disk",
      items,
    },
  ];
}
