// Asks before something ends: the form comes back with what would end, and is sent again with the answer.
import { html, type Markup } from "./html.ts";
import type { SubmittedForm } from "./page.ts";
import type { Visit } from "./visit.ts";

const answer = "sure";

/** Whether the person has said yes. */
export const isSure = (form: SubmittedForm): boolean => form.text(answer) === "1";

/** The question, with a button that does it and a link that leaves everything as it is. */
export const confirmation = (
  visit: Visit,
  form: SubmittedForm,
  { title, what, button, back, more }: { title: string; what: Markup; button: string; back: string; more?: Markup },
): Markup => html`<section class="panel missing confirm" role="alert"><h2>${title}</h2>
${what}
<form method="post" class="row">${visit.proof}${more}
${form.names().flatMap((name) => form.texts(name).map((text) => html`<input type="hidden" name="${name}" value="${text}">`))}
<button name="${answer}" value="1" class="danger">${button}</button> <a href="${back}">Leave it as it is</a></form></section>`;
