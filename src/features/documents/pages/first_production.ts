// The first page of a server that has no production: on its own machine, a form creates one, from a script or empty, and opens the admin's session of it.

import type { App } from "../../../core/context.ts";
import { CliError, forbidden } from "../../../core/errors.ts";
import type { RequestContext } from "../../../core/http/request_context.ts";
import { RequestFiles } from "../../../core/http/request_files.ts";
import { openStore } from "../../../core/store/database.ts";
import { timestampOf } from "../../../core/times.ts";
import { localAdmin } from "../../../graph/admin.ts";
import { isFresh, isOnThisMachine } from "../../pages/first_visit.ts";
import { csrfToken, readFileForm } from "../../pages/form.ts";
import { html, type Markup } from "../../pages/html.ts";
import { fieldProblem } from "../../pages/html_parts.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { sentence } from "../../pages/send.ts";
import { createSignInLink } from "../../pages/sessions.ts";
import type { ReadDocument } from "../apply/create.ts";
import { noFlags } from "../import_flags.ts";
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

/** The production that the form describes. Throws CliError with what is wrong with its script. */
async function readProduction(form: SubmittedForm, now: string): Promise<ReadDocument | { problem: string }> {
  const [file] = form.files("script");
  const title = form.optional("title");
  if (file === undefined && form.text("action") === "empty") {
    if (title === undefined) return { problem: "Give the title of the production." };
    const { checkedDocument } = await import("../apply/create.ts");
    const empty = { document: "tallylight production", document_version: 1, production: { title } };
    return checkedDocument(empty, "the form", "");
  }
  const { bytesOfPaper, importerOf, loadPaperwork, nameOfFile, textOfDocument } = await import("../importers.ts");
  const name = nameOfFile(file?.file_name ?? "");
  if (file === undefined) return { problem: "Choose a script, a .fountain or .fdx file, or begin empty." };
  const importer = await importerOf(name);
  if (importer === undefined) textOfDocument(file.staged.file, name);
  if (importer?.kind !== "script")
    return { problem: `Choose a script: a .fountain or .fdx file, which ${name} is not.` };
  const paper = { file: name, importer, bytes: bytesOfPaper(file.staged.file, name) };
  return (await loadPaperwork()).newProduction(paper, noFlags, { title, now }).read;
}

/** Creates the production of a form. Returns the secret of a one-time link for its admin, or why it was refused. */
export async function createFromForm(app: App, form: SubmittedForm): Promise<{ link: string } | { problem: string }> {
  const now = timestampOf(app);
  try {
    const read = await readProduction(form, now);
    if ("problem" in read) return read;
    const { createFrom } = await import("../production_update.ts");
    const store = openStore(app.store.file); // a creation waits for the lock, which the server's own connection never does
    try {
      const { production_id } = await createFrom(localAdmin(store, now), app.blobs, read);
      return { link: createSignInLink(store, production_id, now) };
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const text = error.problems[0]?.sentence ?? error.message;
    return { problem: sentence(asOnPages(text)) };
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
