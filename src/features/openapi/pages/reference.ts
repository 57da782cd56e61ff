// /docs: the reference of the API. It works without internet: its content security policy allows only this server. The
// list of operations is made of the table and needs no script; Swagger UI is loaded when its part is opened, because it
// takes seconds.
import type { App } from "../../../core/context.ts";
import { checkMethod, type Transport } from "../../../core/http/request_context.ts";
import { type Coded, sendCompressed } from "../../../core/http/send.ts";
import { allOperations } from "../../../core/operation_table.ts";
import { openapiPath } from "../../addresses/paths.ts";
import { page as documentOf, html } from "../../pages/html.ts";
import { addressOfFile } from "../../pages/static_files.ts";
import { readExamples } from "../recorded_examples.ts";
import { operationGroups } from "./groups.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/** Returns the page as text. `origin` is the server's public address. */
async function referencePage(origin: string): Promise<string> {
  const groups = operationGroups(await allOperations(), origin, readExamples());
  return documentOf(
    "Tallylight reference",
    [addressOfFile("reference.css")],
    [addressOfFile("reference.js")],
    html`<header class="bar">
<a href="/"><span class="lamp" aria-hidden="true"></span>Tallylight</a>
<form id="key-form" autocomplete="off">
<label for="key">API key</label>
<input id="key" type="password" placeholder="tl_…" maxlength="512" autocomplete="off" spellcheck="false" autocapitalize="off">
<button>Use key</button>
<output id="key-status" for="key"></output>
</form>
<a href="${openapiPath}">openapi.json</a>
</header>
<main>
<h1>The API of this server</h1>
<p>Every request has the header <code>Authorization: Bearer KEY</code>. A key belongs to one production; one that is bound to an engagement
reaches what the engagement was granted. Errors are <code>{"detail": "a sentence"}</code>. Type a key above, open an operation, and
press Run; what you type stays in this page. For a shell: <code>KEY=tl_…</code>, and then the command of an operation.</p>
<details id="explorer" data-description="${openapiPath}" data-style="${addressOfFile("swagger-ui.css")}" data-script="${addressOfFile("swagger-ui-bundle.js")}">
<summary>Every field and answer, with a form for each call (Swagger UI)</summary>
<div id="reference"></div>
<noscript><p class="notice">This part needs JavaScript. The description itself is at <a href="${openapiPath}">${openapiPath}</a>.</p></noscript>
</details>
${groups}
</main>`,
  );
}

export function openTransport({ app: { addresses } }: { app: App }): Transport {
  let made: { body: Buffer; url: string; coded: Coded } | undefined;
  return {
    async answer(ctx) {
      ctx.operation = "pages";
      checkMethod(ctx, ["GET", "HEAD"]);
      const url = addresses.base_url;
      if (made?.url !== url) made = { body: Buffer.from(await referencePage(url)), url, coded: {} };
      const headers = {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      };
      await sendCompressed(ctx, 200, made.body, headers, made.coded);
    },
  };
}
