// The page at /docs: the API reference, which reference.js and Swagger UI show from the OpenAPI description.
import { html, page } from "./html.ts";
import { addressOfFile } from "./static_files.ts";

/** Returns the page as text. `openapi` is the path of the description. */
export const referencePage = (openapi: string): string =>
  page(
    "Tallylight reference",
    ["swagger-ui.css", "reference.css"].map(addressOfFile),
    ["swagger-ui-bundle.js", "reference.js"].map(addressOfFile),
    html`<header class="bar">
<a class="home" href="/"><span class="lamp" aria-hidden="true"></span>Tallylight</a>
<form id="key-form" autocomplete="off">
<label for="key">API key</label>
<input id="key" type="password" placeholder="tl_…" maxlength="512" autocomplete="off" spellcheck="false" autocapitalize="off">
<button>Use key</button>
<output id="key-status" for="key"></output>
</form>
<a class="file" href="${openapi}">openapi.json</a>
</header>
<main id="reference" data-description="${openapi}"><noscript><p class="notice">The reference needs JavaScript. The
description itself is at <a href="${openapi}">${openapi}</a>.</p></noscript></main>`,
  );
