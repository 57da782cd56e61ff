// /settings/storage: makes a filespace the active one, and approves file moves for the storage agent.
import { timeOf } from "../../pages/dates.ts";
import { type FormButton, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { actionLine, chip, listPanel, panel } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import type { Visit } from "../../pages/visit.ts";
import { addStorageMove, installStorage, listStorageMoves } from "../storage.ts";

type Field = readonly [name: string, label: string];

/** A form whose fields are lines of text. */
const textForm = (visit: Visit, action: string, button: Pick<FormButton, "text" | "kind">, fields: readonly Field[]) =>
  postForm(visit, {
    fields: fields.map(([name, label]) => ({ name, label, required: true, maxlength: 4096, literal: true })),
    buttons: [{ value: action, ...button }],
  });

export async function showStorage(visit: Visit): Promise<Markup> {
  const moves = (await visit.ask(listStorageMoves, {})).toReversed();
  const { shown, pager } = windowOf(visit, moves);
  const items = shown.map(({ src, dst, status, note, filespace, created_at, settled_at }) =>
    actionLine(
      html`<code>${src}</code> → <code>${dst}</code> <span class="under">${filespace}, ${timeOf(settled_at ?? created_at)}${note !== null && html`: ${note}`}</span>`,
      status === "pending" ? html`<span class="chip none">waits for the agent</span>` : chip(status),
    ),
  );
  return html`
${listPanel("Moves", items, "No file move was approved yet.")}${pager}
<div class="grid">
${panel(
  "Approve a move",
  textForm(visit, "move", { text: "Approve" }, [
    ["src", "From, in the active filespace"],
    ["dst", "To"],
  ]),
)}
${panel("Active filespace", html`<p class="under">Reports of another filespace are refused.</p>${textForm(visit, "install", { text: "Make it the active one", kind: "quiet" }, [["filespace", "Name of the filespace"]])}`)}
</div>`;
}

export async function submitStorage(visit: Visit, form: SubmittedForm): Promise<undefined> {
  if (form.text("action") === "install") await visit.send(installStorage, form);
  else {
    if (form.text("src") === "" || form.text("dst") === "")
      throw new FormRefusal(422, "Write both paths: from where, and to where.", ["src", "dst"]);
    await visit.send(addStorageMove, form);
  }
}
