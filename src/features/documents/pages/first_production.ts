// The first page of a server that has no production: for who has a link of its machine, a form creates one, from a
// script or empty, and opens the admin's session of it.
import { hash } from "node:crypto";
import type { App } from "../../../core/context.ts";
import { forbidden, HttpError } from "../../../core/errors.ts";
import { stateOf } from "../../../core/features.ts";
import type { RequestContext } from "../../../core/http/request_context.ts";
import { RequestFiles } from "../../../core/http/request_files.ts";
import { commandText, commandWords } from "../../../core/program.ts";
import { hour, timestampOf } from "../../../core/times.ts";
import { localAdmin } from "../../../graph/admin.ts";
import { listProductions } from "../../../graph/find_production.ts";
import { firstFormAt, isBeginLink, isFresh, linkSecretOf } from "../../pages/first_visit.ts";
import { csrfToken, readFileForm } from "../../pages/form.ts";
import { html, type Markup } from "../../pages/html.ts";
import { fieldProblem } from "../../pages/html_parts.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import type { GivenProduction } from "../../pages/page_places.ts";
import { sentence } from "../../pages/send.ts";
import { addSignInLink } from "../../pages/sessions.ts";
import { ShortLived } from "../../pages/short_lived.ts";
import { type CreationRequest, notTheFirst } from "../jobs/creation_work.ts";
import { areLarge, runWork } from "../jobs/import_job.ts";
import type { Plan } from "../planned.ts";
import { maxScript } from "./feature.ts";

/** The form that begins a production: from its script, or empty. */
export function productionForm(proof: Markup, action: string, { problem, form }: GivenProduction): Markup {
  const given = (name: string): string => form?.text(name) ?? "";
  const format = (value: string, text: string) =>
    html`<option value="${value}"${given("format") === value && html` selected`}>${text}</option>`;
  return html`
<form method="post" action="${action}" enctype="multipart/form-data" class="stack">${proof}
<label for="title">Title <span class="under">that of the script's title page if empty</span></label>
<input id="title" name="title" dir="auto" maxlength="300" value="${given("title")}">
<label for="format">What it is</label>
<select id="format" name="format">${format("single", "Feature, or anything of one part")}${format("episodic", "Series")}</select>
<label for="episode">First episode <span class="under">of a series: its code, such as 101; that of the script's title page if empty</span></label>
<input id="episode" name="episode" maxlength="50" value="${given("episode")}">
<label for="season">Season <span class="under">of a series; 1 if empty</span></label>
<input id="season" name="season" inputmode="numeric" maxlength="4" value="${given("season")}">
<label for="script">Script <span class="under">a .fountain or .fdx file</span></label>
<input id="script" name="script" type="file" accept=".fountain,.fdx"${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", problem)}
<div class="row"><button name="action" value="script">Begin with the script</button>
<button name="action" value="empty" class="quiet">Begin empty, with the title</button></div></form>`;
}

/** The page: the form for who has a link, for others how to get one. */
export const firstPage = (ctx: RequestContext, secret: string, given: GivenProduction = {}): Markup =>
  isBeginLink(ctx.app, linkSecretOf(ctx))
    ? html`<h1>A new production</h1>
<p class="lead">This server has no production yet. Begin with its script, or with an empty one. Everything else can be imported then.</p>
${productionForm(csrfToken(secret), firstFormAt("", linkSecretOf(ctx)), given)}`
    : html`<h1>No production yet</h1>
<p class="lead">The first one is begun with a one-time link. <code>${commandWords("serve --new")}</code> prints it at the start, and <code>${commandWords("open")}</code> prints a new one on the machine that runs this server.</p>`;

/** A sentence without the flags that only the command has. */
const asOnPages = (text: string): string =>
  text
    .replace(
      /^\S+ is for a series; add --episode CODE$/,
      "the title page of the script names no episode: give the code of the first one, such as 101",
    )
    .replace(/and \S+ says/, "and the form says")
    .replace("add --title TEXT", "give the title above")
    .replace(/add --as \w+ or name it/, "name it")
    .replace("name it .fdx, or add --as fdx", "name it .fdx")
    .replace(
      /^production\.title is taken: \S+ \d+ is (".*") already; --.*$/s,
      "the title $1 is that of another production; give another one",
    );

/** What refused a production, in the words of the form. */
function problemOf({ message, problems: [first] = [] }: HttpError): string {
  const text = first?.message ?? message;
  return sentence(asOnPages(first?.place === "production.title" ? `the title ${text}` : text));
}

/** The ids of the productions that forms have created, or are about to, by who sent the form and what it asks for. */
const createdBy = stateOf((app) => new ShortLived<Promise<number>>(app.clock, { lifetime: hour, max: 100 }));

