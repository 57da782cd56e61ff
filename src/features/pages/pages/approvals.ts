// /approvals: the approvals as cards with what each is about, first those that wait for the visitor; and
// /approvals/{approval_id}, one of them with its pictures in large, the version before it and the notes.
import { type Approval, getApproval, listApprovals } from "../../../graph/approvals.ts";
import { getPerson } from "../../../graph/people.ts";
import { approvalStatuses } from "../../../graph/values.ts";
import { newerOf, type SignedVersion, type Subject, signedVersions, subjectsByApproval } from "../approval_subjects.ts";
import { type Choosing, chooseRow, chooseWhole, chosenIn, chosenPanel } from "../choosing.ts";
import { byDue, dateText, lateText } from "../dates.ts";
import { formWith } from "../form.ts";
import { fieldInput, hiddenFields, tabs } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { capitalized, chip, emptyState, heading, lines, nextNotice, plural, still, wordOf } from "../html_parts.ts";
import { windowOf } from "../list_windows.ts";
import { mediaParts } from "../media_view.ts";
import type { Redirect, SubmittedForm, View } from "../page.ts";
import { editLink, placeFiller } from "../page_places.ts";
import { attempted, FormRefusal } from "../refusals.ts";
import type { Visit } from "../visit.ts";
import {
  currentStep,
  decisionPart,
  mayDecide,
  mayTakeBack,
  nameField,
  roundForms,
  roundsPart,
  subjectPart,
  waitsForMe,
} from "./approval_card.ts";
import { decide, decideOne } from "./deciding.ts";
import { notesPanel, reviewedOf, versionPictures } from "./review.ts";
import { releasedBefore } from "./versions.ts";

interface CardOptions {
  subjects: ReadonlyMap<number, Subject | undefined>;
  choosing: Choosing;
}

/** What a chosen approval sends: the step and the version that its card shows, which is the newest. */
const choiceOf = (approval: Approval, version: number | null | undefined): string =>
  [approval.id, currentStep(approval)?.position, version ?? ""].join(":");

/** How far an approval is: a bar for each step, and the same in words. */
function stepBar(approval: Approval): Markup {
  const { steps, mode } = approval;
  const step = currentStep(approval);
  const bars = steps.map(
    (each) =>
      html`<i class="${each === step ? "warn" : each.status === "approved" ? "good" : each.status === "pending" ? "none" : "bad"}"></i>`,
  );
  const words = mode === "decision" ? "one decision" : `step ${step?.position ?? steps.length} of ${steps.length}`;
  return html`<span class="under"><span class="bars" aria-hidden="true">${bars}</span> ${words}</span>`;
}

/** What is decided, in one line. */
const subjectLine = ({ name, version, submission }: Subject): Markup =>
  html`${name}${version && html`, v${version.version} ${version.variant}`}${submission && html`, ${submission}`}`;

/** When an approval is due; how late it is stands below it. */
function dueCell(due: string | null, isOpen: boolean, today: string): Markup {
  if (due === null) return html`<span></span>`;
  const late = isOpen && lateText(due, today);
  return html`<span class="due">${due === today ? "Today" : dateText(due)}${late && html`<span class="tone bad">${late}</span>`}</span>`;
}

function approvalItem(visit: Visit, approval: Approval, { subjects, choosing }: CardOptions): Markup {
  const { id, title, status, due } = approval;
  const subject = subjects.get(id);
  const choice = choiceOf(approval, subject?.version?.id);
  const step = currentStep(approval);
  const picture = subject?.media.find(({ content_type }) => content_type.startsWith("image/"));
  const isMine = waitsForMe(visit, approval);
  const today = visit.today;
  return html`<li id="approval-${id}"><span class="pick">${choosing.values.length > 1 && choosing.values.includes(choice) && chooseRow(choosing, choice, html`<span class="unseen">choose ${title}</span>`)}</span>
${still(picture && `/thumbnails/${picture.id}`, subject?.kind ?? (subject?.href.startsWith("/scenes/") ? "scene" : ""))}
<span><a class="name" href="/approvals/${id}" dir="auto">${title}</a>${subject && html` <span class="under" dir="auto">${subjectLine(subject)}</span>`}</span>
<span>${step === undefined ? chip(status) : html`<span dir="auto">${step.person}</span>`} ${stepBar(approval)}</span>
${dueCell(due ?? null, step !== undefined, today)}
<span>${isMine && html`<a class="button" href="/approvals/${id}" aria-label="Decide ${title}">Decide</a>`}</span></li>`;
}

