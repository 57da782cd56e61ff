// /turnovers and /turnovers/{id}: the vendor's desk: what is due, a form that submits files, and the submitted work.
import { hash } from "node:crypto";
import { type HttpError, notFound } from "../../../core/errors.ts";
import type { DeliveryId } from "../../../core/ids.ts";
import type { Upload } from "../../../core/inputs.ts";
import { getMe } from "../../../graph/me.ts";
import { useFiles } from "../../../graph/media.ts";
import { listSubmissions, listTurnovers, submitTurnover } from "../../../graph/turnovers.ts";
import { byDue, timeOf } from "../dates.ts";
import { uploadForm, withFiles } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import {
  actionLine,
  chip,
  dotted,
  emptyState,
  heading,
  lines,
  listPanel,
  panel,
  plural,
  stateWord,
} from "../html_parts.ts";
import { windowOf } from "../list_windows.ts";
import type { Redirect, SubmittedForm, View } from "../page.ts";
import { attempted, FormRefusal } from "../refusals.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { type WaitingWork, waitingWorkIn } from "../waiting_work.ts";
import { arrivedNotice, deliveryDue, filesPanel, specList, submissionsPanel, submissionsShown } from "./deliveries.ts";

type Turnover = OutputOf<typeof listTurnovers>[number];
type Node = Turnover["nodes"][number];

const nodeLink = ({ node_id, kind, label }: Node): Markup =>
  html`<li><a href="/${kind === "scene" ? "scenes" : "assets"}/${node_id}">${label}</a>${kind !== "scene" && html` <span class="under">${kind}</span>`}</li>`;

/**
 * Why no work can be submitted on a turnover; undefined if it can. Who looks through a vendor's reach sees what the
 * vendor may do.
 */
function readOnlyReason(visit: Visit, { can_submit }: Turnover): string | undefined {
  if (!can_submit) return "The production's admin can let you send in work.";
  if (visit.isSeenAs || visit.holds("submit:turnover")) return undefined;
  return "Your key sends in no work; the production's admin can make one that does.";
}

const turnoverItem = (visit: Visit, turnover: Turnover, waiting: WaitingWork["counts"]): Markup => {
  const { id, title, status, due, sent_at, nodes } = turnover;
  const facts = [
    ...(due === undefined ? [] : [deliveryDue(turnover, visit.today, waiting)]),
    ...(sent_at === null ? [] : [html`sent ${timeOf(sent_at)}`]),
    ...(nodes.length === 0 ? [] : [html`${plural(nodes.length, "scene or asset", "scenes and assets")}`]),
  ];
  return actionLine(
    html`<strong><a href="/turnovers/${id}" dir="auto">${title}</a></strong> ${chip(status)} <span class="under">${dotted(facts)}</span>`,
    readOnlyReason(visit, turnover) === undefined
      ? html`<a class="button quiet" href="/turnovers/${id}#submit">Submit files</a>`
      : html`<span class="under">to read only</span>`,
  );
};

/** The links to the work on deliveries that no grant reaches any more; only its own titles say what it is. */
async function formerWork(visit: Visit, delivery_ids: readonly number[]): Promise<Markup> {
  const { shown, pager } = windowOf(visit, delivery_ids, { size: 20, name: "work" });
  const items: Markup[] = [];
  for (const delivery_id of shown) {
    const [newest] = await visit.ask(listSubmissions, { delivery_id, limit: 1 });
    if (newest === undefined) continue;
    items.push(html`<li><a href="/turnovers/${delivery_id}">${newest.title}</a> ${chip(newest.status)}</li>`);
  }
  return html`${items.length > 0 && panel("Your work on other deliveries", html`${lines(items)}${pager}`, delivery_ids.length)}`;
}

/** How many deliveries are asked for what was decided of the vendor's work on them, and how many answers are shown. */
const [askedDeliveries, shownAnswers] = [40, 8];

