// An approval as people decide it: what is signed, the forms that decide it, take a decision back and reopen it, and its steps.
import { conflict, HttpError, unprocessable } from "../../../core/errors.ts";
import { type Approval, decideApproval, getApproval } from "../../../graph/approvals.ts";
import { takeBackApproval } from "../../review/taking_back.ts";
import { type Subject, subjectsByApproval } from "../approval_subjects.ts";
import { dueText, localDate, timeOf, timeText } from "../dates.ts";
import { fieldInput, hiddenFields, postForm } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { chip, dotted, fieldProblem, options, plural, still } from "../html_parts.ts";
import { mediaGrid } from "../media_view.ts";
import type { SubmittedForm } from "../page.ts";
import { editLink, type PagePlaces, placeFiller } from "../page_places.ts";
import { FormRefusal, refusalOf } from "../refusals.ts";
import type { Visit } from "../visit.ts";

/** An approval as a line that leads to it; only text for a vendor, who has no page of approvals. */
export const approvalLink = (
  visit: Visit,
  { id, title, status, due }: Pick<Approval, "id" | "title" | "status" | "due">,
): Markup =>
  html`${visit.isVendor ? title : html`<a href="/approvals/${id}">${title}</a>`} ${chip(status)} ${
    status === "pending" && dueText(due, localDate(visit.ctx.app.clock()))
  }`;

type Step = Approval["steps"][number];

export const currentStep = ({ status, steps }: Approval): Step | undefined =>
  status === "pending" ? steps.find((step) => step.status === "pending") : undefined;

/** When the current step began to wait: when the step before it was decided; undefined if it is the first. */
const waitingSince = ({ steps }: Approval, position: number): string | null | undefined =>
  steps.find((step) => step.position === position - 1)?.decided_at;

const stepItem = (step: Step, current: boolean): Markup => {
  const { person, status, decided_at, note, decided_by } = step;
  const who = status !== "pending" && decided_by !== null && decided_by !== person ? ` (by ${decided_by})` : "";
  return html`<li class="step ${current ? "warn" : status === "approved" && "good"}"${current && html` aria-current="step"`}>
<span>${person}${who}</span> ${chip(current ? "waiting" : status)}
${decided_at !== null && html`<span class="under">${timeOf(decided_at)}${decided_by === null && ", through a key"}</span>`}
${note !== null && html`<p class="note"><q>${note}</q></p>`}
</li>`;
};

/** The menu of who decides, with its label. No name is selected, so that nobody decides in another person's name by accident. */
export const nameField = (id: string, people: Iterable<readonly [id: string, name: string]>, given: string): Markup =>
  html`<label for="${id}">Who decides</label>
<select id="${id}" name="decided_by" required>${options([["", "choose a name"], ...people], given)}</select>`;

/** What the signature is about, in words. */
const signs = ({ name, version }: Subject, { position }: Step, steps: number): string =>
  `${version === undefined ? name : `v${version.version} ${version.variant} of ${name}`}${steps > 1 ? `, step ${position} of ${steps}` : ""}`;

/** Where the browser stands after a form of an approval: at its card, also if the form is refused. */
const cardAddress = ({ id }: Pick<Approval, "id">): string => `#approval-${id}`;

/** The form that decides the current step. A key that is bound to a person decides as that person, with one tap. */
function decideForm(visit: Visit, approval: Approval, step: Step, subject: Subject | undefined): Markup {
  const { id, title, steps } = approval;
  const refused = refusalOf(visit, { approval_id: id });
  const bound = visit.context.caller.person_id;
  const given = (name: string) => refused?.form.text(name) ?? "";
  const version = subject?.version && { version_id: subject.version.id };
  const note = { name: "note", label: "Note", hint: "needed to ask for changes", rows: 2, maxlength: 10_000 };
  const lacks = refused?.fields.includes("note") ? `problem-${id}` : false;
  return html`<form method="post" action="${cardAddress(approval)}" class="stack">${visit.proof}${hiddenFields({ approval_id: id, position: step.position, ...version })}
${bound === null ? nameField(`by-${id}`, [[String(step.person_id), step.person]], given("decided_by")) : html`<input type="hidden" name="decided_by" value="${bound}">`}
${fieldInput(note, `note-${id}`, given("note"), lacks)}
<p class="under">${subject === undefined ? "" : html`Signs ${signs(subject, step, steps.length)}.`}</p>
<div class="row decide"><button name="decision" value="approved" aria-label="Approve ${title}">Approve</button>
<button name="decision" value="changes" class="quiet" aria-label="Ask for changes of ${title}">Ask for changes</button></div>
</form>`;
}

