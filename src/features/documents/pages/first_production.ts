// The first page of a server that has no production: on its own machine, a script creates one, and opens the admin's session of it.

import { localAdmin } from "../../../core/admin.ts";
import type { App } from "../../../core/context.ts";
import { CliError, forbidden } from "../../../core/errors.ts";
import type { RequestContext } from "../../../core/http/request_context.ts";
import { RequestFiles } from "../../../core/http/request_files.ts";
import { openStore } from "../../../core/store/database.ts";
import { timestampOf } from "../../../core/times.ts";
import { isFresh, isOnThisMachine } from "../../pages/first_visit.ts";
import { csrfToken, readFileForm } from "../../pages/form.ts";
import { html, type Markup } from "../../pages/html.ts";
import { fieldProblem } from "../../pages/html_parts.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { sentence } from "../../pages/send.ts";
import { createSignInLink } from "../../pages/sessions.ts";
import { noFlags } from "../import_flags.ts";

/** The most bytes of the script. */
const maxScript = 16 * 1024 * 1024;

/** The page: the form on this machine, elsewhere what to do there. */
export const firstPage = (ctx: RequestContext, secret: string, problem?: string, title = ""): Markup =>
  isOnThisMachine(ctx)
    ? html`<h1>A new production</h1>
<p class="lead">This server has no production yet. Begin with its script.</p>
<form method="post" action="/" enctype="multipart/form-data" class="stack">${csrfToken(secret)}
<label for="script">The script <span class="under">a .fountain or .fdx file</span></label>
<input id="script" name="script" type="file" accept=".fountain,.fdx" required${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", problem)}
<label for="title">Title <span class="under">that of the title page if empty</span></label>
<input id="title" name="title" maxlength="300" value="${title}">
<button>Create the production</button></form>
<p class="hint">A production document, or several files, are imported with <code>tallylight import FILE</code>.</p>`
    : html`<h1>No production yet</h1>
<p class="lead">Open this address in a browser on the machine that runs this server, or run <code>tallylight import FILE</code> there.</p>`;

/** A sentence without the flags that only the command has. */
const asOnPages = (text: string): string =>
  text
    .replace("add --title TEXT", "give the title below")
    .replace(/add --as \w+ or (name it)|(name it \.fdx), or add --as fdx/, "$1$2");

/** Creates the production of the form's script. Returns the secret of a one-time link for its admin, or why it was refused. */
async function createFromScript(app: App, form: SubmittedForm): Promise<{ link: string } | { problem: string }> {
  const [file] = form.files("script");
  const now = timestampOf(app);
  // Loaded once in the life of a server.
  const [{ bytesOfPaper, importerOf, loadPaperwork, nameOfFile, textOfDocument }, { createFrom }] = await Promise.all([
    import("../importers.ts"),
    import("../production_update.ts"),
  ]);
  const name = nameOfFile(file?.file_name ?? "");
  if (file === undefined) return { problem: "Choose a script: a .fountain or .fdx file." };
  try {
    const importer = await importerOf(name);
    if (importer === undefined) textOfDocument(file.staged.file, name);
    if (importer?.kind !== "script")
      return { problem: `Choose a script: a .fountain or .fdx file, which ${name} is not.` };
    const paper = { file: name, importer, bytes: bytesOfPaper(file.staged.file, name) };
    const { newProduction } = await loadPaperwork();
    const { read } = newProduction(paper, noFlags, { title: form.optional("title"), now });
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
    const done = await createFromScript(app, form);
    return "problem" in done ? { ...done, title: form.text("title") } : done;
  } finally {
    await staged.end();
  }
}
