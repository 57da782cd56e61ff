// Signing in and out: a pasted key or a one-time link opens a session. A sign-in always starts a new session with a new token. Forms that
// were sent when their session had ended are kept until their senders have signed in again, in memory only: first by the cookie of the
// visitor, and then by the new session, whose page shows the form filled.

import { type Caller, callerWhoSignsIn } from "../../core/access/callers.ts";
import { newSecret } from "../../core/access/tokens.ts";
import { visitorForm } from "../../core/body_limits.ts";
import type { Addresses, App } from "../../core/context.ts";
import { HttpError, notFound } from "../../core/errors.ts";
import { mcpPaths, openapiPath } from "../../core/http/paths.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { addressOf } from "../../core/http/request_head.ts";
import { RateLimiter } from "../../core/limits.ts";
import { hour, minute, timestampOf } from "../../core/times.ts";
import { isFresh, isOnThisMachine } from "./first_visit.ts";
import { cookieOf, csrfToken, readForm, readVisitorForm, setCookie } from "./form.ts";
import { html, type Markup } from "./html.ts";
import { invitationProblem, invitationView } from "./invitation_page.ts";
import { findInvitation } from "./invitations.ts";
import { visitorPage } from "./layout.ts";
import { hasRoute, placeFiller } from "./page_places.ts";
import { redirect, sendPage } from "./send.ts";
import { openCommand } from "./session_list.ts";
import {
  closeSession,
  openSession,
  openSessionByInvitation,
  openSessionByLink,
  ownerOfSession,
  type SessionOwner,
} from "./sessions.ts";

export interface HeldForm {
  /** The path and the query to which it was sent. */
  address: string;
  fields: readonly (readonly [name: string, text: string])[];
  /** Whose session it was; undefined if that is not known. */
  owner: SessionOwner | undefined;
}

/** Whether a session may see the form: another vendor's, or another production's, may not. */
const maySee = ({ owner }: HeldForm, session: SessionOwner): boolean =>
  owner === undefined
    ? session.engagement_id === null
    : owner.production_id === session.production_id && owner.engagement_id === session.engagement_id;

/** The most forms that are kept; the oldest goes first. */
const maxHeld = 100;
/** In milliseconds. */
const heldLifetime = hour;

function openHeldForms(clock: () => number) {
  const forms = new Map<string, HeldForm & { until: number }>();

  function take(secret: string | undefined): HeldForm | undefined {
    if (secret === undefined) return undefined;
    const found = forms.get(secret);
    forms.delete(secret);
    return found !== undefined && found.until > clock() ? found : undefined;
  }

  return {
    keep(secret: string, form: HeldForm): void {
      const [oldest] = forms.keys();
      if (forms.size >= maxHeld && oldest !== undefined) forms.delete(oldest);
      forms.set(secret, { ...form, until: clock() + heldLifetime });
    },
    has: (secret: string | undefined): boolean => secret !== undefined && forms.has(secret),
    take,
    /** The form of a session, if it was sent to that path; it is given once. */
    takeFor(secret: string, path: string): HeldForm | undefined {
      return forms.get(secret)?.address.split("?")[0] === path ? take(secret) : undefined;
    },
  };
}

const wrongKeysAMinute = 30;

/** Returns the address on this server that a person is sent back to; "/" if the text is not one. */
export function returnAddress(text: string | null): string {
  const base = "http://tallylight.invalid";
  const url = text?.startsWith("/") ? URL.parse(text, base) : null;
  // Parsing removes dot segments, so the path may begin with two slashes now: a browser would take the next segment for a host.
  return url?.origin === base && !url.pathname.startsWith("//") ? url.pathname + url.search : "/";
}

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

interface SignInPage {
  secret: string;
  next: string;
  /** Whether a form waits that was sent when its session had ended. */
  hasForm: boolean;
  problem?: string | undefined;
  /** The command that prints a link. */
  command: string;
}

const signInPage = (addresses: Addresses, { secret, next, hasForm, problem, command }: SignInPage): Markup => html`
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
<p class="hint">A key belongs to one production and comes from its admin. On the machine that runs this server,
<code>${command}</code> prints a link that needs no key.</p>
${interfaces(addresses)}`;

/** The command that prints a link. Only somebody on this machine can type it, and others are not told its folders. */
const commandFor = (ctx: RequestContext): string =>
  isOnThisMachine(ctx) ? openCommand(ctx.app.store) : "tallylight open";

