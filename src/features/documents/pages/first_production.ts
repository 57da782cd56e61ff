// The first page of a server that has no production: on its own machine, a form creates one, from a script or empty, and opens the admin's session of it.

import type { App } from "../../../core/context.ts";
import { forbidden, HttpError } from "../../../core/errors.ts";
import type { RequestContext } from "../../../core/http/request_context.ts";
import { RequestFiles } from "../../../core/http/request_files.ts";
import { timestampOf } from "../../../core/times.ts";
import { localAdmin } from "../../../graph/admin.ts";
import { isFresh, isOnThisMachine } from "../../pages/first_visit.ts";
import { csrfToken, readFileForm } from "../../pages/form.ts";
import { html, type Markup } from "../../pages/html.ts";
import { fieldProblem } from "../../pages/html_parts.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { sentence } from "../../pages/send.ts";
import { addSignInLink } from "../../pages/sessions.ts";
import type { CreationRequest } from "../creation_work.ts";
import { areLarge, runWork } from "../import_job.ts";
import type { Plan } from "../plan/plan.ts";
import { maxScript } from "./feature.ts";

export interface GivenProduction {
  problem?: string | undefined;
  title?: string | undefined;
}

/** The form that begins a production: from its script, or empty. */
export const productionForm = (proof: Markup, action: string, { problem, title = "" }: GivenProduction): Markup => html`
<form method="post" action="${action}" enctype="multipart/form-data" class="stack">${proof}
<label for="title">Title <span class="under">that of the script's title page if empty</span></label>
<input id="title" name="title" maxlength="300" value="${title}">
<label for="script">Script <span class="under">a .fountain or .fdx file</span></label>
<input id="script" name="script" type="file" accept=".fountain,.fdx"${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", problem)}
<div class="row"><button name="action" value="script">Begin with the script</button>
<button name="action" value="empty" class="quiet">Begin empty, with the title</button></div></form>`;

/** The page: the form on this machine, elsewhere what to do there. */
export const firstPage = (ctx: RequestContext, secret: string, problem?: string, title = ""): Markup =>
  isOnThisMachine(ctx)
    ? html`<h1>A new production</h1>
<p class="lead">This server has no production yet. Begin with its script, or with an empty one. Everything else can be imported then.</p>
${productionForm(csrfToken(secret), "/", { problem, title })}`
    : html`<h1>No production yet</h1>
<p class="lead">Open this address in a browser on the machine that runs this server.</p>`;

/** A sentence without the flags that only the command has. */
const asOnPages = (text: string): string =>
  text
    .replace("add --title TEXT", "give the title above")
    .replace(/add --as \w+ or (name it)|(name it \.fdx), or add --as fdx/, "$1$2");

/** What refused a production, in the words of the form. */
function problemOf({ message, problems: [first] = [] }: HttpError): string {
  const text = first?.message ?? message;
  return sentence(asOnPages(first?.place === "production.title" ? `the title ${text}` : text));
}

/** Creates the production of a form, on a thread. Returns the secret of a one-time link for its admin, or why it was refused. */
export async function createFromForm(app: App, form: SubmittedForm): Promise<{ link: string } | { problem: string }> {
  const [file] = form.files("script");
  const title = form.optional("title");
  const isEmpty = form.text("action") === "empty";
  if (file === undefined && !isEmpty) return { problem: "Choose a script, a .fountain or .fdx file, or begin empty." };
  if (file === undefined && title === undefined) return { problem: "Give the title of the production." };
  const script = file && { path: file.staged.file, file: file.file_name ?? "" };
  const request: CreationRequest = { title, script };
  const module = new URL("../creation_work.ts", import.meta.url).href;
  const work = { module, request, is_large: script !== undefined && areLarge([script]) };
  const admin = localAdmin(app.store, timestampOf(app));
  try {
    const done = await runWork(app, work, { admin, limit: 0, onClose: () => {} });
    const { production_id }: Plan = JSON.parse(done.answer);
    return { link: await app.store.write(() => addSignInLink(app.store, production_id, timestampOf(app))) };
  } catch (error) {
    if (error instanceof HttpError && error.status === 422) return { problem: problemOf(error) };
    throw error;
  }
}

/** Handles the form. Returns the secret of a one-time link for the production's admin, or why it was refused. Throws 403 elsewhere. */
export async function createFirst(
  ctx: RequestContext,
  secret: string | undefined,
): Promise<{ link: string } | { problem: string; title: string }> {
  const { app } = ctx;
  if (!isOnThisMachine(ctx)) throw forbidden("the first production is created on the machine of this server");
  const staged = new RequestFiles(app);
  try {
    const form = await readFileForm(ctx, secret, staged, maxScript);
    if (!isFresh(app)) throw forbidden("this server has a production now; sign in");
    const done = await createFromForm(app, form);
    return "problem" in done ? { ...done, title: form.text("title") } : done;
  } finally {
    await staged.end();
  }
}
