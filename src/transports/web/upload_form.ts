// The form that uploads files: with the page's script in parts that are resumed, with progress; without it as one form.
import type { Upload } from "../../inputs.ts";
import { RequestFiles } from "../http/request_files.ts";
import { type FormParts, formInputs, hiddenFields } from "./form_parts.ts";
import { html, type Markup } from "./html.ts";
import type { Refused, SubmittedForm } from "./page.ts";
import { fieldProblem } from "./parts.ts";
import { refusalOf } from "./refusals.ts";
import type { Visit } from "./visit.ts";

interface UploadForm extends Pick<FormParts, "fields" | "hidden"> {
  id: string;
  /** What is chosen. */
  label: string;
  button: string;
  multiple: boolean;
}

/**
 * Its fields stand before the files: what a form has before its first file is kept if its session has ended. The admin of the server,
 * who has no key, uploads without the script.
 */
export function uploadForm(
  visit: Visit,
  refused: Refused | undefined,
  { id, label, button, multiple, hidden = {}, fields = [] }: UploadForm,
): Markup {
  const name = multiple ? "files" : "file";
  const own = refusalOf(refused, hidden);
  const problem = `problem-${id}`;
  return html`<form method="post" enctype="multipart/form-data" class="stack drop" id="${id}"${!visit.hasLink && html` data-upload`}>${visit.proof}${hiddenFields(hidden)}${formInputs(fields, own && { ...own, problem: undefined })}
<label for="${name}">${label} <span class="under">choose, or drop here</span></label>
<input id="${name}" name="${name}" type="file" required${multiple && html` multiple`}${own && html` aria-invalid="true" aria-describedby="${problem}"`}>
${fieldProblem(problem, own?.problem)}
<progress aria-label="Uploaded" max="1" value="0" hidden></progress>
<p class="under" data-status role="status"></p>
<div class="row"><button>${button}</button><button type="button" class="quiet" data-cancel hidden>Cancel</button></div></form>`;
}

/** Gives `use` the files of such a form, however they were sent. */
export async function withFiles<T>(
  { ctx }: Visit,
  form: SubmittedForm,
  use: (files: readonly Upload[]) => Promise<T>,
): Promise<T> {
  const uploaded = new RequestFiles(ctx.app, ctx.credentials.key_id);
  try {
    const found = await uploaded.findAll(form.texts("upload_ids"));
    return await use([...form.files("files"), ...form.files("file"), ...found]);
  } finally {
    await uploaded.end();
  }
}
