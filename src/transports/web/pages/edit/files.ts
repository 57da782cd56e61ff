// The files of a delivery on its edit page: adds files, and removes one once it is confirmed.
import { changeFiles } from "../../../../admin/operations/updates.ts";
import { conflict } from "../../../../errors.ts";
import { getDelivery } from "../../../../operations/deliveries.ts";
import { confirmation, isSure, postForm } from "../../form_parts.ts";
import { html, type Markup } from "../../html.ts";
import type { Redirect, SubmittedForm, View } from "../../page.ts";
import { heading, lines, panel, sizeText } from "../../parts.ts";
import { savedRedirect } from "../../save.ts";
import { uploadForm, withFiles } from "../../upload_form.ts";
import type { Visit } from "../../visit.ts";

/** Whether a form of the page is one of the files. */
export const isOfFiles = (form: SubmittedForm): boolean => /^(?:add|drop)-files$/.test(form.text("action"));

export async function filesForm(visit: Visit, delivery_id: number): Promise<Markup> {
  const { media } = await visit.ask(getDelivery, { delivery_id });
  const item = ({ id, label, size }: (typeof media)[number]) =>
    html`<li class="row"><span><a href="/files/${id}">${label}</a> <span class="under inline">${sizeText(size)}</span></span>
${postForm(visit, { hidden: { media_id: id }, buttons: [{ value: "drop-files", text: "Remove", kind: "plain", about: `Remove ${label}` }] })}</li>`;
  const { refused } = visit;
  const own = refused && isOfFiles(refused.form) ? refused : undefined;
  const hidden = { action: "add-files" };
  const add = { id: "add", label: "Add files", button: "Add the files", multiple: true, hidden, own };
  const list = media.length > 0 && lines(media.map(item));
  return html`<div id="files-of">${panel("Files", html`${list}${uploadForm(visit, add)}`, media.length)}</div>`;
}

/** Handles a form of the files. */
export async function submitFiles(visit: Visit, delivery_id: number, form: SubmittedForm): Promise<View | Redirect> {
  const place = `/deliveries/${delivery_id}`;
  const { title, media } = await visit.ask(getDelivery, { delivery_id });
  const at = media.findIndex(({ id }) => String(id) === form.text("media_id"));
  const isRemoval = form.text("action") === "drop-files";
  if (isRemoval && at < 0) throw conflict("this file is not there any more");
  if (isRemoval && !isSure(form)) {
    const what = html`<p>It goes from the delivery “${title}”. The undo brings it back with its bytes.</p>`;
    const question = { title: `Remove ${media[at]?.label}?`, what, button: "Remove it", back: place };
    return { title: question.title, body: html`${heading(title)}${confirmation(visit, form, question)}` };
  }
  const { change_set } = await withFiles(visit, form, (files) =>
    visit.ask(changeFiles, {
      delivery_id,
      files: [...files],
      ...(isRemoval && { removed: Number(form.text("media_id")) }),
    }),
  );
  return savedRedirect(place, change_set);
}
