// The files of a delivery on its edit page: adds files, and removes one once it is confirmed.
import { changeFilesOfPage } from "../../../../admin/operations/edits.ts";
import { getDelivery } from "../../../../operations/deliveries.ts";
import { attempted } from "../../attempt.ts";
import { confirmation, isSure } from "../../confirm.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import type { Redirect, View } from "../../page.ts";
import { heading, panel, sizeText } from "../../parts.ts";
import { savedAddress } from "../../save.ts";
import { uploadForm, withFiles } from "../../upload_form.ts";
import type { Visit } from "../../visit.ts";

/** Whether a form of the page is one of the files. */
export const isOfFiles = (form: SubmittedForm): boolean => /^(?:add|drop)-files$/.test(form.text("action"));

export async function filesForm(visit: Visit, delivery_id: number, problem?: string): Promise<Markup> {
  const { media } = await visit.ask(getDelivery, { delivery_id });
  const item = ({ id, label, size }: (typeof media)[number]) =>
    html`<li class="row"><span><a href="/files/${id}">${label}</a> <span class="under inline">${sizeText(size)}</span></span>
<form method="post">${visit.proof}<input type="hidden" name="media_id" value="${id}"><button name="action" value="drop-files" class="plain" aria-label="Remove ${label}">Remove</button></form></li>`;
  const fields = html`<input type="hidden" name="action" value="add-files">`;
  const add = { id: "add", label: "Add files", button: "Add the files", multiple: true, fields, problem };
  const list = media.length > 0 && html`<ul class="lines">${media.map(item)}</ul>`;
  return html`<div id="files-of">${panel("Files", html`${list}${uploadForm(visit, add)}`, media.length)}</div>`;
}

/** Handles a form of the files. Returns why it was refused otherwise. */
export async function submitFiles(
  visit: Visit,
  delivery_id: number,
  form: SubmittedForm,
): Promise<View | Redirect | { problem: string }> {
  const place = `/deliveries/${delivery_id}`;
  const { title, media } = await visit.ask(getDelivery, { delivery_id });
  const at = media.findIndex(({ id }) => String(id) === form.text("media_id"));
  const isRemoval = form.text("action") === "drop-files";
  if (isRemoval && at < 0) return { problem: "This file is not there any more." };
  if (isRemoval && !isSure(form)) {
    const what = html`<p>It goes from the delivery “${title}”. The undo brings it back with its bytes.</p>`;
    const question = { title: `Remove ${media[at]?.label}?`, what, button: "Remove it", back: place };
    return { title: question.title, body: html`${heading(title)}${confirmation(visit, form, question)}` };
  }
  const done = await attempted(
    withFiles(visit, form, (files) =>
      visit.ask(changeFilesOfPage, { delivery_id, added: [...files], ...(isRemoval && { removed: at }) }),
    ),
  );
  return "problem" in done ? done : { location: savedAddress(place, done.value.change_set) };
}
