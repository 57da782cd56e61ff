// /activity: what happened, newest first.
import { listActivity } from "../../../operations/activity.ts";
import { dateText, localDate, timeOf } from "../dates.ts";
import { html, type Markup } from "../html.ts";
import type { View } from "../page.ts";
import { emptyState, heading } from "../parts.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { listPage } from "../windows.ts";

export type ActivityEntry = OutputOf<typeof listActivity>[number];

/** The address of what an entry is about; undefined if it has no page. That of an asset leads to the page of a scene. */
function addressOf({ node_id, delivery_id }: ActivityEntry): string | undefined {
  if (node_id !== null) return `/assets/${node_id}`;
  return delivery_id === undefined ? undefined : `/deliveries/${delivery_id}`;
}

export const activityItem = (entry: ActivityEntry): Markup => {
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
      html`<section class="panel"><h2>${dateText(date, "long")}</h2><ul class="lines">${of.map(activityItem)}</ul></section>`,
  );
  const body = html`${heading("Activity")}
${entries.length === 0 ? emptyState("Nothing has happened yet.") : html`${days}`}
${link}`;
  return { title: "Activity", body };
}
