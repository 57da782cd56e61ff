// Signing in and out: a pasted key, a one-time link or an invitation opens a session. A sign-in always starts a new
// session with a new token.
import type { KeyCaller } from "../../core/access/callers.ts";
import type { App } from "../../core/context.ts";
import { HttpError, notFound } from "../../core/errors.ts";
import { clientOf } from "../../core/http/client.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { RateLimiter } from "../../core/limits.ts";
import { commandText } from "../../core/program.ts";
import { minute, timestampOf } from "../../core/times.ts";
import { zoneOf } from "../../graph/production.ts";
import { inZone } from "./dates.ts";
import { isBeginLink, isFresh, linkSecretOf } from "./first_visit.ts";
import { cookieOf, readForm, readVisitorForm, setCookie, visitorForm } from "./form.ts";
import { type HeldForm, HeldForms, maySee } from "./held_forms.ts";
import type { Markup } from "./html.ts";
import { invitationProblem, invitationView } from "./invitation_page.ts";
import { findInvitation, type Invitation } from "./invitations.ts";
import { visitorPage } from "./layout.ts";
import { placeFiller } from "./page_places.ts";
import { newSecret } from "./secrets.ts";
import { redirect, sendPage } from "./send.ts";
import { closeSession, openSession, openSessionByInvitation, openSessionByLink, ownerOfSession } from "./sessions.ts";
import { signInPage } from "./sign_in_page.ts";
import { callerWhoSignsIn, signingIn } from "./signing_caller.ts";

const wrongKeysAMinute = 30;

/** Returns the address on this server that a person is sent back to; "/" if the text is not one. */
export function returnAddress(text: string | null): string {
  const base = "http://tallylight.invalid";
  const url = text?.startsWith("/") ? URL.parse(text, base) : null;
  // Parsing removes dot segments, so the path may begin with two slashes now: a browser would take the next segment for
  // a host.
  return url?.origin === base && !url.pathname.startsWith("//") ? url.pathname + url.search : "/";
}

const usedLink = () =>
  new HttpError(
    403,
    `this link was used or has expired; ${commandText("open")} on the server's machine prints a new one`,
  );

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

export class SignIn {
  readonly #app: App;
  readonly #held: HeldForms;
  readonly #wrongKeys = new RateLimiter<string>(wrongKeysAMinute, minute);

  constructor(app: App) {
    this.#app = app;
    this.#held = new HeldForms(app.clock);
  }

