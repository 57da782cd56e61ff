// /edit/{section} and /edit/{section}/{id}: a form for a new thing of a section, and for a stored one. The forms are derived from the
// sections of documents.
import { conflict, HttpError } from "../../../../core/errors.ts";
import { adminOf } from "../../../../graph/admin.ts";
import { getDelivery } from "../../../../graph/deliveries.ts";
import { timeText } from "../../../pages/dates.ts";
import { confirmation, isSure, postForm, uploadForm, withFiles } from "../../../pages/form_parts.ts";
import { html, type Markup } from "../../../pages/html.ts";
import { actionLine, capitalized, fieldProblem, heading, lines, panel, sizeText } from "../../../pages/html_parts.ts";
import type { Redirect, SubmittedForm, View } from "../../../pages/page.ts";
import { FormRefusal } from "../../../pages/refusals.ts";
import type { Visit } from "../../../pages/visit.ts";
import { changeFiles } from "../../operations.ts";
import type { Raw } from "../../sections/form.ts";
import { keyOf, kindOf, namingFields, namingOf } from "../../sections/sections.ts";
import { saveAnew, savedRedirect } from "../save.ts";
import { controlsOf, type FieldControl, labelOf } from "./controls.ts";
import { fieldPart } from "./fields.ts";
import { removalForm, submitRemoval } from "./removal.ts";
import { type Editable, pageOfThing, readThing, type Target, titleOfThing } from "./target.ts";
import { fieldValue, markOfTexts, submittedTexts, type Texts, textsOf } from "./values.ts";

/** What the address says. */
const targetOf = ({ ctx, params }: Visit): Target => ({
  section: ctx.path.split("/")[2] as Editable, // there are pages only of these sections
  id: params.id === undefined ? undefined : Number(params.id),
});

export async function showThing(visit: Visit): Promise<View> {
  const target = targetOf(visit);
  const { section, id } = target;
  const tried = visit.refused && isOfFiles(visit.refused.form) ? undefined : visit.refused;
  const thing = await readThing(visit, target);
  const { raw, names } = thing;
  const title = id === undefined ? `New ${kindOf(section)}` : capitalized(titleOfThing(section, raw));
  const context = { names, refused: new Set(tried?.fields) };
  const isUsable = ({ name, control }: FieldControl) =>
    control.kind !== "reference" || raw[name] !== undefined || names(control.noun).length > 0;
  const parts = controlsOf(section)
    .filter(isUsable)
    .map((field) => {
      const stored = textsOf(field, raw[field.name]);
      const texts: Texts = tried === undefined ? given(visit, stored) : submittedTexts(field, stored, tried.form);
      return html`<input type="hidden" name="was:${field.name}" value="${markOfTexts(stored)}">${fieldPart(field, texts, raw[field.name], context)}`;
    });
  const body = html`${heading(title)}
<form method="post" class="grid half panel">${visit.proof}
${fieldProblem("problem", tried?.problem)}
${parts}
<div class="row whole"><button>Save</button> <a href="${pageOfThing(target)}">Leave it as it is</a></div>
</form>
${id !== undefined && section === "deliveries" && (await filesForm(visit, id))}
${id !== undefined && removalForm(visit, target, thing)}`;
  return { title, body, ...(tried !== undefined && { status: tried.status }) };
}

/** The texts that the address gives for an empty form, such as the scene of a new note. */
const given = ({ query }: Visit, stored: Texts): Texts =>
  Object.fromEntries(Object.entries(stored).map(([name, text]) => [name, text || (query.get(name) ?? "")]));

/** The fields that were changed in the form, and those that somebody else changed since it was shown. */
function changedFields(controls: readonly FieldControl[], raw: Raw, form: SubmittedForm) {
  const changed: Raw = {};
  const conflicts: FieldControl[] = [];
  for (const field of controls) {
    const stored = textsOf(field, raw[field.name]);
    const sent = submittedTexts(field, stored, form);
    const [was, now, next] = [form.text(`was:${field.name}`), markOfTexts(stored), markOfTexts(sent)];
    if (was === "") continue; // the form did not have the field
    if (next === was || next === now) continue;
    if (was !== now) conflicts.push(field);
    else changed[field.name] = fieldValue(field, sent, raw[field.name]);
  }
  return { changed, conflicts };
}

