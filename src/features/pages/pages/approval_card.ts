// An approval as people decide it: what is signed, the forms that decide it, ask about a newer version, take a decision
// back and reopen it, and its steps.
import type { Approval } from "../../../graph/approvals.ts";
import { newerOf, type Subject } from "../approval_subjects.ts";
import { dueText, timeOf } from "../dates.ts";
import { checkBox, fieldInput, hiddenFields, postForm } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { chip, dotted, fieldProblem, options, plural, stateWord, still } from "../html_parts.ts";
import { mediaParts } from "../media_view.ts";
import { editLink, type PagePlaces, placeFiller } from "../page_places.ts";
import { refusalOf } from "../refusals.ts";
import type { Visit } from "../visit.ts";

/** An approval as a line that leads to it; only text for a vendor, who has no page of approvals. */
export const approvalLink = (
  visit: Visit,
  { id, title, status, due }: Pick<Approval, "id" | "title" | "status" | "due">,
): Markup =>
  html`${visit.isVendor ? title : html`<a href="/approvals/${id}">${title}</a>`} ${chip(status)} ${
    status === "pending" && dueText(due, visit.today)
  }`;

type Step = Approval["steps"][number];

export const currentStep = ({ status, steps }: Approval): Step | undefined =>
  status === "pending" ? steps.find((step) => step.status === "pending") : undefined;

/** When the current step began to wait: when the step before it was decided; undefined if it is the first. */
const waitingSince = ({ steps }: Approval, position: number): string | null | undefined =>
  steps.find((step) => step.position === position - 1)?.decided_at;

interface StepOptions {
  isCurrent?: boolean;
  signed?: Subject["signed"] | undefined;
  /** When the step began to wait. */
  since?: string | null | undefined;
}

/** A step: who, what was decided about which version and when, and what was said. */
const stepItem = (visit: Visit, step: Step, { isCurrent = false, signed = {}, since }: StepOptions): Markup => {
  const version = signed[String(step.version_id)];
  const { person, person_id, status, decided_at, note, decided_by } = step;
  const who = status !== "pending" && decided_by !== null && decided_by !== person ? ` (by ${decided_by})` : "";
  const isMine = person_id === visit.context.caller.person_id;
  const did = status === "approved" ? "approved" : status === "pending" ? "" : stateWord(status);
  return html`<li class="step ${isCurrent ? "warn" : status === "approved" ? "good" : status !== "pending" && "bad"}"${isCurrent && html` aria-current="step"`}>
<b dir="auto">${isMine ? "You" : person}</b>${who} <span class="under">person ${person_id}</span> <span class="under">${did}${version !== undefined && ` v${version}`}${decided_at !== null && html` ${timeOf(decided_at)}${decided_by === null && ", through a key"}`}${isCurrent && html`decides${since && html`, since ${timeOf(since)}`}`}${status === "pending" && !isCurrent && "later"}</span>
${note !== null && html`<p class="note"><q>${note}</q></p>`}
</li>`;
};

/** In whose name the form signs, and for a key of nobody the field that says so. */
const signedAs = (visit: Visit, { person, person_id }: Step, role: string | undefined): Markup =>
  html`<input type="hidden" name="decided_by" value="${person_id}"><p class="under">${visit.context.caller.person_id === null ? "In the name of" : "Signed as"} <b>${person}</b>${role !== undefined && `, ${role}`}</p>`;

/**
 * The menu of who decides, with its label. No name is selected, so that nobody decides in another person's name by
 * accident.
 */
export const nameField = (id: string, people: Iterable<readonly [id: string, name: string]>, given: string): Markup =>
  html`<label for="${id}">Who decides</label>
<select id="${id}" name="decided_by" required>${options([["", "choose a name"], ...people], given)}</select>`;

/** What the signature is about, in words. */
const signs = ({ name, version }: Subject, { position }: Step, steps: number): Markup =>
  html`${version && html`v${version.version} ${version.variant} of `}${name}${steps > 1 && `, step ${position} of ${steps}`}`;

/** Where the browser stands after a form of an approval: at its card, also if the form is refused. */
const cardAddress = ({ id }: Pick<Approval, "id">): string => `#approval-${id}`;

