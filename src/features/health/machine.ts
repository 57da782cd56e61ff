// The machine of a server: its disks and its clock.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { App } from "../../core/context.ts";
import type { Condition } from "../../core/feature.ts";
import { settledClockOf } from "../clock/settled_clock.ts";

/** The share of the disk that should stay free. */
const minFree = 0.05;
function diskProblem(folder: string): string | undefined {
  const { bavail, blocks } = statfsSync(folder);
  const free = bavail / blocks;
  return free < minFree ? `only ${(100 * free).toFixed(1)} % of the disk of ${folder} are free` : undefined;
}

export const openConditions = (app: App) => (): Condition[] => [
  {
    name: "media",
    problem: app.copy === undefined ? app.blobs.absence() : undefined,
    summary: "the media folder is missing or empty",
  },
  { name: "disk", problem: diskProblem(dirname(app.store.file)), summary: "less than 5 % of the disk are free" },
  { name: "clock", problem: settledClockOf(app).state().problem, summary: "the clock of the server is wrong" },
];