/** Says who changed a field since the form was shown. */
async function conflictSentence(visit: Visit, { section, id }: Target, { name, label }: FieldControl): Promise<string> {
  const { lastChange } = await import("../../recording.ts");
  const found = id === undefined ? undefined : await lastChange(adminOf(visit.context), section, id, name);
  const by = found === undefined ? "" : ` by ${found.actor} at ${timeText(found.at)}`;
  return `${label} was changed meanwhile${by}. Yours is still in the form: save again to replace the other one.`;
}

/** A refused save in the labels of the form, with the fields that it names. Other errors stay. */
function inLabels(error: unknown): unknown {
  if (!(error instanceof HttpError) || !error.problems?.length) return error;
  const named = error.problems.map(
    ({ place, message }) => [/^\w+\[\d+\]\.(\w+)/.exec(place ?? "")?.[1], message] as const,
  );
  const sentences = named.map(([name, text]) => (name === undefined ? capitalized(text) : `${labelOf(name)} ${text}`));
  const fields = named.flatMap(([name]) => name ?? []);
  return new FormRefusal(error.status, `${sentences.join(". ")}.`, fields);
}

export async function submitThing(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const target = targetOf(visit);
  const { section, id } = target;
  if (form.text("action") === "remove") return submitRemoval(visit, target, form);
  if (section === "deliveries" && id !== undefined && isOfFiles(form)) return submitFiles(visit, id, form);
  const saved = saveAnew(visit, async () => {
    const { raw } = await readThing(visit, target);
    const { changed, conflicts } = changedFields(controlsOf(section), raw, form);
    if (conflicts.length > 0) {
      const sentences = await Promise.all(conflicts.map((one) => conflictSentence(visit, target, one)));
      const fields = conflicts.map(({ name }) => name);
      throw new FormRefusal(409, sentences.join(" "), fields);
    }
    const renames = id !== undefined && namingFields(section, raw).some((name) => name in changed);
    const former = section === "schedule" ? raw.day_number : keyOf(section, raw);
    const item = { ...(id !== undefined && namingOf(section, raw)), ...changed, ...(renames && { was: former }) };
    // An empty form of a new thing is refused with what is missing.
    const document = Object.keys(changed).length === 0 && id !== undefined ? {} : { [section]: [item] };
    return { document, address: pageOfThing(target) };
  });
  return saved.catch((error: unknown) => {
    throw inLabels(error);
  });
}

/** Whether a form of the page is one of the files. */
const isOfFiles = (form: SubmittedForm): boolean => /^(?:add|drop)-files$/.test(form.text("action"));

async function filesForm(visit: Visit, delivery_id: number): Promise<Markup> {
  const { media } = await visit.ask(getDelivery, { delivery_id });
  const item = ({ id, label, size }: (typeof media)[number]) =>
    actionLine(
      html`<a href="/files/${id}">${label}</a> <span class="count">${sizeText(size)}</span>`,
      postForm(visit, {
        hidden: { media_id: id },
        buttons: [{ value: "drop-files", text: "Remove", kind: "quiet", about: `Remove ${label}` }],
      }),
    );
  const { refused } = visit;
  const own = refused && isOfFiles(refused.form) ? refused : undefined;
  const hidden = { action: "add-files" };
  const add = { id: "add", label: "Add files", button: "Add the files", multiple: true, hidden, own };
  const list = media.length > 0 && lines(media.map(item));
  return html`<div id="files-of">${panel("Files", html`${list}${uploadForm(visit, add)}`, media.length)}</div>`;
}

/** Handles a form of the files. */
async function submitFiles(visit: Visit, delivery_id: number, form: SubmittedForm): Promise<View | Redirect> {
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
