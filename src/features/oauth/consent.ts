// The sign-in pages: plain HTML that works without JavaScript, loads one stylesheet of this server and cannot be
// framed.
import { type Scope, scopeMeanings } from "../../core/access/callers.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { isLoopback } from "../../core/http/request_head.ts";
import { sendBody } from "../../core/http/send.ts";
import { html, type Markup, page } from "../pages/html.ts";
import { addressOfFile } from "../pages/static_files.ts";

/** What the pages show about the app. */
interface ConsentView {
  /** The name that the app gave itself. */
  client: string;
  redirect_uri: string;
  /** The signed request, for the form. */
  request: string;
}

/**
 * Returns the form-action sources to which the form may be redirected. Chromium applies form-action to the whole chain
 * of redirects, and an app's address often redirects to another page of its maker, so every https address is allowed. A
 * policy cannot contain an IPv6 host.
 */
function formTarget(redirect_uri: string): string {
  const { protocol, origin, hostname } = new URL(redirect_uri);
  if (protocol === "https:") return "https:";
  return `https: ${protocol === "http:" && !hostname.startsWith("[") ? origin : protocol}`;
}

function sendPage(ctx: RequestContext, status: number, title: string, body: Markup, target = ""): void {
  const text = page(
    `${title} - Tallylight`,
    [addressOfFile("pages.css")],
    [],
    html`<main class="visitor flow">
<p class="row"><span class="lamp" aria-hidden="true"></span><b>Tallylight</b></p>
<h1>${title}</h1>
${body}
</main>`,
  );
  sendBody(ctx, status, Buffer.from(text), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'self'; img-src data:; form-action 'self' ${target}; base-uri 'none'; frame-ancestors 'none'`,
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin", // with no-referrer, browsers send the form with `Origin: null`
    "cache-control": "no-store",
    ...(status === 401 && { "www-authenticate": "Bearer" }),
  });
}

/** Describes the app's redirect address to a person. */
function destination(redirect_uri: string): string {
  const { protocol, host, hostname } = new URL(redirect_uri);
  if (!/^https?:$/.test(protocol)) return `an app on this device (${protocol})`;
  return isLoopback(hostname) ? `an app on this device (${host})` : host;
}

const listed = (granted: readonly Scope[]): Markup =>
  granted.length === 0
    ? html`none: the key has none of the scopes that the app asks for`
    : html`<ul>${granted.map((scope) => html`<li><code>${scope}</code>: ${scopeMeanings[scope]}</li>`)}</ul>`;

/**
 * Sends the first page: the app, the scopes that it asks for, and a field for the key. The status is 401 if `problem`
 * is given.
 */
export function sendSignIn(ctx: RequestContext, view: ConsentView, scopes: readonly Scope[], problem?: string): void {
  const { client, redirect_uri, request } = view;
  const body = html`
<p class="lead"><strong>${client}</strong> asks to use a production on this server through MCP.</p>
<h2>What it asks for</h2>
<dl>
<dt>App</dt><dd>${client}, as the app calls itself</dd>
<dt>Returns to</dt><dd>${destination(redirect_uri)}</dd>
<dt>Permissions</dt><dd>${listed(scopes)}</dd>
</dl>
${problem === undefined ? html`` : html`<p class="problem" id="refused" role="alert">${problem}</p>`}
<form method="post" action="authorize" autocomplete="off" class="stack">
<input type="hidden" name="request" value="${request}">
<label for="api_key">Your API key</label>
<input id="api_key" name="api_key" type="password" maxlength="512" placeholder="tl_…" autocomplete="off" spellcheck="false" autocapitalize="off" autofocus
${problem === undefined ? html`` : html`aria-invalid="true" aria-describedby="refused"`}>
<div class="row">
<button name="step" value="review">Continue</button>
<button name="step" value="deny" class="quiet">Cancel</button>
</div>
<p class="hint">Cancel also returns you to ${destination(redirect_uri)}.</p>
<p class="hint">The app never sees the key. It gets a token that can do no more than the key: the same production, the same
reach, and the same scopes or fewer. Revoking the key also ends the token at once.</p>
</form>`;
  sendPage(ctx, problem === undefined ? 200 : 401, "Sign in", body, formTarget(redirect_uri));
}

/** Sends the second page: the key's production and the scopes that the app gets, for the final decision. */
export function sendReview(
  ctx: RequestContext,
  { client, redirect_uri, request }: ConsentView,
  key: { label: string; production: string; vendor: string | null; scopes: readonly Scope[] },
): void {
  const body = html`
<p class="lead"><strong>${client}</strong> will act for you on <strong>${key.production}</strong>.</p>
<dl class="panel">
<dt>Production</dt><dd>${key.production}</dd>
<dt>Key</dt><dd>${key.label}${key.vendor === null ? "" : `, limited to what ${key.vendor} was granted`}</dd>
<dt>Permissions</dt><dd>${listed(key.scopes)}</dd>
<dt>Returns to</dt><dd>${destination(redirect_uri)}</dd>
</dl>
<form method="post" action="authorize">
<input type="hidden" name="request" value="${request}">
<div class="row">
<button name="step" value="allow">Allow</button>
<button name="step" value="deny" class="quiet">Cancel</button>
</div>
</form>`;
  sendPage(ctx, 200, "Allow this app?", body, formTarget(redirect_uri));
}

const failedTitle = "The sign-in failed";
const sentence = (detail: string): string => `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;

/** Sends an error that cannot be sent to the app as a page. */
export const sendProblemPage = (ctx: RequestContext, status: number, detail: string): void =>
  sendPage(
    ctx,
    status,
    failedTitle,
    html`<p class="problem" role="alert">${sentence(detail)}</p><p>Go back to the app and sign in again.</p>`,
  );

/**
 * Sends the error in a request of an app that has never completed a sign-in here. `back` is the app's address with the
 * error. The person is not redirected to it, but the page links to it.
 */
export function sendUnknownAppProblem(
  ctx: RequestContext,
  { client, redirect_uri, back }: Omit<ConsentView, "request"> & { back: string },
  status: number,
  detail: string,
): void {
  const body = html`
<p class="lead"><strong>${client}</strong>, as the app calls itself, sent a sign-in request that this server cannot accept.</p>
<p class="problem" role="alert">${sentence(detail)}</p>
<p>Nobody has signed in to this server with this app before, so you are not redirected to it automatically.
If you trust the app, <a href="${back}" rel="noreferrer">go back to ${destination(redirect_uri)}</a>.</p>`;
  sendPage(ctx, status, failedTitle, body);
}
