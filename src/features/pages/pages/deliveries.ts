// /deliveries and /deliveries/{id}: the deliveries by status and recipient, with the work that vendors submitted.
import { notFound } from "../../../core/errors.ts";
import type { DeliveryId } from "../../../core/ids.ts";
import { getDelivery, listDeliveries } from "../../../graph/deliveries.ts";
import { maxNoteLength } from "../../../graph/note.ts";
import { listSubmissions } from "../../../graph/turnovers.ts";
import { decideSubmission } from "../../review/answers.ts";
import { byDue, dateText, dueText, isLate, lateText, timeOf } from "../dates.ts";
import { withPreviews } from "../film_previews.ts";
import { fieldInput } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import {
  chip,
  dotted,
  emptyState,
  fieldProblem,
  heading,
  lines,
  nextNotice,
  panel,
  plural,
  rows,
  stateWord,
  valueText,
  wordOf,
} from "../html_parts.ts";
import { listPage, windowOf } from "../list_windows.ts";
import { mediaParts } from "../media_view.ts";
import type { Redirect, SubmittedForm, View } from "../page.ts";
import { editLink, importLink, isFilled, placeFiller } from "../page_places.ts";
import { FormRefusal, refusalOf } from "../refusals.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { type WaitingWork, waitingWorkIn } from "../waiting_work.ts";
import { approvalLink } from "./approval_card.ts";
import type { SeenMedium } from "./versions.ts";

type ListedDelivery = OutputOf<typeof listDeliveries>[number];
export type Delivery = Omit<ListedDelivery, "media">;

/** The delivery's own files, with the link to the form that changes them. */
export async function filesPanel(visit: Visit, media: ListedDelivery["media"], form?: Markup | false): Promise<Markup> {
  if (media.length === 0 && !form) return html``;
  return panel("Files", html`${mediaParts(await withPreviews(visit, media))}${form}`, media.length);
}

type WaitingCounts = WaitingWork["counts"];

type Dated = Pick<Delivery, "id" | "status"> & { due?: string | undefined };

/** Whether the date of a delivery has passed before somebody sent it, or sent in work on it that waits. */
const isOverdue = (delivery: Dated, today: string, waiting: WaitingCounts): boolean =>
  delivery.due !== undefined &&
  isLate(delivery.due, today) &&
  delivery.status !== "sent" &&
  delivery.status !== "accepted" &&
  !waiting.has(delivery.id);

/** When a delivery is due, in red if it is late. */
export const deliveryDue = (delivery: Dated, today: string, waiting: WaitingCounts): Markup =>
  dueText(delivery.due, today, isOverdue(delivery, today, waiting));

/** Between whom a delivery passes. */
const routeOf = ({ from_department, to_department, external_to }: Delivery): string =>
  [from_department, external_to ?? to_department].filter((end) => end !== null && end !== undefined).join(" → ");

/** A delivery as a line. */
export const deliveryItem = (delivery: Delivery, today: string, waiting: WaitingCounts): Markup => {
  const { id, title, status, approval, sent_at, due } = delivery;
  const isSent = status === "sent" || status === "accepted";
  const facts = [
    ...(routeOf(delivery) === "" ? [] : [html`${routeOf(delivery)}`]),
    ...(isSent && sent_at !== null ? [html`sent ${timeOf(sent_at)}`] : []),
    ...(!isSent && due !== undefined ? [deliveryDue(delivery, today, waiting)] : []),
    ...(approval !== null && approval.status !== "approved" ? [html`approval ${stateWord(approval.status)}`] : []),
  ];
  return html`<li><a href="/deliveries/${id}">${title}</a> ${chip(status)} <span class="under">${dotted(facts)}</span></li>`;
};

/** The items of a specification: objects of any fields. A long one is shown in parts. */
export function specList(visit: Visit, spec: readonly Readonly<Record<string, unknown>>[]): Markup {
  const { shown, pager } = windowOf(visit, spec, { name: "item" });
  const part = ([name, value]: [string, unknown]) =>
    html`<div><dt>${wordOf(name)}</dt><dd>${valueText(value)}</dd></div>`;
  const items = shown.map((item) => html`<li><dl class="row">${Object.entries(item).map(part)}</dl></li>`);
  return html`${lines(items)}${pager}`;
}

/** What a delivery is marked as next. */
const nextStatus: { readonly [S in Delivery["status"]]?: "sent" | "accepted" } = {
  draft: "sent",
  ready: "sent",
  blocked: "sent",
  sent: "accepted",
};