/** What the production has answered to the vendor's work, returned work first, then the newest. */
async function answersPanel(visit: Visit, delivery_ids: readonly DeliveryId[]): Promise<Markup> {
  const lists = await Promise.all(
    delivery_ids.slice(0, askedDeliveries).map((delivery_id) => visit.ask(listSubmissions, { delivery_id, limit: 1 })),
  );
  // the newest of each, so that new work answers
  const answered = lists.flat().filter(({ status }) => status !== "submitted");
  const rank = ({ status }: (typeof answered)[number]) => (status === "returned" ? 0 : 1);
  const items = answered
    .toSorted((a, b) => rank(a) - rank(b) || (b.created_at ?? "").localeCompare(a.created_at ?? ""))
    .slice(0, shownAnswers)
    .map(
      ({ delivery_id, title, status, decision_note }) =>
        html`<li><a href="/turnovers/${delivery_id}">${title}</a> ${chip(status)}${decision_note !== undefined && html`<p class="note">${decision_note}</p>`}</li>`,
    );
  return listPanel("Decided", items);
}

/** What is due, by its date: turnovers on which the vendor may submit work and that were not sent yet. */
const duePanel = (turnovers: readonly Turnover[], today: string, waiting: WaitingWork["counts"]): Markup =>
  listPanel(
    "Due",
    turnovers
      .filter(
        ({ can_submit, status, due }) => can_submit && due !== undefined && status !== "sent" && status !== "accepted",
      )
      .toSorted(byDue)
      .map(
        (one) =>
          html`<li><a href="/turnovers/${one.id}">${one.title}</a> <span class="under">${deliveryDue(one, today, waiting)}</span></li>`,
      ),
  );

/** First the turnovers on which the vendor can submit work, then by the due date. */
const inOrder = (a: Turnover, b: Turnover): number => Number(b.can_submit) - Number(a.can_submit) || byDue(a, b);

export async function showTurnovers(visit: Visit): Promise<View | Redirect> {
  if (!visit.isVendor) return { location: "/deliveries" };
  const [turnovers, { engagement, reach }] = await Promise.all([visit.ask(listTurnovers, {}), visit.ask(getMe, {})]);
  const { scenes = [], assets = [] } = Object.groupBy(reach?.nodes ?? [], ({ kind }) =>
    kind === "scene" ? "scenes" : "assets",
  );
  const listed = new Set(turnovers.map(({ id }) => id));
  const former = (reach?.submitted_on ?? []).filter((id) => !listed.has(id));
  const waiting = (await waitingWorkIn(visit)).counts;
  const body = html`${heading("Deliveries", engagement === null ? undefined : html`<span>${engagement.vendor}</span><span>${engagement.title}</span>`)}
<div class="grid half">${await answersPanel(visit, [...listed, ...former])}${duePanel(turnovers, visit.today, waiting)}</div>
<div class="columns"><div class="flow">
${turnovers.length === 0 ? emptyState("The production has not shared a delivery with you yet. Its admin does.") : lines(turnovers.toSorted(inOrder).map((turnover) => turnoverItem(visit, turnover, waiting)))}
${await formerWork(visit, former)}
</div><div class="flow">
${listPanel("Scenes", scenes.map(nodeLink))}${listPanel("Assets", assets.map(nodeLink))}
</div></div>`;
  return { title: "Deliveries", body };
}

const submitForm = (visit: Visit): Markup =>
  panel(
    "Submit work",
    uploadForm(visit, {
      id: "submit",
      label: "Files",
      button: "Submit",
      multiple: true,
      fields: [
        { name: "title", label: "Title", hint: "the delivery's title if empty", maxlength: 300 },
        { name: "note", label: "Note", rows: 2, maxlength: 10_000 },
      ],
    }),
  );

