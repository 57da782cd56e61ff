// The health of the server's data directory, as `tallylight doctor` checks it, for an admin in a browser.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { App } from "../../../core/context.ts";
import type { Finding } from "../../../core/feature.ts";
import { freeBytes } from "../../../core/store/disk_space.ts";
import { backupStateOf } from "../../backup/scheduled_backups.ts";
import { type ClockState, settledClockOf } from "../../clock/settled_clock.ts";
import { inspectData } from "../../doctor/inspection.ts";
import { lastBackup } from "../../productions/lifecycle.ts";

/** The check reads the whole database at once, so the server does not run it on a larger one. */
const maxCheckedBytes = 64 * 1024 * 1024;

export interface HealthReport {
  /** In bytes. */
  database_size: number;
  /** In bytes. */
  free_space: number;
  /** How long the server has been running, in seconds. */
  uptime: number;
  /** When the last backup was made; null if none was. */
  backed_up_at: string | null;
  /** The jumps of the clock that this server has seen. */
  clock: ClockState;
  /** The results of the checks; undefined if the database is too large to be checked by the server. */
  findings: Finding[] | undefined;
}

/** In bytes. */
export const databaseSize = ({ store }: App): number => statSync(store.file).size;
/** In bytes. */
export const freeSpace = ({ store }: App): number => freeBytes(dirname(store.file));

/** Whether a backup of this server was ever made; of a copy, whose primary makes them, always. */
export const isSaved = (app: App): boolean =>
  app.copy !== undefined || backupStateOf(app)?.newest !== undefined || lastBackup(app.store, {}) !== undefined;

/** Checks the data directory of an open application. Changes nothing. */
export async function healthOf(app: App): Promise<HealthReport> {
  const { store, config, clock } = app;
  const folder = dirname(store.file);
  const database_size = databaseSize(app);
  const options = { deep: false, now: clock(), reserve: config.disk_reserve };
  const findings = database_size > maxCheckedBytes ? undefined : await inspectData(folder, options);
  const [uptime, backed_up_at] = [process.uptime(), lastBackup(store, {}) ?? null];
  return {
    database_size,
    free_space: freeSpace(app),
    uptime,
    backed_up_at,
    clock: settledClockOf(app).state(),
    findings,
  };
}
