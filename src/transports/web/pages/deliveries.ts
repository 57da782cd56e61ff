// /deliveries and /deliveries/{id}: the deliveries by status and recipient, with the work that vendors submitted.
import type * as v from "valibot";
import type { deliveryStatuses } from "../../../inputs.ts";
import { getDelivery, listDeliveries } from "../../../operations/deliveries.ts";
import type { SubmittedForm } from "../form.ts";
import { html, type Markup } from "../html.ts";
import type { Redirect, View, WebPage } from "../page.ts";
import {
  capitalized,
  chip,
  dotted,
  dueText,
  emptyState,
  fieldProblem,
  heading,
  isLate,
  localDate,
  panel,
  plural,
  sizeText,
  timeOf,
  wordOf,
} from "../parts.ts";
import { savedAddress, saveFields } from "../save.ts";
import type { Visit } from "../visit.ts";
import { approvalLink } from "./approvals.ts";
import { valueText } from "./settings/values.ts";
import { decideSubmitted, type RefusedDecision, submissionsPanel } from "./submissions.ts";

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

/** Whether somebody waits for a delivery: it is ready or blocked, or an approval of it is pending. Any other draft is not started. */
const isAwaited = ({ status, approval }: Pick<Delivery, "status"> & { approval?: Delivery["approval"] }): boolean =>
  status === "ready" || status === "blocked" || (status === "draft" && approval?.status === "pending");

/** When a delivery is due, in red if somebody waits for it in vain. What is sent is not late, and what is not started is not either. */
export function deliveryDue(
  delivery: Parameters<typeof isAwaited>[0] & { due?: string | undefined },
  today: string,
): Markup {
  const { due, status } = delivery;
  const isIdle = due !== undefined && isLate(due, today) && status === "draft" && !isAwaited(delivery);
  return html`${dueText(due, today, isAwaited(delivery))}${isIdle && ", not started"}`;
}

/** Between whom a delivery passes. */
export const routeOf = ({ from_department, to_department, external_to }: Delivery): string =>
  [from_department, external_to ?? to_department].filter((end) => end !== null && end !== undefined).join(" → ");

export const deliveryItem = (delivery: Delivery, today: string, action?: Markup): Markup => {
  const { id, title, status, approval, sent_at, due } = delivery;
  const isSent = status === "sent" || status === "accepted";
  const facts = [
    ...(routeOf(delivery) === "" ? [] : [html`${routeOf(delivery)}`]),
    ...(isSent && sent_at !== null ? [html`sent ${timeOf(sent_at)}`] : []),
    ...(!isSent && due !== undefined ? [deliveryDue(delivery, today)] : []),
    ...(approval !== null && approval.status !== "approved" ? [html`approval ${wordOf(approval.status)}`] : []),
  ];
  return html`<li><a href="/deliveries/${id}">${title}</a> ${chip(status)} <span class="under">${dotted(facts)}</span>${action}</li>`;
};

/** The items of a specification: objects of any fields. */
export const specList = (spec: readonly Readonly<Record<string, unknown>>[]): Markup =>
  html`<ul class="lines">${spec.map((item) => {
    const entries = Object.entries(item);
    return html`<li><dl class="inline">${entries.map(([name, value]) => html`<div><dt>${wordOf(name)}</dt><dd>${valueText(value)}</dd></div>`)}</dl></li>`;
  })}</ul>`;

/** What a delivery is marked as next. */
const nextStatus: { readonly [S in Delivery["status"]]?: "sent" | "accepted" } = {
  ...{ draft: "sent", ready: "sent", blocked: "sent", sent: "accepted" },
};

/** The buttons that mark a delivery. They belong to the one form `mark` of the page. */
const markButton = ({ id, title, status }: Delivery, next = nextStatus[status]): Markup =>
  html`${next !== undefined && html`<button form="mark" name="mark" value="${next}:${id}" class="quiet" aria-label="Mark as ${next}: ${title}">Mark as ${next}</button>`}`;

const markForm = (visit: Visit, problem: string | undefined): Markup =>
  html`<form method="post" id="mark">${visit.proof}${fieldProblem("problem", problem)}</form>`;

const byDue = (a: Delivery, b: Delivery): number => (a.due ?? "9999").localeCompare(b.due ?? "9999");

const columns = ["draft", "ready", "sent", "accepted"] as const satisfies readonly (typeof deliveryStatuses)[number][];