/** The vendor's own work on a delivery that no grant reaches any more, with nothing of the delivery. */
async function formerTurnover(visit: Visit, delivery_id: DeliveryId): Promise<View> {
  const { reach } = await visit.ask(getMe, {});
  if (!reach?.submitted_on.includes(delivery_id)) throw notFound();
  const { refused } = visit;
  const note = refused?.form.text("note") ?? "";
  const notice =
    refused &&
    html`<section class="panel notice bad" role="alert"><p dir="ltr">${refused.problem}</p>${note !== "" && html`<p>You wrote: “${note}”</p>`}</section>`;
  const body = html`${heading("Your work")}${notice}
<p class="hint">The production does not share this delivery with you any more. What you sent in stays here while you work on this show.</p>
${await submissionsPanel(visit, delivery_id, "Nothing yet.")}`;
  return { title: "Your work", body };
}

export async function showTurnover(visit: Visit): Promise<View | Redirect> {
  const delivery_id = visit.id("delivery_id");
  if (!visit.isVendor) return { location: `/deliveries/${delivery_id}` };
  const turnover = (await visit.ask(listTurnovers, {})).find(({ id }) => id === delivery_id);
  if (turnover === undefined) return formerTurnover(visit, delivery_id);
  const { title, status, due, spec, nodes, media } = turnover;
  const reason = visit.isSeenAs ? "The vendor submits its work here." : readOnlyReason(visit, turnover);
  const facts = html`<span>${stateWord(status)}</span>${due !== undefined && html`<span>${deliveryDue(turnover, visit.today, (await waitingWorkIn(visit)).counts)}</span>`}`;
  const body = html`${heading(title, facts)}
<div class="columns"><div class="flow">
${await arrivedNotice(visit, delivery_id)}
${reason === undefined ? submitForm(visit) : html`<p class="hint">You can read this delivery. ${reason}</p>`}
${await submissionsPanel(visit, delivery_id, "Nothing yet.")}
</div><div class="flow">
${await filesPanel(visit, media)}
${spec.length > 0 && panel("What it must contain", specList(visit, spec))}
${listPanel("About", nodes.map(nodeLink))}
</div></div>`;
  return { title, body };
}

/**
 * Names a submission by what it says and by what came back before: the same files with the same words, sent again, are
 * the same work, unless some work was returned meanwhile.
 */
async function nameOf(visit: Visit, form: SubmittedForm, files: readonly Upload[]): Promise<string> {
  const delivery_id = visit.id("delivery_id");
  const before = await visit.ask(listSubmissions, { delivery_id, limit: submissionsShown });
  const returned = before.find(({ status }) => status === "returned")?.id;
  const sent = files.map(({ file_name, staged }) => [file_name, staged.sha256]);
  const said = [delivery_id, form.text("title"), form.text("note"), sent, returned];
  return `page ${hash("sha256", JSON.stringify(said))}`;
}

/** Ends resumable uploads that nothing needs: they would count for a day. Throws 422 if they have ended. */
async function endUploads({ context: { app } }: Visit, files: readonly Upload[]): Promise<void> {
  for (const { earlier } of files) earlier?.claim();
  await app.store.write(() => useFiles(files));
}

export async function submitWork(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const delivery_id = visit.id("delivery_id");
  const { document, isRepeated } = await withFiles(visit, form, async (files) => {
    if (files.length === 0) throw new FormRefusal(422, "Choose at least one file.", ["files"]);
    const given = { delivery_id, title: form.optional("title"), note: form.optional("note"), files: [...files] };
    const sent = await visit.once(submitTurnover, given, await nameOf(visit, form, files));
    if (sent.isRepeated) await attempted(endUploads(visit, files));
    return sent;
  }).catch((error: HttpError) => {
    if (error.status === 409 && error.headers?.["retry-after"] !== undefined)
      throw new FormRefusal(409, "The same work is being submitted already: open this page again in a moment.");
    if (error.status !== 404) throw error; // 404 as well if there is nothing of the vendor that its page could show
    throw new FormRefusal(409, "Nothing was submitted: the production took this delivery back meanwhile.");
  });
  return { location: `/turnovers/${delivery_id}?arrived=${document.id}${isRepeated ? "&again=1" : ""}` };
}
