// /settings/script-changes: what a new draft changes, side by side, to approve or to dismiss.
import type * as v from "valibot";
import { listHistory } from "../../../../admin/operations/history.ts";
import { decideScriptChange } from "../../../../admin/operations/script_changes.ts";
import { listScriptChanges } from "../../../../operations/script_changes.ts";
import { attempted } from "../../attempt.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import type { Redirect, View, WebPage } from "../../page.ts";
import { chip, emptyState, fieldProblem, panel, timeOf, wordOf } from "../../parts.ts";
import type { Visit } from "../../visit.ts";
import { settingsPage, settingsView } from "./frame.ts";
import { undoLink } from "./plan_view.ts";
import { valueText } from "./values.ts";

type Change = v.InferOutput<(typeof listScriptChanges)["output"]>[number];

interface Tried {
  id: number;
  problem: string;
}

const fieldRow = ([name, { from, to }]: [string, { from: unknown; to: unknown }]): Markup =>
  html`<tr><th scope="row">${wordOf(name)}</th><td><del>${valueText(from)}</del></td><td><ins>${valueText(to)}</ins></td></tr>`;

const decideForm = (visit: Visit, id: number, problem: string | undefined): Markup => html`
${fieldProblem(`problem-${id}`, problem)}
<form method="post" class="row">${visit.proof}<input type="hidden" name="id" value="${id}">
<button name="decision" value="approved">Approve</button>
<button name="decision" value="dismissed" class="quiet">Dismiss</button></form>`;

function changeCard(visit: Visit, change: Change, tried: Tried | undefined): Markup {
  const { id, kind, status, scene_number, episode_code, node_id, summary, revision_color, detected_at, fields } =
    change;
  const number = episode_code ? `${episode_code}/${scene_number}` : scene_number;
  const rows = Object.entries(fields).map(fieldRow); // the summary of a draft's change says the same as they do
  return html`<li class="panel" id="change-${id}">
<h2>${node_id === null ? html`Scene ${number}` : html`<a href="/scenes/${node_id}">Scene ${number}</a>`} <span class="chip pending">${kind}</span> ${status !== "pending" && chip(status)}</h2>
${(change.draft === null || rows.length === 0) && html`<p>${summary}</p>`}
<p class="under">${revision_color}, ${timeOf(detected_at)}${change.draft !== null && html`, ${change.draft.file}`}${change.decided_by !== null && html`, decided by ${change.decided_by}`}</p>
${rows.length > 0 && html`<div class="table" tabindex="0" role="region" aria-label="Scene ${number}, before and after"><table class="sides"><thead><tr><td></td><th scope="col">before</th><th scope="col">after</th></tr></thead><tbody>${rows}</tbody></table></div>`}
${status === "pending" && decideForm(visit, id, tried?.id === id ? tried.problem : undefined)}
</li>`;
}

async function changesView(visit: Visit, tried?: Tried): Promise<View> {
  const changes = await visit.ask(listScriptChanges, { status: "all", all_episodes: true });
  const pending = changes.filter(({ status }) => status === "pending");
  const decided = changes.filter(({ status }) => status !== "pending").slice(0, 50);
  const cards = (of: readonly Change[]) =>
    html`<ul class="cards">${of.map((change) => changeCard(visit, change, tried))}</ul>`;
  const set = Number(visit.query.get("set") ?? Number.NaN);
  const body = html`${set > 0 && html`<div role="status"><p>Decided.</p>${undoLink(set)}</div>`}<p class="hint">If you approve a change, it is applied to the scene, which keeps its strips, assets and approvals.</p>
${pending.length === 0 ? emptyState("No script change is pending. To find changes, import a new draft on Settings, Import.") : cards(pending)}
${decided.length > 0 && panel("Decided", html`<details><summary>The last ${decided.length}</summary>${cards(decided)}</details>`)}`;
  return settingsView("script-changes", body, tried === undefined ? 200 : 422, visit);
}

/** The change set of a decision: it has the same moment. */
async function setOf(visit: Visit, decided_at: string | null): Promise<number | undefined> {
  const newest = await visit.ask(listHistory, { limit: 20 });
  return newest.find(({ at, source }) => at === decided_at && source === "script changes")?.id;
}

async function submitDecision(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const id = Number(form.text("id"));
  const decision = form.text("decision") === "approved" ? "approved" : "dismissed";
  const result = await attempted(visit.ask(decideScriptChange, { id, decision }));
  if ("problem" in result) return changesView(visit, { id, problem: result.problem });
  const set = await setOf(visit, result.value.decided_at);
  return { location: `/settings/script-changes${set === undefined ? "" : `?set=${set}`}` };
}

export const scriptChangesPage: WebPage = {
  ...settingsPage("script-changes"),
  show: (visit) => changesView(visit),
  submit: submitDecision,
};
