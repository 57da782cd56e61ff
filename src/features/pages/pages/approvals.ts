// /approvals: the approvals as cards with what each is about, first those that wait for the visitor; and /approvals/{approval_id}, one of
// them with its pictures in large, the version before it and the notes.

import { type Approval, getApproval, listApprovals } from "../../../graph/approvals.ts";
import { approvalStatuses } from "../../../graph/values.ts";
import { byDue } from "../dates.ts";
import { formFrom } from "../form.ts";
import { fieldInput, hiddenFields } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { chip, emptyState, fieldProblem, heading, plural, wordOf } from "../html_parts.ts";
import { windowOf } from "../list_windows.ts";
import { mediaGrid } from "../media_view.ts";
import type { Redirect, SubmittedForm, View } from "../page.ts";
import { editLink, type PagePlaces, placeFiller } from "../page_places.ts";
import { attempted, FormRefusal } from "../refusals.ts";
import type { Visit } from "../visit.ts";
import {
  currentStep,
  decide,
  decisionPart,
  mayTakeBack,
  roundsPart,
  type Subject,
  subjectOf,
  subjectPart,
  waitsForMe,
} from "./approval_card.ts";
import { notesPanel, reviewedOf, versionPictures } from "./review.ts";

interface Shown {
  subjects: ReadonlyMap<number, Subject | undefined>;
  reopenForm: PagePlaces["reopen_form"] | undefined;
}

function approvalItem(visit: Visit, approval: Approval, { subjects, reopenForm }: Shown): Markup {
  const { id, title, status } = approval;
  const subject = subjects.get(id);
  const choice = [id, currentStep(approval)?.position, subject?.version?.id ?? ""].join(":");
  return html`<li class="panel" id="approval-${id}">
${visit.mayWrite && waitsForMe(visit, approval) && html`<label class="check"><input type="checkbox" form="chosen" name="chosen" value="${choice}">choose<span class="unseen"> ${title}</span></label>`}
${subject && subjectPart(subject)}
<h2><a href="/approvals/${id}">${title}</a> ${chip(status)}</h2>
${decisionPart(visit, approval, subject, reopenForm)}
</li>`;
}

/** The form that decides every chosen approval of the person of the key. */
const chosenForm = (visit: Visit): Markup => {
  const refused = visit.refused?.form.text("all") ? visit.refused : undefined;
  return html`<form method="post" id="chosen" class="panel filters bulk">${visit.proof}${fieldProblem("problem-chosen", refused?.problem)}
<div class="stack">${fieldInput({ name: "note", label: "Note for the chosen", maxlength: 10_000 }, "note-chosen", refused?.form.text("note") ?? "", false)}</div>
<button name="all" value="approved">Approve the chosen</button><button name="all" value="changes" class="quiet">Ask for changes of the chosen</button></form>`;
};

/** Takes back what was decided together. */
const takeBackAll = (visit: Visit, approvals: readonly Approval[]): Markup =>
  html`<form method="post" class="row">${visit.proof}${approvals.map(({ id }) => hiddenFields({ chosen: `${id}::` }))}<button name="all" value="take_back" class="quiet">Take all of them back</button></form>`;

/** Decides every chosen approval, or takes its decision back. What is refused is named, and the others stay decided. */
async function decideChosen(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const [decision, note, bound] = [form.text("all"), form.text("note"), visit.context.caller.person_id];
  const chosen = form.texts("chosen").map((text) => text.split(":"));
  if (chosen.length === 0) throw new FormRefusal(422, "Choose at least one approval.");
  const done: string[] = [];
  const refused = new Set<string>();
  for (const [approval_id = "", position = "", version_id = ""] of chosen) {
    const fields = { approval_id, position, version_id, decision, note, decided_by: String(bound ?? "") };
    const result = await attempted(decide(visit, formFrom(Object.entries(fields))));
    if ("problem" in result) refused.add(result.problem);
    else done.push(approval_id);
  }
  if (refused.size > 0)
    throw new FormRefusal(
      409,
      `${plural(done.length, "approval")} of ${chosen.length}: done. ${[...refused].join(" ")}`,
    );
  return { location: `/approvals?decided=${done.join(".")}` };
}

const filters = ["pending", ...approvalStatuses.filter((status) => status !== "pending"), "all"] as const;