/** Where an approval is asked about again, and reopened; nothing without the feature that does. */
export interface RoundForms {
  reopen: PagePlaces["reopen_form"] | undefined;
  ask: PagePlaces["ask_form"] | undefined;
}

export async function roundForms(): Promise<RoundForms> {
  const [reopen, ask] = await Promise.all([placeFiller("reopen_form"), placeFiller("ask_form")]);
  return { reopen, ask };
}

/** What the form that decides says. */
interface Decided {
  subject: Subject | undefined;
  /** What the person whose step it is does on the production. */
  role: string | undefined;
}

/** The form that decides the current step. A key that is bound to a person decides as that person, with one tap. */
function decideForm(visit: Visit, approval: Approval, step: Step, { subject, role }: Decided): Markup {
  const { id, title, steps } = approval;
  const refused = refusalOf(visit, { approval_id: id });
  const given = (name: string) => refused?.form.text(name) ?? "";
  const version = subject?.version;
  const newer = subject && newerOf(subject);
  const shown = { version_id: version?.id ?? "", seen: newer?.id ?? version?.id ?? "" };
  const hint = newer === undefined ? "needed to ask for changes" : `why v${version?.version} is decided`;
  const note = {
    name: "note",
    label: "Note",
    hint,
    rows: 2,
    maxlength: 10_000,
    ...(newer && { required: true as const }),
  };
  const approve = version === undefined ? "Approve" : `Approve v${version.version}`;
  const lacks = refused?.fields.includes("note") ? `problem-${id}` : false;
  return html`<form method="post" action="${cardAddress(approval)}" class="stack">${visit.proof}${hiddenFields({ approval_id: id, position: step.position, ...shown })}
<h2>${version === undefined ? `Do you approve ${subject?.name ?? "this"}?` : `Do you approve v${version.version} ${version.variant}?`}</h2>
${fieldInput(note, `note-${id}`, given("note"), lacks)}
${newer && checkBox("older", "yes", `I have seen v${newer.version}, and decide v${version?.version}`, given("older") === "yes")}
<div class="row decide"><button name="decision" value="approved"${newer && html` class="quiet"`} aria-label="${approve}: ${title}">${approve}</button>
<button name="decision" value="changes" class="quiet" aria-label="Ask for changes of ${title}">Ask for changes</button></div>
${signedAs(visit, step, role)}${subject !== undefined && html`<p class="under">Signs ${signs(subject, step, steps.length)}.</p>`}
</form>`;
}

/** Whether it is the turn of the person to whom the visitor's key is bound. */
export const waitsForMe = ({ context: { caller } }: Visit, approval: Approval): boolean =>
  caller.person_id !== null && currentStep(approval)?.person_id === caller.person_id;

/**
 * Whether the visitor may decide the current step, if there is one: a key that is bound to a person decides only that
 * person's.
 */
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

/** Whether the visitor may ask about another version: who has a step of what is open, and who may edit. */
const mayAsk = (visit: Visit, { status, steps }: Approval): boolean =>
  visit.mayEdit ||
  (visit.mayWrite &&
    /^(?:pending|changes_requested)$/.test(status) &&
    steps.some(({ person_id }) => person_id === visit.context.caller.person_id));

/** Names in a sentence: "A", "A and B". */
const named = (names: readonly string[]): Markup =>
  html`${names.map((name, at) => html`${at > 0 && (at === names.length - 1 ? " and " : ", ")}${name}`)}`;

/** Says that a newer version came, and who would be asked again; with the form that asks, for those who may. */
function newerPart(visit: Visit, approval: Approval, subject: Subject, { ask }: RoundForms): Markup | false {
  const { version, newest } = subject;
  const { status, steps } = approval;
  const signed = steps.filter((step) => step.status === "approved");
  const isBehind = signed.some(({ version_id }) => version_id !== null && version_id !== newest?.id);
  if (newest === undefined || !(newerOf(subject) || newest.answers || (status === "pending" && isBehind))) return false;
  const asked = status === "changes_requested" && steps.findLast((step) => step.status === status);
  const what = asked
    ? html`v${newest.version} came since ${asked.person} asked for changes.`
    : newerOf(subject)
      ? html`v${newest.version} is newer than v${version?.version}, which this is about.`
      : html`v${newest.version} came since ${named(signed.map(({ person }) => person))} decided.`;
  const again =
    signed.length > 0 &&
    html` If it is asked about, ${named(signed.map(({ person }) => person))} decide${signed.length === 1 ? "s" : ""} again.`;
  return html`<p class="hint">${what}${again}</p>${mayAsk(visit, approval) && ask?.(visit, approval, newest)}`;
}

