// /approvals: the approvals as cards with what each is about, first those that wait for the visitor, and the forms that decide and
// reopen them.

import { unprocessable } from "../../../core/errors.ts";
import type { NodeId } from "../../../core/ids.ts";
import { type Approval, decideApproval, listApprovals } from "../../../graph/approvals.ts";
import { getAsset, listAssets, listVersions, versionCount } from "../../../graph/assets.ts";
import { listDeliveries } from "../../../graph/deliveries.ts";
import { getPerson } from "../../../graph/people.ts";
import { getScene } from "../../../graph/scenes.ts";
import { approvalStatuses } from "../../../graph/values.ts";
import { byDue, dueText, localDate, timeOf } from "../dates.ts";
import { html, type Markup } from "../html.ts";
import { chip, dotted, emptyState, fieldProblem, heading, options, plural, still, wordOf } from "../html_parts.ts";
import { windowOf } from "../list_windows.ts";
import type { Redirect, Refused, SubmittedForm, View } from "../page.ts";
import { editLink, type PagePlaces, placeFiller } from "../page_places.ts";
import { refusalOf } from "../refusals.ts";
import { sceneNumber } from "../scene_facts.ts";
import type { OutputOf, Visit } from "../visit.ts";

export type AssetVersion = OutputOf<typeof listVersions>[number];

/** What is shown of a version. An unreleased one is complete only for keys that may write. */
export type ShownVersion = Pick<AssetVersion, "id" | "version" | "variant" | "status" | "released"> &
  Partial<Pick<AssetVersion, "note" | "created_by" | "created_by_person_id" | "created_at" | "archived">> & {
    media_id: number | null;
  };

/** The medium of a version that browsers show as a still; the first one if there is none. */
const stillOf = ({ media }: AssetVersion): number | null =>
  (media.find(({ content_type }) => content_type.startsWith("image/")) ?? media[0])?.id ?? null;

/** The versions of an asset, newest last, with as much as the visitor may see of each, and signed by the people of their keys. */
export async function versionsOf(visit: Visit, node_id: NodeId): Promise<ShownVersion[]> {
  const versions: ShownVersion[] = visit.mayWrite
    ? (await visit.ask(listVersions, { node_id })).map((version) => ({ ...version, media_id: stillOf(version) }))
    : (await visit.ask(getAsset, { node_id })).versions.map((one) => (one.released ? one : { ...one, media_id: null }));
  const signed = versions.map(async ({ created_by_person_id: person_id, ...version }) =>
    person_id == null ? version : { ...version, created_by: (await visit.ask(getPerson, { person_id })).name },
  );
  return Promise.all(signed);
}

export interface Subject {
  href: string;
  name: string;
  /** The kind of an asset. */
  kind?: string;
  version?: ShownVersion | undefined;
}

/** What each of the approvals is about, by their ids. Of one that gates an asset, the version that it names, or the newest. */
async function subjectsOf(visit: Visit, approvals: readonly Approval[]): Promise<ReadonlyMap<number, Subject>> {
  const has = (field: "node_id" | "delivery_id") => approvals.some((approval) => approval[field] !== null);
  const assets = new Map((has("node_id") ? await visit.ask(listAssets, {}) : []).map((one) => [one.node_id, one]));
  const deliveries = has("delivery_id") ? await visit.ask(listDeliveries, {}) : [];
  const titles = new Map(deliveries.map(({ id, title }) => [id, title]));
  const subjects = new Map<number, Subject>();
  for (const { id, node_id, delivery_id, version_id } of approvals) {
    const asset = node_id === null ? undefined : assets.get(node_id);
    if (delivery_id !== null)
      subjects.set(id, { href: `/deliveries/${delivery_id}`, name: titles.get(delivery_id) ?? "the delivery" });
    if (asset !== undefined) {
      const versions = versionCount(asset) > 0 ? await versionsOf(visit, asset.node_id) : [];
      const version =
        versions.find((one) => one.id === version_id) ?? versions.findLast(({ archived }) => archived !== true);
      subjects.set(id, { href: `/assets/${node_id}`, name: asset.label, kind: asset.kind, version });
    } else if (node_id !== null) {
      const scene = await visit.ask(getScene, { node_id });
      subjects.set(id, { href: `/scenes/${node_id}`, name: `Scene ${sceneNumber(scene)} ${scene.slugline}` });
    }
  }
  return subjects;
}

