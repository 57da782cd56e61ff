// The fields of an edit form, as a page shows them.
import * as v from "valibot";
import { date } from "../../../../core/inputs.ts";
import { type FormField, fieldInput } from "../../../pages/form_parts.ts";
import { html, type Markup } from "../../../pages/html.ts";
import { optionsNamed, sceneWord, stateWord } from "../../../pages/html_parts.ts";
import type { StoredThing } from "../../things.ts";
import { emptyItems, type FieldControl, fieldGroupsOf, further } from "./controls.ts";
import type { Texts } from "./values.ts";

/** Up to how many names a field offers as a menu, and as suggestions. */
const [maxMenu, maxSuggestions] = [80, 400];

/** With more items, a list has no menus and suggestions: each item would repeat them. */
const maxWithNames = 100;

/** What a field needs besides its text. */
export interface FieldContext {
  names: StoredThing["names"];
  /** The fields that were refused. */
  refused: ReadonlySet<string>;
  /** Whether names are only typed. */
  typed?: boolean;
}

/** A menu of values, also of one that is chosen though it is none of them. */
function menu(values: readonly string[], chosen: string, withNone: boolean): Partial<FormField> {
  const none = withNone || chosen === "" ? [["", "none"] as const] : [];
  const word = values.includes("omitted") ? sceneWord : stateWord; // only a scene is omitted
  const all = new Set(chosen === "" ? values : [...values, chosen]);
  return { choices: [...none, ...[...all].map((value) => [value, word(value)] as const)] };
}

/** What the input of a field has for its control. */
function inputOf({ name, control, optional }: FieldControl, id: string, text: string, context: FieldContext) {
  switch (control.kind) {
    case "choice":
      return menu(control.values, text, optional);
    case "reference": {
      const names = context.typed ? undefined : context.names(control.noun);
      if (names === undefined || names.length > maxSuggestions) return { literal: true } as const;
      return names.length > maxMenu ? { list: `${id}-names`, names } : menu(names, text, optional || id.includes("."));
    }
    case "check":
      return { choices: optionsNamed(["yes", "no"]), value: text || "no" };
    case "text":
    case "lines": {
      const least = control.kind === "text" && name !== further ? 3 : 2;
      return { rows: Math.min(12, Math.max(least, text.split("\n").length)) };
    }
    case "number":
      return { inputmode: "decimal" } as const;
    default:
      // A date control would lose a text that is no date.
      return { type: control.kind === "date" && (text === "" || v.is(date, text)) ? "date" : "text" };
  }
}

/** A field with its label: the id of its input is its name in the form. */
function labelled(id: string, field: FieldControl, text: string, context: FieldContext): Markup {
  const { label, control } = field;
  const hint = field.hint ?? (control.kind === "lines" ? "one in each line" : undefined);
  const { names, ...input }: Partial<FormField> & { names?: readonly string[] } = inputOf(field, id, text, context);
  const box = { name: id, label, ...(hint !== undefined && { hint }), ...input };
  const suggestions =
    names && html`<datalist id="${id}-names">${names.map((one) => html`<option value="${one}"></option>`)}</datalist>`;
  return html`<div class="stack${"rows" in input && " whole"}">${fieldInput(box, id, input.value ?? text, context.refused.has(id) && "problem")}${suggestions}</div>`;
}

type Group = NonNullable<ReturnType<typeof fieldGroupsOf>>[number];

const groupFields = ({ start, fields }: Group, texts: Texts, context: FieldContext): Markup[] =>
  fields.map((field) => {
    const id = `${start}.${field.name}`;
    const text = texts[id] ?? "";
    if (field.name !== further) return labelled(id, field, text, context);
    const area = labelled(id, field, text, context);
    return html`<details class="whole"${text !== "" && html` open`}><summary>Add a field</summary>${area}</details>`;
  });

/** A field with its label. `value` is what is stored. */
export function fieldPart(field: FieldControl, texts: Texts, value: unknown, given: FieldContext): Markup {
  const { name, label, control } = field;
  const groups = fieldGroupsOf(field, value, texts);
  const context = { ...given, typed: groups !== undefined && groups.length > maxWithNames };
  if (groups === undefined) return labelled(name, field, texts[name] ?? "", context);
  if (control.kind === "rows") {
    const rows = groups.map((group) => html`<div class="grid medium">${groupFields(group, texts, context)}</div>`);
    const [filled, empty] = [rows.slice(0, -emptyItems.rows), rows.slice(-emptyItems.rows)];
    return html`<fieldset class="panel whole"><legend>${label}</legend>${filled}<details class="flow"><summary>Add ${label.toLowerCase()}</summary>${empty}</details></fieldset>`;
  }
  return html`${groups.map((group, at) => {
    const body = groupFields(group, texts, context);
    return group.isNew
      ? html`<details class="panel whole"><summary>New ${label.toLowerCase()}</summary>${body}</details>`
      : html`<fieldset class="grid medium panel whole"><legend>${control.kind === "record" ? label : `${label} ${at + 1}`}</legend>${body}</fieldset>`;
  })}`;
}