  /** Sends the sign-in page; the page that creates the first production on a server that has none. */
  async show(ctx: RequestContext, next: string, problem?: string): Promise<void> {
    const firstPage = problem === undefined && isFresh(this.#app) ? await placeFiller("first_page") : undefined;
    if (firstPage !== undefined) return showVisitor(ctx, "Tallylight", 200, (secret) => firstPage(ctx, secret));
    const hasForm = this.#held.has(cookieOf(ctx, "visitor"));
    await showVisitor(ctx, "Sign in", problem === undefined ? 200 : 401, (secret) =>
      signInPage(this.#app.addresses, { secret, next, hasForm, problem }),
    );
  }

  /** Keeps a form for the visitor until the next sign-in. Returns the cookies that must be set. */
  hold(ctx: RequestContext, form: Omit<HeldForm, "owner">): string[] {
    const [known, session] = [cookieOf(ctx, "visitor"), cookieOf(ctx, "session")];
    const secret = known ?? newSecret("");
    const owner = session === undefined ? undefined : ownerOfSession(this.#app.store, session);
    this.#held.keep(secret, { ...form, owner });
    return known === undefined ? [setCookie(ctx, "visitor", secret)] : [];
  }

  /** The form that the holder of a session sent to the path before signing in; it is given once. */
  heldFor(secret: string, path: string): HeldForm | undefined {
    return this.#held.takeFor(secret, path);
  }

  /** POST /signin */
  async signIn(ctx: RequestContext): Promise<void> {
    const form = await readVisitorForm(ctx);
    const key = form.text("key");
    const next = returnAddress(form.text("next"));
    if (key === "") return this.show(ctx, next, "Paste an API key first.");
    const found = signingIn(() => this.#callerOf(ctx, key));
    if ("problem" in found) return this.show(ctx, next, found.problem);
    const { caller } = found;
    ctx.credentials.key_id = caller.key_id;
    await this.#start(ctx, await openSession(this.#app.store, caller, browserOf(ctx), this.#now()), next);
  }

  /** GET /begin: the form that creates the first production, for who has a link. */
  async showFirst(ctx: RequestContext): Promise<void> {
    if (!isFresh(this.#app)) return redirect(ctx, "/");
    if (linkSecretOf(ctx) !== "" && !isBeginLink(this.#app, linkSecretOf(ctx))) throw usedLink();
    await this.show(ctx, "/");
  }

  /** The form of the first page: creates the first production of the server. */
  async createFirst(ctx: RequestContext): Promise<void> {
    const [firstPage, createFirst] = [await placeFiller("first_page"), await placeFiller("first_form")];
    if (firstPage === undefined || createFirst === undefined) throw notFound();
    const done = await createFirst(ctx, cookieOf(ctx, "visitor"));
    if ("link" in done) return redirect(ctx, `/open?link=${done.link}`);
    await showVisitor(ctx, "Tallylight", 422, (secret) => firstPage(ctx, secret, done));
  }

  /** GET /open: uses a one-time link. */
  async open(ctx: RequestContext): Promise<void> {
    const secret = linkSecretOf(ctx);
    const token = await openSessionByLink(this.#app.store, secret, browserOf(ctx), this.#now());
    if (token === undefined) {
      this.#countWrong(ctx);
      throw usedLink();
    }
    await this.#start(ctx, token, "/");
  }

  /** GET /invitation: shows what a link invites to. */
  async showInvitation(ctx: RequestContext): Promise<void> {
    const code = new URLSearchParams(ctx.query).get("code") ?? "";
    const found = this.#invitationOf(ctx, code);
    await showVisitor(ctx, "Invitation", 200, (secret) =>
      this.#inZoneOf(found, () => invitationView(secret, code, found)),
    );
  }

  /** POST /invitation: opens the session of an invitation. */
  async useInvitation(ctx: RequestContext): Promise<void> {
    const code = (await readVisitorForm(ctx)).text("code");
    const { key_id } = this.#invitationOf(ctx, code);
    const token = await openSessionByInvitation(this.#app.store, code, browserOf(ctx), this.#now());
    if (token === undefined) {
      this.#invitationOf(ctx, code); // says why it does not work any more
      throw new HttpError(403, "this invitation does not work any more");
    }
    ctx.credentials.key_id = key_id;
    await this.#start(ctx, token, "/");
  }

  /** POST /signout. `ask` answers in its place, if something should be done before. */
  async signOut(ctx: RequestContext, ask: () => Promise<boolean>): Promise<void> {
    const token = cookieOf(ctx, "session");
    const form = await readForm(ctx, token, visitorForm);
    if (form.text("sure") !== "1" && (await ask())) return;
    if (token !== undefined) await closeSession(this.#app.store, token);
    redirect(ctx, "/", [setCookie(ctx, "session", undefined)]);
  }

  #now(): string {
    return timestampOf(this.#app);
  }

  /** Throws 429 after too many wrong keys, links and invitations from one address. */
  #countWrong(ctx: RequestContext): void {
    this.#wrongKeys.check(clientOf(ctx).network, this.#app.clock());
  }

  /** The caller of a pasted key; undefined if there is no such live key. */
  #callerOf(ctx: RequestContext, key: string): KeyCaller | undefined {
    const caller = callerWhoSignsIn(this.#app.store, key, this.#now());
    if (caller === undefined) this.#countWrong(ctx);
    return caller;
  }

  /** Says something about an invitation, with times of its production. */
  #inZoneOf<T>({ production_id }: Invitation, say: () => T): T {
    return inZone(zoneOf(this.#app.store, { production_id }), say, this.#app.clock());
  }

  /** The invitation of a code. Throws 403 if there is none, or if it does not work any more. */
  #invitationOf(ctx: RequestContext, code: string): Invitation {
    const found = findInvitation(this.#app.store, code);
    if (found === undefined) {
      this.#countWrong(ctx);
      throw new HttpError(403, "there is no such invitation; ask for a new one, and open its whole link");
    }
    const problem = this.#inZoneOf(found, () => invitationProblem(found, this.#now()));
    if (problem !== undefined) throw new HttpError(403, problem);
    return found;
  }

  /** Replaces the former session, if there is one, by a new one, and redirects to `next`. */
  async #start(ctx: RequestContext, token: string, next: string): Promise<void> {
    const { store } = this.#app;
    const former = cookieOf(ctx, "session");
    if (former !== undefined) await closeSession(store, former);
    const taken = this.#held.take(cookieOf(ctx, "visitor"));
    const owner = ownerOfSession(store, token);
    const form = taken !== undefined && owner !== undefined && maySee(taken, owner) ? taken : undefined;
    if (form !== undefined) this.#held.keep(token, form);
    redirect(ctx, form?.address ?? next, [setCookie(ctx, "session", token), setCookie(ctx, "visitor", undefined)]);
  }
}
