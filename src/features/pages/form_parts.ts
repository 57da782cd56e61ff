// Makes the forms of pages from lists of their fields and buttons, filled with what was sent if they were refused; and
// asks before something ends: the form comes back with what would end, and is sent again with the answer.
import { RequestFiles } from "../../core/http/request_files.ts";
import type { Upload } from "../../core/inputs.ts";
import { withCommas } from "../../core/wording.ts";
import { html, isMarkup, type Markup } from "./html.ts";
import { capitalized, fieldProblem, options, wordOf } from "./html_parts.ts";
import type { Refused, SubmittedForm } from "./page.ts";
import { isFilled } from "./page_places.ts";
import { refusalOf } from "./refusals.ts";
import type { Visit } from "./visit.ts";

/** The path at which the script of a page uploads. */
export const scriptUploadsPath = "/uploads";

/** A field of a form. */
export interface FormField {
  name: string;
  label: string;
  hint?: string;
  /** What it has at first. */
  value?: string | undefined;
  /** The choices of a menu, each with its text. */
  choices?: Iterable<readonly [value: string, text: string]>;
  /** The lines of a text. */
  rows?: number;
  /** The further attributes of a line. */
  type?: string;
  inputmode?: "numeric" | "decimal";
  required?: true;
  maxlength?: number;
  list?: string;
  placeholder?: string;
  min?: number;
  max?: number;
  step?: string;
  /** For paths, addresses and names that browsers should neither complete nor correct. */
  literal?: true;
}

export interface FormButton {
  text: string;
  /** What it sends. */
  value?: string;
  /** The name of what it sends; `action` by default. */
  name?: string;
  kind?: "quiet" | "danger" | "plain";
  /** Its name where the text alone does not say what it is about. */
  about?: string;
}

type Texts = Readonly<Record<string, string | number>>;

/** Attributes with their texts; a name alone for true, nothing for undefined. */
const attributes = (all: Readonly<Record<string, string | number | true | undefined>>): Markup =>
  html`${Object.entries(all).map(([name, value]) => html`${value !== undefined && html` ${name}${value !== true && html`="${value}"`}`}`)}`;

export const hiddenFields = (texts: Texts): Markup =>
  html`${Object.entries(texts).map(([name, text]) => html`<input type="hidden" name="${name}" value="${text}">`)}`;

const formButton = ({ text, value, name = "action", kind, about }: FormButton): Markup =>
  html`<button${value !== undefined && html` name="${name}" value="${value}"`}${attributes({ class: kind, "aria-label": about })}>${text}</button>`;

/** What was sent, with the sentence if it stands among the fields. */
type SubmittedTexts = Pick<Refused, "form"> & { problem?: string | undefined };

/** A choice that can be taken or left. */
export const checkBox = (name: string, value: string, text: string, isChecked: boolean): Markup =>
  html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}>${text}</label>`;

/** A field with its label. `problem` is the id of the sentence that refuses it. */
export function fieldInput(field: FormField, id: string, text: string, problem: string | false): Markup {
  const { name, label, hint, value, choices, rows, literal, ...more } = field;
  const invalid = problem !== false && html` aria-invalid="true" aria-describedby="${problem}"`;
  const common = html` id="${id}" name="${name}"${attributes(more)}`;
  const exact = (literal || more.list !== undefined) && html` autocomplete="off" spellcheck="false"`;
  const isWords = [undefined, "text", "search"].includes(more.type) && more.inputmode === undefined;
  const input =
    choices !== undefined
      ? html`<select${common}${invalid}>${options(choices, text)}</select>`
      : rows !== undefined
        ? html`<textarea${common}${invalid} rows="${rows}" dir="auto">
${text}</textarea>`
        : html`<input${common}${exact} value="${text}"${invalid}${isWords && html` dir="auto"`}>`;
  return html`<label for="${id}">${label}${hint !== undefined && html` <span class="under">${hint}</span>`}</label>
${input}`;
}

/**
 * The sentence of a refusal stands below the field that it begins with, otherwise below the first that a person writes.
 */
export function formInputs(
  fields: readonly (FormField | Markup)[],
  refused: SubmittedTexts | undefined,
  of = "",
): Markup {
  const end = of === "" ? "" : `-${of}`;
  const named = ({ name, label }: FormField) =>
    [capitalized(wordOf(name)), label].some((word) => refused?.problem?.startsWith(`${word} `));
  const typed = fields.filter((field): field is FormField => !isMarkup(field));
  const wrong = typed.find(named) ?? typed.find(({ choices }) => choices === undefined);
  const parts = fields.map((field) => {
    if (isMarkup(field)) return field;
    const text = refused?.form.text(field.name) ?? field.value ?? "";
    const problem = field === wrong ? refused?.problem : undefined;
    const part = fieldInput(field, `${field.name}${end}`, text, problem !== undefined && `problem${end}`);
    return html`${part}
${fieldProblem(`problem${end}`, problem)}`;
  });
  return html`${parts}`;
}

export interface FormParts {
  /** What is sent besides the fields; a refusal is shown in the form that has sent the same. */
  hidden?: Texts;
  fields?: readonly (FormField | Markup)[];
  buttons: readonly FormButton[];
  /** By default, fields stand one below the other. */
  style?: "stack" | "row" | "filters";
  /** What follows the names of its fields in their ids. */
  of?: string;
  /** The address to which it is sent, if it is not the page's. */
  to?: string;
  /** Its id, by which fields elsewhere on the page belong to it. */
  id?: string;
}

/** A form with its proof. It is filled with what was sent if it is the one that was refused. */
export function postForm(
  visit: Visit,
  { hidden = {}, fields = [], buttons, style = fields.length > 0 ? "stack" : undefined, of, to, id }: FormParts,
): Markup {
  const [only, ...others] = buttons;
  const action = others.length === 0 && only?.value !== undefined ? { [only.name ?? "action"]: only.value } : {};
  return html`<form method="post"${attributes({ id, action: to, class: style })}>${visit.proof}${hiddenFields(hidden)}
