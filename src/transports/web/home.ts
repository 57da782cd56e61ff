// The page at /: what this server is, where its doors are, and, for the holder of a key, which production it serves.
import type { Addresses } from "../../context.ts";
import type { KeyInfo } from "../../operations/key_info.ts";
import { html, type Markup, page } from "./html.ts";

/** What became of a key that was pasted: what it opens, or why not. */
export type Visit = { keyInfo: KeyInfo } | { refused: string } | undefined;

const opened = ({ production, label, bound, scopes }: KeyInfo): Markup => html`
<div class="answer" role="status">
<p class="title">${production}</p>
<dl>
<dt>Key</dt><dd>${label}</dd>
<dt>Shape</dt><dd>${bound ? "bound to an engagement: sees what its engagement was granted" : "production-wide"}</dd>
<dt>Scopes</dt><dd>${scopes.length === 0 ? "none" : scopes.map((scope) => html`<code>${scope}</code> `)}</dd>
</dl>
</div>`;

const answered = (visit: Visit): Markup => {
  if (visit === undefined) return html``;
  return "keyInfo" in visit
    ? opened(visit.keyInfo)
    : html`<p class="answer refused" id="refused" role="alert">${visit.refused}</p>`;
};

const form = (visit: Visit): Markup => html`
<form method="post" action="/" autocomplete="off">
<label for="key">API key</label>
<div class="field">
<input id="key" name="key" type="password" required maxlength="512" placeholder="tl_…" autocomplete="off" spellcheck="false" autocapitalize="off"
${visit !== undefined && "refused" in visit ? html`aria-invalid="true" aria-describedby="refused"` : html``}>
<button>Show the production</button>
</div>
<p class="hint">The key is looked at once and kept nowhere.</p>
</form>`;

const transports = ({ base_url, mcp_url }: Addresses, openapi: string, mcp: string): Markup => html`
<ul class="doors">
<li><a href="/docs">Reference</a><span>Every operation, with a key to try it. Works offline.</span></li>
<li><a href="${openapi}">OpenAPI 3.1</a><span>The same as a file, for generators: <code>${base_url}${openapi}</code></span></li>
<li><a href="/docs#/mcp">MCP</a><span>For language models and their clients: <code>${mcp_url}${mcp}</code></span></li>
<li><a href="/healthz">Health</a><span>Whether the server and its database answer.</span></li>
</ul>`;

/** The page as text; `contract` and `mcp` are the paths of the description and of MCP. */
export const frontPage = (addresses: Addresses, openapi: string, mcp: string, style: string, visit: Visit): string =>
  page(
    "Tallylight",
    [style],
    [],
    html`<main>
<header>
<h1><span class="lamp" aria-hidden="true"></span>Tallylight</h1>
<p class="lead">Tells the tools around a film production what is live: its scenes, assets, schedule, approvals, deliveries,
people and activity.</p>
</header>
<section aria-labelledby="where">
<h2 id="where">Where to go</h2>
${transports(addresses, openapi, mcp)}
</section>
<section aria-labelledby="what">
<h2 id="what">What it serves</h2>
<p>Each key opens one production, and only its holder is told which.</p>
${answered(visit)}
${form(visit)}
</section>
</main>`,
  );
