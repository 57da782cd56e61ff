// Removes issues that are older than the setting allows for change sets, in small steps.
import type { App } from "../../core/context.ts";
import { change } from "../../core/store/statements.ts";
import { day, later } from "../../core/times.ts";
import { removeInSteps, retentionOf } from "../events/retention.ts";

/** How many issues one transaction removes. */
const limit = 100;

const trim = change("trim_day_issues");

export async function runTimer(app: App): Promise<void> {
  const days = retentionOf(app).days?.change_sets;
  if (days === undefined) return;
  await removeInSteps(app, (now) => trim(app.store, { before: later(now, -days * day), limit }).changes === limit);
}
