// What a page answers: the page itself, its form, or its form again with what is wrong.
import { forbidden, HttpError, httpErrorOf, notFound } from "../../core/errors.ts";
import { checkMethod } from "../../core/http/request_context.ts";
import { RequestFiles } from "../../core/http/request_files.ts";
import { timestampOf } from "../../core/times.ts";
import { fieldsFrom, readFileForm, readForm, StaleForm, setCookie, UnreadForm } from "./form.ts";
import { html } from "./html.ts";
import { signedInPage } from "./layout.ts";
import type { FormFields, PageAnswer, PageResult, SubmittedForm, View, WebPage } from "./page.ts";
import { placeFiller } from "./page_places.ts";
import { FormRefusal, isCorrectable, problemView, refusalText, writtenTexts } from "./refusals.ts";
import { redirect, sendPage, sessionHeader } from "./send.ts";
import { renewSession } from "./sessions.ts";
import type { Visit } from "./visit.ts";

/**
 * Throws 404 or 403 if the session may not see the page. A key of an engagement cannot tell a page that it may not see.
 */
export function checkReach(visit: Visit, { reach }: Pick<WebPage, "reach">): void {
  if (visit.isVendor && reach !== "engagement") throw notFound();
  if (reach === "edit" && !visit.mayEdit)
    throw forbidden("your key reads the show and does not change it: an admin can invite you as a coordinator");
  if (reach === "admin" && !visit.isAdmin)
    throw forbidden("this is for an admin, who signs in with a link from the machine of this server");
}

/** The view of an error. One that is not the client's is logged as well. */
function errorView(visit: Visit, error: unknown): View {
  const problem = httpErrorOf(error);
  if (problem.status >= 500) visit.ctx.error = error;
  return problemView(problem);
}

/**
 * The page of a refused form, filled with it; undefined if it has no place for the sentence; the error of the page if
 * that is refused, too.
 */
async function filledPage(visit: Visit, { show }: WebPage, problem: string): Promise<View | HttpError | undefined> {
  try {
    const shown = await show?.(visit);
    return shown && "body" in shown && shown.body.text.includes(html`${problem}`.text) ? shown : undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

/**
 * What answers a form that was refused: its page, filled with it, or else the error with what was typed, 404 if there
 * is no such page. Throws 401 if the session has ended.
 */
async function showRefused(visit: Visit, page: WebPage, form: FormFields, error: unknown): Promise<View> {
  const refusal = httpErrorOf(error);
  const { status } = refusal;
  if (status === 401) throw error;
  const problem = refusalText(refusal);
  visit.refused = { form, problem, fields: error instanceof FormRefusal ? error.fields : [], status };
  const filled = await filledPage(visit, page, problem);
  for (const [name, text] of Object.entries(refusal.headers)) visit.ctx.res.setHeader(name, text);
  if (filled !== undefined && !(filled instanceof HttpError))
    return { status: isCorrectable(status) ? 422 : status, ...filled };
  const failed = errorView(visit, filled?.status === 404 ? filled : error);
  return { ...failed, body: html`${failed.body}${writtenTexts(form)}` };
}

/** Does what a form asks for, and answers it. */
async function answerForm(visit: Visit, page: WebPage, form: SubmittedForm): Promise<PageAnswer> {
  try {
    return await (page.submit as NonNullable<WebPage["submit"]>)(visit, form); // the methods were checked
  } catch (error) {
    return showRefused(visit, page, form, error);
  }
}

/** Sends what a page answers. */
export async function sendAnswer(visit: Visit, page: WebPage, result: PageAnswer): Promise<void> {
  if (typeof result === "function") return result();
  if ("location" in result) return redirect(visit.ctx, result.location);
  const text = await signedInPage(visit, page, result);
  await sendPage(visit.ctx, result.status ?? 200, text, [], { [sessionHeader]: visit.tag });
}

/** Sends the error of a page as a page. */
export const sendErrorPage = (visit: Visit, error: unknown): Promise<void> =>
  sendAnswer(visit, { path: "", reach: "engagement" }, errorView(visit, error));

/**
 * Reads a form and does what it asks for. The session is checked again, because it may have ended while the form
 * arrived.
 */
async function submit(visit: Visit, page: WebPage): Promise<PageAnswer> {
  const { ctx, secret } = visit;
  const staged = new RequestFiles(ctx.app, ctx.credentials.key_id);
  const withFiles = page.files && /^multipart\//i.test(ctx.req.headers["content-type"] ?? "");
  try {
    const form = withFiles
      ? await readFileForm(ctx, secret, staged, page.files_limit)
      : await readForm(ctx, secret, page.form_limit);
    const present = visit.renewed();
    checkReach(present, page);
    return await answerForm(present, page, form);
  } finally {
    await staged.end();
  }
}

/** Lets the session last longer, and its cookie with it. A page is shown all the same if nothing can be written now. */
async function renew({ ctx, secret }: Visit): Promise<void> {
  const { app } = ctx;
  if (app.copy !== undefined) return;
  const isRenewed = renewSession(app.store, secret, timestampOf(app)).catch(() => false);
  if (await isRenewed) ctx.res.setHeader("set-cookie", setCookie(ctx, "session", secret));
}

/**
 * Shows a form filled that has no proof of the session, because it was sent before the session began. Nothing is done
 * for it.
 */
async function showAgain(visit: Visit, page: WebPage, fields: StaleForm["fields"]): Promise<PageResult> {
  const refusal = forbidden(
    "you were signed out before this was sent, so nothing was changed; look at it and send it again",
  );
  return { ...(await showRefused(visit, page, fieldsFrom(fields), refusal)), status: refusal.status };
}

/** The result of a form. One that was refused while it was read is shown again, with the status of its refusal. */
async function submitOrShow(visit: Visit, page: WebPage): Promise<PageAnswer> {
  try {
    return await submit(visit, page);
  } catch (error) {
    if (!(error instanceof UnreadForm)) throw error;
    const present = visit.renewed();
    checkReach(present, page);
    if (error instanceof StaleForm) return showAgain(present, page, error.fields);
    return showRefused(present, page, fieldsFrom(error.fields), error);
  }
}

/**
 * Answers a request for a page. `takeHeld` returns the form of the page that was sent before the session began, if
 * there is one. Throws 401 if the session has ended.
 */
export async function answerPage(
  visit: Visit,
  page: WebPage,
  takeHeld: () => Pick<StaleForm, "fields"> | undefined,
): Promise<void> {
  const { ctx } = visit;
  try {
    checkReach(visit, page);
    const methods = [...(page.show ? ["GET", "HEAD"] : []), ...(page.submit ? ["POST"] : [])];
    checkMethod(ctx, methods);
    await renew(visit);
    // A vendor may not read events, and the answer to a form would be lost if the page were read again.
    if (!visit.isVendor && ctx.req.method === "GET") visit.cursor = (await placeFiller("cursor"))?.(visit);
    const isPost = ctx.req.method === "POST";
    const held = ctx.req.method === "GET" && page.submit ? takeHeld() : undefined;
    if (isPost) await sendAnswer(visit, page, await submitOrShow(visit, page));
    else if (held !== undefined) await sendAnswer(visit, page, await showAgain(visit, page, held.fields));
    // the methods were checked
    else await sendAnswer(visit, page, await (page.show as NonNullable<WebPage["show"]>)(visit));
  } catch (error) {
    if (ctx.res.headersSent || (error instanceof HttpError && error.status === 401)) throw error;
    await sendErrorPage(visit, error);
  }
}