${formInputs(fields, refusalOf(visit, { ...hidden, ...action }), of)}
${buttons.map(formButton)}</form>`;
}

type FilterParts = [fields: readonly FormField[], check?: readonly [name: string, text: string], hidden?: Texts];

/**
 * The form that filters the list of a page, with what the address asks for. Each menu also offers all. Browsers do not
 * complete it: after Back they would show another filter than that of the list.
 */
const filterForm = ({ ctx, query }: Visit, ...[fields, check, hidden = {}]: FilterParts): Markup =>
  html`<form class="filters" method="get" action="${ctx.path}" autocomplete="off">${hiddenFields(hidden)}
${fields.map((field) => {
  const choices = field.choices && { choices: [["", "all"] as const, ...field.choices] };
  return html`<div class="stack">${formInputs([{ ...field, ...choices, value: query.get(field.name) ?? "" }], undefined)}</div>`;
})}
${check && checkBox(check[0], "1", check[1], query.get(check[0]) === "1")}
<button class="quiet">Show</button>
</form>`;

/** A tab of a list, with how many rows it has if that is known. */
interface Tab {
  href: string;
  text: string;
  count?: number;
  isCurrent: boolean;
}

export const tabs = (all: readonly Tab[]): Markup =>
  html`<ul class="row tabs">${all.map(({ href, text, count, isCurrent }) => html`<li><a href="${href}"${isCurrent && html` aria-current="true"`}>${text}${count !== undefined && html` <span class="count">${withCommas(count)}</span>`}</a></li>`)}</ul>`;

/** The tabs of a list, and its other filters in a fold, which is open if the address asks for one of them. */
export function narrowing(visit: Visit, all: readonly Tab[], name: string, ...filter: FilterParts): Markup {
  const [fields, check] = filter;
  const isNarrowed = [...fields.map((field) => field.name), check?.[0]].some((one) => one && visit.query.get(one));
  return html`<div class="narrowing">${tabs(all)}
<details class="fold"${isNarrowed && html` open`}><summary>${name}</summary>${filterForm(visit, ...filter)}</details></div>`;
}

/** The field that says that the person has been asked before something ends. */
const answer = "sure";

/** Whether the person has said yes. */
export const isSure = (form: SubmittedForm): boolean => form.text(answer) === "1";

/** What a form has sent, as the hidden fields of a form that sends it again. */
export const sentFields = (form: SubmittedForm): Markup =>
  html`${form.names().flatMap((name) => form.texts(name).map((text) => hiddenFields({ [name]: text })))}`;

/** The question, with a button that does it and a link that leaves everything as it is. */
export const confirmation = (
  visit: Visit,
  form: SubmittedForm,
  { title, what, button, back, more }: { title: string; what: Markup; button: string; back: string; more?: Markup },
): Markup => html`<section class="panel notice bad" role="alert"><h2>${title}</h2>
${what}
<form method="post" class="row">${visit.proof}${more}
${sentFields(form)}
<button name="${answer}" value="1" class="danger">${button}</button> <a href="${back}">Leave it as it is</a></form></section>`;

interface UploadForm extends Pick<FormParts, "fields" | "hidden"> {
  id: string;
  /** What is chosen. */
  label: string;
  button: string;
  kind?: FormButton["kind"];
  multiple: boolean;
  /** The refusal that it shows; by default, that of a form which has sent the same hidden fields. */
  refused?: Refused | undefined;
}

/**
 * Its fields stand before the files: what a form has before its first file is kept if its session has ended. The admin
 * of the server, who has no key, uploads without the script.
 */
export function uploadForm(
  visit: Visit,
  { id, label, button, kind, multiple, hidden = {}, fields = [], refused = refusalOf(visit, hidden) }: UploadForm,
): Markup {
  const name = multiple ? "files" : "file";
  const problem = `problem-${id}`;
  return html`<form method="post" enctype="multipart/form-data" class="stack" id="${id}"${!visit.hasLink && isFilled("upload") && html` data-upload`}>${visit.proof}${hiddenFields(hidden)}${formInputs(fields, refused && { ...refused, problem: undefined })}
<label for="${name}">${label} <span class="under">choose, or drop here</span></label>
<input id="${name}" name="${name}" type="file" required${multiple && html` multiple`}${refused && html` aria-invalid="true" aria-describedby="${problem}"`}>
${fieldProblem(problem, refused?.problem)}
<progress aria-label="Uploaded" max="1" value="0" hidden></progress>
<p class="under" data-status role="status"></p>
<div class="row">${formButton({ text: button, ...(kind && { kind }) })}<button type="button" class="quiet" data-cancel hidden>Cancel</button></div></form>`;
}

/** Gives `use` the files of such a form, however they were sent. */
export async function withFiles<T>(
  visit: Visit,
  form: SubmittedForm,
  use: (files: readonly Upload[]) => Promise<T>,
): Promise<T> {
  const { ctx } = visit;
  const uploaded = new RequestFiles(ctx.app, ctx.credentials.key_id);
  try {
    const found = await uploaded.findAll(form.texts("upload_ids"));
    return await use([...form.files("files"), ...form.files("file"), ...found]);
  } finally {
    await uploaded.end();
  }
}