/** The people for whom approvals wait, each with how many. */
function peopleOf(approvals: readonly Approval[]): [id: string, text: string][] {
  const steps = approvals.flatMap((approval) => currentStep(approval) ?? []);
  return [...Map.groupBy(steps, ({ person_id }) => person_id)].map(([id, of]) => [
    String(id),
    `${of[0]?.person}, ${plural(of.length, "approval")}`,
  ]);
}

/**
 * The form that decides every chosen approval: those of the person of the key, or of the person whom a key of nobody
 * names.
 */
function chosenForm(visit: Visit, choosing: Choosing, decidable: readonly Approval[], shown: number): Markup {
  const { refused } = choosing;
  const given = (name: string) => refused?.form.text(name) ?? "";
  const note = { name: "note", label: "Note for the chosen", maxlength: 10_000 };
  const isBound = visit.context.caller.person_id !== null;
  const all = isBound
    ? `all ${plural(decidable.length, "approval")} that wait for me`
    : "all that wait for the chosen name";
  const body = html`${chooseWhole(choosing, shown, all)}
${!isBound && html`<div class="stack">${nameField("by-chosen", peopleOf(decidable), given("decided_by"))}</div>`}
<div class="stack">${fieldInput(note, "note-chosen", given("note"), false)}</div>
<button name="all" value="approved">Approve the chosen</button><button name="all" value="changes" class="quiet">Ask for changes of the chosen</button>`;
  return chosenPanel(visit, choosing, "Decide several", body);
}

/** Takes back what was decided together. */
const takeBackAll = (visit: Visit, approvals: readonly Approval[]): Markup =>
  html`<form method="post" class="row">${visit.proof}${approvals.map(({ id }) => hiddenFields({ chosen: `${id}::` }))}<button name="all" value="take_back" class="quiet">Take all of them back</button></form>`;

/** The most approvals that are decided at once. */
const maxChosen = 500;

/** What the form has chosen: the ids of approvals, and what it is sent with as of their cards. */
async function choicesIn(visit: Visit, form: SubmittedForm): Promise<string[][]> {
  const { choosing, decidable } = await listOf(visit);
  const isWhole = form.text("whole") !== "";
  const chosen = chosenIn(form, choosing).filter((_, at) => {
    const by = form.text("decided_by");
    return !isWhole || by === "" || String(decidable[at] && currentStep(decidable[at])?.person_id) === by;
  });
  if (chosen.length > maxChosen)
    throw new FormRefusal(
      422,
      `At most ${maxChosen} approvals are decided at once, not ${chosen.length}: choose fewer.`,
    );
  return chosen.map((text) => text.split(":"));
}

/**
 * Decides every chosen approval, or takes its decision back. Those that are refused are named on the page that follows,
 * and the others stay decided; if all are refused, the form is.
 */
async function decideChosen(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const [decision, note, bound] = [form.text("all"), form.text("note"), visit.context.caller.person_id];
  const decided_by = String(bound ?? form.text("decided_by"));
  const chosen = await choicesIn(visit, form);
  const [done, left]: [string[], string[]] = [[], []];
  const refused = new Set<string>();
  for (const [approval_id = "", position = "", version_id = ""] of chosen) {
    const fields = { approval_id, position, version_id, seen: version_id, decision, note, decided_by };
    const result = await attempted(decide(visit, formWith(form, fields)));
    if ("problem" in result) refused.add(result.problem);
    ("problem" in result ? left : done).push(approval_id);
  }
  if (done.length === 0) throw new FormRefusal(409, `0 approvals of ${chosen.length}: done. ${[...refused].join(" ")}`);
  return { location: `/approvals?decided=${done.join(".")}${left.length > 0 ? `&left=${left.join(".")}` : ""}` };
}

const tabNames: Readonly<Record<string, string>> = { pending: "Open", changes_requested: "Changes asked" };
const filters = ["pending", ...approvalStatuses.filter((status) => status !== "pending"), "all"] as const;

/** The approvals that an address names, such as 3.5.8. */
function namedIn(all: readonly Approval[], text: string | null | undefined): Approval[] {
  const ids = new Set(text?.split("."));
  return all.filter(({ id }) => ids.has(String(id)));
}