/** Whether the visitor may mark deliveries. */
const mayMarkIn = (visit: Visit): boolean => visit.mayEdit && isFilled("mark_delivery");

/** The buttons that mark a delivery. They belong to the one form `mark` of the page. */
const markButton = ({ id, title, status }: Delivery, next = nextStatus[status]): Markup =>
  html`${next !== undefined && html`<button form="mark" name="mark" value="${next}:${id}" class="quiet" aria-label="Mark as ${next}: ${title}">Mark as ${next}</button>`}`;

const markForm = ({ proof, refused }: Visit): Markup =>
  html`<form method="post" id="mark">${proof}${fieldProblem("problem", refused?.form.text("mark") === "" ? undefined : refused?.problem)}</form>`;

/** How much of the work that waits a day shows. */
const waitingOnDay = 5;

const workAddress = ({ id, delivery_id }: { id: number; delivery_id: number }): string =>
  `/deliveries/${delivery_id}#submission-${id}`;

const workLine = ({ title, vendor, created_at, ...work }: WaitingWork["oldest"][number]): Markup =>
  html`<li><a href="${workAddress(work)}" dir="auto">${title}</a> <span class="under"><bdi>${vendor}</bdi>${created_at && html`, ${timeOf(created_at)}`}</span></li>`;

/** The work that nobody has looked at, as far as it is shown, and what follows it; nothing if there is none. */
const workPanel = (shown: WaitingWork["oldest"], total: number, end: Markup | false): Markup =>
  html`${total > 0 && panel("Came back, to look at", html`${lines(shown.map(workLine))}${end}`, total)}`;

/** The oldest work that nobody has looked at, and the way to the others. */
export const cameBackShort = ({ oldest, total }: WaitingWork): Markup =>
  workPanel(
    oldest.slice(0, waitingOnDay),
    total,
    total > waitingOnDay && html`<p><a href="/deliveries">All ${total}</a></p>`,
  );

/** The work that nobody has looked at, with the button that begins to look through it. */
function cameBack(visit: Visit, { oldest, total }: WaitingWork): Markup {
  const [first] = oldest;
  const rest = total > oldest.length && html`<p class="hint">These are the oldest ${oldest.length} of ${total}.</p>`;
  const look =
    first && visit.mayWrite && html`<p><a class="button" href="${workAddress(first)}">Look through ${total}</a></p>`;
  return workPanel(oldest, total, html`${rest}${look}`);
}

/** After a decision, the next work that came back. */
function nextWork(visit: Visit, { oldest, total }: WaitingWork): Markup | false {
  if (!visit.query.has("decided") || visit.refused !== undefined) return false;
  const [next] = oldest;
  return nextNotice(next && workAddress(next), next?.title, `${total} to look at`, "Nothing else is to look at.");
}

/** How far a delivery is: first what somebody must look at; nothing of a draft in time, nor of what is accepted. */
function stateOf(delivery: Delivery, isBehind: boolean, waiting: WaitingCounts): Markup | false {
  const unseen = waiting.get(delivery.id) ?? 0;
  if (unseen > 0) return html`<span class="chip warn">${unseen} to look at</span>`;
  if (delivery.status === "draft") return isBehind && html`<span class="chip none">not started</span>`;
  return delivery.status !== "accepted" && chip(delivery.status);
}

/** A delivery as a row: when it is due, what it is, how far it is, and what can be done. */
function deliveryRow(visit: Visit, delivery: Delivery, waiting: WaitingCounts): Markup {
  const { id, title, status, approval, sent_at, due } = delivery;
  const isBehind = isOverdue(delivery, visit.today, waiting);
  const why = approval !== null && approval.status !== "approved" && html`approval ${stateWord(approval.status)}`;
  const isHeld = status === "blocked" || why !== false;
  const action = mayMarkIn(visit) && (status === "sent" || !isHeld) && markButton(delivery);
  return html`<li><span class="due">${due === undefined ? "no date" : dateText(due)}${isBehind && html`<span class="tone bad">${lateText(due, visit.today)}</span>`}</span>
<span><a class="name" href="/deliveries/${id}" dir="auto">${title}</a> <span class="under" dir="auto">${routeOf(delivery)}</span></span>
<span>${stateOf(delivery, isBehind, waiting)} <span class="under">${sent_at !== null && html`sent ${timeOf(sent_at)}`}${sent_at !== null && why && " · "}${why}</span></span><span>${action}</span></li>`;
}

