// The fields of an edit form, as a page shows them.
import type { StoredThing } from "../../../../admin/things.ts";
import { html, type Markup } from "../../html.ts";
import { options, optionsNamed, wordOf } from "../../parts.ts";
import { emptyItems, type FieldControl, further, groupsOf } from "./controls.ts";
import type { Texts } from "./values.ts";

/** Up to how many names a field offers as a menu, and as suggestions. */
const [maxMenu, maxSuggestions] = [80, 400];

/** With more items, a list has no menus and suggestions: each item would repeat them. */
const maxWithNames = 100;

function menu(own: Markup, values: readonly string[], chosen: string, withNone: boolean): Markup {
  const none = withNone || chosen === "" ? [["", "none"] as const] : [];
  const all = [...new Set(chosen === "" ? values : [...values, chosen])].map(
    (value) => [value, wordOf(value)] as const,
  );
  return html`<select${own}>${options([...none, ...all], chosen)}</select>`;
}

/** What a field needs besides its text. */
export interface FieldContext {
  names: StoredThing["names"];
  /** The fields that were refused. */
  refused: ReadonlySet<string>;
  /** Whether names are only typed. */
  typed?: boolean;
}

function reference(id: string, own: Markup, names: readonly string[], chosen: string, withNone: boolean): Markup {
  if (names.length <= maxMenu) return menu(own, names, chosen, withNone);
  if (names.length > maxSuggestions) return html`<input${own} value="${chosen}" autocomplete="off">`;
  return html`<input${own} value="${chosen}" list="${id}-names" autocomplete="off"><datalist id="${id}-names">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`;
}

const textArea = (own: Markup, text: string, rows: number): Markup =>
  html`<textarea${own} rows="${Math.min(12, Math.max(rows, text.split("\n").length))}">
${text}</textarea>`;

/** The attributes that the input of each field has: its id is its name. */
const ownOf = (id: string, { refused }: FieldContext): Markup =>
  html` id="${id}" name="${id}"${refused.has(id) && html` aria-invalid="true" aria-describedby="problem"`}`;

/** The input of a field. */
function inputOf({ control, optional }: FieldControl, id: string, text: string, context: FieldContext): Markup {
  const own = ownOf(id, context);
  switch (control.kind) {
    case "choice":
      return menu(own, control.values, text, optional);
    case "reference":
      if (context.typed) return html`<input${own} value="${text}" autocomplete="off">`;
      return reference(id, own, context.names(control.noun), text, optional || id.includes("."));
    case "check":
      return html`<select${own}>${options(optionsNamed(["yes", "no"]), text || "no")}</select>`;
    case "text":
    case "lines":
      return textArea(own, text, control.kind === "text" ? 3 : 2);
    case "number":
      return html`<input${own} inputmode="numeric" value="${text}">`;
    default:
      return html`<input${own} type="${control.kind === "date" ? "date" : "text"}" value="${text}">`;
  }
}

function labelled(id: string, { label, name, control }: FieldControl, input: Markup): Markup {
  const hint =
    name === further ? "one in each line, such as Codec: ProRes" : control.kind === "lines" && "one in each line";
  return html`<div class="field"><label for="${id}">${label}${hint && html` <span class="under">${hint}</span>`}</label>${input}</div>`;
}

type Group = NonNullable<ReturnType<typeof groupsOf>>[number];

const groupFields = ({ start, fields }: Group, texts: Texts, context: FieldContext): Markup[] =>
  fields.map((field) => {
    const id = `${start}.${field.name}`;
    const text = texts[id] ?? "";
    if (field.name !== further) return labelled(id, field, inputOf(field, id, text, context));
    const area = labelled(id, { ...field, label: "Further fields" }, textArea(ownOf(id, context), text, 2));
    return html`<details${text !== "" && html` open`}><summary>Add a field</summary>${area}</details>`;
  });

/** A field with its label. `value` is what is stored. */
export function fieldPart(field: FieldControl, texts: Texts, value: unknown, given: FieldContext): Markup {
  const { name, label, control } = field;
  const groups = groupsOf(field, value, texts);
  const context = { ...given, typed: groups !== undefined && groups.length > maxWithNames };
  if (groups === undefined) return labelled(name, field, inputOf(field, name, texts[name] ?? "", context));
  if (control.kind === "rows") {
    const rows = groups.map((group) => html`<div class="fields">${groupFields(group, texts, context)}</div>`);
    const [filled, empty] = [rows.slice(0, -emptyItems.rows), rows.slice(-emptyItems.rows)];
    return html`<fieldset class="rows"><legend>${label}</legend>${filled}<details><summary>Add ${label.toLowerCase()}</summary>${empty}</details></fieldset>`;
  }
  return html`${groups.map((group, at) => {
    const body = groupFields(group, texts, context);
    return group.isNew
      ? html`<details class="fields"><summary>New ${label.toLowerCase()}</summary>${body}</details>`
      : html`<fieldset class="fields"><legend>${control.kind === "record" ? label : `${label} ${at + 1}`}</legend>${body}</fieldset>`;
  })}`;
}
