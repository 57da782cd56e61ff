// Rows of a list that are chosen for a form: a box in each row, one for the whole list, also for its further parts, and
// what was chosen.
import { hash } from "node:crypto";
import { html, isMarkup, type Markup } from "./html.ts";
import { fieldProblem, plural } from "./html_parts.ts";
import type { Refused, SubmittedForm } from "./page.ts";
import { FormRefusal } from "./refusals.ts";
import type { Visit } from "./visit.ts";

export interface Choosing {
  /** The id of the form. */
  form: string;
  /** The name of the boxes in the rows. */
  name: string;
  /** What a row is. */
  noun: string;
  /** What the box of each row of the list sends, on all its parts. */
  values: readonly string[];
  /** The form, if it was refused. */
  refused?: Refused | undefined;
}

const wholeField = "whole";

/** Names a list by its length and its rows: another list is not the one that was chosen. */
const nameOf = (values: readonly string[]): string =>
  `${values.length}-${hash("sha1", values.join(" "), "base64url").slice(0, 16)}`;

/** The box of a row. `about` says which, for people who hear the page; markup is shown instead. */
export const chooseRow = ({ form, name, refused }: Choosing, value: string, about: string | Markup): Markup =>
  html`<label class="check"><input type="checkbox" form="${form}" name="${name}" value="${value}"${refused?.form.texts(name).includes(value) && html` checked`}>${isMarkup(about) ? about : html`choose<span class="unseen"> ${about}</span>`}</label>`;

/**
 * The form for what is chosen. It stays in view, folded: the script of the page says in its title how many are chosen.
 */
export const chosenPanel = (
  visit: Visit,
  { form, refused }: Pick<Choosing, "form" | "refused">,
  title: string,
  body: Markup,
): Markup => html`<details class="panel bulk"${refused && html` open`}><summary data-quiet>${title}</summary>
<form method="post" id="${form}" class="filters">${visit.proof}${fieldProblem(`problem-${form}`, refused?.problem)}
${body}</form></details>`;

/**
 * The box of the whole list, within its form. `shown`: how many of its rows the page has. `text`: what it says if not
 * how many they are.
 */
export function chooseWhole({ noun, values, refused }: Choosing, shown: number, text?: string): Markup {
  const list = nameOf(values);
  const further = shown < values.length && ", also on the further pages";
  return html`<label class="check"><input type="checkbox" name="${wholeField}" value="${list}"${refused?.form.text(wholeField) === list && html` checked`}>${text ?? `all ${plural(values.length, noun)} of this list`}${further}</label>`;
}

/**
 * What a form has chosen. Throws 422 if that is nothing, and 409 if the whole list was chosen and is another one
 * meanwhile.
 */
export function chosenIn(form: SubmittedForm, { name, noun, values }: Omit<Choosing, "form">): readonly string[] {
  const whole = form.optional(wholeField);
  const chosen = form.texts(name);
  if (whole === undefined && chosen.length === 0) throw new FormRefusal(422, `Choose at least one ${noun}.`);
  if (whole === undefined) return chosen;
  if (whole === nameOf(values)) return values;
  throw new FormRefusal(
    409,
    `The list has changed since it was shown, and has ${plural(values.length, noun)} now. Nothing was changed; look at it and send it again.`,
  );
}
