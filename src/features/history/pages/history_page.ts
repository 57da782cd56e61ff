// /settings/history and /settings/history/{id}: what changed the production, and the button that takes a change set
// back.
import { type Approval, listApprovals } from "../../../graph/approvals.ts";
import { unnamedDocument } from "../../documents/kinds.ts";
import { appliedPanel, changeCount, changesView, planView, shownChanges } from "../../documents/pages/plan_view.ts";
import { timeOf, withTimes } from "../../pages/dates.ts";
import { hiddenFields } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { actionLine, emptyState, fieldProblem, lines, panel } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { mayTakeBack, takeBackForm } from "../../pages/pages/approval_card.ts";
import { attempted } from "../../pages/refusals.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { listHistory } from "../history.ts";
import { getChangeSet, undoChangeSet } from "../operations.ts";

type Row = OutputOf<typeof listHistory>[number];

const pageSize = 50;

const setLink = (id: number): Markup => html`<a href="/settings/history/${id}">change set ${id}</a>`;

const countsOf = ({ added, changed, removed }: Row["counts"]): string =>
  [added > 0 && `${added} added`, changed > 0 && `${changed} changed`, removed > 0 && `${removed} removed`]
    .filter((text) => text !== false)
    .join(", ");

/**
 * The files of an import, or what was done; undefined for a form of a page, and for any other document without a file.
 */
const sourceOf = ({ source }: { source: string }): string | undefined =>
  source === unnamedDocument ? undefined : source;

const setItem = ({ id, at, actor, source, summary, counts, undone_by }: Row): Markup =>
  html`<li><a href="/settings/history/${id}">${withTimes(summary)}</a>${undone_by !== null && html` <span class="chip bad">undone</span>`} <span class="under">${actor}, ${timeOf(at)}: ${[countsOf(counts) || "the script", sourceOf({ source }) ?? []].flat().join(", ")}</span></li>`;

/** A decision of an approval, also of a former round. */
interface Decision {
  approval: Approval;
  at: string;
  step: Approval["steps"][number];
}

/** The decisions between two moments, in no order. */
const decisionsIn = (approvals: readonly Approval[], after: string, until: string): Decision[] =>
  approvals.flatMap((approval) =>
    [...approval.rounds, approval.steps]
      .flat()
      .flatMap((step) =>
        step.decided_at !== null && step.decided_at > after && step.decided_at <= until
          ? [{ approval, at: step.decided_at, step }]
          : [],
      ),
  );

/**
 * A round also keeps the decisions that stand in the present one: each is listed once, and that of the present one is
 * the last.
 */
const onceEach = (decisions: readonly Decision[]): Decision[] => [
  ...new Map(decisions.map((one) => [`${one.approval.id} ${one.step.position} ${one.at}`, one])).values(),
];

function decisionItem(visit: Visit, { approval, at, step }: Decision): Markup {
  const { id, title, steps } = approval;
  const isLast = step === steps.findLast(({ decided_at }) => decided_at !== null);
  const { status, decided_by, note, person_id } = step;
  const what = status === "approved" ? "Approved" : "Asked for changes";
  return actionLine(
    html`<a href="/approvals/${id}">${what}: ${title}</a>${!steps.includes(step) && html` <span class="chip">taken back or reopened</span>`} <span class="under">${decided_by === null ? "through a key" : `${decided_by}, person ${person_id}`}, ${timeOf(at)}${note !== null && html`: ${note}`}</span>`,
    isLast && mayTakeBack(visit, approval) && takeBackForm(visit, approval, { to: `/approvals/${id}` }),
  );
}

export async function showHistory(visit: Visit): Promise<Markup> {
  const after = visit.query.get("after") ?? undefined;
  const given = { limit: pageSize, ...(after !== undefined && { after }) };
  const { document: sets, next } = await visit.askPage(listHistory, given);
  const oldest = next === undefined ? "" : (sets.at(-1)?.at ?? "");
  const approvals = visit.holds("read") ? await visit.ask(listApprovals, {}) : [];
  const decisions = onceEach(decisionsIn(approvals, oldest, visit.query.get("until") ?? "~"));
  const items = [
    ...sets.map((set) => ({ at: set.at, item: setItem(set) })),
    ...decisions.map((one) => ({ at: one.at, item: decisionItem(visit, one) })),
  ].toSorted((one, other) => other.at.localeCompare(one.at));
  const { shown, pager } = windowOf(visit, items);
  return html`<p class="hint">Every import, script decision, reopened approval and undo is a change set, which can be seen field by field and taken back as a whole, except the one that created the production. A decision is taken back by who signed it, or by whoever may edit.</p>
${items.length === 0 ? emptyState("Nothing has changed the production yet.") : lines(shown.map(({ item }) => item))}${pager}
${next !== undefined && html`<p><a href="?after=${next}&until=${oldest}">Earlier</a></p>`}`;
}

/** What the undo would change, and the button that does it; or why it cannot be undone. */
async function undoPanel(visit: Visit, id: number): Promise<Markup> {
  const result = await attempted(visit.ask(undoChangeSet, { id, dry_run: true, limit: shownChanges }));
  const problem = visit.refused?.problem ?? ("problem" in result ? result.problem : undefined);
  // There is a problem.
  if ("problem" in result) return panel("It cannot be undone now", fieldProblem("problem", problem) as Markup);
  return html`${fieldProblem("problem", problem)}<h2>What the undo would change</h2>${await planView(visit, result.value)}
<form method="post" action="/settings/history/${id}" class="row">${visit.proof}${hiddenFields({ revision: result.value.revision })}
<button>Undo</button> <a href="/settings/history/${id}">Leave it as it is</a></form>`;
}

export async function showSet(visit: Visit): Promise<Markup> {
  const id = visit.id("id");
  const set = await visit.ask(getChangeSet, { id, limit: shownChanges });
  const { at, actor, source, summary, counts, undoes, undone_by, changes } = set;
  const isAsked = visit.refused !== undefined || visit.query.has("undo");
  const named = sourceOf({ source });
  const facts = html`<p class="facts"><span>${timeOf(at)}</span><span>${actor}</span>${named !== undefined && html`<span>${named}</span>`}<span>${countsOf(counts)}</span>${undoes !== null && html`<span>undoes ${setLink(undoes)}</span>`}${undone_by !== null && html`<span>undone by ${setLink(undone_by)}</span>`}</p>`;
  const isCreation = changes?.some(({ section, action }) => section === "production" && action === "add");
  const mayUndo = changes !== undefined && undone_by === null && !isCreation;
  return html`<h2>${withTimes(summary)}</h2>${facts}
${mayUndo && !isAsked && html`<p><a class="button" href="/settings/history/${id}?undo=1">Undo…</a></p>`}
${mayUndo && isAsked && (await undoPanel(visit, id))}
${changes === undefined && html`<p class="hint">It changed more than this key may see.</p>`}
${changes !== undefined && (!mayUndo || !isAsked) && (await changesView(visit, changes, changeCount(counts)))}
<p><a href="/settings/history">All changes</a></p>`;
}

export async function submitUndo(visit: Visit, form: SubmittedForm): Promise<Markup> {
  const given = { id: visit.id("id"), if_revision: form.text("revision"), limit: shownChanges };
  const undone = await visit.ask(undoChangeSet, given);
  return html`${await appliedPanel(visit, "Undone", undone)}
<p><a href="/settings/history">All changes</a></p>`;
}
