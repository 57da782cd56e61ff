// /turnovers and /turnovers/{id}: the vendor's desk: what is due, a form that submits files, and the submitted work.
import type * as v from "valibot";
import { notFound } from "../../../errors.ts";
import { getMe } from "../../../operations/me.ts";
import { listTurnovers, submitTurnover } from "../../../operations/turnovers.ts";
import { attempted } from "../attempt.ts";
import type { SubmittedForm } from "../form.ts";
import { html, type Markup } from "../html.ts";
import type { Redirect, View, WebPage } from "../page.ts";
import { chip, dotted, emptyState, heading, localDate, panel, plural, timeOf, wordOf } from "../parts.ts";
import { uploadForm, withFiles } from "../upload_form.ts";
import type { Visit } from "../visit.ts";
import { deliveryDue, filesPanel, specList } from "./deliveries.ts";
import { arrivedNotice, submissionsPanel } from "./submissions.ts";

type Turnover = v.InferOutput<(typeof listTurnovers)["output"]>[number];
type Node = Turnover["nodes"][number];

const nodeLink = ({ node_id, kind, label }: Node): Markup =>
  html`<li><a href="/${kind === "scene" ? "scenes" : "assets"}/${node_id}">${label}</a>${kind !== "scene" && html` <span class="under">${kind}</span>`}</li>`;

const nodesPanel = (title: string, nodes: readonly Node[]): Markup =>
  html`${nodes.length > 0 && panel(title, html`<ul class="lines">${nodes.map(nodeLink)}</ul>`, nodes.length)}`;

const turnoverCard = (turnover: Turnover, today: string): Markup => {
  const { id, title, status, due, sent_at, can_submit, nodes } = turnover;
  return html`<li class="panel">
<h2><a href="/turnovers/${id}">${title}</a> ${chip(status)}</h2>
<p class="under">${dotted([
    ...(due === undefined ? [] : [deliveryDue(turnover, today)]),
    ...(sent_at === null ? [] : [html`sent ${timeOf(sent_at)}`]),
    ...(nodes.length === 0 ? [] : [html`${plural(nodes.length, "scene or asset", "scenes and assets")}`]),
  ])}</p>
${can_submit ? html`<p><a class="button" href="/turnovers/${id}#submit">Submit files</a></p>` : html`<p class="under">to read only</p>`}
</li>`;
};

/** First the turnovers on which the vendor can submit work, then by the due date. */
const inOrder = (a: Turnover, b: Turnover): number =>
  Number(b.can_submit) - Number(a.can_submit) || (a.due ?? "9999").localeCompare(b.due ?? "9999");

async function showTurnovers(visit: Visit): Promise<View | Redirect> {
  if (!visit.isVendor) return { location: "/deliveries" };
  const [turnovers, { engagement, reach }] = await Promise.all([visit.ask(listTurnovers, {}), visit.ask(getMe, {})]);
  const today = localDate(visit.ctx.app.clock());
  const scenes = (reach?.nodes ?? []).filter(({ kind }) => kind === "scene");
  const assets = (reach?.nodes ?? []).filter(({ kind }) => kind !== "scene");
  const body = html`${heading("Turnovers", engagement === null ? undefined : html`<span>${engagement.vendor}</span><span>${engagement.title}</span>`)}
<div class="columns"><div>
${turnovers.length === 0 ? emptyState("The production has not shared a turnover with you yet. Its admin grants them.") : html`<ul class="cards">${turnovers.toSorted(inOrder).map((turnover) => turnoverCard(turnover, today))}</ul>`}
</div><div class="aside">
${nodesPanel("Scenes", scenes)}${nodesPanel("Assets", assets)}
</div></div>`;
  return { title: "Turnovers", body };
}

export const turnoversPage: WebPage = {
  path: "/turnovers",
  reach: "engagement",
  section: "/turnovers",
  show: showTurnovers,
};

interface Tried {
  title: string;
  note: string;
  problem: string;
}

const submitForm = (visit: Visit, tried: Tried | undefined): Markup => {
  const fields = html`<label for="title">Title <span class="under">the turnover's title if empty</span></label>
<input id="title" name="title" maxlength="300" value="${tried?.title}">
<label for="note">Note</label>
<textarea id="note" name="note" rows="2" maxlength="10000">${tried?.note}</textarea>`;
  const form = { id: "submit", label: "Files", button: "Submit", multiple: true, fields, problem: tried?.problem };
  return panel("Submit work", uploadForm(visit, form));
};

async function turnoverView(visit: Visit, tried?: Tried): Promise<View | Redirect> {
  const delivery_id = visit.id("delivery_id");
  if (!visit.isVendor) return { location: `/deliveries/${delivery_id}` };
  const turnover = (await visit.ask(listTurnovers, {})).find(({ id }) => id === delivery_id);
  if (turnover === undefined) throw notFound();
  const { title, status, due, spec, can_submit, nodes, media } = turnover;
  const maySubmit = can_submit && visit.context.caller.scopes.includes("submit:turnover");
  const facts = html`<span>${wordOf(status)}</span>${due !== undefined && html`<span>${deliveryDue(turnover, localDate(visit.ctx.app.clock()))}</span>`}`;
  const body = html`${heading(title, facts)}
<div class="columns"><div>
${await arrivedNotice(visit, delivery_id)}
${maySubmit ? submitForm(visit, tried) : html`<p class="hint">You can read this turnover. To submit work, you need a grant from the production's admin.</p>`}
${await submissionsPanel(visit, delivery_id, "Nothing yet.")}
</div><div class="aside">
${filesPanel(media)}
${spec.length > 0 && panel("What it must contain", specList(spec))}
${nodesPanel("About", nodes)}
</div></div>`;
  return { title, body, ...(tried !== undefined && { status: 422 }) };
}

async function submitFiles(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const delivery_id = visit.id("delivery_id");
  const [title, note] = [form.optional("title"), form.optional("note")];
  const given = { delivery_id, ...(title && { title }), ...(note && { note }) };
  const done = await attempted(
    withFiles(visit, form, (files) => visit.ask(submitTurnover, { ...given, files: [...files] })),
  );
  if ("value" in done) return { location: `/turnovers/${delivery_id}?arrived=${done.value.id}` };
  return turnoverView(visit, { title: title ?? "", note: note ?? "", problem: done.problem });
}

export const turnoverPage: WebPage = {
  path: "/turnovers/:delivery_id",
  reach: "engagement",
  section: "/turnovers",
  files: true,
  show: (visit) => turnoverView(visit),
  submit: submitFiles,
};
