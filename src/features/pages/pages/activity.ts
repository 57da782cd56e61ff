// /activity: what happened, newest first; and the panel of what changed in the show since yesterday.
import { listActivity } from "../../../graph/activity.ts";
import { dateText, localDate, timeOf } from "../dates.ts";
import { html, type Markup } from "../html.ts";
import { emptyState, heading, lines, panel } from "../html_parts.ts";
import { listPage } from "../list_windows.ts";
import type { View } from "../page.ts";
import type { OutputOf, Visit } from "../visit.ts";

type ActivityEntry = OutputOf<typeof listActivity>[number];

/** The address of what an entry is about; undefined if it has no page. That of an asset leads to the page of a scene. */
function addressOf({ node_id, delivery_id }: ActivityEntry): string | undefined {
  if (node_id !== null) return `/assets/${node_id}`;
  return delivery_id === undefined ? undefined : `/deliveries/${delivery_id}`;
}

const activityItem = (entry: ActivityEntry): Markup => {
  const { summary, actor, created_at } = entry;
  const address = addressOf(entry);
  return html`<li>${address === undefined ? summary : html`<a href="${address}">${summary}</a>`} <span class="under">${actor}, ${timeOf(created_at)}</span></li>`;
};

const pageSize = 100;

export async function showActivity(visit: Visit): Promise<View> {
  const { rows: entries, link } = await listPage(visit, listActivity, { limit: pageSize });
  const byDay = Map.groupBy(entries, ({ created_at }) => localDate(Date.parse(created_at)));
  const days = [...byDay].map(
    ([date, of]) =>
      html`<section class="panel"><h2>${dateText(date, "long")}</h2>${lines(of.map(activityItem))}</section>`,
  );
  const body = html`${heading("Activity")}
${entries.length === 0 ? emptyState("Nothing has happened yet.") : html`${days}`}
${link}`;
  return { title: "Activity", body };
}

/** The verbs of the entries about the show itself. */
const aboutShow =
  /^(?:schedule|shoot_day|scenes?|episodes?|drafts?|script_changes?|deliver(?:y|ies)|turnover|submission|approvals?|versions?)\./;
const shown = 12;

/** Midnight of the day before, in the time zone of the server. */
function startOfYesterday(now: number): string {
  const moment = new Date(now);
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() - 1).toISOString();
}

/** What changed in the days, scenes, script and deliveries, and nothing of the server's keys. */
export async function sinceYesterday(visit: Visit): Promise<Markup> {
  const since = startOfYesterday(visit.ctx.app.clock());
  const entries = (await visit.ask(listActivity, { since, limit: 200 })).filter(({ verb }) => aboutShow.test(verb));
  const items = entries.slice(0, shown).map(activityItem);
  const body = items.length === 0 ? emptyState("Nothing yet.") : lines(items);
  return html`<div class="since flow" data-quiet>${panel("Since yesterday", body)}
${entries.length > shown && html`<p class="under"><a href="/activity">and ${entries.length - shown} more</a></p>`}</div>`;
}
