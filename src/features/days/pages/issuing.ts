// The issue of a call sheet on its page: what was issued last, and the buttons that issue and print it.
import { getDayIssue, issueDay, listDayIssues } from "../../day_issues/issues.ts";
import { timeText } from "../../pages/dates.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import type { SheetChanges } from "./sheet_changes.ts";

export type Issue = OutputOf<typeof getDayIssue>;

/** The last issue of a day; undefined if there is none. */
export async function lastIssue(visit: Visit, shoot_day_id: number): Promise<Issue | undefined> {
  const [last] = await visit.ask(listDayIssues, { shoot_day_id, limit: 1 });
  return last && visit.ask(getDayIssue, { shoot_day_id, number: last.number });
}

export const issueText = ({ number, issued_at }: Issue): string => `issue ${number}, ${timeText(issued_at)}`;

const print = (isFirst: boolean): Markup =>
  html`<button type="button"${!isFirst && html` class="quiet"`} data-print>Print, or save as PDF</button>`;

/** What can be done with the sheet. What is not issued as it stands is issued first; then it is printed. */
export function sheetActions(
  visit: Visit,
  issue: Issue | undefined,
  changes: SheetChanges,
  isChanged: boolean,
): Markup {
  const { gone } = changes;
  const isIssued = issue !== undefined && !isChanged;
  const by = issue?.issued_by === undefined || issue.issued_by === null ? "" : ` by ${issue.issued_by}`;
  const state =
    issue === undefined
      ? "Not issued yet."
      : `Issued as ${issueText(issue)}${by}${isChanged ? "; what changed since is marked." : "; nothing has changed since."}`;
  const kind = isIssued ? ({ kind: "quiet" } as const) : {};
  return html`<div class="row screen"><span class="under">${state}</span>${visit.mayEdit && html`<a href="/edit/schedule/${visit.params.shoot_day_id}">Change</a>`}${
    visit.mayWrite && !isIssued && postForm(visit, { buttons: [{ text: "Issue", name: "issue", value: "1", ...kind }] })
  }${print(isIssued || !visit.mayWrite)}</div>
${gone.length > 0 && html`<p>No longer on this sheet <mark>changed</mark>: ${gone.map((name, at) => html`${at > 0 && ", "}<bdi>${name}</bdi>`)}.</p>`}`;
}

/** Issues the sheet as it stands. */
export async function issueSheet(visit: Visit, _form: SubmittedForm): Promise<Redirect> {
  await visit.ask(issueDay, { shoot_day_id: visit.id("shoot_day_id") });
  return { location: visit.ctx.path };
}
