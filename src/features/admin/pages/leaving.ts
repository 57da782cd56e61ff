// Signing out of a session that began with a link, while the production has no key with which an admin or an editor
// comes back: the page says so, and offers a key. It has every scope but `admin`: such a key is made by a command, on
// the machine of the server alone.
import { forbidden } from "../../../core/errors.ts";
import { timestampOf } from "../../../core/times.ts";
import { adminOf, localAdmin } from "../../../graph/admin.ts";
import { mintKey } from "../../../graph/keys.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import type { SubmittedForm, View } from "../../pages/page.ts";
import { checkNotSent, secretPanel, sinceField } from "../../pages/repeated_submissions.ts";
import type { Visit } from "../../pages/visit.ts";
import { listKeys } from "../access.ts";

const title = "Sign out";
const editing = ["read", "write", "read:money", "edit"];

/** The key that is offered: its label, how the page names it, and what who signs in with it does. */
const offer = {
  label: "Coordinator",
  name: "a coordinator's key",
  goal: "comes back, without the settings of an admin",
};

const signOutForm = (visit: Visit, text: string): Markup =>
  postForm(visit, { to: "/signout", hidden: { sure: 1 }, buttons: [{ text, kind: "quiet" }] });

/** What is shown instead of signing out; undefined if somebody can come back. */
export async function beforeSigningOut(visit: Visit): Promise<View | undefined> {
  if (!visit.hasLink || visit.isSeenAs || visit.ctx.app.copy !== undefined) return undefined;
  const keys = await visit.ask(listKeys, {});
  const { name, goal } = offer;
  const comesBack = (key: (typeof keys)[number]): boolean =>
    key.live &&
    !key.person_left &&
    key.engagement_id === null &&
    key.scopes.some((scope) => scope === "admin" || scope === "edit");
  if (keys.some(comesBack)) return undefined;
  const body = html`<h1>${title}</h1>
<p class="lead">No key of an admin or a coordinator was made for this production. If you sign out without one, you cannot come back from this browser: only somebody on the server's machine can let you in. Who signs in with ${name} ${goal}.</p>
<div class="row">${postForm(visit, { to: "/leaving", fields: [sinceField(visit)], style: "row", buttons: [{ text: `Make ${name}` }] })}${signOutForm(visit, "Sign out without a key")}</div>`;
  return { title, body };
}

/** The same as a page, also when somebody can come back. */
export const showLeaving = async (visit: Visit): Promise<View> =>
  (await beforeSigningOut(visit)) ?? { title, body: html`<h1>${title}</h1>${signOutForm(visit, "Sign out")}` };

/** Makes the key and shows it once. The session is that of the machine's own admin. */
export async function makeKey(visit: Visit, form: SubmittedForm): Promise<View> {
  if (!visit.hasLink || visit.isSeenAs)
    throw forbidden("only who came by a link of this machine makes such a key here");
  const { label, name } = offer;
  checkNotSent(visit, form, "key.minted", { label }, `${name} was just made. To make another one`);
  const { production_id } = visit.context.caller;
  const minted = await visit.context.write((context) =>
    mintKey(
      { ...adminOf(context), ...localAdmin(context.app.store, timestampOf(context.app)) },
      { production_id, label, scopes: editing },
    ),
  );
  const more = html`<p>Keep it where you keep passwords, and sign in with it the next time.</p>${signOutForm(visit, "I have saved it: sign out")}`;
  return {
    title,
    body: html`<h1>${title}</h1>${secretPanel(name.replace(/^a/, "A"), { id: "token", noun: "key", secret: minted.token }, more)}<p><a href="/">Stay signed in</a></p>`,
  };
}
