// Looks at paths for tests of the journal: what a reconciler would report of one.
import type { Journal } from "../../src/agent/journal/journal.ts";
import { type Facts, type Report, reportOf } from "../../src/agent/report.ts";

/** The report of a path with these facts, or of one that is gone, against what the journal knows or `known`. */
export const reportSeen = (
  journal: Journal,
  path: string,
  facts: Facts | undefined,
  known = journal.get(path),
): Report | undefined => {
  const moment = { source: "reconciler", detected_at: "2026-11-20T10:00:00.000Z", pictured: false } as const;
  return reportOf({ path, facts, ...moment }, known, journal.floor);
};
