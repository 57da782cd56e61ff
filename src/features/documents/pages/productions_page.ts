// /settings/productions: the productions of this server, to open another one or to begin one. Only for who came by a
// link of this machine: a key belongs to one production, and is told of no other.
import { forbidden, notFound } from "../../../core/errors.ts";
import { timestampOf } from "../../../core/times.ts";
import { listProductions } from "../../../graph/find_production.ts";
import { dateText } from "../../pages/dates.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { actionLine, listPanel, panel, wordOf } from "../../pages/html_parts.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import { addSignInLink } from "../../pages/sessions.ts";
import type { Visit } from "../../pages/visit.ts";
import { createFromForm, productionForm } from "./first_production.ts";

const opened = (secret: string): Redirect => ({ location: `/open?link=${secret}` });

export function showProductions(visit: Visit): Markup {
  if (!visit.hasLink)
    return html`<p>You signed in with a key, which belongs to this production. Sign out, and in with the key of another one, to open that.</p>`;
  const { app, caller } = visit.context;
  const rows = listProductions(app.store).map(({ id, title, status, phase, created_at }) => {
    const isOpen = id === caller.production_id;
    const open = {
      hidden: { production_id: id },
      buttons: [{ text: "Open", value: "open", kind: "quiet" as const, about: `Open ${title}` }],
    };
    return actionLine(
      html`<strong>${title}</strong> <span class="under">${wordOf(status)}, in ${wordOf(phase)}, since ${dateText(created_at)}</span>`,
      isOpen ? html`<span class="chip now">open now</span>` : postForm(visit, open),
    );
  });
  const { refused } = visit;
  const given = { problem: refused?.problem, form: refused?.form };
  return html`${listPanel("Productions", rows)}
${panel("Begin another production", html`<p class="under">It has its own people, keys and vendors. This browser opens it then.</p>${productionForm(visit.proof, "/settings/productions", given)}`)}`;
}

/** A link of one use to another production of this server. */
function linkTo(visit: Visit, wanted: number): Promise<string> {
  const { app } = visit.context;
  const found = listProductions(app.store).find(({ id }) => id === wanted);
  if (found === undefined) throw notFound();
  return app.store.write(() => addSignInLink(app.store, found.id, timestampOf(app)));
}

export async function submitProductions(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  if (!visit.hasLink) throw forbidden("a key belongs to one production");
  if (form.text("action") === "open") return opened(await linkTo(visit, Number(form.text("production_id"))));
  const done = await createFromForm(visit.ctx.app, form, { secret: visit.secret, is_first: false });
  if ("problem" in done) throw new FormRefusal(422, done.problem);
  return opened(done.link);
}
