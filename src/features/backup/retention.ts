// Which backups of a schedule stay, in the words of restic: of each of the last hours, days, weeks and months that have
// one, the newest.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { mediaFiles } from "../../core/store/files.ts";
import { day } from "../../core/times.ts";
import { completeNames, describeBackup, manifestAt } from "./backup_folder.ts";
import { removeBackup } from "./drafts.ts";

/** How many backups are kept by each rule. */
export interface RetentionCounts {
  last?: number | undefined;
  hourly?: number | undefined;
  daily?: number | undefined;
  weekly?: number | undefined;
  monthly?: number | undefined;
}

/** A backup with its time, as text of ISO 8601 in UTC. */
interface Dated {
  name: string;
  created_at: string;
}

const dayOf = (time: string): number => Date.parse(time.slice(0, 10)) / day;

/** What two backups have in common of which a rule keeps one. */
const periods: Readonly<Record<keyof RetentionCounts, (time: string, at: number) => string | number>> = {
  last: (_time, at) => at,
  hourly: (time) => time.slice(0, 13),
  daily: dayOf,
  weekly: (time) => Math.floor((dayOf(time) + 3) / 7), // day 0 was a Thursday
  monthly: (time) => time.slice(0, 7),
};

/**
 * The names that one rule keeps, of backups of which the newest comes first. The oldest stays as long as the rule has
 * not counted enough.
 */
function namesKeptBy(rule: keyof RetentionCounts, count: number, newest: readonly Dated[]): string[] {
  const names: string[] = [];
  let last: string | number | undefined;
  newest.forEach(({ name, created_at }, at) => {
    const period = periods[rule](created_at, at);
    if (names.length === count || (period === last && at < newest.length - 1)) return;
    last = period;
    names.push(name);
  });
  return names;
}

/**
 * The names of the backups that stay. The newest always does, and without any rule all do. Those of the future were
 * dated by a wrong clock: they stay until their time has come, and take no place of another one.
 */
export function retainedNames(backups: readonly Dated[], keep: RetentionCounts, now: number): ReadonlySet<string> {
  const isLater = ({ created_at }: Dated): boolean => Date.parse(created_at) > now;
  // The keys of the table.
  const rules = (Object.keys(periods) as (keyof RetentionCounts)[]).filter((rule) => (keep[rule] ?? 0) > 0);
  if (rules.length === 0) return new Set(backups.map(({ name }) => name));
  const newest = backups
    .filter((backup) => !isLater(backup))
    .sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
  // Only rules that keep some are chosen.
  const retained = rules.flatMap((rule) => namesKeptBy(rule, keep[rule] as number, newest));
  return new Set(
    [newest.slice(0, 1), backups.filter(isLater)]
      .flat()
      .map(({ name }) => name)
      .concat(retained),
  );
}

/**
 * Removes the backups of the schedule that are not kept, and the media that no backup lists. Returns the names of the
 * removed backups.
 */
export function rotateBackups(folder: string, keep: RetentionCounts, now: number): string[] {
  const names = completeNames(folder);
  const scheduled = names.map((name) => describeBackup(folder, name)).filter(({ kind }) => kind === "scheduled");
  const retained = retainedNames(scheduled, keep, now);
  const removed = scheduled.map(({ name }) => name).filter((name) => !retained.has(name));
  for (const name of removed) removeBackup(join(folder, name));
  removeUnlisted(
    folder,
    names.filter((name) => !removed.includes(name)),
  );
  return removed;
}

/** Removes the media that none of these backups lists. */
function removeUnlisted(folder: string, names: readonly string[]): void {
  const lists = names.map((name) => manifestAt(folder, name));
  if (lists.includes(undefined)) return; // what it needs is not known
  const listed = new Set(lists.flatMap((list) => list?.members.map(({ name }) => name) ?? []));
  for (const name of mediaFiles(join(folder, "media")))
    if (/\/[0-9a-f]{64}$/.test(name) && !listed.has(`media/${name}`) && existsSync(join(folder, "media", name)))
      rmSync(join(folder, "media", name), { force: true });
}
