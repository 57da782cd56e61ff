// The figures of the backups, for GET /metrics.
import type { App } from "../../core/context.ts";
import { type Figure, figureOf } from "../../core/feature.ts";
import { backupStateOf } from "./scheduled_backups.ts";

export const openFigures = (app: App) => (): Figure[] => {
  const state = backupStateOf(app);
  if (state === undefined) return [];
  const { age, newest, problem, verified, lacking } = state;
  const gauge = (name: string, help: string, value: number | null | undefined): Figure[] =>
    typeof value === "number" ? [figureOf("gauge", `backup_${name}`, help, value)] : [];
  const verifiedAge = verified && Math.max(0, (app.clock() - Date.parse(verified.at)) / 1000);
  return [
    ...gauge("late", "1 if a backup is late or the last one failed.", problem === undefined ? 0 : 1),
    ...gauge("age_seconds", "How old the newest backup is.", age),
    ...gauge("bytes", "The size of the newest backup.", newest?.bytes),
    ...gauge("verified_age_seconds", "How long ago all backups were read.", verifiedAge),
    ...gauge(
      "unsound",
      "Backups that cannot be restored, as far as the last reading listed them.",
      verified?.problems.length,
    ),
    ...gauge("missing_media", "Media whose bytes are missing or damaged here.", lacking.length),
  ];
};
