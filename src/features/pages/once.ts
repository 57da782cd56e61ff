// Shows a new credential once, and finds out whether the form that mints it was sent already: a browser that reloads the answer sends it
// again. The form carries the newest entry of the audit log, and what was minted since is in the log.

import { conflict } from "../../core/errors.ts";
import { listAudit } from "../admin/audit.ts";
import { html, type Markup } from "./html.ts";
import type { SubmittedForm } from "./page.ts";
import type { Visit } from "./visit.ts";

const field = "since";

/** The hidden field that such a form contains. */
export const sinceField = async (visit: Visit): Promise<Markup> =>
  html`<input type="hidden" name="${field}" value="${(await visit.ask(listAudit, { limit: 1 }))[0]?.id ?? 0}">`;

/** Throws 409 with the text if the log has an action with these details since the form was shown. */
export async function checkNotSent(
  visit: Visit,
  form: SubmittedForm,
  action: string,
  detail: Readonly<Record<string, unknown>>,
  text: string,
): Promise<void> {
  if (form.text(field) === "") return;
  const since = Number(form.text(field));
  const entries = await visit.ask(listAudit, { limit: 200 });
  const isSame = (entry: (typeof entries)[number]) =>
    entry.action === action && Object.entries(detail).every(([name, value]) => entry.detail[name] === value);
  if (entries.some((entry) => entry.id > since && isSame(entry))) throw conflict(`${text}, open this page anew`);
}

/** A credential with a button that copies it. `id` is the element's, `noun` is what the button calls it. */
export const secretPanel = (
  title: string,
  { id, noun, secret }: { id: string; noun: string; secret: string },
  more?: Markup,
): Markup => html`<section class="panel secret" role="status"><h2>${title}</h2>
<p>Copy it now. It is not shown again.</p>
<pre id="${id}"><code>${secret}</code></pre>
<p><button type="button" class="quiet" data-copy="${id}" hidden>Copy the ${noun}</button></p>
${more}
</section>`;