/** Whether an approval can be decided with others: an older version is signed by itself. */
const signsNewest = (signed: SignedVersion | undefined): boolean =>
  signed === undefined || signed.newest_id === null || signed.newest_id === signed.version_id;

/** The list that the address asks for: first what waits for the visitor, then by the date. `just` stand above it. */
async function listOf(visit: Visit) {
  const { query, refused } = visit;
  const status = filters.find((known) => known === query.get("status")) ?? "pending";
  const all = await visit.ask(listApprovals, {});
  const asked = status === "all" ? all : all.filter((one) => one.status === status);
  const just = namedIn(all, refused?.form.text("approval_id") || query.get("decided") || query.get("show"));
  const others = asked.filter((approval) => !just.includes(approval)).toSorted(byDue);
  const sorted = others.toSorted((a, b) => Number(waitsForMe(visit, b)) - Number(waitsForMe(visit, a)));
  const open = sorted.filter((approval) => currentStep(approval) !== undefined && mayDecide(visit, approval));
  const versions = signedVersions(visit, open);
  const decidable = open.filter(({ id }) => signsNewest(versions.get(id)));
  const choosing: Choosing = {
    form: "chosen",
    name: "chosen",
    noun: "approval",
    values: decidable.map((approval) => choiceOf(approval, versions.get(approval.id)?.version_id)),
    refused: refused?.form.text("all") ? refused : undefined,
  };
  return { all, status, asked, just, sorted, decidable, choosing };
}

/** How many of the approvals that were decided together are shown as cards. */
const maxCards = 6;

const titleLink = ({ id, title, status }: Approval): Markup =>
  html`<li><a href="/approvals/${id}">${title}</a> ${chip(status)}</li>`;

/** What was just decided, with what takes it back, and what was chosen but not decided. */
function justPart(visit: Visit, just: readonly Approval[], left: readonly Approval[], options: CardOptions): Markup {
  const isDecided = visit.refused === undefined && visit.query.has("decided");
  const all = just.length > 1 && just.every((one) => mayTakeBack(visit, one)) && takeBackAll(visit, just);
  const cards =
    just.length > maxCards
      ? html`<details class="panel"><summary>${plural(just.length, "approval")}</summary>${lines(just.map(titleLink))}</details>`
      : html`<ul class="rows">${just.map((approval) => approvalItem(visit, approval, options))}</ul>`;
  return html`${just.length > 0 && html`<section role="status"><h2>${isDecided ? "Just now" : "The one you asked for"}</h2>${all}${cards}</section>`}
${left.length > 0 && html`<section class="panel notice bad" role="alert"><h2>Not decided <span class="count">${left.length}</span></h2><p>Each of these waits for somebody else, or has changed since the page was shown.</p>${lines(left.map(titleLink))}</section>`}`;
}

/** After a decision, the next approval that waits for the same person. */
async function nextPart(visit: Visit, approval: Approval): Promise<Markup | false> {
  if (!visit.query.has("decided") || visit.refused !== undefined) return false;
  const open = (await visit.ask(listApprovals, { status: "pending" })).filter(
    (one) => one.id !== approval.id && mayDecide(visit, one),
  );
  const [next] = open.toSorted(byDue);
  return nextNotice(
    next && `/approvals/${next.id}`,
    next?.title,
    `${open.length} to decide`,
    "Nothing else waits for you.",
  );
}

