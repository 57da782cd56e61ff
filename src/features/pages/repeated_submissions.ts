// Shows a new credential once, and finds out whether the form that mints it was sent already: a browser that reloads
// the answer sends it again. The form carries the newest entry of the audit log, and what was minted since is in the
// log.
import { conflict } from "../../core/errors.ts";
import { html, type Markup } from "./html.ts";
import type { SubmittedForm } from "./page.ts";
import { actionsSince, newestAction } from "./recorded_actions.ts";
import type { Visit } from "./visit.ts";

const field = "since";

/** The hidden field that such a form contains. */
export const sinceField = ({ context: { app, caller } }: Visit): Markup =>
  html`<input type="hidden" name="${field}" value="${newestAction(app.store, caller.production_id)}">`;

/** Throws 409 with the text if the log has an action with these details since the form was shown. */
export function checkNotSent(
  { context: { app, caller } }: Visit,
  form: SubmittedForm,
  action: string,
  detail: Readonly<Record<string, unknown>>,
  text: string,
): void {
  if (form.text(field) === "") return;
  const since = Number(form.text(field));
  const same = actionsSince(app.store, caller.production_id, since, action).some((found) =>
    Object.entries(detail).every(([name, value]) => found[name] === value),
  );
  if (same) throw conflict(`${text}, open this page anew`);
}

/** A credential with a button that copies it. `id` is the element's, `noun` is what the button calls it. */
export const secretPanel = (
  title: string,
  { id, noun, secret }: { id: string; noun: string; secret: string },
  more?: Markup,
): Markup => html`<section class="panel notice good" role="status"><h2>${title}</h2>
<p>Copy it now. It is not shown again.</p>
<pre id="${id}"><code>${secret}</code></pre>
<p><button type="button" class="quiet" data-copy="${id}" hidden>Copy the ${noun}</button></p>
${more}
</section>`;
