// The sign-in page: a field for a key, and where programs find their interfaces.
import type { Addresses } from "../../core/context.ts";
import { commandWords } from "../../core/program.ts";
import { mcpPaths, openapiPath } from "../addresses/paths.ts";
import { csrfToken } from "./form.ts";
import { html, type Markup } from "./html.ts";
import { hasRoute } from "./page_places.ts";

const interfaces = ({ base_url, mcp_url }: Addresses): Markup => html`
<details>
<summary>For programs</summary>
<ul>
${
  hasRoute("/docs") &&
  html`<li><a href="/docs">Reference</a> of every operation</li>
`
}${
  hasRoute(openapiPath) &&
  html`<li><a href="${openapiPath}">OpenAPI 3.1</a> at <code>${base_url}${openapiPath}</code></li>
`
}${
  hasRoute(mcpPaths[0]) &&
  html`<li>MCP at <code>${mcp_url}${mcpPaths[0]}</code></li>
`
}<li><a href="/healthz">Health</a> of the server</li>
</ul>
</details>`;

export interface SignInPage {
  secret: string;
  next: string;
  /** Whether a form waits that was sent when its session had ended. */
  hasForm: boolean;
  problem?: string | undefined;
}

export const signInPage = (addresses: Addresses, { secret, next, hasForm, problem }: SignInPage): Markup => html`
<h1>Sign in</h1>
${hasForm && html`<p class="lead">Your session has ended. What you wrote is kept: it comes back once you sign in, and you can send it then.</p>`}
<form method="post" action="/signin" class="stack">
${csrfToken(secret)}
<input type="hidden" name="next" value="${next}">
<input name="username" value="Tallylight" autocomplete="username" hidden>
<label for="key">API key</label>
<input id="key" name="key" type="password" required maxlength="512" placeholder="tl_…" autocomplete="current-password" spellcheck="false" autocapitalize="off" autofocus${
  problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
}>
${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<button>Sign in</button>
</form>
<p class="hint">A key belongs to one production and comes from its admin. With the key of a vendor you see what you
are to deliver, hand in files, and read what was decided of them. On the machine that runs this server,
<code>${commandWords("open")}</code> prints a link that needs no key.</p>
${interfaces(addresses)}`;
