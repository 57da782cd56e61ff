// Many grants at once: a vendor may see the chosen assets; and the message after grants were made or revoked, with what
// takes that back. Those that were made or revoked together have one moment in common, which names them in the address.
import { unprocessable } from "../../../core/errors.ts";
import { revokeGrant } from "../../../graph/grants.ts";
import { fieldInput, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { doneNotice } from "../../pages/html_parts.ts";
import { addressWith } from "../../pages/list_windows.ts";
import type { Redirect, Refused, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { listEngagements } from "../access.ts";
import { listVendors } from "../vendor_list.ts";
import { grantAll, type WantedGrant, writeAsMinter } from "../vendor_setup.ts";
import { targetId, verbWords } from "./grant_rows.ts";

type Grant = OutputOf<typeof listEngagements>[number]["grants"][number];

const vendorsPage = "/settings/vendors";

/** Where the browser goes after grants were made, revoked, or both, at a moment. */
export function changedRedirect(address: string, at: string, done: { granted?: boolean; revoked?: boolean }): Redirect {
  const [path, query] = address.split("?", 2);
  const parameters = new URLSearchParams(query);
  for (const what of ["granted", "revoked"] as const) if (done[what]) parameters.set(what, at);
  return { location: parameters.size === 0 ? address : `${path}?${parameters}` };
}

/** The menu and the button that let a vendor see the chosen assets. */
export async function grantMenu(visit: Visit, refused: Refused | undefined): Promise<Markup | undefined> {
  if (!visit.isAdmin) return undefined;
  const { now } = visit.context;
  const vendors = await visit.byName(await visit.ask(listVendors, {}), ({ name }) => name);
  const choices = vendors.flatMap(({ name, engagements }) =>
    engagements
      .filter(({ ended_at }) => ended_at === null || ended_at > now)
      .map(({ id, title }) => [String(id), title === name ? name : `${name}: ${title}`] as const),
  );
  if (choices.length === 0) return undefined;
  const field = { name: "engagement_id", label: "Vendor", choices: [["", "choose a vendor"] as const, ...choices] };
  return html`<div class="stack">${fieldInput(field, "grant-to", refused?.form.text("engagement_id") ?? "", false)}</div><button name="chosen" value="grant">Let the vendor see the chosen</button>`;
}

/** Grants an engagement what it does not have yet. Returns the moment; undefined if it had all of it. */
const grantNow = (visit: Visit, engagement_id: number, grants: readonly WantedGrant[]): Promise<string | undefined> => {
  return writeAsMinter(visit.context, (admin) =>
    grantAll(admin, engagement_id, grants).length > 0 ? admin.now : undefined,
  );
};

/** Lets a vendor see the chosen assets, all of them or none. */
export async function grantAssets(visit: Visit, form: SubmittedForm, ids: readonly number[]): Promise<Redirect> {
  const engagement_id = Number(form.text("engagement_id"));
  if (!(engagement_id > 0)) throw new FormRefusal(422, "Choose the vendor who may see them.");
  const at = await grantNow(
    visit,
    engagement_id,
    ids.map((node_id) => ({ verb: "read", node_id })),
  );
  if (at === undefined) throw new FormRefusal(422, "This vendor sees all of the chosen already. Nothing was changed.");
  return changedRedirect(addressWith(visit), at, { granted: true });
}

interface Made {
  engagement_id: number;
  vendor: string;
  grants: Grant[];
}

/** The grants of active engagements that were made at a moment and hold, or that were revoked at it. */
async function grantsOf(visit: Visit, what: string, at: string): Promise<Made | undefined> {
  const engagements = await visit.ask(listEngagements, {});
  const isMeant = (grant: Grant) =>
    what === "granted" ? grant.live && grant.created_at === at : grant.revoked_at === at;
  const found = engagements.find(({ active, grants }) => active && grants.some(isMeant));
  return found && { engagement_id: found.id, vendor: found.vendor, grants: found.grants.filter(isMeant) };
}

/** How many grants a message names. */
const named = 12;

/** What was just granted and revoked, each with the button that takes it back; nothing if that was done since. */
export async function grantedNotice(visit: Visit): Promise<Markup | undefined> {
  if (!visit.isAdmin) return undefined;
  return html`${await noticeOf(visit, "granted")}${await noticeOf(visit, "revoked")}`;
}

async function noticeOf(visit: Visit, what: "granted" | "revoked"): Promise<Markup | undefined> {
  const at = visit.query.get(what) ?? "";
  const made = await grantsOf(visit, what, at);
  if (made === undefined) return undefined;
  const { vendor, grants } = made;
  const texts = grants.slice(0, named).map(({ verb, target_name }) => `${verbWords[verb]} ${target_name}`);
  const more = grants.length > named ? ` and ${grants.length - named} more` : "";
  const [title, can, button] =
    what === "granted" ? ["Allowed", "can now", "Take it back"] : ["Taken back", "can no longer", "Allow it again"];
  const undo = { value: what === "granted" ? "take_back" : "grant_again", text: button, kind: "quiet" } as const;
  return doneNotice(
    title,
    html`<p>${vendor} ${can} ${texts.join("; ")}${more}.</p>
${postForm(visit, { hidden: { at }, buttons: [undo], to: vendorsPage })}`,
  );
}

/** Revokes grants together, and leads to the message about it. */
async function revokeTogether(visit: Visit, ids: readonly number[]): Promise<Redirect> {
  const at = await writeAsMinter(visit.context, (admin) => {
    for (const id of ids) revokeGrant(admin, { id });
    return admin.now;
  });
  return changedRedirect(vendorsPage, at, { revoked: true });
}

/** Takes back what was granted at a moment, or grants again what was revoked at it. */
export async function turnBack(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const at = form.text("at");
  const isRevoking = form.text("action") === "take_back";
  const made = await grantsOf(visit, isRevoking ? "granted" : "revoked", at);
  if (made === undefined) throw unprocessable("nothing of it is left to take back: the list shows what is granted now");
  const { engagement_id, grants } = made;
  if (isRevoking)
    return revokeTogether(
      visit,
      grants.map(({ id }) => id),
    );
  const { now } = visit.context;
  const wanted = grants
    .filter(({ expires_at }) => expires_at === null || expires_at > now)
    .map(({ verb, target, target_id, expires_at }) => ({
      verb,
      ...targetId(target, target_id),
      ...(expires_at && { expires: expires_at }),
    }));
  const again = await grantNow(visit, engagement_id, wanted);
  if (again === undefined) throw unprocessable("all of it is granted already, or its time is over");
  return changedRedirect(vendorsPage, again, { granted: true });
}
