// The pages of signing in: plain HTML that works without JavaScript, loads one stylesheet of this server and stands in no
// frame. Knows no rule of OAuth: it is handed what to show.
import { type Scope, scopeMeanings } from "../../inputs.ts";
import { isLoopback } from "../../network.ts";
import type { RequestContext } from "../http/request_context.ts";
import { sendBody } from "../http/send.ts";
import { html, type Markup, page } from "../web/html.ts";

/** What is shown of the app that asks. */
export interface Asking {
  /** The stylesheet's address. */
  style: string;
  /** What the app calls itself. */
  client: string;
  redirect_uri: string;
  /** The sealed request. */
  request: string;
}

/**
 * What the form's answer may be redirected to. Chromium holds a form's whole chain of redirects to form-action, and an app's
 * own address often leads on to a page of its maker's, so https is open; a policy cannot name an IPv6 host.
 */
function formTarget(redirect_uri: string): string {
  const { protocol, origin, hostname } = new URL(redirect_uri);
  if (protocol === "https:") return "https:";
  return `https: ${protocol === "http:" && !hostname.startsWith("[") ? origin : protocol}`;
}

function sendPage(ctx: RequestContext, status: number, style: string, title: string, body: Markup, target = ""): void {
  const text = page(
    `${title} - Tallylight`,
    [style],
    [],
    html`<main class="consent">
<h1><span class="lamp" aria-hidden="true"></span>${title}</h1>
${body}
</main>`,
  );
  sendBody(ctx, status, Buffer.from(text), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'self'; img-src data:; form-action 'self' ${target}; base-uri 'none'; frame-ancestors 'none'`,
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin", // with no-referrer the form would come with the origin null
    "cache-control": "no-store",
    ...(status === 401 && { "www-authenticate": "Bearer" }),
  });
}

/** Where the answer goes, in words. */
function destination(redirect_uri: string): string {
  const { protocol, host, hostname } = new URL(redirect_uri);
  if (!/^https?:$/.test(protocol)) return `an app on this device (${protocol})`;
  return isLoopback(hostname) ? `an app on this device (${host})` : host;
}

const listed = (granted: readonly Scope[]): Markup =>
  granted.length === 0
    ? html`nothing: the key has none of the scopes that the app asks for`
    : html`<ul>${granted.map((scope) => html`<li><code>${scope}</code>: ${scopeMeanings[scope]}</li>`)}</ul>`;

/** First: who asks, for what at most, and a field for the key. With a problem it is 401. */
export function sendSignIn(ctx: RequestContext, asking: Asking, scopes: readonly Scope[], problem?: string): void {
  const { client, redirect_uri, request } = asking;
  const body = html`
<p class="lead"><strong>${client}</strong> asks to use a production on this server through MCP.</p>
<h2>What it asks for</h2>
<dl>
<dt>Name</dt><dd>${client}, as it calls itself</dd>
<dt>Answer to</dt><dd>${destination(redirect_uri)}</dd>
<dt>To be able to</dt><dd>${listed(scopes)}</dd>
</dl>
${problem === undefined ? html`` : html`<p class="answer refused" id="refused" role="alert">${problem}</p>`}
<form method="post" action="authorize" autocomplete="off">
<input type="hidden" name="request" value="${request}">
<label for="api_key">Your API key</label>
<div class="field">
<input id="api_key" name="api_key" type="password" maxlength="512" placeholder="tl_…" autocomplete="off" spellcheck="false" autocapitalize="off" autofocus
${problem === undefined ? html`` : html`aria-invalid="true" aria-describedby="refused"`}>
<button name="step" value="review">Continue</button>
<button name="step" value="deny" class="quiet">Cancel</button>
</div>
<p class="hint">Cancel also leads back to ${destination(redirect_uri)}.</p>
<p class="hint">The app never sees the key. It gets a token that acts as the key and never beyond it: the same production, the
same reach, its scopes or fewer. Revoking the key ends the token at once.</p>
</form>`;
  sendPage(ctx, problem === undefined ? 200 : 401, asking.style, "Sign in", body, formTarget(redirect_uri));
}

/** Then: what the key opens, for a last yes or no. */
export function sendReview(
  ctx: RequestContext,
  { style, client, redirect_uri, request }: Asking,
  key: { label: string; production: string; vendor: string | null; scopes: readonly Scope[] },
): void {
  const body = html`
<p class="lead"><strong>${client}</strong> will act for you on <strong>${key.production}</strong>.</p>
<dl class="answer">
<dt>Production</dt><dd>${key.production}</dd>
<dt>Key</dt><dd>${key.label}${key.vendor === null ? "" : `, within what ${key.vendor} was granted`}</dd>
<dt>Able to</dt><dd>${listed(key.scopes)}</dd>
<dt>Answer to</dt><dd>${destination(redirect_uri)}</dd>
</dl>
<form method="post" action="authorize">
<input type="hidden" name="request" value="${request}">
<div class="field">
<button name="step" value="allow">Allow</button>
<button name="step" value="deny" class="quiet">Cancel</button>
</div>
</form>`;
  sendPage(ctx, 200, style, "Allow this app?", body, formTarget(redirect_uri));
}

const sentence = (detail: string): string => `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;

/** What cannot be answered to the app: the person reads it here. */
export const sendProblemPage = (ctx: RequestContext, style: string, status: number, detail: string): void =>
  sendPage(
    ctx,
    status,
    style,
    "This sign-in cannot go on",
    html`<p class="answer refused" role="alert">${sentence(detail)}</p><p>Go back to the app and sign in again.</p>`,
  );

/**
 * What is wrong with the request of an app that never completed a sign-in here. Nothing sends the person on to `back`, the
 * app's address with the error: a link does, if they follow it.
 */
export function sendUnknownAppProblem(
  ctx: RequestContext,
  { style, client, redirect_uri, back }: Pick<Asking, "style" | "client" | "redirect_uri"> & { back: string },
  status: number,
  detail: string,
): void {
  const body = html`
<p class="lead"><strong>${client}</strong>, as the app calls itself, asked for a sign-in that this server cannot give.</p>
<p class="answer refused" role="alert">${sentence(detail)}</p>
<p>Nobody has signed in with this app here before, so you are not sent to it automatically.
If you know it, <a href="${back}" rel="noreferrer">go back to ${destination(redirect_uri)}</a>.</p>`;
  sendPage(ctx, status, style, "This sign-in cannot go on", body);
}
