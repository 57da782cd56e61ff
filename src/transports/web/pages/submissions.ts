// The panel of the work that was submitted on a delivery, and the forms that accept or return it.
import { listSubmissions } from "../../../operations/turnovers.ts";
import { timeOf } from "../dates.ts";
import { html, type Markup } from "../html.ts";
import { chip, emptyState, fieldProblem, fileList, lines, panel, plural, wordOf } from "../parts.ts";
import { refusalOf } from "../refusals.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { listPage } from "../windows.ts";

type Submission = OutputOf<typeof listSubmissions>[number];

/** The form that accepts or returns a submission; it may be decided again. */
function decisionForm(visit: Visit, { id, title, status }: Submission): Markup {
  const mine = refusalOf(visit, { submission_id: id });
  const isDecided = status === "accepted" || status === "returned";
  return html`<details${(mine || !isDecided) && html` open`}><summary>${isDecided ? "Decide again" : "Decide"}</summary>
<form method="post" class="stack">${visit.proof}<input type="hidden" name="submission_id" value="${id}">
${fieldProblem(`problem-${id}`, mine?.problem)}
<label for="decision-${id}">Note to the vendor</label>
<textarea id="decision-${id}" name="note" rows="2" maxlength="9000">${mine?.form.text("note")}</textarea>
<div class="row"><button name="decision" value="accepted" aria-label="Accept ${title}">Accept</button>
<button name="decision" value="returned" class="quiet" aria-label="Return ${title}">Return</button></div></form></details>`;
}

const submissionItem = (
  { title, note, decision_note, status, created_at, vendor, media }: Submission,
  withVendor: boolean,
  decision: Markup | undefined,
): Markup => html`<li>
<strong>${title}</strong> ${chip(status)} <span class="under">${withVendor && html`${vendor}, `}${created_at && timeOf(created_at)}</span>
${note !== undefined && html`<p class="note">${note}</p>`}
${decision_note !== undefined && html`<p class="note">${wordOf(status)}: ${decision_note}</p>`}
${fileList(media.map(({ id, label }) => ({ id, label })))}
${decision}</li>`;

/** How many submissions a page shows. */
const submissionsShown = 20;

/** The sentence after a submission, if the address names one that is there. */
export async function arrivedNotice(visit: Visit, delivery_id: number): Promise<Markup | undefined> {
  const asked = Number(visit.query.get("arrived") ?? 0);
  if (!(asked > 0)) return undefined;
  const submissions = await visit.ask(listSubmissions, { delivery_id, limit: submissionsShown });
  const found = submissions.find(({ id }) => id === asked);
  if (found === undefined) return undefined;
  const { title, media, created_at } = found;
  return html`<p class="panel arrived" role="status">Your work arrived: <strong>${title}</strong>, ${plural(media.length, "file")}${created_at && html`, ${timeOf(created_at)}`}. The production sees it now.</p>`;
}

/** The panel of the work that was submitted on a delivery: one page of it, and a link to the older ones. */
export async function submissionsPanel(visit: Visit, delivery_id: number, empty: string): Promise<Markup> {
  const given = { delivery_id, limit: submissionsShown };
  const { rows: submissions, link, isWhole } = await listPage(visit, listSubmissions, given, "Older");
  const mayDecide = visit.mayWrite && !visit.isVendor;
  const items = submissions.map((submission) =>
    submissionItem(submission, !visit.isVendor, mayDecide ? decisionForm(visit, submission) : undefined),
  );
  const body = html`${submissions.length === 0 ? emptyState(empty) : lines(items)}
${link}`;
  return panel("Submitted work", body, isWhole ? submissions.length : undefined);
}