/** The form that decides, behind the one that asks about a newer version. */
function signPart(visit: Visit, approval: Approval, decided: Decided): Markup | false {
  const { subject } = decided;
  const step = currentStep(approval);
  if (step === undefined || !mayDecide(visit, approval)) return false;
  const form = decideForm(visit, approval, step, decided);
  if (subject === undefined || newerOf(subject) === undefined) return form;
  const isOpen = refusalOf(visit, { approval_id: approval.id }) !== undefined;
  return html`<details${isOpen && html` open`}><summary>Decide v${subject.version?.version} all the same</summary>${form}</details>`;
}

/** What comes next where changes were asked for, and no newer version is there. */
const returnedPart = (visit: Visit, { status }: Approval, { version, newest, href, name }: Subject): Markup | false =>
  status === "changes_requested" &&
  version !== undefined &&
  !newest?.answers &&
  visit.mayWrite &&
  html`<p class="hint">A new version <a href="${href}">of ${name}</a> answers it.</p>`;

/** A note on the version that is signed, with who wrote it. */
const signedNote = ({ text, author, came_with }: Subject["notes"][number]): Markup =>
  html`<p class="note"><q>${text}</q></p><p class="under">${dotted([...(author === null ? [] : [html`${author}`]), html`${came_with ? "with this version" : "the newest note"}`])}</p>`;

/** What is decided: its pictures, and what is known of the version. */
export function subjectPart(subject: Subject, withPictures = true): Markup {
  const { href, name, kind, version, media, notes, submission } = subject;
  return html`${withPictures && (media.length > 0 ? mediaParts(media) : kind !== undefined && still(undefined, kind))}
<p class="label"><a href="${href}">${name}</a>${kind !== undefined && html` <span class="count">${kind}</span>`}</p>
${submission && html`<p class="under">${submission}</p>`}
${
  version !== undefined &&
  html`<p class="under">v${version.version} ${version.variant} ${chip(version.status)}${!version.released && " not released"}${version.created_by && html` · ${version.created_by}`}${version.created_at && html`, ${timeOf(version.created_at)}`}</p>
${notes.map(signedNote)}`
}`;
}

/** The state of an approval, and the forms for it. */
export function decisionPart(visit: Visit, approval: Approval, decided: Decided, forms: RoundForms): Markup {
  const { subject } = decided;
  const { id, title, status, mode, due, steps } = approval;
  const step = currentStep(approval);
  const since = step && waitingSince(approval, step.position);
  const edit = editLink(visit, `/edit/approvals/${id}`, "Edit", `Edit ${title}`);
  return html`<p class="under">${dotted([
    html`${mode === "chain" ? plural(steps.length, "step") : "one decision"}`,
    ...(status === "pending" && due ? [dueText(due, visit.today)] : []),
    ...(edit ? [edit] : []),
  ])}</p>
${step && !mayDecide(visit, approval) && html`<p>Waits for <strong>${step.person}</strong>${since && html` since ${timeOf(since)}`}</p>`}
${fieldProblem(`problem-${id}`, refusalOf(visit, { approval_id: id })?.problem)}
${subject && newerPart(visit, approval, subject, forms)}
${signPart(visit, approval, decided)}
<ol class="steps">${steps.map((each) => stepItem(visit, each, { isCurrent: each === step, signed: subject?.signed, since }))}</ol>
${subject && returnedPart(visit, approval, subject)}
<div class="row">${mayTakeBack(visit, approval) && takeBackForm(visit, approval)}${status !== "pending" && visit.mayEdit && forms.reopen?.(visit, approval, "Reopen")}</div>`;
}

/** The former rounds, oldest first. */
export const roundsPart = (visit: Visit, { rounds }: Approval, subject: Subject | undefined): Markup =>
  html`${rounds.length > 0 && html`<details><summary>${plural(rounds.length, "former round")}</summary>${rounds.map((steps) => html`<ol>${steps.map((step) => stepItem(visit, step, { signed: subject?.signed }))}</ol>`)}</details>`}`;
