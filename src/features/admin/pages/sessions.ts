// /settings/sessions: the browsers that are signed in, and the button that ends a session once it is confirmed.
import { notFound } from "../../../core/errors.ts";
import { durationText } from "../../../core/wording.ts";
import { timeOf } from "../../pages/dates.ts";
import { confirmation, isSure, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { actionLine, listPanel } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { endSession, type ListedSession, sessionLifetime } from "../../pages/sessions.ts";
import type { Visit } from "../../pages/visit.ts";
import { browserName, sessionsOf } from "./inside.ts";

function sessionItem(visit: Visit, session: ListedSession): Markup {
  const { id, label, prefix, browser, created_at, expires_at } = session;
  const end = { text: "End", kind: "danger", about: `End the session of ${label ?? "the admin"}` } as const;
  return actionLine(
    html`<strong>${label ?? "the admin, by a link"}</strong> ${label !== null && html`<code>${prefix}…</code>`}<span class="under">${browserName(browser)}, since ${timeOf(created_at)}, until ${timeOf(expires_at)}</span>`,
    postForm(visit, { hidden: { session_id: id }, buttons: [end] }),
  );
}

/** The sessions that the visitor may see: an admin those of the production, others those of their own key. */
function ownSessions(visit: Visit): ListedSession[] {
  const { key_id: own } = visit.context.caller;
  return sessionsOf(visit).filter(({ key_id }) => visit.isAdmin || (key_id !== null && key_id === own));
}

export function showSessions(visit: Visit): Markup {
  const { shown, pager } = windowOf(visit, ownSessions(visit));
  return html`<p class="hint">A session ends after ${durationText(sessionLifetime)} without use, with its key, or here.${!visit.isAdmin && " These are the sessions of your key."}</p>
${listPanel(
  "Sessions",
  shown.map((session) => sessionItem(visit, session)),
)}${pager}`;
}

export async function submitSession(visit: Visit, form: SubmittedForm): Promise<Markup | undefined> {
  const found = ownSessions(visit).find(({ id }) => String(id) === form.text("session_id"));
  if (found === undefined) throw notFound();
  if (!isSure(form)) {
    const who = found.label ?? "the admin, who came by a link";
    const what = html`<p>${browserName(found.browser)} is signed out at its next request. The key itself stays.</p>`;
    const question = { title: `End the session of ${who}?`, what, button: "End it", back: "/settings/sessions" };
    return confirmation(visit, form, question);
  }
  const { app, caller } = visit.context;
  if (!(await endSession(app.store, caller.production_id, found.id))) throw notFound();
  return undefined;
}
