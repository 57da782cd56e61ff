// The panel of what changed in the show since yesterday: its days, scenes, script and deliveries, and nothing of the server's keys.
import { listActivity } from "../../../operations/activity.ts";
import { html, type Markup } from "../html.ts";
import { emptyState, panel } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { activityItem } from "./activity.ts";

/** The verbs of the entries about the show itself. */
const aboutShow =
  /^(?:schedule|shoot_day|scenes?|episodes?|drafts?|script_changes?|deliver(?:y|ies)|turnover|submission|approvals?|versions?)\./;
const shown = 12;

/** Midnight of the day before, in the time zone of the server. */
function startOfYesterday(now: number): string {
  const moment = new Date(now);
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() - 1).toISOString();
}

export async function sinceYesterday(visit: Visit): Promise<Markup> {
  const since = startOfYesterday(visit.ctx.app.clock());
  const entries = (await visit.ask(listActivity, { since, limit: 200 })).filter(({ verb }) => aboutShow.test(verb));
  const items = entries.slice(0, shown).map(activityItem);
  const body = items.length === 0 ? emptyState("Nothing yet.") : html`<ul class="lines">${items}</ul>`;
  return html`<div class="since" data-quiet>${panel("Since yesterday", body)}
${entries.length > shown && html`<p class="under"><a href="/activity">and ${entries.length - shown} more</a></p>`}</div>`;
}
