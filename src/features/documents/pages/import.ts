// /settings/import: reads uploaded documents, shows what they would change, and then applies exactly that.
import { readFile } from "node:fs/promises";
import { importFiles } from "../../../core/body_limits.ts";
import { tooLarge } from "../../../core/errors.ts";
import { decodeBase64 } from "../../../core/http/body.ts";
import { Upload } from "../../../core/inputs.ts";
import { checkBox, formInputs, hiddenFields } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { emptyState, fieldProblem, panel, plural } from "../../pages/html_parts.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import type { Visit } from "../../pages/visit.ts";
import { listKinds, scriptKinds } from "../kinds.ts";
import { importDocuments } from "../operations.ts";
import { appliedPanel, changeCount, planView, type ShownPlan, shownChanges } from "./plan_view.ts";

/** The options of the form for files of other programs. Empty fields are left out. */
const flagsOf = (form: SubmittedForm) => ({
  map: form
    .text("map")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== ""),
  pages: form.text("pages") === "1",
  exact: form.text("exact") === "1",
});

/** The fields of the form besides its files. They are sent again with the form that applies. */
const flagFields = ["as", "dates", "episode", "color", "week", "map", "pages", "exact"];

const dateOrders = [
  ["", "as they read"],
  ["dmy", "day month year"],
  ["mdy", "month day year"],
  ["ymd", "year month day"],
] as const;
const kinds = [
  ["", "(only for CSV and text)"] as const,
  ...listKinds.map((kind) => [kind, kind.replaceAll("-", " ")] as const),
  ...scriptKinds.map((kind) => [kind, `script (${kind})`] as const),
];

function chooseForm(visit: Visit): Markup {
  const { refused } = visit;
  const given = (name: string) => refused?.form.text(name) ?? "";
  const check = (name: string, text: string) => checkBox(name, "1", text, given(name) === "1");
  const isOpen = flagFields.some((name) => name !== "exact" && given(name) !== "");
  const fields = formInputs(
    [
      { name: "as", label: "A CSV or text file is a", choices: kinds },
      { name: "dates", label: "Its dates are written", choices: dateOrders },
      { name: "map", label: "Its headers mean", hint: "one line each, such as Set=slugline", rows: 2 },
      { name: "week", label: "The week of a cost report", type: "date" },
      { name: "episode", label: "The episode of a script or schedule", maxlength: 50 },
      { name: "color", label: "The revision colour of a script", maxlength: 100 },
    ],
    refused && { form: refused.form },
  );
  return panel(
    "Choose documents",
    html`<form method="post" enctype="multipart/form-data" class="stack">${visit.proof}
<label for="files">Documents, scripts, schedules or lists <span class="under">several at once are one change</span></label>
<input id="files" name="files" type="file" multiple required${refused && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", refused?.problem)}
${check("exact", "Also remove what their sections do not list")}
<details${isOpen && html` open`}><summary>For scripts, schedules and lists of other programs</summary>
<div class="stack">
${fields}
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
${chosen.map(({ name, base64 }) => hiddenFields({ name, content: base64 }))}
${hiddenFields({ revision: plan.revision ?? "" })}
${flagFields.filter((name) => form.text(name) !== "").map((name) => hiddenFields({ [name]: form.text(name) }))}
<button name="action" value="apply">Apply ${plan.changes.length > 0 && plural(changeCount(plan.counts), "change")}</button>
<a href="/settings/import">Choose other documents</a>
</form>`;

export const showImport = (visit: Visit): Markup =>
  html`<p class="hint">A document updates the production: things that it lists are added or changed, and things that it does not list stay. You see
the changes before anything is written.</p>${chooseForm(visit)}`;

async function preview(visit: Visit, form: SubmittedForm): Promise<Markup> {
  const files = form.files("files");
  const read = await Promise.all(
    files.map(async ({ file_name, staged }, at): Promise<Chosen> => {
      const bytes = await readFile(staged.file);
      return { name: file_name ?? `file ${at + 1}`, base64: bytes.toString("base64") };
    }),
  );
  const plan = await visit.send(importDocuments, form, {
    files,
    ...flagsOf(form),
    dry_run: true,
    limit: shownChanges,
  });
  if (plan.changes.length === 0 && plan.warnings.length === 0)
    return html`${emptyState("The production already has all of this.")}${chooseForm(visit)}`;
  return html`<h2>What would change</h2>${planView(plan)}${applyForm(visit, plan, read, form)}`;
}

async function apply(visit: Visit, form: SubmittedForm): Promise<Markup> {
  const { blobs } = visit.ctx.app;
  const names = form.texts("name");
  const contents = form.texts("content").map((base64) => decodeBase64(base64, "content"));
  if (contents.reduce((sum, { length }) => sum + length, 0) > importFiles)
    throw tooLarge(`the files must have at most ${importFiles} bytes together`);
  const files = contents.map((bytes, at) => new Upload(names[at] ?? null, blobs.stageBytes(bytes)));
  try {
    const given = { files, ...flagsOf(form), if_revision: form.text("revision"), limit: shownChanges };
    return html`${appliedPanel("Applied", await visit.send(importDocuments, form, given))}${chooseForm(visit)}`;
  } finally {
    await Promise.all(files.map(({ staged }) => blobs.discard(staged)));
  }
}

export const submitImport = (visit: Visit, form: SubmittedForm): Promise<Markup> =>
  form.text("action") === "apply" ? apply(visit, form) : preview(visit, form);