/** An approval as a line that leads to it; only text for a vendor, who has no page of approvals. */
export const approvalLink = (
  visit: Visit,
  { id, title, status, due }: Pick<Approval, "id" | "title" | "status" | "due">,
): Markup =>
  html`${visit.isVendor ? title : html`<a href="/approvals?show=${id}">${title}</a>`} ${chip(status)} ${
    status === "pending" && dueText(due, localDate(visit.ctx.app.clock()))
  }`;

const currentStep = ({ status, steps }: Approval) =>
  status === "pending" ? steps.find((step) => step.status === "pending") : undefined;

/** When the current step began to wait: when the step before it was decided; undefined if it is the first. */
const waitingSince = ({ steps }: Approval, position: number): string | null | undefined =>
  steps.find((step) => step.position === position - 1)?.decided_at;

const stepItem = (step: Approval["steps"][number], current: boolean): Markup => {
  const { person, status, decided_at, note, decided_by } = step;
  const who = status !== "pending" && decided_by !== null && decided_by !== person ? ` (by ${decided_by})` : "";
  return html`<li class="step ${current ? "warn" : status === "approved" && "good"}"${current && html` aria-current="step"`}>
<span>${person}${who}</span> ${chip(current ? "waiting" : status)}
${decided_at !== null && html`<span class="under">${timeOf(decided_at)}${decided_by === null && ", through a key"}</span>`}
${note !== null && html`<p class="note"><q>${note}</q></p>`}
</li>`;
};

/** The names of the people whose step is next. None is selected, so that nobody decides in another person's name by accident. */
const nameField = (id: number, { person_id, person }: Approval["steps"][number], given: string): Markup => html`
<label for="by-${id}">Who decides</label>
<select id="by-${id}" name="decided_by" required>${options(
  [
    ["", "choose a name"],
    [String(person_id), person],
  ],
  given,
)}</select>`;

/** The form that decides the current step. A key that is bound to a person decides as that person, with one tap. */
function decideForm(
  visit: Visit,
  { id, title }: Approval,
  step: Approval["steps"][number],
  mine: Refused | undefined,
): Markup {
  const bound = visit.context.caller.person_id;
  const given = (name: string) => mine?.form.text(name) ?? "";
  return html`<form method="post" action="/approvals" class="stack">${visit.proof}
<input type="hidden" name="approval_id" value="${id}">
${bound === null ? nameField(id, step, given("decided_by")) : html`<input type="hidden" name="decided_by" value="${bound}">`}
<details${given("note") !== "" && html` open`}><summary>Add a note</summary><label for="note-${id}" class="unseen">Note</label>
<textarea id="note-${id}" name="note" rows="2" maxlength="10000">${given("note")}</textarea></details>
<div class="row decide"><button name="decision" value="approved" aria-label="Approve ${title}">Approve</button>
<button name="decision" value="changes" class="quiet" aria-label="Ask for changes of ${title}">Ask for changes</button></div>
</form>`;
}

/** Whether it is the turn of the person to whom the visitor's key is bound. */
const waitsForMe = ({ context: { caller } }: Visit, approval: Approval): boolean =>
  caller.person_id !== null && currentStep(approval)?.person_id === caller.person_id;

/** Whether the visitor may decide a step: a key that is bound to a person decides only that person's. */
const mayDecide = (visit: Visit, approval: Approval): boolean =>
  visit.mayWrite && (visit.context.caller.person_id === null || waitsForMe(visit, approval));

/** The still of what is decided, and what is known of the version. */
function subjectPart({ href, name, kind, version }: Subject): Markup {
  const source = version?.media_id == null ? undefined : `/thumbnails/${version.media_id}`;
  return html`${kind !== undefined && html`<a class="tile" href="${source === undefined ? href : `/files/${version?.media_id}`}">${still(source, kind)}<span class="unseen">${name} in full size</span></a>`}
<p class="label"><a href="${href}">${name}</a>${kind !== undefined && html` <span class="count">${kind}</span>`}</p>
${
  version !== undefined &&
  html`<p class="under">v${version.version} ${version.variant} ${chip(version.status)}${!version.released && " not released"}${version.created_by && html` · ${version.created_by}`}${version.created_at && html`, ${timeOf(version.created_at)}`}</p>
${version.note && html`<p class="note"><q>${version.note}</q></p>`}`
}`;
}