/** The series that a form asks for, or what is wrong with its fields. None for a production of one part. */
function seriesOf(form: SubmittedForm): { series?: CreationRequest["series"] } | { problem: string } {
  const [code, season] = [form.optional("episode"), form.optional("season")];
  if (form.text("format") !== "episodic")
    return code === undefined && season === undefined
      ? {}
      : { problem: "An episode and a season are those of a series: choose Series." };
  if (season !== undefined && !/^[1-9]\d{0,3}$/.test(season)) return { problem: "The season is a number from 1." };
  return { series: { code, season: season === undefined ? 1 : Number(season) } };
}

/** Creates a production on a thread. Returns its id. */
async function create(app: App, request: CreationRequest): Promise<number> {
  const { script } = request;
  const module = new URL("../jobs/creation_work.ts", import.meta.url).href;
  const work = { module, request, is_large: script !== undefined && areLarge([script]) };
  const admin = localAdmin(app.store, timestampOf(app));
  const done = await runWork(app, work, { admin, limit: 0, onClose: () => {} });
  const { production_id }: Plan = JSON.parse(done.answer);
  return production_id;
}

/**
 * Creates a production once: a form that is sent again, as by a second click, begins no other one. `name` is that of
 * the form.
 */
async function createOnce(app: App, name: string, request: CreationRequest): Promise<number> {
  const created = createdBy(app);
  // not awaited before it is known to be there: of two forms at once, the second finds the first
  const earlier = created.get(name);
  if (earlier !== undefined) {
    const production_id = await earlier;
    if (listProductions(app.store).some(({ id }) => id === production_id)) return production_id;
  }
  const creation = create(app, request);
  created.set(name, creation);
  creation.catch(() => created.delete(name));
  return creation;
}

/** Who sends a form that begins a production. */
interface Sender {
  /** The cookie with whose proof the form was sent. */
  secret: string;
  /** Whether the production must be the first one. */
  is_first: boolean;
}

/**
 * Creates the production of a form. Returns the secret of a one-time link for its admin, or why it was refused. Throws
 * 409 if it must be the first production and is not.
 */
export async function createFromForm(
  app: App,
  form: SubmittedForm,
  { secret, is_first }: Sender,
): Promise<{ link: string } | { problem: string }> {
  const isEmpty = form.text("action") === "empty";
  const file = isEmpty ? undefined : form.files("script")[0];
  const title = form.optional("title");
  if (file === undefined && !isEmpty) return { problem: "Choose a script, a .fountain or .fdx file, or begin empty." };
  if (file === undefined && title === undefined) return { problem: "Give the title of the production." };
  const asked = seriesOf(form);
  if ("problem" in asked) return asked;
  const { series } = asked;
  if (file === undefined && series !== undefined && series.code === undefined)
    return { problem: "Give the code of the first episode, such as 101." };
  const script = file && { path: file.staged.file, file: file.file_name ?? "" };
  const name = hash("sha256", JSON.stringify([secret, title, series, file?.staged.sha256]));
  try {
    const production_id = await createOnce(app, name, { title, script, series, is_first });
    return { link: await app.store.write(() => addSignInLink(app.store, production_id, timestampOf(app))) };
  } catch (error) {
    if (error instanceof HttpError && error.status === 422) return { problem: problemOf(error) };
    throw error;
  }
}

/** The links that have brought a form. Who sends the form again, as by a second click, is answered again. */
const usedLinks = stateOf((app) => new ShortLived<true>(app.clock, { lifetime: hour, max: 100 }));

/** Throws 403 without a link, and 409 if there is a production and the link did not bring its form. */
function useLink(app: App, link: string): void {
  if (isBeginLink(app, link)) usedLinks(app).set(link, true);
  else if (isFresh(app))
    throw forbidden(
      `the first production is begun with a one-time link, which ${commandText("open")} prints on the server's machine`,
    );
  else if (usedLinks(app).get(link) === undefined) throw notTheFirst();
}

/**
 * Handles the form. Returns the secret of a one-time link for the production's admin, or why it was refused. Throws 403
 * without a link.
 */
export async function createFirst(
  ctx: RequestContext,
  secret: string | undefined,
): Promise<{ link: string } | { problem: string; form: SubmittedForm }> {
  const { app } = ctx;
  useLink(app, linkSecretOf(ctx));
  // the form is of a browser that has signed in meanwhile
  if (secret === undefined && !isFresh(app)) throw notTheFirst();
  const staged = new RequestFiles(app);
  try {
    const form = await readFileForm(ctx, secret, staged, maxScript);
    const done = await createFromForm(app, form, { secret: secret ?? "", is_first: true });
    return "problem" in done ? { ...done, form } : done;
  } finally {
    await staged.end();
  }
}