export async function showApprovals(visit: Visit): Promise<View> {
  const one = Number(visit.refused?.form.text("approval_id") || 0);
  if (one > 0) return approvalView(visit, one); // the form that was refused is on its page
  const { all, status, just, sorted, decidable, choosing } = await listOf(visit);
  // No button of the pages rejects, so only a production that has such approvals is asked about them.
  const offered = filters.filter((one) => one !== "rejected" || all.some((approval) => approval.status === one));
  // A row has a picture and steps, and so more nodes than one of another list.
  const part = windowOf(visit, sorted, { weightOf: () => 1.25 });
  const cards = [...part.shown, ...(just.length > maxCards ? [] : just)];
  const options: CardOptions = { subjects: await subjectsByApproval(visit, cards), choosing };
  const { mine = [], others = [] } = Object.groupBy(part.shown, (one) => (waitsForMe(visit, one) ? "mine" : "others"));
  const ofMine = sorted.filter((one) => waitsForMe(visit, one)).length; // on all pages of the list
  const list = async (of: readonly Approval[]) =>
    html`<ul class="rows">${await visit.rows(of, (approval) => approvalItem(visit, approval, options))}</ul>`;
  const chosen =
    decidable.length > 1 &&
    chosenForm(visit, choosing, decidable, part.shown.filter((one) => decidable.includes(one)).length);
  const body = html`${heading("Approvals", html`${editLink(visit, "/edit/approvals", "New approval")}`)}
${tabs(
  offered.map((one) => ({
    href: `/approvals?status=${one}`,
    text: tabNames[one] ?? capitalized(wordOf(one)),
    count: one === "all" ? all.length : all.filter((approval) => approval.status === one).length,
    isCurrent: one === status,
  })),
)}
${justPart(visit, just, namedIn(all, visit.query.get("left")), options)}
${mine.length > 0 && html`<h2>Waits for you <span class="count">${ofMine}</span></h2>${await list(mine)}${chosen}`}
${others.length > 0 && status === "pending" && html`<h2>Waits for others <span class="count">${sorted.length - ofMine}</span></h2>`}
${others.length > 0 && (await list(others))}${mine.length === 0 && chosen}${part.pager}
${sorted.length === 0 && emptyState(all.length === 0 ? "There are no approvals yet." : status === "pending" ? "Nothing waits for a decision." : "There are no such approvals.")}`;
  return { title: "Approvals", body };
}

export async function submitDecision(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  if (form.text("all") !== "") return decideChosen(visit, form);
  await decideOne(visit, form);
  const id = Number(form.text("approval_id"));
  return { location: `/approvals?decided=${id}#approval-${id}` };
}

/** What is looked at before a decision, and what was said of it, which a phone shows below the decision. */
interface Looked {
  pictures: Markup;
  notes?: Markup;
}

/**
 * The version that is signed beside the newest one, else beside the last released one of its variant, and the notes;
 * the media of what is no asset.
 */
async function lookPart(visit: Visit, { id, node_id }: Approval, subject: Subject): Promise<Looked> {
  const { version, media } = subject;
  if (node_id === null || version === undefined) return { pictures: mediaParts(media, true) };
  const reviewed = await reviewedOf(visit, node_id);
  const { versions } = reviewed;
  const newer = newerOf(subject);
  const asked = versions.find(({ id }) => id === version.id);
  const other = newer ? versions.find(({ id }) => id === newer.id) : asked && releasedBefore(asked, versions);
  const compared = (newer ? [asked, other] : [other, asked]).filter((one) => one !== undefined);
  const pictures = html`${await versionPictures(visit, reviewed, compared)}
${versions.length > 1 && html`<p><a href="/assets/${node_id}/compare">Compare other versions</a></p>`}`;
  return { pictures, notes: notesPanel(visit, reviewed, { approval: id }) };
}

export const showApproval = (visit: Visit): Promise<View> => approvalView(visit, visit.id("approval_id"));

async function approvalView(visit: Visit, approval_id: number): Promise<View> {
  const approval = await visit.ask(getApproval, { approval_id });
  const { title, status } = approval;
  const subject = (await subjectsByApproval(visit, [approval])).get(approval.id);
  const look = subject && (await lookPart(visit, approval, subject));
  const step = currentStep(approval);
  const late = step && lateText(approval.due, visit.today);
  const asset = step && subject?.kind !== undefined ? approval.node_id : null;
  const waits = asset !== null && (await (await placeFiller("asset_waits"))?.(visit, asset));
  const facts = html`${chip(status)}${late && html`<span class="tone bad">${late}</span>`}${waits}`;
  const role = step && (await visit.ask(getPerson, { person_id: step.person_id })).role;
  const card = html`<section class="panel" id="approval-${approval.id}">${subject && subjectPart(subject, false)}
${decisionPart(visit, approval, { subject, role }, await roundForms())}
${roundsPart(visit, approval, subject)}</section>`;
  const body = html`<p class="over"><a href="/approvals">Approvals</a></p>${heading(title, facts)}
${await nextPart(visit, approval)}
${!look?.pictures.text ? card : html`<div class="columns asset"><div class="flow">${look.pictures}</div><div class="flow">${card}</div><div class="flow">${look.notes}</div></div>`}`;
  return { title, body };
}

export async function submitApproval(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  await decideOne(visit, form);
  const isDecided = /^(?:approved|changes)$/.test(form.text("decision"));
  return { location: `${visit.ctx.path}${isDecided ? "?decided=1" : ""}` };
}
