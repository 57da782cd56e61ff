// /settings/storage: makes a filespace the active one, and approves file moves for the storage agent.
import { addStorageMove, installStorage, listStorageMoves } from "../../../../admin/operations/storage.ts";
import { attempt } from "../../attempt.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import type { Redirect, View, WebPage } from "../../page.ts";
import { chip, dataTable, emptyState, fieldProblem, panel, timeOf } from "../../parts.ts";
import type { Visit } from "../../visit.ts";
import { windowOf } from "../../windows.ts";
import { settingsPage, settingsView } from "./frame.ts";

interface Tried {
  form: SubmittedForm;
  problem: string;
}

/** A form whose fields are lines of text. The sentence of a refusal is shown below the first of them. */
function textForm(
  visit: Visit,
  action: string,
  button: string,
  fields: readonly (readonly [name: string, label: string])[],
  tried: Tried | undefined,
): Markup {
  const mine = tried?.form.text("action") === action ? tried : undefined;
  return html`<form method="post" class="stack">${visit.proof}
${fields.map(
  ([name, label], at) => html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" required maxlength="4096" autocomplete="off" spellcheck="false" value="${mine?.form.text(name)}"${mine && at === 0 && html` aria-invalid="true" aria-describedby="problem"`}>
${at === 0 && fieldProblem("problem", mine?.problem)}`,
)}
<button name="action" value="${action}">${button}</button></form>`;
}

async function storageView(visit: Visit, tried?: Tried): Promise<View> {
  const moves = (await visit.ask(listStorageMoves, {})).toReversed();
  const { shown, pager } = windowOf(visit, moves);
  const rows = shown.map(
    ({ src, dst, status, note, filespace, created_at, settled_at }) => html`<tr>
<td><code>${src}</code><br>→ <code>${dst}</code></td><td>${filespace}</td>
<td>${chip(status)}${note !== null && html`<br><span class="under">${note}</span>`}</td>
<td>${timeOf(settled_at ?? created_at)}</td></tr>`,
  );
  const body = html`
${panel("Moves", moves.length === 0 ? emptyState("No file move was approved yet.") : html`${dataTable("Moves", ["File", "Filespace", "State", "When"], rows)}${pager}`, moves.length)}
<div class="cards">
${panel(
  "Approve a move",
  textForm(
    visit,
    "move",
    "Approve",
    [
      ["src", "From, in the active filespace"],
      ["dst", "To"],
    ],
    tried,
  ),
)}
${panel("Active filespace", html`<p class="under">Reports of another filespace are refused.</p>${textForm(visit, "install", "Make it the active one", [["filespace", "Name of the filespace"]], tried)}`)}
</div>`;
  return settingsView("storage", body, tried === undefined ? 200 : 422);
}

async function submitStorage(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const problem = await attempt(
    form.text("action") === "install"
      ? visit.ask(installStorage, { filespace: form.text("filespace") })
      : visit.ask(addStorageMove, { src: form.text("src"), dst: form.text("dst") }),
  );
  return problem === undefined ? { location: "/settings/storage" } : storageView(visit, { form, problem });
}

export const storagePage: WebPage = {
  ...settingsPage("storage"),
  show: (visit) => storageView(visit),
  submit: submitStorage,
};
