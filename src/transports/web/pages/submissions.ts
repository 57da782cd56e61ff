// The panel of the work that was submitted on a delivery.
import type * as v from "valibot";
import { listSubmissions } from "../../../operations/turnovers.ts";
import { html, type Markup } from "../html.ts";
import { chip, emptyState, panel, timeOf, wordOf } from "../parts.ts";
import type { Visit } from "../visit.ts";

type Submission = v.InferOutput<(typeof listSubmissions)["output"]>[number];

const submissionItem = (
  { title, note, decision_note, status, created_at, vendor, media }: Submission,
  withVendor: boolean,
): Markup => html`<li>
<strong>${title}</strong> ${chip(status)} <span class="under">${withVendor && html`${vendor}, `}${created_at && timeOf(created_at)}</span>
${note !== undefined && html`<p class="note">${note}</p>`}
${decision_note !== undefined && html`<p class="note">${wordOf(status)}: ${decision_note}</p>`}
<ul class="files">${media.map(({ id, label }) => html`<li><a href="/files/${id}">${label}</a></li>`)}</ul>
</li>`;

/** How many submissions a page shows. */
const submissionsShown = 20;

/** The panel of the work that was submitted on a delivery: one page of it, and a link to the older ones. */
export async function submissionsPanel(visit: Visit, delivery_id: number, empty: string): Promise<Markup> {
  const after = visit.query.get("after") ?? undefined;
  const given = { delivery_id, limit: submissionsShown, ...(after !== undefined && { after }) };
  const { document: submissions, next } = await visit.askPage(listSubmissions, given);
  const items = submissions.map((submission) => submissionItem(submission, !visit.isVendor));
  const body = html`${submissions.length === 0 ? emptyState(empty) : html`<ul class="lines">${items}</ul>`}
${next !== undefined && html`<p><a href="?after=${next}">Older</a></p>`}`;
  return panel("Submitted work", body, next === undefined && after === undefined ? submissions.length : undefined);
}
