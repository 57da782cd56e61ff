// /approvals: the pending approvals, whom each waits for and since when, and a form to decide them by name.
import { unprocessable } from "../../../errors.ts";
import { approvalStatuses } from "../../../inputs.ts";
import { type Approval, decideApproval, listApprovals } from "../../../operations/approvals.ts";
import { attempt } from "../attempt.ts";
import type { SubmittedForm } from "../form.ts";
import { html, type Markup } from "../html.ts";
import type { Redirect, View, WebPage } from "../page.ts";
import { chip, dueText, emptyState, fieldProblem, heading, localDate, plural, timeOf, wordOf } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { windowOf } from "../windows.ts";

/** An approval as a line that leads to it; only text for a vendor, who has no page of approvals. */
export const approvalLink = (
  visit: Visit,
  { id, title, status, due }: Pick<Approval, "id" | "title" | "status" | "due">,
): Markup =>
  html`${visit.isVendor ? title : html`<a href="/approvals?status=all#approval-${id}">${title}</a>`} ${chip(status)} ${
    status === "pending" && dueText(due, localDate(visit.ctx.app.clock()))
  }`;

interface Attempt {
  approval_id: number;
  form: SubmittedForm;
  problem: string;
}

const currentStep = ({ status, steps }: Approval) =>
  status === "pending" ? steps.find((step) => step.status === "pending") : undefined;

/** When the current step began to wait: when the step before it was decided; undefined if it is the first. */
const waitingSince = ({ steps }: Approval, position: number): string | null | undefined =>
  steps.find((step) => step.position === position - 1)?.decided_at;

const stepItem = (step: Approval["steps"][number], current: boolean): Markup => {
  const { person, status, decided_at, note, decided_by } = step;
  const who = status !== "pending" && decided_by !== null && decided_by !== person ? ` (by ${decided_by})` : "";
  return html`<li class="step ${status}"${current && html` aria-current="step"`}>
<span class="person">${person}${who}</span> ${chip(current ? "waiting" : status)}
${decided_at !== null && html`<span class="under">${timeOf(decided_at)}${decided_by === null && ", through a key"}</span>`}
${note !== null && html`<p class="note">${note}</p>`}
</li>`;
};

/** The field for the name of the person who decides. It is not filled in, so that nobody decides in another's name by accident. */
const nameField = (id: number, person: string, given: string, problem: string | undefined): Markup => html`
<label for="by-${id}">Your name, as it is in the crew list</label>
<input id="by-${id}" name="decided_by" required maxlength="300" placeholder="${person}" autocomplete="name" value="${given}"${
  problem !== undefined && html` aria-invalid="true" aria-describedby="problem-${id}"`
}>`;

/** The form that decides the current step. A key that is bound to a person decides as that person, so it is not asked who decides. */
function decideForm(visit: Visit, { id }: Approval, person: string, tried: Attempt | undefined): Markup {
  const bound = visit.context.caller.person_id;
  const problem = tried?.approval_id === id ? tried.problem : undefined;
  const given = (name: string) => (tried?.approval_id === id ? tried.form.text(name) : "");
  return html`<details class="decide"${problem !== undefined && html` open`}><summary>Decide</summary>
<form method="post" action="/approvals" class="stack">${visit.proof}
<input type="hidden" name="approval_id" value="${id}">
${
  bound === null
    ? nameField(id, person, given("decided_by"), problem)
    : html`<input type="hidden" name="decided_by" value="${bound}">`
}
${fieldProblem(`problem-${id}`, problem)}
<label for="note-${id}">Note, if you like</label>
<textarea id="note-${id}" name="note" rows="2" maxlength="10000">${given("note")}</textarea>
<div class="row"><button name="decision" value="approved">Approve</button>
<button name="decision" value="changes" class="quiet">Ask for changes</button></div>
</form></details>`;
}

/** Whether the visitor may decide a step: a key that is bound to a person decides only that person's. */
const mayDecide = ({ mayWrite, context: { caller } }: Visit, { person_id }: Approval["steps"][number]): boolean =>
  mayWrite && (caller.person_id === null || caller.person_id === person_id);

function approvalItem(visit: Visit, approval: Approval, today: string, tried: Attempt | undefined): Markup {
  const { id, title, status, mode, due, node_id, delivery_id, steps } = approval;
  const step = currentStep(approval);
  const since = step && waitingSince(approval, step.position);
  return html`<li class="panel approval" id="approval-${id}">
<h2>${title} ${chip(status)}</h2>
<p class="under">${mode === "chain" ? plural(steps.length, "step") : "one decision"}${node_id !== null && html` · <a href="/nodes/${node_id}">what it is about</a>`}${
    delivery_id !== null && html` · <a href="/deliveries/${delivery_id}">the delivery</a>`
  } ${status === "pending" && dueText(due, today)}</p>
${step && html`<p class="waiting">Waits for <strong>${step.person}</strong>${since && html` since ${timeOf(since)}`}</p>`}
<ol class="steps">${steps.map((each) => stepItem(each, each === step))}</ol>
${step && mayDecide(visit, step) && decideForm(visit, approval, step.person, tried)}
</li>`;
}

const filters = ["pending", ...approvalStatuses.filter((status) => status !== "pending"), "all"] as const;

async function approvalsView(visit: Visit, tried?: Attempt): Promise<View> {
  const chosen = filters.find((known) => known === visit.query.get("status")) ?? "pending";
  const approvals = await visit.ask(listApprovals, chosen === "all" ? {} : { status: chosen });
  const today = localDate(visit.ctx.app.clock());
  const sorted = approvals.toSorted((a, b) => (a.due ?? "9999").localeCompare(b.due ?? "9999"));
  const part = windowOf(visit, sorted);
  const body = html`${heading("Approvals", html`<span>${plural(approvals.length, "approval")}</span>`)}
<ul class="tabs">${filters.map((status) => html`<li><a href="/approvals?status=${status}"${status === chosen && html` aria-current="true"`}>${wordOf(status)}</a></li>`)}</ul>
${
  approvals.length === 0
    ? emptyState(chosen === "pending" ? "Nothing waits for a decision." : "There are no such approvals.")
    : html`<ul class="cards">${visit.rows(part.shown.map((approval) => approvalItem(visit, approval, today, tried)))}</ul>${part.pager}`
}`;
  return { title: "Approvals", body, ...(tried !== undefined && { status: 422 }) };
}

async function submitDecision(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const approval_id = Number(form.text("approval_id"));
  const decision = form.text("decision") === "approved" ? "approved" : "changes";
  const [decided_by, note] = [form.optional("decided_by"), form.optional("note")];
  const problem = await attempt(
    decided_by === undefined
      ? Promise.reject(unprocessable("a decision on this page names the person who decides"))
      : visit.ask(decideApproval, { approval_id, decision, decided_by, ...(note !== undefined && { note }) }),
  );
  if (problem !== undefined) return approvalsView(visit, { approval_id, form, problem });
  return { location: `/approvals?status=all#approval-${approval_id}` };
}

export const approvalsPage: WebPage = {
  path: "/approvals",
  reach: "production",
  section: "/approvals",
  show: (visit) => approvalsView(visit),
  submit: submitDecision,
};
