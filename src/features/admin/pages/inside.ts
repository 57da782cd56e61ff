// Who can get in: the keys of people and programs with the browsers that are signed in with them, the admin's own
// sessions, and the invitations that nobody has used yet; each as a row with the button that ends it.
import { dateText, timeOf } from "../../pages/dates.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { chip } from "../../pages/html_parts.ts";
import { invitationState, listInvitations } from "../../pages/invitations.ts";
import { type ListedSession, listSessions } from "../../pages/sessions.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { listKeys } from "../access.ts";
import { roles } from "./roles.ts";

export type Key = OutputOf<typeof listKeys>[number];

/** Somebody, or a program, that can get in; without a key it is the admin of this server, who came by a link. */
export interface Inside {
  key: Key | undefined;
  /** Newest first. */
  sessions: readonly ListedSession[];
  /** The state of the invitation of the key, if it has one: open, used, expired. */
  invited: string | undefined;
  /** When it was last seen; null if never. */
  seen: string | null;
}

/** How many of the newest invitations are known as such. */
const maxInvitations = 1_000;

/** The name of a browser, from what it calls itself. */
export function browserName(agent: string): string {
  const product = /(Edg|OPR|Firefox|Chrome|Version)\/(\d+)/.exec(agent);
  const names: Readonly<Record<string, string>> = { Edg: "Edge", OPR: "Opera", Version: "Safari" };
  const system = /(iPhone|iPad|Android|Windows|Mac OS X|Linux)/.exec(agent)?.[1];
  const name =
    product?.[1] === undefined ? agent.slice(0, 40) || "unknown" : `${names[product[1]] ?? product[1]} ${product[2]}`;
  return system === undefined ? name : `${name}, ${system === "Mac OS X" ? "macOS" : system}`;
}

export const sessionsOf = ({ context: { app, caller, now }, secret }: Visit): ListedSession[] =>
  listSessions(app.store, caller.production_id, secret, now);

/** The latest of some moments; null if there is none. */
const latest = (moments: readonly (string | null)[]): string | null =>
  moments.reduce((last, one) => (one !== null && (last === null || one > last) ? one : last), null);

/** Every key of the production, and every session without one; the one that was seen last is the first. */
export async function everyEntry(visit: Visit): Promise<Inside[]> {
  const { app, caller, now } = visit.context;
  const keys = await visit.ask(listKeys, {});
  const byKey = Map.groupBy(sessionsOf(visit), ({ key_id }) => key_id);
  const invitations = listInvitations(app.store, caller.production_id, maxInvitations);
  const states = new Map<number, string>(invitations.map((one) => [one.key_id, invitationState(one, now)]));
  const ofKeys = keys.map((key): Inside => {
    const sessions = byKey.get(key.id) ?? [];
    const seen = latest([key.last_used_at, ...sessions.map(({ created_at }) => created_at)]);
    return { key, sessions, invited: states.get(key.id), seen };
  });
  const ofLinks = (byKey.get(null) ?? []).map(
    (one): Inside => ({ key: undefined, sessions: [one], invited: undefined, seen: one.created_at }),
  );
  const isOwn = ({ sessions }: Inside) => Number(sessions.some(({ own }) => own === 1));
  return [...ofLinks, ...ofKeys.toReversed()].toSorted(
    (a, b) => isOwn(b) - isOwn(a) || Number((a.seen ?? "") < (b.seen ?? "")) - Number((a.seen ?? "") > (b.seen ?? "")),
  );
}

const isLive = ({ key }: Inside): boolean => key === undefined || key.live;
export const isInvited = ({ key, invited }: Inside): boolean => invited === "open" && key?.live === true;
export const isInside = (one: Inside): boolean => isLive(one) && !isInvited(one);

/** What a key may do, in words. `isOfVendor`: on the page of its vendor. */
function doesOf({ scopes, vendor, person, label, engagement_id }: Key, isOfVendor: boolean): string {
  const money = scopes.includes("read:money") ? ", sees orders" : "";
  const signs = person !== null && person !== label ? `, as ${person}` : "";
  if (engagement_id !== null)
    return `${scopes.includes("submit:turnover") ? "sends in work" : "looks"}${isOfVendor ? "" : ` for ${vendor}`}${money}${signs}`;
  const role = Object.values(roles).findLast((one) => one.scopes.every((scope) => scopes.includes(scope)));
  const admin = scopes.includes("admin") ? ", admin" : "";
  return `${role?.does ?? scopes.join(", ")}${admin}${money}${signs}`;
}

/** Why a live key reaches nothing, or why one is over. */
function overOf({ revoked_at, live, person_left, engagement_ended_at }: Key, invited: string | undefined): string {
  if (revoked_at !== null) return "ended";
  if (!live) return invited === "expired" ? "invitation expired" : "expired";
  if (person_left) return "the person has left";
  return engagement_ended_at === null ? "" : "the work on this show ended";
}

/** With what somebody comes, and when last. */
function cameBy({ key, sessions, seen, invited }: Inside): Markup {
  const [newest, ...others] = sessions;
  if (newest?.own === 1 && others.length === 0) return html`this browser, now`;
  if (others.length > 0)
    return html`<a href="/settings/sessions">${sessions.length} browsers</a>, ${seen !== null && timeOf(seen)}`;
  const by =
    newest === undefined
      ? key && invited === undefined
        ? html`program <code>${key.prefix}…</code>`
        : html`a link`
      : browserName(newest.browser);
  return html`${by}, ${seen === null ? "never used" : timeOf(seen)}`;
}

/** A row. `isOfVendor`: on the page of its vendor. */
export function insideRow(visit: Visit, one: Inside, isOfVendor = false): Markup {
  const { key, sessions, invited } = one;
  const name = key?.label ?? "The admin of this server";
  const end = { value: "revoke", text: "End", kind: "plain", about: `End ${name}` } as const;
  const over = key === undefined ? "" : overOf(key, invited);
  const until = key?.expires_at && html`, until ${dateText(key.expires_at)}`;
  const [only] = sessions;
  const form =
    key === undefined
      ? only &&
        postForm(visit, {
          hidden: { session_id: only.id },
          buttons: [{ ...end, about: "End the session of the admin" }],
          to: "/settings/sessions",
        })
      : key.live && postForm(visit, { hidden: { key_id: key.id }, buttons: [end], to: "/settings/keys" });
  return html`<li><span class="name" dir="auto">${name}</span><span dir="auto">${key === undefined ? "runs the show, admin" : doesOf(key, isOfVendor)}${over !== "" && html` ${chip(over)}`}</span><span class="under">${isInvited(one) ? html`invited${until}` : html`${cameBy(one)}${until}`}</span><span>${form}</span></li>`;
}
