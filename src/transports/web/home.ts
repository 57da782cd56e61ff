// The page at /: says what this server is, links to its interfaces, and shows the production of a pasted key.
import type { Addresses } from "../../context.ts";
import type { KeyInfo } from "../../operations/key_info.ts";
import { html, type Markup, page } from "./html.ts";

/** The result of checking a pasted key; undefined if none was sent. */
export type KeyCheck = { keyInfo: KeyInfo } | { error: string } | undefined;

const keyDetails = ({ production, label, bound, scopes }: KeyInfo): Markup => html`
<div class="answer" role="status">
<p class="title">${production}</p>
<dl>
<dt>Key</dt><dd>${label}</dd>
<dt>Shape</dt><dd>${bound ? "bound to an engagement: it sees what its engagement was granted" : "production-wide"}</dd>
<dt>Scopes</dt><dd>${scopes.length === 0 ? "none" : scopes.map((scope) => html`<code>${scope}</code> `)}</dd>
</dl>
</div>`;

const resultOf = (check: KeyCheck): Markup => {
  if (check === undefined) return html``;
  return "keyInfo" in check
    ? keyDetails(check.keyInfo)
    : html`<p class="answer refused" id="refused" role="alert">${check.error}</p>`;
};

const form = (check: KeyCheck): Markup => html`
<form method="post" action="/" autocomplete="off">
<label for="key">API key</label>
<div class="field">
<input id="key" name="key" type="password" required maxlength="512" placeholder="tl_…" autocomplete="off" spellcheck="false" autocapitalize="off"
${check !== undefined && "error" in check ? html`aria-invalid="true" aria-describedby="refused"` : html``}>
<button>Show the production</button>
</div>
<p class="hint">The server checks the key once and does not store it.</p>
</form>`;

const transports = ({ base_url, mcp_url }: Addresses, openapi: string, mcp: string): Markup => html`
<ul class="links">
<li><a href="/docs">Reference</a><span>Every operation; paste a key to try them. Works offline.</span></li>
<li><a href="${openapi}">OpenAPI 3.1</a><span>The same as a file, for code generators: <code>${base_url}${openapi}</code></span></li>
<li><a href="/docs#/mcp">MCP</a><span>For language models and their clients: <code>${mcp_url}${mcp}</code></span></li>
<li><a href="/healthz">Health</a><span>Whether the server and its database work.</span></li>
</ul>`;

/** Returns the page as text. `openapi` and `mcp` are the paths of the description and of MCP, `style` is the stylesheet's. */
export const homePage = (addresses: Addresses, openapi: string, mcp: string, style: string, check: KeyCheck): string =>
  page(
    "Tallylight",
    [style],
    [],
    html`<main>
<header>
<h1><span class="lamp" aria-hidden="true"></span>Tallylight</h1>
<p class="lead">Gives the tools around a film production access to its scenes, assets, schedule, approvals, deliveries, people
and activity.</p>
</header>
<section aria-labelledby="where">
<h2 id="where">Interfaces</h2>
${transports(addresses, openapi, mcp)}
</section>
<section aria-labelledby="what">
<h2 id="what">Your production</h2>
<p>Each API key belongs to one production. Paste a key to see which one.</p>
${resultOf(check)}
${form(check)}
</section>
</main>`,
  );
