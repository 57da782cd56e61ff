// /activity: what happened, newest first.
import type * as v from "valibot";
import { listActivity } from "../../../operations/activity.ts";
import { html, type Markup } from "../html.ts";
import type { Page, View } from "../page.ts";
import { dateText, emptyState, heading, localDate, timeOf } from "../parts.ts";
import type { Visit } from "../visit.ts";

export type ActivityEntry = v.InferOutput<(typeof listActivity)["output"]>[number];

/** The address of what an entry is about; undefined if it has no page. */
function addressOf({ node_id, delivery_id }: ActivityEntry): string | undefined {
  if (node_id !== null) return `/nodes/${node_id}`;
  return delivery_id === undefined ? undefined : `/deliveries/${delivery_id}`;
}

export const activityItem = (entry: ActivityEntry): Markup => {
  const { summary, actor, created_at } = entry;
  const address = addressOf(entry);
  return html`<li>${address === undefined ? summary : html`<a href="${address}">${summary}</a>`} <span class="under">${actor}, ${timeOf(created_at)}</span></li>`;
};

const pageSize = 100;

async function showActivity(visit: Visit): Promise<View> {
  const before = Number(visit.query.get("before") ?? Number.NaN);
  const entries = await visit.ask(listActivity, { limit: pageSize, ...(before > 0 && { before }) });
  const last = entries.at(-1);
  const byDay = Map.groupBy(entries, ({ created_at }) => localDate(Date.parse(created_at)));
  const days = [...byDay].map(
    ([date, of]) =>
      html`<section class="panel"><h2>${dateText(date, "long")}</h2><ul class="lines">${of.map(activityItem)}</ul></section>`,
  );
  const body = html`${heading("Activity")}
${entries.length === 0 ? emptyState("Nothing has happened yet.") : html`${days}`}
${last !== undefined && entries.length === pageSize && html`<p><a href="/activity?before=${last.id}">Earlier</a></p>`}`;
  return { title: "Activity", body };
}

export const activityPage: Page = { path: "/activity", reach: "production", section: "/activity", show: showActivity };