export async function showDeliveries(visit: Visit): Promise<View> {
  const deliveries = (await visit.ask(listDeliveries, {})).toSorted(byDue);
  const work = await waitingWorkIn(visit);
  const waiting = work.counts;
  const late = deliveries.filter((one) => isOverdue(one, visit.today, waiting)).length;
  const {
    sent = [],
    accepted = [],
    open = [],
  } = Object.groupBy(deliveries, ({ status }) => (status === "sent" || status === "accepted" ? status : "open"));
  const list = (of: readonly Delivery[]) =>
    rows(
      "dated",
      of.map((each) => deliveryRow(visit, each, waiting)),
    );
  const group = (title: string, of: readonly Delivery[], hint?: string) =>
    of.length > 0 &&
    html`<h2>${title} <span class="count">${of.length}</span></h2>${hint !== undefined && html`<p class="hint">${hint}</p>`}${list(of)}`;
  const accepts = mayMarkIn(visit) ? "Mark as accepted says that whom it went to has it and is content." : undefined;
  const body = html`${heading("Deliveries", html`<span>${plural(deliveries.length, "delivery", "deliveries")}</span>${late > 0 && html`<span class="tone bad">${late} late</span>`}${editLink(visit, "/edit/deliveries", "New delivery")}`)}
${mayMarkIn(visit) && markForm(visit)}
${cameBack(visit, work)}
${group("To send", open)}${group("Sent", sent, accepts)}
${accepted.length > 0 && html`<details class="earlier headed"><summary>Accepted <span class="count">${accepted.length}</span></summary>${list(accepted)}</details>`}
${deliveries.length === 0 && emptyState("There are no deliveries yet.", importLink(visit, "deliveries", "Import a list of deliveries"))}`;
  return { title: "Deliveries", body };
}

/** Marks the delivery that a button names. */
export async function mark(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const [status = "", id] = form.text("mark").split(":");
  const markDelivery = await placeFiller("mark_delivery");
  if (markDelivery === undefined) throw notFound();
  return markDelivery(visit, Number(id), status);
}

/** The scenes and the assets that a delivery is about. */
function aboutPanels(visit: Visit, nodes: NonNullable<OutputOf<typeof getDelivery>["nodes"]>): Markup {
  const { scenes = [], assets = [] } = Object.groupBy(nodes, ({ kind }) => (kind === "scene" ? "scenes" : "assets"));
  const about = (title: string, path: string, of: typeof nodes) => {
    const { shown, pager } = windowOf(visit, of, { name: path });
    const items = shown.map(
      ({ node_id, label }) => html`<li><a href="/${path}/${node_id}" dir="auto">${label}</a></li>`,
    );
    return of.length > 0 && panel(title, html`${lines(items)}${pager}`, of.length);
  };
  return html`${about("Scenes", "scenes", scenes)}${about("Assets", "assets", assets)}`;
}

export async function showDelivery(visit: Visit): Promise<View> {
  const wanted = visit.id("delivery_id");
  const delivery = await visit.ask(getDelivery, { delivery_id: wanted, include: "nodes" });
  const { title, status, due, sent_at, spec, approval, kind, media, nodes = [] } = delivery;
  const work = await waitingWorkIn(visit);
  const facts = html`<span>${stateWord(status)}</span><span>${kind}</span><span>${routeOf(delivery)}</span>${due !== undefined && html`<span>${deliveryDue(delivery, visit.today, work.counts)}</span>`}${sent_at !== null && html`<span>sent ${timeOf(sent_at)}</span>`}${editLink(visit, `/edit/deliveries/${wanted}`, "Edit")}`;
  const files = editLink(visit, `/edit/deliveries/${wanted}#files-of`, "Add or remove files");
  const body = html`${heading(title, facts)}
${nextWork(visit, work)}
${mayMarkIn(visit) && html`<div class="row">${markButton(delivery)}${status !== "sent" && status !== "accepted" && markButton(delivery, "accepted")}</div>${markForm(visit)}`}
<div class="columns"><div class="flow">
${await submissionsPanel(visit, wanted, "No vendor has submitted work yet.")}
${panel("What it contains", spec.length === 0 ? emptyState("No specification was written.") : specList(visit, spec))}
</div>
<div class="flow">${aboutPanels(visit, nodes)}${await filesPanel(visit, media, files && html`<p class="under">${files}</p>`)}${approval !== null && panel("Gating approval", html`<p>${approvalLink(visit, { ...approval, due: null })}</p>`)}</div></div>`;
  return { title, body };
}

