// /settings/import: reads uploaded documents, shows what they would change, and then applies exactly that.
import { readFile } from "node:fs/promises";
import { importDocuments } from "../../../../admin/operations/import.ts";
import { tooLarge } from "../../../../errors.ts";
import { listKinds, Upload } from "../../../../inputs.ts";
import { decodeBase64 } from "../../../http/body.ts";
import { attempted } from "../../attempt.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import type { View, WebPage } from "../../page.ts";
import { emptyState, fieldProblem, options, panel, plural } from "../../parts.ts";
import type { Visit } from "../../visit.ts";
import { settingsPage, settingsView } from "./frame.ts";
import { changeCount, planView, type ShownPlan, shownChanges, undoLink } from "./plan_view.ts";

/** The most bytes of the files, and of the form that applies them: the files are in it as base64, of which some characters are encoded. */
const maxFiles = 6 * 1024 * 1024;
const maxForm = 3 * maxFiles;
/** What the form says of files of other programs; fields that are left empty say nothing. */
function flagsOf(form: SubmittedForm) {
  const kind = listKinds.find((known) => known === form.text("as"));
  const dates = (["dmy", "mdy", "ymd"] as const).find((known) => known === form.text("dates"));
  const [episode, color, week] = [form.optional("episode"), form.optional("color"), form.optional("week")];
  const map = form
    .text("map")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  return {
    ...(kind && { as: kind }),
    ...(dates && { dates }),
    ...(episode && { episode }),
    ...(color && { color }),
    ...(week && { week }),
    map,
    pages: form.text("pages") === "1",
    exact: form.text("exact") === "1",
  };
}

/** The fields of the form besides its files. They are sent again with the form that applies. */
const flagFields = ["as", "dates", "episode", "color", "week", "map", "pages", "exact"];

const dateOrders = [
  ["", "as they read"],
  ["dmy", "day month year"],
  ["mdy", "month day year"],
  ["ymd", "year month day"],
] as const;
const kinds = [["", "(only for CSV)"] as const, ...listKinds.map((kind) => [kind, kind.replaceAll("-", " ")] as const)];

/** The form as it was sent, if it was refused. */
function chooseForm(visit: Visit, problem?: string, form?: SubmittedForm): Markup {
  const given = (name: string) => form?.text(name) ?? "";
  const check = (name: string, text: string) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="1"${given(name) === "1" && html` checked`}>${text}</label>`;
  const isOpen = flagFields.some((name) => name !== "exact" && given(name) !== "");
  return panel(
    "Choose documents",
    html`<form method="post" enctype="multipart/form-data" class="stack">${visit.proof}
<label for="files">Documents, scripts, schedules or lists <span class="under">several at once are one change</span></label>
<input id="files" name="files" type="file" multiple required${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", problem)}
${check("exact", "Also remove what their sections do not list")}
<details${isOpen && html` open`}><summary>For scripts, schedules and lists of other programs</summary>
<div class="stack">
<label for="as">A CSV file is a</label><select id="as" name="as">${options(kinds, given("as"))}</select>
<label for="dates">Its dates are written</label><select id="dates" name="dates">${options(dateOrders, given("dates"))}</select>
<label for="map">Its headers mean <span class="under">one line each, such as Set=slugline</span></label>
<textarea id="map" name="map" rows="2">
${given("map")}</textarea>
<label for="week">The week of a cost report</label><input id="week" name="week" type="date" value="${given("week")}">
<label for="episode">The episode of a script or schedule</label><input id="episode" name="episode" maxlength="50" value="${given("episode")}">
<label for="color">The revision colour of a script</label><input id="color" name="color" maxlength="100" value="${given("color")}">
${check("pages", "Only the revised pages: keep the scenes that they do not contain")}
</div></details>
<button name="action" value="preview">Show what would change</button>
</form>`,
  );
}

interface Chosen {
  name: string;
  base64: string;
}

const applyForm = (visit: Visit, plan: ShownPlan, chosen: readonly Chosen[], form: SubmittedForm): Markup => html`
<form method="post" class="row">${visit.proof}
${chosen.map(({ name, base64 }) => html`<input type="hidden" name="name" value="${name}"><input type="hidden" name="content" value="${base64}">`)}
<input type="hidden" name="revision" value="${plan.revision}">
${flagFields.filter((name) => form.text(name) !== "").map((name) => html`<input type="hidden" name="${name}" value="${form.text(name)}">`)}
<button name="action" value="apply">Apply ${plan.changes.length > 0 && plural(changeCount(plan.counts), "change")}</button>
<a href="/settings/import">Choose other documents</a>
</form>`;

const showForm = (visit: Visit, problem?: string, form?: SubmittedForm): View =>
  settingsView(
    "import",
    html`<p class="hint">A document updates the production: things that it lists are added or changed, and things that it does not list stay. You see
the changes before anything is written.</p>${chooseForm(visit, problem, form)}`,
    problem === undefined ? 200 : 422,
    visit,
  );

async function preview(visit: Visit, form: SubmittedForm): Promise<View> {
  const files = form.files("files");
  const read = await Promise.all(
    files.map(async ({ file_name, staged }, at): Promise<Chosen> => {
      const bytes = await readFile(staged.file);
      return { name: file_name ?? `file ${at + 1}`, base64: bytes.toString("base64") };
    }),
  );
  const result = await attempted(
    visit.ask(importDocuments, { files, ...flagsOf(form), dry_run: true, limit: shownChanges }),
  );
  if ("problem" in result) return showForm(visit, result.problem, form);
  const plan = result.value;
  if (plan.changes.length === 0 && plan.warnings.length === 0)
    return settingsView(
      "import",
      html`${emptyState("The production already has all of this.")}${chooseForm(visit)}`,
      200,
      visit,
    );
  const body = html`<h2>What would change</h2>${planView(plan)}${applyForm(visit, plan, read, form)}`;
  return settingsView("import", body, 200, visit);
}

async function apply(visit: Visit, form: SubmittedForm): Promise<View> {
  const { blobs } = visit.ctx.app;
  const names = form.texts("name");
  const contents = form.texts("content").map((base64) => decodeBase64(base64, "content"));
  if (contents.reduce((sum, { length }) => sum + length, 0) > maxFiles)
    throw tooLarge(`the files must have at most ${maxFiles} bytes together`);
  const files = contents.map((bytes, at) => new Upload(names[at] ?? null, blobs.stageBytes(bytes)));
  try {
    const given = { files, ...flagsOf(form), if_revision: form.text("revision"), limit: shownChanges };
    const result = await attempted(visit.ask(importDocuments, given));
    if ("problem" in result) return showForm(visit, result.problem, form);
    return settingsView(
      "import",
      html`<div role="status" class="applied"><h2>Applied</h2>${undoLink(result.value.change_set)}${planView(result.value)}</div>${chooseForm(visit)}`,
      200,
      visit,
    );
  } finally {
    await Promise.all(files.map(({ staged }) => blobs.discard(staged)));
  }
}

export const importPage: WebPage = {
  ...settingsPage("import"),
  files: true,
  form_limit: maxForm,
  files_limit: maxFiles,
  show: (visit) => showForm(visit),
  submit: (visit, form) => (form.text("action") === "apply" ? apply(visit, form) : preview(visit, form)),
};