/** Whether it is the turn of the person to whom the visitor's key is bound. */
export const waitsForMe = ({ context: { caller } }: Visit, approval: Approval): boolean =>
  caller.person_id !== null && currentStep(approval)?.person_id === caller.person_id;

/** Whether the visitor may decide the current step, if there is one: a key that is bound to a person decides only that person's. */
export const mayDecide = (visit: Visit, approval: Approval): boolean =>
  visit.mayWrite && (visit.context.caller.person_id === null || waitsForMe(visit, approval));

/** Whether the visitor may take the last decision back, as far as the approval itself says it. */
export function mayTakeBack(visit: Visit, { steps }: Approval): boolean {
  const last = steps.findLast(({ status }) => status !== "pending");
  if (last === undefined || !visit.mayWrite) return false;
  return visit.mayEdit || (last.decided_by !== null && last.person_id === visit.context.caller.person_id);
}

/** The button that takes the last decision back. `to` is the page that is opened then. */
export const takeBackForm = (
  visit: Visit,
  { id, title }: Pick<Approval, "id" | "title">,
  { to = cardAddress({ id }), text = "Take back" }: { to?: string; text?: string } = {},
): Markup =>
  postForm(visit, {
    hidden: { approval_id: id },
    buttons: [
      { name: "decision", value: "take_back", text, kind: "quiet", about: `${text}: the decision of ${title}` },
    ],
    style: "row",
    to,
  });

/** The step that asked for changes, if a newer version came since. */
function answeredStep({ status, steps }: Approval, subject: Subject | undefined): Step | undefined {
  const asked = status === "changes_requested" ? steps.findLast((step) => step.status === status) : undefined;
  const since = subject?.newest?.created_at ?? "";
  return asked !== undefined && since > (asked.decided_at ?? "") ? asked : undefined;
}

/** What comes next where a newer version is, or should be. */
function nextPart(visit: Visit, approval: Approval, subject: Subject | undefined): Markup | false {
  const { version, newest } = subject ?? {};
  if (subject === undefined || version === undefined || newest === undefined) return false;
  const answered = answeredStep(approval, subject);
  if (answered !== undefined)
    return html`<p class="hint">v${newest.version} came since. It waits for ${answered.person} to decide again.</p>`;
  if (approval.status === "changes_requested")
    return html`${visit.mayWrite && html`<p class="hint">A new version <a href="${subject.href}">of ${subject.name}</a> answers it.</p>`}`;
  return (
    approval.status === "pending" &&
    newest.version > version.version &&
    html`<p class="hint">v${newest.version} is newer than v${version.version}, which is signed here.</p>`
  );
}

/** A note on the version that is signed, with who wrote it. */
const signedNote = ({ text, author, came_with }: Subject["notes"][number]): Markup =>
  html`<p class="note"><q>${text}</q></p><p class="under">${dotted([...(author === null ? [] : [html`${author}`]), html`${came_with ? "with this version" : "the newest note"}`])}</p>`;

/** What is decided: its pictures, and what is known of the version. */
export function subjectPart(subject: Subject, withPictures = true): Markup {
  const { href, name, kind, version, media, notes, submission } = subject;
  return html`${withPictures && (media.length > 0 ? mediaGrid(media) : kind !== undefined && still(undefined, kind))}
<p class="label"><a href="${href}">${name}</a>${kind !== undefined && html` <span class="count">${kind}</span>`}</p>
${submission && html`<p class="under">${submission}</p>`}
${
  version !== undefined &&
  html`<p class="under">v${version.version} ${version.variant} ${chip(version.status)}${!version.released && " not released"}${version.created_by && html` · ${version.created_by}`}${version.created_at && html`, ${timeOf(version.created_at)}`}</p>
${notes.map(signedNote)}`
}`;
}

