// The web pages: sign-in, the pages of the features, and the files that they load. They work without internet: their
// content security policy allows only this server.
import type { App } from "../../core/context.ts";
import { forbidden, HttpError, notFound } from "../../core/errors.ts";
import { checkMethod, type RequestContext, type Transport, wantsHtml } from "../../core/http/request_context.ts";
import { sendCompressed } from "../../core/http/send.ts";
import { openContext } from "../../core/pipeline.ts";
import { inZone } from "./dates.ts";
import { firstFormPath } from "./first_visit.ts";
import { checkScriptCsrfToken, cookieOf, readFormWithoutSession, setCookie } from "./form.ts";
import { scriptUploadsPath } from "./form_parts.ts";
import { html } from "./html.ts";
import { invitationPath } from "./invitations.ts";
import { entriesOf, visitorPage } from "./layout.ts";
import type { WebPage } from "./page.ts";
import { answerPage, checkReach, sendAnswer, sendErrorPage } from "./page_answers.ts";
import { placeFiller } from "./page_places.ts";
import { problemView } from "./refusals.ts";
import { redirect, sendPage } from "./send.ts";
import { openPath } from "./session_list.ts";
import { authenticateSession } from "./sessions.ts";
import { returnAddress, SignIn } from "./sign_in.ts";
import { type Asset, addressOfFile, fileAt, staticPath } from "./static_files.ts";
import { Visit } from "./visit.ts";

let routes: readonly { pattern: RegExp; page: WebPage }[] | undefined;

/**
 * Finds the page of a path, with its parameters; undefined if there is none. The list of the pages is loaded with the
 * first request for one.
 */
async function findPage(path: string): Promise<{ page: WebPage; params: Record<string, string> } | undefined> {
  if (routes === undefined) {
    const { openPages, patternOf } = await import("./pages.ts");
    routes = openPages().map((page) => ({ pattern: patternOf(page.path), page }));
  }
  for (const { pattern, page } of routes) {
    const found = pattern.exec(path);
    if (found !== null) return { page, params: { ...found.groups } };
  }
  return undefined;
}

const sessionEnded = () => new HttpError(401, "the session has ended; sign in again");

async function sendAsset(ctx: RequestContext): Promise<void> {
  const found = fileAt(ctx.path);
  if (found === undefined) throw notFound();
  checkMethod(ctx, ["GET", "HEAD"]);
  const headers = { "content-type": found.type, "cache-control": "public, max-age=31536000, immutable" };
  await sendCompressed(ctx, 200, found.body, headers, found.coded);
}

/** The path of the service worker, which may be in charge only of paths below its own. */
const workerPath = "/worker.js";

async function sendWorker(ctx: RequestContext): Promise<void> {
  const { type, body, coded } = fileAt(addressOfFile("worker.js")) as Asset; // it is in the list
  const policy = "default-src 'none'; connect-src 'self'";
  const headers = { "content-type": type, "content-security-policy": policy, "cache-control": "no-cache" };
  await sendCompressed(ctx, 200, body, headers, coded);
}

/**
 * The visit of the request's session; undefined if there is none or it has ended. Its token becomes the request's
 * credentials.
 */
function visitOf(ctx: RequestContext, params: Record<string, string> = {}): Visit | undefined {
  const token = cookieOf(ctx, "session");
  if (token === undefined) return undefined;
  ctx.credentials.session = { token, authenticate: authenticateSession };
  try {
    const context = openContext(ctx.app, ctx.credentials, (listener) => void ctx.res.once("close", listener));
    return new Visit(ctx, context, token, params);
  } catch (error) {
    if (error instanceof HttpError && error.status === 401) return undefined;
    throw error;
  }
}

/**
 * A link on another site does not send the session's cookie, but the page that this returns does when it opens the
 * address.
 */
function sendDetour(ctx: RequestContext, address: string): Promise<void> {
  const body = html`<meta http-equiv="refresh" content="0; url=${address}">
<p><a href="${address}">Open the page</a></p>`;
  return sendPage(ctx, 200, visitorPage("Opening", body));
}

/** The paths of the pages that need no session. */
const visitorPaths: Readonly<
  Record<string, { methods: readonly string[]; answer: (pages: Pages, ctx: RequestContext) => Promise<void> }>
> = {
  [workerPath]: { methods: ["GET", "HEAD"], answer: (_, ctx) => sendWorker(ctx) },
  "/signin": { methods: ["GET", "HEAD", "POST"], answer: (pages, ctx) => pages.answerSignIn(ctx) },
  [firstFormPath]: {
    methods: ["GET", "HEAD", "POST"],
    answer: async ({ signIn }, ctx) => (ctx.req.method === "POST" ? signIn.createFirst(ctx) : signIn.showFirst(ctx)),
  },
  [openPath]: { methods: ["GET"], answer: ({ signIn }, ctx) => signIn.open(ctx) },
  [invitationPath]: {
    methods: ["GET", "HEAD", "POST"],
    answer: ({ signIn }, ctx) => (ctx.req.method === "POST" ? signIn.useInvitation(ctx) : signIn.showInvitation(ctx)),
  },
  "/signout": { methods: ["POST"], answer: ({ signIn }, ctx) => signIn.signOut(ctx, () => askBefore(ctx)) },
};

/** Shows what should be done before a session ends, if there is something. Returns whether it did. */
async function askBefore(ctx: RequestContext): Promise<boolean> {
  const visit = visitOf(ctx);
  const view = visit && (await (await placeFiller("before_signing_out"))?.(visit));
  if (visit === undefined || view === undefined) return false;
  await sendAnswer(visit, { path: "", reach: "engagement" }, view);
  return true;
}