export async function showApprovals(visit: Visit): Promise<View> {
  const chosen = filters.find((known) => known === visit.query.get("status")) ?? "pending";
  const all = await visit.ask(listApprovals, {});
  // No button of the pages rejects, so only a production that has such approvals is asked about them.
  const offered = filters.filter((status) => status !== "rejected" || all.some((one) => one.status === status));
  const approvals = chosen === "all" ? all : all.filter(({ status }) => status === chosen);
  const asked = visit.refused?.form.text("approval_id") ?? visit.query.get("decided") ?? visit.query.get("show");
  const ids = asked?.split(".") ?? [];
  const just = all.filter(({ id }) => ids.includes(String(id)));
  const sorted = approvals.filter((approval) => !just.includes(approval)).toSorted(byDue);
  const first = sorted.toSorted((a, b) => Number(waitsForMe(visit, b)) - Number(waitsForMe(visit, a)));
  const part = windowOf(visit, first, { weightOf: () => 2.5 });
  const shown: Shown = { subjects: new Map(), reopenForm: await placeFiller("reopen_form") };
  const subjects = [...part.shown, ...just].map(
    async (approval) => [approval.id, await subjectOf(visit, approval)] as const,
  );
  shown.subjects = new Map(await Promise.all(subjects));
  const { own = [], others = [] } = Object.groupBy(part.shown, (one) => (waitsForMe(visit, one) ? "own" : "others"));
  const cards = (of: readonly Approval[]) =>
    html`<ul class="grid">${visit.rows(of.map((approval) => approvalItem(visit, approval, shown)))}</ul>`;
  const body = html`${heading("Approvals", html`<span>${plural(approvals.length, "approval")}</span>${editLink(visit, "/edit/approvals", "New approval")}`)}
<ul class="row pills">${offered.map((status) => html`<li><a href="/approvals?status=${status}"${status === chosen && html` aria-current="true"`}>${wordOf(status)}</a></li>`)}</ul>
${just.length > 0 && html`<section role="status"><h2>${visit.refused === undefined && visit.query.has("decided") ? "Just now" : "The one you asked for"}</h2>${just.length > 1 && just.every((one) => mayTakeBack(visit, one)) && takeBackAll(visit, just)}${cards(just)}</section>`}
${own.length > 0 && html`<h2>Waits for me <span class="count">${own.length}</span></h2>${cards(own)}`}${(own.length > 1 || visit.refused?.form.text("all")) && visit.mayWrite && chosenForm(visit)}
${own.length > 0 && others.length > 0 && html`<h2>The others <span class="count">${others.length}</span></h2>`}
${others.length > 0 && cards(others)}${part.pager}
${sorted.length === 0 && emptyState(chosen === "pending" ? "Nothing waits for a decision." : "There are no such approvals.")}`;
  return { title: "Approvals", body };
}

export async function submitDecision(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  if (form.text("all") !== "") return decideChosen(visit, form);
  await decide(visit, form);
  const id = Number(form.text("approval_id"));
  return { location: `/approvals?decided=${id}#approval-${id}` };
}

/** The version that is signed beside the one before it, and the notes; the media of what is no asset. */
async function lookPart(visit: Visit, { id, node_id }: Approval, subject: Subject): Promise<Markup> {
  const { version, media } = subject;
  if (node_id === null || version === undefined) return mediaGrid(media);
  const reviewed = await reviewedOf(visit, node_id);
  const { versions } = reviewed;
  const at = versions.findIndex((one) => one.id === version.id);
  const compared = versions.slice(Math.max(0, at - 1), at + 1);
  return html`${await versionPictures(visit, reviewed, compared)}
${versions.length > 1 && html`<p><a href="/assets/${node_id}/compare">Compare other versions</a></p>`}
${notesPanel(visit, reviewed, { approval: id })}`;
}

export async function showApproval(visit: Visit): Promise<View> {
  const approval = await visit.ask(getApproval, { approval_id: visit.id("approval_id") });
  const { title, status } = approval;
  const subject = await subjectOf(visit, approval);
  const body = html`${heading(title, html`${chip(status)}<a href="/approvals">All approvals</a>`)}
<div class="columns"><div class="flow">${subject && (await lookPart(visit, approval, subject))}</div>
<div class="flow"><section class="panel" id="approval-${approval.id}">${subject && subjectPart(subject, false)}
${decisionPart(visit, approval, subject, await placeFiller("reopen_form"))}
${roundsPart(approval)}</section></div></div>`;
  return { title, body };
}

export async function submitApproval(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  await decide(visit, form);
  return { location: visit.ctx.path };
}