interface Shown {
  subjects: ReadonlyMap<number, Subject>;
  today: string;
  reopenForm: PagePlaces["reopen_form"] | undefined;
}

function approvalItem(visit: Visit, approval: Approval, { subjects, today, reopenForm }: Shown): Markup {
  const { id, title, status, mode, due, steps } = approval;
  const step = currentStep(approval);
  const since = step && waitingSince(approval, step.position);
  const subject = subjects.get(id);
  const mine = refusalOf(visit, { approval_id: id });
  const edit = editLink(visit, `/edit/approvals/${id}`, "Edit", `Edit ${title}`);
  return html`<li class="panel" id="approval-${id}">
${subject && subjectPart(subject)}
<h2>${title} ${chip(status)}</h2>
<p class="under">${dotted([
    html`${mode === "chain" ? plural(steps.length, "step") : "one decision"}`,
    ...(status === "pending" && due ? [dueText(due, today)] : []),
    ...(edit ? [edit] : []),
  ])}</p>
${step && html`<p>Waits for <strong>${step.person}</strong>${since && html` since ${timeOf(since)}`}</p>`}
${fieldProblem(`problem-${id}`, mine?.problem)}
${step && mayDecide(visit, approval) && decideForm(visit, approval, step, mine)}
<ol>${steps.map((each) => stepItem(each, each === step))}</ol>
${status === "changes_requested" && visit.mayEdit && reopenForm?.(visit, approval)}
</li>`;
}

const filters = ["pending", ...approvalStatuses.filter((status) => status !== "pending"), "all"] as const;

export async function showApprovals(visit: Visit): Promise<View> {
  const chosen = filters.find((known) => known === visit.query.get("status")) ?? "pending";
  const all = await visit.ask(listApprovals, {});
  const approvals = chosen === "all" ? all : all.filter(({ status }) => status === chosen);
  const asked = visit.refused?.form.text("approval_id") ?? visit.query.get("decided") ?? visit.query.get("show");
  const just = all.find(({ id }) => String(id) === asked);
  const sorted = approvals.filter((approval) => approval !== just).toSorted(byDue);
  const first = sorted.toSorted((a, b) => Number(waitsForMe(visit, b)) - Number(waitsForMe(visit, a)));
  const part = windowOf(visit, first, { weightOf: () => 2.5 });
  const shown: Shown = {
    subjects: await subjectsOf(visit, just === undefined ? part.shown : [...part.shown, just]),
    today: localDate(visit.ctx.app.clock()),
    reopenForm: await placeFiller("reopen_form"),
  };
  const { own = [], others = [] } = Object.groupBy(part.shown, (one) => (waitsForMe(visit, one) ? "own" : "others"));
  const cards = (of: readonly Approval[]) =>
    html`<ul class="grid">${visit.rows(of.map((approval) => approvalItem(visit, approval, shown)))}</ul>`;
  const body = html`${heading("Approvals", html`<span>${plural(approvals.length, "approval")}</span>${editLink(visit, "/edit/approvals", "New approval")}`)}
<ul class="row pills">${filters.map((status) => html`<li><a href="/approvals?status=${status}"${status === chosen && html` aria-current="true"`}>${wordOf(status)}</a></li>`)}</ul>
${just && html`<section role="status"><h2>${visit.refused === undefined && visit.query.has("decided") ? "Just now" : "The one you asked for"}</h2>${cards([just])}</section>`}
${own.length > 0 && html`<h2>Waits for me <span class="count">${own.length}</span></h2>${cards(own)}`}
${own.length > 0 && others.length > 0 && html`<h2>The others <span class="count">${others.length}</span></h2>`}
${others.length > 0 && cards(others)}${part.pager}
${sorted.length === 0 && emptyState(chosen === "pending" ? "Nothing waits for a decision." : "There are no such approvals.")}`;
  return { title: "Approvals", body };
}

export async function submitDecision(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const [decision, approval_id] = [form.text("decision"), Number(form.text("approval_id"))];
  const reopen = decision === "reopen" && visit.mayEdit ? await placeFiller("reopen_approval") : undefined;
  if (reopen !== undefined) await reopen(visit, approval_id);
  else if (decision !== "approved" && decision !== "changes") throw unprocessable("choose Approve or Ask for changes");
  else if (form.text("decided_by") === "") throw unprocessable("choose the name of the person who decides");
  else await visit.send(decideApproval, form);
  return { location: `/approvals?decided=${approval_id}#approval-${approval_id}` };
}
