// /invitation: what a link invites to, the button that opens its session once, and why a link does not work any more. A
// look uses nothing: programs that show a preview of a link open it too.
import { shownZoneName, timeText } from "./dates.ts";
import { csrfToken } from "./form.ts";
import { html, type Markup } from "./html.ts";
import { type Invitation, invitationState } from "./invitations.ts";

const whom = ({ person, vendor, label }: Invitation): string => person ?? vendor ?? label;

/** Why an invitation does not work; undefined if it does. */
export function invitationProblem(invitation: Invitation, now: string): string | undefined {
  const again = "ask whoever sent it for a new one";
  switch (invitationState(invitation, now)) {
    case "open":
      return undefined;
    case "used":
      return `this invitation was used at ${timeText(invitation.used_at ?? now)}, and works once; ${again}`;
    case "expired":
      return `this invitation expired at ${timeText(invitation.expires_at)}; ${again}`;
    case "ended":
      return "this invitation is for work on this show that has ended";
    case "left":
      return "this invitation is for somebody who has left the production";
    case "revoked":
      return `this invitation was ended; ${again}`;
  }
}

export const invitationView = (secret: string, code: string, invitation: Invitation): Markup => html`
<h1>${invitation.production}</h1>
<p>You are invited as <strong>${whom(invitation)}</strong>. The link works once: the browser in which you open it stays signed in.</p>
<form method="post" action="/invitation" class="stack">${csrfToken(secret)}
<input type="hidden" name="code" value="${code}">
<button>Open ${invitation.production}</button>
</form>
<p class="hint">Until ${timeText(invitation.expires_at)}, time of ${shownZoneName()}.</p>`;
