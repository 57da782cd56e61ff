// /activity: what happened, newest first.
import type * as v from "valibot";
import { listActivity } from "../../../operations/activity.ts";
import { html, type Markup } from "../html.ts";
import type { Page, View } from "../page.ts";
import { dateText, emptyState, heading, localDate, timeOf } from "../parts.ts";
import type { Visit } from "../visit.ts";

export type ActivityEntry = v.InferOutput<(typeof listActivity)["output"]>[number];

export const activityItem = ({ summary, actor, node_id, created_at }: ActivityEntry): Markup =>
  html`<li>${node_id === null ? summary : html`<a href="/nodes/${node_id}">${summary}</a>`} <span class="under">${actor}, ${timeOf(created_at)}</span></li>`;

const pageSize = 100;

async function showActivity(visit: Visit): Promise<View> {
  const entries = await visit.ask(listActivity, { limit: pageSize });
  const byDay = Map.groupBy(entries, ({ created_at }) => localDate(Date.parse(created_at)));
  const days = [...byDay].map(
    ([date, of]) =>
      html`<section class="panel"><h2>${dateText(date, "long")}</h2><ul class="lines">${of.map(activityItem)}</ul></section>`,
  );
  const body = html`${heading("Activity")}
${entries.length === 0 ? emptyState("Nothing has happened yet.") : html`${days}`}`;
  return { title: "Activity", body };
}

export const activityPage: Page = { path: "/activity", reach: "production", section: "/activity", show: showActivity };
