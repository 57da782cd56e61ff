// The fields of an edit form, as a page shows them.
import type { StoredThing } from "../../../../admin/things.ts";
import { html, type Markup } from "../../html.ts";
import { options, optionsNamed, wordOf } from "../../parts.ts";
import { type FieldControl, further, recordsIn } from "./controls.ts";
import { emptyRows, type Texts } from "./values.ts";

/** Up to how many names a field offers as a menu, and as suggestions. */
const [maxMenu, maxSuggestions] = [80, 400];

function menu(id: string, values: readonly string[], chosen: string, withNone: boolean): Markup {
  const none = withNone || chosen === "" ? [["", "none"] as const] : [];
  const all = [...new Set(chosen === "" ? values : [...values, chosen])].map(
    (value) => [value, wordOf(value)] as const,
  );
  return html`<select id="${id}" name="${id}">${options([...none, ...all], chosen)}</select>`;
}

/** What a field needs besides its text. */
export interface FieldContext {
  names: StoredThing["names"];
  /** The fields that were refused. */
  refused: ReadonlySet<string>;
}

function reference(id: string, names: readonly string[], chosen: string, withNone: boolean): Markup {
  if (names.length <= maxMenu) return menu(id, names, chosen, withNone);
  if (names.length > maxSuggestions) return html`<input id="${id}" name="${id}" value="${chosen}" autocomplete="off">`;
  return html`<input id="${id}" name="${id}" value="${chosen}" list="${id}-names" autocomplete="off"><datalist id="${id}-names">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`;
}

const textArea = (id: string, text: string, rows: number): Markup =>
  html`<textarea id="${id}" name="${id}" rows="${Math.min(12, Math.max(rows, text.split("\n").length))}">
${text}</textarea>`;

/** The input of a field. Its id is its name. */
function inputOf({ control, optional }: FieldControl, id: string, text: string, context: FieldContext): Markup {
  const invalid = context.refused.has(id) && html` aria-invalid="true" aria-describedby="problem"`;
  switch (control.kind) {
    case "choice":
      return menu(id, control.values, text, optional);
    case "reference":
      return reference(id, context.names(control.noun), text, optional || id.includes("."));
    case "check":
      return html`<select id="${id}" name="${id}">${options(optionsNamed(["yes", "no"]), text || "no")}</select>`;
    case "text":
    case "lines":
      return textArea(id, text, control.kind === "text" ? 3 : 2);
    case "number":
      return html`<input id="${id}" name="${id}" inputmode="numeric" value="${text}"${invalid}>`;
    default:
      return html`<input id="${id}" name="${id}" type="${control.kind === "date" ? "date" : "text"}" value="${text}"${invalid}>`;
  }
}

const perLine = "one in each line";

const labelled = (id: string, label: string, hint: string, input: Markup): Markup =>
  html`<div class="field"><label for="${id}">${label}${hint !== "" && html` <span class="under">${hint}</span>`}</label>${input}</div>`;

const rowOf = (fields: readonly FieldControl[], start: string, texts: Texts, context: FieldContext): Markup =>
  html`<div class="fields">${fields.map((field) => {
    const id = `${start}.${field.name}`;
    return labelled(id, field.label, "", inputOf(field, id, texts[id] ?? "", context));
  })}</div>`;

function rowsPart({ name, label }: FieldControl, fields: readonly FieldControl[], texts: Texts, context: FieldContext) {
  const places = [...new Set(Object.keys(texts).map((key) => Number(key.slice(name.length + 1).split(".")[0])))];
  const rows = places
    .filter((at) => Number.isSafeInteger(at))
    .sort((a, b) => a - b)
    .map((at) => rowOf(fields, `${name}.${at}`, texts, context));
  const [filled, empty] = [rows.slice(0, -emptyRows), rows.slice(-emptyRows)];
  return html`<fieldset class="rows"><legend>${label}</legend>${filled}<details><summary>Add ${label.toLowerCase()}</summary>${empty}</details></fieldset>`;
}

/** The fields of a record, and a text for further ones. */
function recordPart(
  { start, parts }: ReturnType<typeof recordsIn>[number],
  title: string,
  isNew: boolean,
  texts: Texts,
  context: FieldContext,
): Markup {
  const fields = parts.map(({ name, label, kind }) => {
    const id = `${start}.${name}`;
    const part: FieldControl = {
      name,
      label,
      control: { kind },
      optional: true,
      nullable: false,
      otherwise: undefined,
    };
    const hint = kind === "lines" ? perLine : "";
    return labelled(id, label, hint, inputOf(part, id, texts[id] ?? "", context));
  });
  const more = `${start}.${further}`;
  const text = texts[more] ?? "";
  const area = labelled(more, "Further fields", "one in each line, such as Codec: ProRes", textArea(more, text, 2));
  const body = html`${fields}<details${text !== "" && html` open`}><summary>Add a field</summary>${area}</details>`;
  return isNew
    ? html`<details class="fields"><summary>${title}</summary>${body}</details>`
    : html`<fieldset class="fields"><legend>${title}</legend>${body}</fieldset>`;
}

/** A field with its label. `value` is what is stored. */
export function fieldPart(field: FieldControl, texts: Texts, value: unknown, context: FieldContext): Markup {
  const { name, label, control } = field;
  if (control.kind === "rows") return rowsPart(field, control.fields, texts, context);
  if (control.kind === "record" || control.kind === "records") {
    const records = recordsIn(field, value);
    return html`${records.map((one, at) => {
      const isNew = control.kind === "records" && at === records.length - 1;
      const title = control.kind === "record" ? label : isNew ? `New ${label.toLowerCase()}` : `${label} ${at + 1}`;
      return recordPart(one, title, isNew, texts, context);
    })}`;
  }
  const hint = control.kind === "lines" ? perLine : "";
  return labelled(name, label, hint, inputOf(field, name, texts[name] ?? "", context));
}