async function deliveriesView(visit: Visit, problem?: string): Promise<View> {
  const deliveries = (await visit.ask(listDeliveries, {})).toSorted(byDue);
  const today = localDate(visit.ctx.app.clock());
  const isPast = ({ due }: Delivery) => due !== undefined && isLate(due, today);
  const { late = [], others = [] } = Object.groupBy(deliveries, (one) =>
    isPast(one) && isAwaited(one) ? "late" : "others",
  );
  const idle = others.filter((one) => isPast(one) && one.status === "draft");
  const blocked = others.filter(({ status }) => status === "blocked");
  const items = (of: readonly Delivery[], withButtons = true) =>
    html`<ul class="lines">${of.map((each) => html`${deliveryItem(each, today, visit.mayEdit && withButtons ? markButton(each) : undefined)}`)}</ul>`;
  const groups = columns.map((status) => {
    const of = others.filter((one) => one.status === status);
    return panel(capitalized(status), of.length === 0 ? emptyState("None.") : items(of), of.length);
  });
  const body = html`${heading("Deliveries", html`<span>${plural(deliveries.length, "delivery", "deliveries")}</span>${late.length > 0 && html`<span class="late">${late.length} late</span>`}${idle.length > 0 && html`<span>${idle.length} past ${idle.length === 1 ? "its" : "their"} date, not started</span>`}${visit.mayEdit && html`<a href="/edit/deliveries">New delivery</a>`}`)}
${visit.mayEdit && markForm(visit, problem)}
${late.length > 0 && html`<div class="missing panel"><h2>Late <span class="count">${late.length}</span></h2>${items(late)}</div>`}
${blocked.length > 0 && html`<div class="missing panel"><h2>Blocked <span class="count">${blocked.length}</span></h2>${items(blocked)}</div>`}
${deliveries.length === 0 ? emptyState("There are no deliveries yet. Import them with `tallylight import`.") : html`<div class="kanban">${groups}</div>`}`;
  return { title: "Deliveries", body, ...(problem !== undefined && { status: 422 }) };
}

/** Marks the delivery that a button names. Returns why it was refused, or where the browser goes. */
async function mark(visit: Visit, form: SubmittedForm, address: string): Promise<Redirect | { problem: string }> {
  const [status = "", id] = form.text("mark").split(":");
  const saved = await saveFields(visit, "deliveries", Number(id), { status });
  return "problem" in saved ? saved : { location: savedAddress(address, saved.change_set) };
}

async function submitDeliveries(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const done = await mark(visit, form, "/deliveries");
  return "problem" in done ? deliveriesView(visit, done.problem) : done;
}

export const deliveriesPage: WebPage = {
  path: "/deliveries",
  reach: "production",
  section: "/deliveries",
  show: (visit) => deliveriesView(visit),
  submit: submitDeliveries,
};

async function deliveryView(visit: Visit, tried?: RefusedDecision): Promise<View> {
  const wanted = visit.id("delivery_id");
  const delivery = await visit.ask(getDelivery, { delivery_id: wanted });
  const { title, status, due, sent_at, spec, approval, kind, media } = delivery;
  const today = localDate(visit.ctx.app.clock());
  const facts = html`<span>${wordOf(status)}</span><span>${kind}</span><span>${routeOf(delivery)}</span>${due !== undefined && html`<span>${deliveryDue(delivery, today)}</span>`}${sent_at !== null && html`<span>sent ${timeOf(sent_at)}</span>`}${visit.mayEdit && html`<a href="/edit/deliveries/${wanted}">Edit</a>`}`;
  const isMark = tried?.form.text("mark") !== "";
  const body = html`${heading(title, facts)}
${visit.mayEdit && html`<div class="row">${markButton(delivery)}${status !== "sent" && status !== "accepted" && markButton(delivery, "accepted")}</div>${markForm(visit, isMark ? tried?.problem : undefined)}`}
<div class="columns"><div>
${await submissionsPanel(visit, wanted, "No vendor has submitted work yet.", tried)}
${panel("What it contains", spec.length === 0 ? emptyState("No specification was written.") : specList(spec))}
</div>
<div class="aside">${filesPanel(media)}${visit.mayEdit && html`<p class="under"><a href="/edit/deliveries/${wanted}#files-of">Add or remove files</a></p>`}${approval !== null && panel("Gating approval", html`<p>${approvalLink(visit, { ...approval, due: null })}</p>`)}</div></div>`;
  return { title, body, ...(tried !== undefined && { status: 422 }) };
}

async function submitDelivery(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const address = `/deliveries/${visit.id("delivery_id")}`;
  if (form.text("mark") !== "") {
    const done = await mark(visit, form, address);
    return "problem" in done ? deliveryView(visit, { form, problem: done.problem }) : done;
  }
  const problem = await decideSubmitted(visit, form);
  return problem === undefined ? { location: address } : deliveryView(visit, { form, problem });
}

export const deliveryPage: WebPage = {
  path: "/deliveries/:delivery_id",
  reach: "production",
  section: "/deliveries",
  show: (visit) => deliveryView(visit),
  submit: submitDelivery,
};