export function openSignIn(app: App) {
  const wrongKeys = new RateLimiter<string>(wrongKeysAMinute, minute);
  const held = openHeldForms(app.clock);
  const now = () => timestampOf(app);
  const browserOf = ({ req }: RequestContext) => req.headers["user-agent"] ?? "";

  /** Sends a page for a visitor. The visitor's cookie, which proves its form, is kept if there is one. */
  async function showVisitor(
    ctx: RequestContext,
    title: string,
    status: number,
    bodyOf: (secret: string) => Markup,
  ): Promise<void> {
    const known = cookieOf(ctx, "visitor");
    const secret = known ?? newSecret("");
    const cookies = known === undefined ? [setCookie(ctx, "visitor", secret)] : [];
    await sendPage(ctx, status, visitorPage(title, bodyOf(secret)), cookies);
  }

  /** Sends the sign-in page; the page that creates the first production on a server that has none. */
  async function show(ctx: RequestContext, next: string, problem?: string): Promise<void> {
    const firstPage = problem === undefined && isFresh(app) ? await placeFiller("first_page") : undefined;
    if (firstPage !== undefined) return showVisitor(ctx, "Tallylight", 200, (secret) => firstPage(ctx, secret));
    const hasForm = held.has(cookieOf(ctx, "visitor"));
    await showVisitor(ctx, "Sign in", problem === undefined ? 200 : 401, (secret) =>
      signInPage(app.addresses, { secret, next, hasForm, problem, command: commandFor(ctx) }),
    );
  }

  /** The caller of a pasted key; undefined if there is no such live key. Throws 429 after too many wrong keys. */
  function callerOf(ctx: RequestContext, key: string): Caller | undefined {
    const caller = callerWhoSignsIn(app.store, key, now());
    if (caller === undefined) wrongKeys.check(addressOf(ctx.req, app.config.trust_proxy), app.clock());
    return caller;
  }

  /** Replaces the former session, if there is one, by a new one, and redirects to `next`. */
  async function start(ctx: RequestContext, token: string, next: string): Promise<void> {
    const former = cookieOf(ctx, "session");
    if (former !== undefined) await closeSession(app.store, former);
    const taken = held.take(cookieOf(ctx, "visitor"));
    const owner = ownerOfSession(app.store, token);
    const form = taken !== undefined && owner !== undefined && maySee(taken, owner) ? taken : undefined;
    if (form !== undefined) held.keep(token, form);
    redirect(ctx, form?.address ?? next, [setCookie(ctx, "session", token), setCookie(ctx, "visitor", undefined)]);
  }

  return {
    show,

    /** Keeps a form for the visitor until the next sign-in. Returns the cookies that must be set. */
    hold(ctx: RequestContext, form: Omit<HeldForm, "owner">): string[] {
      const [known, session] = [cookieOf(ctx, "visitor"), cookieOf(ctx, "session")];
      const secret = known ?? newSecret("");
      held.keep(secret, { ...form, owner: session === undefined ? undefined : ownerOfSession(app.store, session) });
      return known === undefined ? [setCookie(ctx, "visitor", secret)] : [];
    },

    /** The form that the holder of a session sent to the path before signing in; it is given once. */
    heldFor: held.takeFor,

    /** POST /signin */
    async signIn(ctx: RequestContext): Promise<void> {
      const form = await readVisitorForm(ctx);
      const key = form.text("key");
      const next = returnAddress(form.text("next"));
      if (key === "") return show(ctx, next, "Paste an API key first.");
      const caller = callerOf(ctx, key);
      if (caller === undefined)
        return show(ctx, next, "This API key is unknown, revoked or expired. If it was rotated, paste its new token.");
      ctx.credentials.key_id = caller.key_id;
      await start(ctx, await openSession(app.store, caller, browserOf(ctx), now()), next);
    },

    /** POST / without a session, on a server that has no production. */
    async createFirst(ctx: RequestContext): Promise<void> {
      const [firstPage, createFirst] = [await placeFiller("first_page"), await placeFiller("first_form")];
      if (firstPage === undefined || createFirst === undefined) throw notFound();
      const done = await createFirst(ctx, cookieOf(ctx, "visitor"));
      if ("link" in done) return redirect(ctx, `/open?link=${done.link}`);
      await showVisitor(ctx, "Tallylight", 422, (secret) => firstPage(ctx, secret, done.problem, done.title));
    },

    /** GET /open: uses a one-time link. */
    async open(ctx: RequestContext): Promise<void> {
      const secret = new URLSearchParams(ctx.query).get("link") ?? "";
      const token = await openSessionByLink(app.store, secret, browserOf(ctx), now());
      if (token === undefined) {
        wrongKeys.check(addressOf(ctx.req, app.config.trust_proxy), app.clock());
        throw new HttpError(403, `this link was used or has expired; \`${commandFor(ctx)}\` prints a new one`);
      }
      await start(ctx, token, "/");
    },

    /** /invitation: shows what a link invites to, and opens its session once that is asked for. */
    async invitation(ctx: RequestContext): Promise<void> {
      const isUse = ctx.req.method === "POST";
      const code = isUse
        ? (await readVisitorForm(ctx)).text("code")
        : (new URLSearchParams(ctx.query).get("code") ?? "");
      const found = findInvitation(app.store, code);
      if (found === undefined) {
        wrongKeys.check(addressOf(ctx.req, app.config.trust_proxy), app.clock());
        throw new HttpError(403, "there is no such invitation; ask for a new one, and open its whole link");
      }
      const refused = () => {
        const present = findInvitation(app.store, code) ?? found;
        return invitationProblem(present, now());
      };
      const problem = refused();
      if (problem !== undefined) throw new HttpError(403, problem);
      if (!isUse) return showVisitor(ctx, "Invitation", 200, (secret) => invitationView(secret, code, found));
      const token = await openSessionByInvitation(app.store, code, browserOf(ctx), now());
      if (token === undefined) throw new HttpError(403, refused() ?? "this invitation does not work any more");
      ctx.credentials.key_id = found.key_id;
      await start(ctx, token, "/");
    },

    /** POST /signout. `ask` answers in its place, if something should be done before. */
    async signOut(ctx: RequestContext, ask: () => Promise<boolean>): Promise<void> {
      const token = cookieOf(ctx, "session");
      const form = await readForm(ctx, token, visitorForm);
      if (form.text("sure") !== "1" && (await ask())) return;
      if (token !== undefined) await closeSession(app.store, token);
      redirect(ctx, "/", [setCookie(ctx, "session", undefined)]);
    },
  };
}
