// Builds the reports of the reconciler for tests of the journal.
import type { Journal } from "../../src/agent/journal/journal.ts";
import { type Facts, type Report, reportOf } from "../../src/agent/report.ts";

/**
 * The report for a path with these facts (undefined: the file is gone), compared with the journal's entry or with
 * `known`.
 */
export const reconcilerReport = (
  journal: Journal,
  path: string,
  facts: Facts | undefined,
  known = journal.get(path),
): Report | undefined => {
  const moment = { source: "reconciler", detected_at: "2026-11-20T10:00:00.000Z", pictured: false } as const;
  return reportOf({ path, facts, ...moment }, known, journal.floor);
};