/** The state of an approval, and the forms for it. */
export function decisionPart(
  visit: Visit,
  approval: Approval,
  subject: Subject | undefined,
  reopenForm: PagePlaces["reopen_form"] | undefined,
): Markup {
  const { id, title, status, mode, due, steps } = approval;
  const step = currentStep(approval);
  const since = step && waitingSince(approval, step.position);
  const edit = editLink(visit, `/edit/approvals/${id}`, "Edit", `Edit ${title}`);
  const answered = answeredStep(approval, subject);
  return html`<p class="under">${dotted([
    html`${mode === "chain" ? plural(steps.length, "step") : "one decision"}`,
    ...(status === "pending" && due ? [dueText(due, localDate(visit.ctx.app.clock()))] : []),
    ...(edit ? [edit] : []),
  ])}</p>
${step && html`<p>Waits for <strong>${step.person}</strong>${since && html` since ${timeOf(since)}`}</p>`}
${fieldProblem(`problem-${id}`, refusalOf(visit, { approval_id: id })?.problem)}
${step && mayDecide(visit, approval) && decideForm(visit, approval, step, subject)}
<ol>${steps.map((each) => stepItem(each, each === step))}</ol>
${nextPart(visit, approval, subject)}
<div class="row">${mayTakeBack(visit, approval) && takeBackForm(visit, approval, { text: answered ? "Decide again" : "Take back" })}${status !== "pending" && visit.mayEdit && reopenForm?.(visit, approval, answered ? "Ask again" : "Reopen")}</div>`;
}

/** The former rounds, oldest first. */
export const roundsPart = ({ rounds }: Approval): Markup =>
  html`${rounds.length > 0 && html`<details><summary>${plural(rounds.length, "former round")}</summary>${rounds.map((steps) => html`<ol>${steps.map((step) => stepItem(step, false))}</ol>`)}</details>`}`;

/** Throws 409 if another version would be signed than the one that the form showed. */
async function checkShown(visit: Visit, form: SubmittedForm, approval_id: number): Promise<void> {
  const shown = form.text("version_id");
  const subject = shown === "" ? undefined : (await subjectsByApproval(visit, [{ id: approval_id }])).get(approval_id);
  const version = subject?.version;
  if (version !== undefined && String(version.id) !== shown)
    throw conflict(`v${version.version} came since this page was shown: look at it, and decide again`);
}

/** Why a step was not decided that somebody else has decided since its form was shown, with the note that was written; undefined if nobody has. */
async function whoWasQuicker(visit: Visit, form: SubmittedForm): Promise<string | undefined> {
  const { steps } = await visit.ask(getApproval, { approval_id: Number(form.text("approval_id")) });
  const step = steps.find(({ position }) => String(position) === form.text("position"));
  if (step === undefined || step.decided_at === null) return undefined;
  const did = step.status === "approved" ? "approved this" : "asked for changes";
  const written = form.text("note") === "" ? "" : ` You wrote: “${form.text("note")}”`;
  return `${step.decided_by ?? "Somebody"} ${did} at ${timeText(step.decided_at)}, before you: nothing was recorded.${written}`;
}

/** Decides one approval. A step that somebody else has decided meanwhile is refused by that name. */
export async function decideOne(visit: Visit, form: SubmittedForm): Promise<void> {
  try {
    await decide(visit, form);
  } catch (error) {
    const isLate = error instanceof HttpError && error.status === 409 && form.text("decision") !== "take_back";
    const quicker = isLate ? await whoWasQuicker(visit, form) : undefined;
    throw quicker === undefined ? error : new FormRefusal(409, quicker);
  }
}

/** Decides, takes back or reopens, as a form asks. */
export async function decide(visit: Visit, form: SubmittedForm): Promise<void> {
  const [decision, approval_id] = [form.text("decision"), Number(form.text("approval_id"))];
  const reopen = decision === "reopen" && visit.mayEdit ? await placeFiller("reopen_approval") : undefined;
  if (decision === "take_back") return void (await visit.ask(takeBackApproval, { approval_id }));
  if (reopen !== undefined) return reopen(visit, approval_id);
  if (decision !== "approved" && decision !== "changes") throw unprocessable("choose Approve or Ask for changes");
  if (form.text("decided_by") === "") throw unprocessable("choose the name of the person who decides");
  if (decision === "changes" && form.text("note") === "")
    throw new FormRefusal(422, "Write in the note what should change, then ask for changes.", ["note"]);
  await checkShown(visit, form, approval_id);
  await visit.send(decideApproval, form);
}