/** A resumable upload of a page's script: the same as of a key, but with the session and its proof. */
async function answerUpload(ctx: RequestContext): Promise<void> {
  const upload = await placeFiller("upload");
  if (upload === undefined) throw notFound();
  const visit = visitOf(ctx);
  if (visit === undefined) throw sessionEnded();
  checkScriptCsrfToken(ctx, visit.secret);
  if (visit.hasLink) throw forbidden("the admin of this server cannot submit work");
  await upload(ctx);
}

/** Answers a request for a page that is no document. */
async function sendOther(ctx: RequestContext, visit: Visit | undefined, page: WebPage): Promise<void> {
  if (visit === undefined) throw sessionEnded();
  checkReach(visit, page);
  checkMethod(ctx, ["GET", "HEAD"]);
  await page.send?.(visit);
}

class Pages implements Transport {
  readonly signIn: SignIn;

  constructor(app: App) {
    this.signIn = new SignIn(app);
  }

  async answer(ctx: RequestContext): Promise<void> {
    ctx.operation = "pages";
    try {
      await this.#answer(ctx);
    } catch (error) {
      if (ctx.res.headersSent || !(error instanceof HttpError) || !wantsHtml(ctx)) throw error;
      const { title, body, status = 500 } = problemView(error);
      await sendPage(ctx, status, visitorPage(title, body), [], error.headers);
    }
  }

  async answerSignIn(ctx: RequestContext): Promise<void> {
    if (ctx.req.method === "POST") return this.signIn.signIn(ctx);
    const next = returnAddress(new URLSearchParams(ctx.query).get("next"));
    if (visitOf(ctx) === undefined) await this.signIn.show(ctx, next);
    else redirect(ctx, next);
  }

  async #answer(ctx: RequestContext): Promise<void> {
    const { path } = ctx;
    if (path.startsWith(staticPath)) return sendAsset(ctx);
    if (Object.hasOwn(visitorPaths, path)) {
      const { methods, answer } = visitorPaths[path] as (typeof visitorPaths)[string]; // it has the path
      checkMethod(ctx, methods);
      return answer(this, ctx);
    }
    if (path === scriptUploadsPath || path.startsWith(`${scriptUploadsPath}/`)) return answerUpload(ctx);
    const isVisit = path === "/" && ctx.req.method === "GET" && cookieOf(ctx, "session") === undefined;
    return isVisit ? this.#askToSignIn(ctx) : this.#answerPage(ctx); // no page is loaded for a first visit
  }

  async #answerPage(ctx: RequestContext): Promise<void> {
    const found = await findPage(ctx.path);
    const visit = found === undefined && !wantsHtml(ctx) ? undefined : visitOf(ctx, found?.params);
    return inZone(visit?.zone ?? null, () => this.#answerVisit(ctx, visit, found), ctx.app.clock());
  }

  async #answerVisit(ctx: RequestContext, visit: Visit | undefined, found: Awaited<ReturnType<typeof findPage>>) {
    const { path } = ctx;
    if (found?.page.send !== undefined) return sendOther(ctx, visit, found.page);
    if (visit !== undefined && found !== undefined) return this.#showPage(visit, found.page);
    if (visit !== undefined)
      return path === "/" ? redirect(ctx, entriesOf(visit)[0]?.[0] ?? "/settings") : sendErrorPage(visit, notFound());
    if (found === undefined && path !== "/") throw notFound();
    await this.#askToSignIn(ctx);
  }

  /** Answers a request for a page. If the session ends meanwhile, the visitor is asked to sign in. */
  async #showPage(visit: Visit, page: WebPage): Promise<void> {
    const { ctx, secret } = visit;
    try {
      await answerPage(visit, page, () => this.signIn.heldFor(secret, ctx.path));
    } catch (error) {
      if (ctx.res.headersSent || !(error instanceof HttpError) || error.status !== 401) throw error;
      await this.#askToSignIn(ctx, false);
    }
  }

  /**
   * Asks the visitor to sign in, and to return to the address then. A form whose body was not read yet is kept until
   * then.
   */
  async #askToSignIn(ctx: RequestContext, mayHold = true): Promise<void> {
    const { req, path, query } = ctx;
    const address = returnAddress(query === "" ? path : `${path}?${query}`);
    const target = address === "/" ? "/signin" : `/signin?next=${encodeURIComponent(address)}`;
    if (req.headers["sec-fetch-site"] === "cross-site" && req.method === "GET") await sendDetour(ctx, target);
    else if (path === "/" && req.method === "GET") await this.signIn.show(ctx, "/");
    else {
      const page = req.method === "POST" && mayHold ? (await findPage(path))?.page : undefined;
      const isForm = page?.submit !== undefined && page.show !== undefined; // it must be shown again
      const cookies = isForm ? await this.#hold(ctx, address) : [];
      redirect(ctx, target, [setCookie(ctx, "session", undefined), ...cookies]);
    }
  }

  /** Keeps a form whose session has ended, if it can be kept. Returns the cookies that must be set. */
  async #hold(ctx: RequestContext, address: string): Promise<string[]> {
    try {
      const fields = await readFormWithoutSession(ctx);
      return fields === undefined ? [] : this.signIn.hold(ctx, { address, fields });
    } catch (error) {
      if (error instanceof HttpError) return []; // it is too large, or from another site
      throw error;
    }
  }
}

export const openTransport = ({ app }: { app: App }): Transport => new Pages(app);
