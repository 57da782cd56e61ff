// /settings/import: drop documents, read what they would change, and then apply exactly that.
import { readFile } from "node:fs/promises";
import type * as v from "valibot";
import { importDocuments } from "../../../../admin/operations/import.ts";
import { Upload } from "../../../../inputs.ts";
import { decodeBase64 } from "../../../http/body.ts";
import { attempted } from "../../attempt.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import type { Page, View } from "../../page.ts";
import { emptyState, fieldProblem, panel, plural, wordOf } from "../../parts.ts";
import type { Visit } from "../../visit.ts";
import { settingsPage, settingsView } from "./frame.ts";

type Plan = v.InferOutput<(typeof importDocuments)["output"]>;
type Change = Plan["changes"][number];

/** The most bytes of the files, and of the form that applies them: the files are in it as base64, and encoded once more. */
const maxFiles = 6 * 1024 * 1024;
const maxForm = 3 * maxFiles;
/** How many changes the page shows. */
const maxChanges = 500;
const maxValue = 300;

const actionChips: Readonly<Record<Change["action"], string>> = { add: "done", change: "pending", remove: "blocked" };

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "—";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}

const fieldRow = ([name, { from, to }]: [string, { from: unknown; to: unknown }], action: Change["action"]): Markup =>
  html`<div><dt>${wordOf(name)}</dt><dd>${action !== "add" && html`<del>${valueText(from)}</del> `}${action !== "remove" && html`<ins>${valueText(to)}</ins>`}</dd></div>`;

const changeItem = ({ key, action, fields }: Change): Markup => {
  const entries = Object.entries(fields);
  const rows = html`<dl class="diff">${entries.map((entry) => fieldRow(entry, action))}</dl>`;
  const head = html`<span class="chip ${actionChips[action]}">${action}</span> <strong>${key}</strong>`;
  return html`<li>${action === "change" || entries.length === 0 ? html`${head}${rows}` : html`<details><summary>${head}</summary>${rows}</details>`}</li>`;
};

const countsLine = ({ counts: { added, changed, removed, unchanged } }: Plan): Markup =>
  html`<p class="facts"><span>${added} added</span><span>${changed} changed</span><span>${removed} removed</span><span>${unchanged} unchanged</span></p>`;

function planView(plan: Plan): Markup {
  const shown = plan.changes.slice(0, maxChanges);
  const sections = [...Map.groupBy(shown, ({ section }) => section)];
  return html`${countsLine(plan)}
${plan.warnings.length > 0 && panel("Look at these", html`<ul class="lines">${plan.warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`)}
${sections.map(([section, changes]) => panel(wordOf(section), html`<ul class="lines">${changes.map(changeItem)}</ul>`, changes.length))}
${plan.changes.length > maxChanges && html`<p class="hint">and ${plan.changes.length - maxChanges} more; all of them are applied.</p>`}`;
}

const chooseForm = (visit: Visit, problem: string | undefined): Markup =>
  panel(
    "Choose documents",
    html`<form method="post" enctype="multipart/form-data" class="stack">${visit.proof}
<label for="files">Production documents, whole or partial <span class="under">several at once are one change</span></label>
<input id="files" name="files" type="file" multiple required${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", problem)}
<label class="check"><input type="checkbox" name="exact" value="1">They are the whole truth: what their sections do not list is removed</label>
<button name="action" value="preview">Show what would change</button>
</form>`,
  );

interface Chosen {
  name: string;
  base64: string;
}

const applyForm = (visit: Visit, plan: Plan, chosen: readonly Chosen[], exact: boolean): Markup => html`
<form method="post" class="row">${visit.proof}
${chosen.map(({ name, base64 }) => html`<input type="hidden" name="name" value="${name}"><input type="hidden" name="content" value="${base64}">`)}
<input type="hidden" name="revision" value="${plan.revision}">${exact && html`<input type="hidden" name="exact" value="1">`}
<button name="action" value="apply">Apply ${plural(plan.changes.length, "change")}</button>
<a href="/settings/import">Choose other documents</a>
</form>`;

const showForm = (visit: Visit, problem?: string): View =>
  settingsView(
    "import",
    html`<p class="hint">A document updates the production: what it lists is added or changed, and what it leaves out stays. You see
the changes before anything is written.</p>${chooseForm(visit, problem)}`,
    problem === undefined ? 200 : 422,
  );

async function preview(visit: Visit, form: SubmittedForm): Promise<View> {
  const files = form.files("files");
  const exact = form.text("exact") === "1";
  const read = await Promise.all(
    files.map(async ({ file_name, staged }, at): Promise<Chosen> => {
      const bytes = await readFile(staged.file);
      return { name: file_name ?? `file ${at + 1}`, base64: bytes.toString("base64") };
    }),
  );
  const result = await attempted(visit.ask(importDocuments, { files, exact, dry_run: true }));
  if ("problem" in result) return showForm(visit, result.problem);
  const plan = result.value;
  if (plan.changes.length === 0)
    return settingsView(
      "import",
      html`${emptyState("The production already has all of this.")}${chooseForm(visit, undefined)}`,
    );
  return settingsView(
    "import",
    html`<h2>What would change</h2>${planView(plan)}${applyForm(visit, plan, read, exact)}`,
  );
}

async function apply(visit: Visit, form: SubmittedForm): Promise<View> {
  const { blobs } = visit.ctx.app;
  const names = form.texts("name");
  const files = form
    .texts("content")
    .map((base64, at) => new Upload(names[at] ?? null, blobs.stageBytes(decodeBase64(base64, "content"))));
  try {
    const given = { files, exact: form.text("exact") === "1", if_revision: form.text("revision") };
    const result = await attempted(visit.ask(importDocuments, given));
    if ("problem" in result) return showForm(visit, result.problem);
    return settingsView(
      "import",
      html`<div role="status"><h2>Applied</h2>${planView(result.value)}</div>${chooseForm(visit, undefined)}`,
    );
  } finally {
    await Promise.all(files.map(({ staged }) => blobs.discard(staged)));
  }
}

export const importPage: Page = {
  ...settingsPage("import"),
  files: true,
  form_limit: maxForm,
  show: (visit) => showForm(visit),
  submit: (visit, form) => (form.text("action") === "apply" ? apply(visit, form) : preview(visit, form)),
};