export async function submitDelivery(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  if (form.text("mark") !== "") return mark(visit, form);
  if (form.text("decision") === "returned" && form.text("note") === "")
    throw new FormRefusal(422, "Write in the note why it is returned: the vendor reads it.", ["note"]);
  await visit.send(decideSubmission, form, { id: Number(form.text("submission_id")) });
  return { location: `${visit.ctx.path}?decided=1` };
}

type Submission = OutputOf<typeof listSubmissions>[number];

/** The form that accepts or returns a submission; it may be decided again. */
function decisionForm(visit: Visit, { id, title, status }: Submission): Markup {
  const refused = refusalOf(visit, { submission_id: id });
  const isDecided = status === "accepted" || status === "returned";
  return html`<details${(refused || !isDecided) && html` open`}><summary>${isDecided ? "Decide again" : "Decide"}</summary>
<form method="post" action="#submission-${id}" class="stack">${visit.proof}<input type="hidden" name="submission_id" value="${id}">
${fieldProblem(`problem-${id}`, refused?.problem)}
${fieldInput({ name: "note", label: "Note to the vendor", hint: "needed to return it", rows: 2, maxlength: maxNoteLength }, `decision-${id}`, refused?.form.text("note") ?? "", refused?.fields.includes("note") ? `problem-${id}` : false)}
<div class="row"><button name="decision" value="accepted" aria-label="Accept ${title}">Accept</button>
<button name="decision" value="returned" class="quiet" aria-label="Return ${title}">Return</button></div>
<p class="hint">Accept tells the vendor that the work is taken; Return sends it back with your note.</p></form></details>`;
}

const submissionItem = (
  { id, title, note, decision_note, status, created_at, vendor }: Submission,
  seen: readonly SeenMedium[],
  withVendor: boolean,
  decision: Markup | undefined,
): Markup => html`<li class="flow" id="submission-${id}">
<strong>${title}</strong> ${chip(status)} <span class="under">${withVendor && html`${vendor}, `}${created_at && timeOf(created_at)}</span>
${note !== undefined && html`<p class="note">${note}</p>`}
${decision_note !== undefined && html`<p class="note">${wordOf(status)}: ${decision_note}</p>`}
${mediaParts(seen)}
${decision}</li>`;

/** How many submissions a page shows. */
export const submissionsShown = 20;

/** The sentence after a submission, if the address names one that is there. */
export async function arrivedNotice(visit: Visit, delivery_id: DeliveryId): Promise<Markup | undefined> {
  const asked = Number(visit.query.get("arrived") ?? 0);
  if (!(asked > 0)) return undefined;
  const submissions = await visit.ask(listSubmissions, { delivery_id, limit: submissionsShown });
  const found = submissions.find(({ id }) => id === asked);
  if (found === undefined) return undefined;
  const { title, media, created_at } = found;
  const what = html`<strong>${title}</strong>, ${plural(media.length, "file")}${created_at && html`, ${timeOf(created_at)}`}`;
  if (visit.query.has("again"))
    return html`<p class="panel notice warn" role="status">It is there already: ${what}. Nothing was sent twice; with another title or note it is new work.</p>`;
  return html`<p class="panel notice good" role="status">Your work arrived: ${what}. The production sees it now.</p>`;
}

/** The panel of the work that was submitted on a delivery: one page of it, and a link to the older ones. */
export async function submissionsPanel(visit: Visit, delivery_id: DeliveryId, empty: string): Promise<Markup> {
  const given = { delivery_id, limit: submissionsShown };
  const { rows: submissions, link, isWhole } = await listPage(visit, listSubmissions, given, "Older");
  const mayDecide = visit.mayWrite && !visit.isVendor;
  const seen = await Promise.all(submissions.map(({ media }) => withPreviews(visit, media)));
  const items = submissions.map((submission, at) => {
    const decision = mayDecide ? decisionForm(visit, submission) : undefined;
    return submissionItem(submission, seen[at] ?? [], !visit.isVendor, decision);
  });
  const body = html`${submissions.length === 0 ? emptyState(empty) : lines(items)}
${link}`;
  return panel("Submitted work", body, isWhole ? submissions.length : undefined);
}
