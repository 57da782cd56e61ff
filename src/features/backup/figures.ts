// The figures of the backups, for GET /metrics.
import type { App } from "../../core/context.ts";
import { type Figure, figureOf } from "../../core/feature.ts";
import { backupStateOf } from "./server_backups.ts";

export const openFigures = (app: App) => (): Figure[] => {
  const state = backupStateOf(app);
  if (state === undefined) return [];
  const { age, newest, problem } = state;
  const late = problem === undefined ? 0 : 1;
  return [
    figureOf("gauge", "backup_late", "1 if a backup is late or the last one failed.", late),
    ...(age === undefined ? [] : [figureOf("gauge", "backup_age_seconds", "How old the newest backup is.", age)]),
    ...(newest?.bytes ? [figureOf("gauge", "backup_bytes", "The size of the newest backup.", newest.bytes)] : []),
  ];
};
