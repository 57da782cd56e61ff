// /settings/import: reads uploaded documents, shows what they would change, and then applies exactly that.
import type { Upload } from "../../../core/inputs.ts";
import { compareNames, textIsStored } from "../../../core/wording.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { checkBox, formInputs, hiddenFields } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { emptyState, fieldProblem, panel, plural } from "../../pages/html_parts.ts";
import type { FormFields, SubmittedForm, View } from "../../pages/page.ts";
import { hasPage } from "../../pages/page_places.ts";
import { attempted, FormRefusal } from "../../pages/refusals.ts";
import { settingsView } from "../../pages/settings.ts";
import type { Visit } from "../../pages/visit.ts";
import { firstWhere } from "../../sequences/sequences.ts";
import { listKinds, scriptKinds, spokenKind } from "../kinds.ts";
import { importDocuments } from "../operations.ts";
import { sceneName } from "../sections/sections.ts";
import { type ChosenFile, chosenFiles, keptFiles, kindAsked, kindsRead, withStaged } from "./chosen_files.ts";
import { dateOrders, flagLabels, inFormWords } from "./flag_labels.ts";
import { appliedPanel, changeCount, planView, type ShownPlan, shownChanges } from "./plan_view.ts";

/** The options of the form for files of other programs. Empty fields are left out. */
const flagsOf = (form: SubmittedForm) => ({
  map: form
    .text("map")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== ""),
  pages: form.text("pages") === "1",
  new_episode: form.text("new_episode") === "1",
  exact: form.text("exact") === "1",
});

/** The fields of the form besides its files. They are sent again with the form that applies. */
const flagFields = ["as", "dates", "episode", "color", "week", "encoding", "map", "pages", "new_episode", "exact"];

const kinds = [
  ["", "what it says itself"] as const,
  ...listKinds.map((kind) => [kind, spokenKind(kind)] as const),
  ...scriptKinds.map((kind) => [kind, `script (${kind})`] as const),
];

/**
 * What is chosen besides the files, filled with what was sent. It stands before them: what a form has before its first
 * file is shown again if its files are refused while they arrive.
 */
function flagInputs(given: (name: string) => string, form: FormFields | undefined): Markup {
  const check = (name: keyof typeof flagLabels, more = "") =>
    checkBox(name, "1", flagLabels[name] + more, given(name) === "1");
  const fields = [
    { name: "dates", label: flagLabels.dates, choices: [["", "as they read"] as const, ...Object.entries(dateOrders)] },
    { name: "map", label: flagLabels.map, hint: "one line each, such as Set=slugline", rows: 2 },
    { name: "week", label: flagLabels.week, type: "date" },
    {
      name: "encoding",
      label: flagLabels.encoding,
      hint: "where it is not UTF-8, such as windows-1251",
      maxlength: 50,
    },
    { name: "episode", label: flagLabels.episode, maxlength: 50 },
    { name: "color", label: flagLabels.color, maxlength: 100 },
  ];
  const isOpen = flagFields.some((name) => name !== "exact" && name !== "as" && given(name) !== "");
  return html`${formInputs([{ name: "as", label: flagLabels.as, choices: kinds, value: given("as") }], undefined)}
${check("exact", " (only for documents)")}
<details${isOpen && html` open`}><summary>For scripts, schedules and lists of other programs</summary>
<div class="stack">
${formInputs(fields, form && { form })}
${check("new_episode")}
${check("pages", ": keep the scenes that they do not contain")}
</div></details>`;
}

function chooseForm(visit: Visit): Markup {
  const { refused, query } = visit;
  const given = (name: string) => refused?.form.text(name) ?? (name === "as" ? (query.get("as") ?? "") : "");
  return panel(
    "Choose files, or drop them anywhere on this page",
    html`<form method="post" action="/settings/import" enctype="multipart/form-data" class="stack" data-drop>${visit.proof}
${flagInputs(given, refused?.form)}
<label for="files">Documents, scripts, schedules or lists <span class="under">several at once are one change</span></label>
<input id="files" name="files" type="file" multiple required${refused && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", refused?.problem)}
<button name="action" value="preview">Show what would change</button>
</form>`,
  );
}

