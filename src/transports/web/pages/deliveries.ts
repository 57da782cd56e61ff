// /deliveries and /deliveries/{id}: the deliveries by status and recipient, with the work that vendors submitted.
import type * as v from "valibot";
import { notFound } from "../../../errors.ts";
import type { deliveryStatuses } from "../../../inputs.ts";
import { listDeliveries } from "../../../operations/deliveries.ts";
import { html, type Markup } from "../html.ts";
import type { View, WebPage } from "../page.ts";
import {
  chip,
  dueText,
  emptyState,
  heading,
  isLate,
  localDate,
  panel,
  plural,
  sizeText,
  timeOf,
  wordOf,
} from "../parts.ts";
import type { Visit } from "../visit.ts";
import { windowOf } from "../windows.ts";
import { approvalLink } from "./approvals.ts";
import { valueText } from "./settings/values.ts";
import { submissionsPanel } from "./submissions.ts";

type ListedDelivery = v.InferOutput<(typeof listDeliveries)["output"]>[number];
export type Delivery = Omit<ListedDelivery, "media">;

/** The delivery's own files. */
export const filesPanel = (media: ListedDelivery["media"]): Markup =>
  html`${
    media.length > 0 &&
    panel(
      "Files",
      html`<ul class="files">${media.map(({ id, label, size }) => html`<li><a href="/files/${id}">${label}</a> <span class="under">${sizeText(size)}</span></li>`)}</ul>`,
      media.length,
    )
  }`;

/** Between whom a delivery passes. */
export const routeOf = ({ from_department, to_department, external_to }: Delivery): string =>
  [from_department, external_to ?? to_department].filter((end) => end !== null && end !== undefined).join(" → ");

export const deliveryItem = (delivery: Delivery, today: string): Markup => {
  const { id, title, status, due, approval, sent_at } = delivery;
  return html`<li><a href="/deliveries/${id}">${title}</a> ${chip(status)}
<span class="under">${routeOf(delivery)} ${status === "sent" || status === "accepted" ? sent_at !== null && html`sent ${timeOf(sent_at)}` : dueText(due, today)}${
    approval !== null && approval.status !== "approved" && html` · approval ${wordOf(approval.status)}`
  }</span></li>`;
};

/** The items of a specification: objects of any fields. */
export const specList = (spec: readonly Readonly<Record<string, unknown>>[]): Markup =>
  html`<ul class="lines">${spec.map((item) => {
    const entries = Object.entries(item);
    return html`<li><dl class="inline">${entries.map(([name, value]) => html`<div><dt>${wordOf(name)}</dt><dd>${valueText(value)}</dd></div>`)}</dl></li>`;
  })}</ul>`;

async function showDeliveries(visit: Visit): Promise<View> {
  const deliveries = await visit.ask(listDeliveries, {});
  const today = localDate(visit.ctx.app.clock());
  const order = [
    "blocked",
    "ready",
    "draft",
    "sent",
    "accepted",
  ] as const satisfies readonly (typeof deliveryStatuses)[number][];
  const sorted = order.flatMap((status) =>
    deliveries
      .filter((each) => each.status === status)
      .toSorted((a, b) => (a.due ?? "9999").localeCompare(b.due ?? "9999")),
  );
  const part = windowOf(visit, sorted);
  const groups = order.flatMap((status) => {
    const of = part.shown.filter((each) => each.status === status);
    return of.length === 0
      ? []
      : [panel(wordOf(status), html`<ul class="lines">${of.map((each) => deliveryItem(each, today))}</ul>`, of.length)];
  });
  const late = deliveries.filter(
    ({ status, due }) => due && isLate(due, today) && status !== "sent" && status !== "accepted",
  ).length;
  const body = html`${heading("Deliveries", html`<span>${plural(deliveries.length, "delivery", "deliveries")}</span>${late > 0 && html`<span class="late">${late} late</span>`}`)}
${deliveries.length === 0 ? emptyState("There are no deliveries yet. Import them with `tallylight import`.") : html`<div class="masonry">${groups}</div>${part.pager}`}`;
  return { title: "Deliveries", body };
}

export const deliveriesPage: WebPage = {
  path: "/deliveries",
  reach: "production",
  section: "/deliveries",
  show: showDeliveries,
};

async function showDelivery(visit: Visit): Promise<View> {
  const wanted = visit.id("delivery_id");
  const delivery = (await visit.ask(listDeliveries, {})).find(({ id }) => id === wanted);
  if (delivery === undefined) throw notFound();
  const { title, status, due, sent_at, spec, approval, kind, media } = delivery;
  const today = localDate(visit.ctx.app.clock());
  const facts = html`<span>${wordOf(status)}</span><span>${kind}</span><span>${routeOf(delivery)}</span>${due !== undefined && html`<span>${dueText(due, today)}</span>`}${sent_at !== null && html`<span>sent ${timeOf(sent_at)}</span>`}`;
  const body = html`${heading(title, facts)}
<div class="columns"><div>
${await submissionsPanel(visit, wanted, "No vendor has submitted work yet.")}
${panel("What it contains", spec.length === 0 ? emptyState("No specification was written.") : specList(spec))}
</div>
<div class="aside">${filesPanel(media)}${approval !== null && panel("Gating approval", html`<p>${approvalLink(visit, { ...approval, due: null })}</p>`)}</div></div>`;
  return { title, body };
}

export const deliveryPage: WebPage = {
  path: "/deliveries/:delivery_id",
  reach: "production",
  section: "/deliveries",
  show: showDelivery,
};
