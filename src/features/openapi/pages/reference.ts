// /docs: the reference of the API. It works without internet: its content security policy allows only this server.
import { checkMethod, type Transport } from "../../../core/http/request_context.ts";
import { sendCompressed } from "../../../core/http/send.ts";
import { openapiPath } from "../../addresses/paths.ts";
import { page as documentOf, html } from "../../pages/html.ts";
import { addressOfFile } from "../../pages/static_files.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/** Returns the page as text. `openapi` is the path of the description. */
const referencePage = (openapi: string): string =>
  documentOf(
    "Tallylight reference",
    ["swagger-ui.css", "reference.css"].map(addressOfFile),
    ["swagger-ui-bundle.js", "reference.js"].map(addressOfFile),
    html`<header class="bar">
<a href="/"><span class="lamp" aria-hidden="true"></span>Tallylight</a>
<form id="key-form" autocomplete="off">
<label for="key">API key</label>
<input id="key" type="password" placeholder="tl_…" maxlength="512" autocomplete="off" spellcheck="false" autocapitalize="off">
<button>Use key</button>
<output id="key-status" for="key"></output>
</form>
<a href="${openapi}">openapi.json</a>
</header>
<main id="reference" data-description="${openapi}"><noscript><p class="notice">The reference needs JavaScript. The
description itself is at <a href="${openapi}">${openapi}</a>.</p></noscript></main>`,
  );

export const openTransport = (): Transport => ({
  async answer(ctx) {
    ctx.operation = "pages";
    checkMethod(ctx, ["GET", "HEAD"]);
    await sendCompressed(ctx, 200, Buffer.from(referencePage(openapiPath)), {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
  },
});