/** The form that shows a plan anew with other answers, and applies the one that is shown. The files are in it. */
async function keptForm(
  visit: Visit,
  form: SubmittedForm,
  files: readonly ChosenFile[],
  plan: ShownPlan | undefined,
  { problem, asked }: { problem?: string; asked?: Markup } = {},
): Promise<Markup> {
  const shown = Object.fromEntries(flagFields.map((name) => [`shown_${name}`, form.text(name)]));
  const count = plan === undefined ? 0 : changeCount(plan.counts);
  const isStored = plan?.warnings.some((warning) => warning.endsWith(textIsStored)) === true;
  const what = count > 0 ? plural(count, "change") : isStored && "the text";
  const apply = what && html`<button name="action" value="apply">Apply ${what}</button>`;
  return html`<form method="post" action="/settings/import" class="stack panel">${visit.proof}${await keptFiles(visit, files)}${hiddenFields({ ...shown, revision: plan?.revision ?? "" })}
${fieldProblem("problem", problem)}
${asked}
${apply}
<details${plan === undefined && html` open`}><summary>Read it as something else</summary><div class="stack">${flagInputs((name) => form.text(name), form)}
<button name="action" value="preview"${apply && html` class="quiet"`}>Show what would change then</button></div></details>
<p><a href="/settings/import">Choose other files</a></p></form>`;
}

export const showImport = (visit: Visit): Markup =>
  html`<p class="hint">What a file lists is added or changed, and what it does not list stays. You see the changes before anything is written.</p>${chooseForm(visit)}`;

/** Whether the form asks to read the files as its page has shown it. */
const isAsShown = (form: SubmittedForm): boolean =>
  flagFields.every(
    (name) => form.text(name).replaceAll("\r\n", "\n") === form.text(`shown_${name}`).replaceAll("\r\n", "\n"),
  );

/**
 * Finds the last of the numbers that is not greater than another one, which need not be in order: its position, or -1.
 * Each is compared with few.
 */
export function lastBefore(numbers: readonly string[], compare = compareNames): (number: string) => number {
  const sorted = numbers.map((number, at) => ({ number, at })).sort((a, b) => compare(a.number, b.number));
  let last = -1;
  const lasts = sorted.map(({ at }) => {
    last = Math.max(last, at);
    return last;
  });
  return (number) => lasts[firstWhere(sorted, (one) => compare(one.number, number) > 0) - 1] ?? -1;
}

/** The changes of scenes and of the script in the order of the script. */
async function inOrder(visit: Visit, plan: ShownPlan): Promise<ShownPlan> {
  const isOfScript = ({ section }: ShownPlan["changes"][number]) =>
    section === "scenes" || section === "script_changes";
  if (!plan.changes.some(isOfScript)) return plan;
  const scenes = visit.holds("read") ? await visit.ask(listScenes, {}) : [];
  const before = lastBefore(scenes.map(({ number, episode_code }) => sceneName(number, episode_code)));
  const places = new Map(scenes.map(({ node_id }, at) => [node_id, at]));
  const sorted = plan.changes
    .filter(isOfScript)
    .map((change) => ({
      change,
      place: places.get(change.id ?? 0) ?? before(change.key.replace(/ ?\/ ?/, "/")) + 0.5,
    }))
    .sort((a, b) => a.place - b.place || compareNames(a.change.key, b.change.key))
    .map(({ change }) => change);
  return { ...plan, changes: [...sorted, ...plan.changes.filter((change) => !isOfScript(change))] };
}

const planOf = async (
  visit: Visit,
  form: SubmittedForm,
  files: Upload[],
  more: { dry_run: true } | { if_revision: string },
) => inOrder(visit, await visit.send(importDocuments, form, { files, ...flagsOf(form), ...more, limit: shownChanges }));

