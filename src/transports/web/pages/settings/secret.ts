// The panel that shows a new credential once.
import { html, type Markup } from "../../html.ts";

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