/** The page of files that cannot be read as they were asked to be, or not any more. */
const refusedView = async (
  visit: Visit,
  form: SubmittedForm,
  files: readonly ChosenFile[],
  said: { read: Markup; asked?: Markup },
  problem: string,
): Promise<View> => {
  const told = inFormWords(problem);
  const body = html`<h2>It cannot be done like this</h2>${said.read}${await keptForm(visit, form, files, undefined, { ...said, problem: told })}`;
  return { ...(await settingsView("/settings/import", body, visit)), status: 422 };
};

async function preview(visit: Visit, form: SubmittedForm, files: readonly ChosenFile[]): Promise<Markup | View> {
  const as = form.text("as");
  const { read, asked, tried } = await withStaged(visit, files, as, async (uploads) => ({
    ...(await kindsRead(visit, files, uploads, { as, encoding: form.text("encoding") })),
    tried: await attempted(planOf(visit, form, uploads, { dry_run: true })),
  }));
  const said = html`${read.length > 0 && html`<ul class="under">${read}</ul>`}`;
  if ("problem" in tried) return refusedView(visit, form, files, { read: said, asked: html`${asked}` }, tried.problem);
  const plan = tried.value;
  if (plan.changes.length === 0 && plan.warnings.length === 0)
    return html`${said}${emptyState("The production already has all of this.")}${chooseForm(visit)}`;
  return html`<h2>What would change</h2>${said}${await keptForm(visit, form, files, plan)}${await planView(visit, plan)}`;
}

/** What can be decided or looked at next, by the sections that changed. */
function nextLinks({ changes }: ShownPlan): Markup {
  const count = (section: string) => changes.filter((change) => change.section === section).length;
  const waiting = changes.filter(({ section, action }) => section === "script_changes" && action === "add").length;
  const pages = [
    ["schedule", "/schedule", "See the board"],
    ["scenes", "/scenes", "See the script"],
    ["people", "/people", "See the crew"],
    ["assets", "/assets", "See the assets"],
    ["deliveries", "/deliveries", "See the deliveries"],
    ["approvals", "/approvals", "See the approvals"],
  ] as const;
  const links = pages.flatMap(([section, href, text]) =>
    count(section) > 0 && hasPage(href) ? [html`<a href="${href}">${text}</a>`] : [],
  );
  const decide =
    waiting > 0 &&
    hasPage("/settings/script-changes") &&
    html`<a class="button" href="/settings/script-changes">Decide ${plural(waiting, "change")} of the script</a>`;
  return html`<p class="row">${decide}${links}</p>`;
}

async function apply(visit: Visit, form: SubmittedForm, files: readonly ChosenFile[]): Promise<Markup | View> {
  const tried = await withStaged(visit, files, form.text("as"), (uploads) =>
    attempted(planOf(visit, form, uploads, { if_revision: form.text("revision") })),
  );
  if ("problem" in tried) return refusedView(visit, form, files, { read: html`` }, tried.problem);
  return html`${await appliedPanel(visit, "Applied", tried.value, nextLinks(tried.value))}${chooseForm(visit)}`;
}

/** The form with other answers to what its files are. */
const withAnswers = (form: SubmittedForm, answers: Readonly<Record<string, string>>): SubmittedForm => ({
  ...form,
  text: (name) => answers[name] ?? form.text(name),
  texts: (name) => (answers[name] === undefined ? form.texts(name) : [answers[name]]),
});

export async function submitImport(visit: Visit, given: SubmittedForm): Promise<Markup | View> {
  const files = await chosenFiles(visit, given);
  if (files.length === 0) throw new FormRefusal(422, "Choose a file, or drop one on the page.");
  const form = withAnswers(given, {
    as: await kindAsked(given, files),
    encoding: given.text("charset") || given.text("encoding"),
  });
  return form.text("action") === "apply" && isAsShown(form) ? apply(visit, form, files) : preview(visit, form, files);
}
