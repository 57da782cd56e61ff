// /settings/keys: mints a key and shows it once, lists the keys, and revokes them once it is confirmed.
import { scopes as allScopes, type Scope, scopeMeanings } from "../../../core/access/callers.ts";
import { notFound } from "../../../core/errors.ts";
import type { EngagementId } from "../../../core/ids.ts";
import { listPeople } from "../../../graph/people.ts";
import { dateText, timeOf } from "../../pages/dates.ts";
import { checkBox, confirmation, isSure, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { actionLine, chip, emptyState, lines, panel, plural } from "../../pages/html_parts.ts";
import { createInvitation } from "../../pages/invitations.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import { checkNotSent, sinceField } from "../../pages/repeated_submissions.ts";
import { listSessions } from "../../pages/sessions.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { listEngagements, listKeys, mintKey, revokeKey } from "../access.ts";
import { scopesFor, writeAsMinter } from "../vendor_setup.ts";
import { invitationPanel, invitationsPanel, mintedPanel } from "./new_access.ts";

/** The scopes that an admin key may give to a key that it mints. */
const mintedScopes: readonly Scope[] = allScopes.filter((scope) => scope !== "admin");

type Key = OutputOf<typeof listKeys>[number];

function stateOf({ live, revoked_at, engagement_ended_at, person_left }: Key): string {
  if (revoked_at !== null) return "ended";
  if (!live) return "expired";
  if (person_left) return "the person has left";
  return engagement_ended_at === null ? "live" : "the work on this show ended";
}

/** What people are, and what they may do. A vendor's grants say what its key needs. */
export const roles: Readonly<Record<string, { text: string; scopes: readonly Scope[] }>> = {
  reader: { text: "Reader: sees everything, changes nothing", scopes: ["read"] },
  member: { text: "Member: also decides what is theirs, and adds versions and notes", scopes: ["read", "write"] },
  coordinator: { text: "Coordinator: also changes the show", scopes: ["read", "write", "edit"] },
};
const roleChoices = Object.entries(roles).map(([name, { text }]) => [name, text] as const);

/** What a key may do, by the role that has the same scopes. */
const roleOf = (scopes: readonly Scope[]): string => {
  if (scopes.includes("admin")) return "Admin";
  const same = Object.values(roles).find(
    (role) => role.scopes.length === scopes.length && role.scopes.every((one) => scopes.includes(one)),
  );
  return same?.text.split(":")[0] ?? "As chosen";
};

const keyItem = (visit: Visit, key: Key): Markup => {
  const { id, label, prefix, scopes, vendor, person, last_used_at, expires_at, live } = key;
  const revoke = { value: "revoke", text: "End", kind: "danger", about: `End ${label}` } as const;
  const used = last_used_at === null ? html`never used` : html`used ${timeOf(last_used_at)}`;
  return actionLine(
    html`<strong>${label}</strong> ${chip(stateOf(key))} <code>${prefix}…</code>
<span class="under">${vendor ?? "the production"}${person !== null && `, ${person}`} · ${roleOf(scopes)} (${scopes.join(", ")}) · ${used}${expires_at !== null && html`, until ${dateText(expires_at)}`}</span>`,
    live && postForm(visit, { hidden: { key_id: id }, buttons: [revoke] }),
  );
};

async function mintForm(visit: Visit): Promise<Markup> {
  const [listed, listedPeople, since] = await Promise.all([
    visit.ask(listEngagements, {}),
    visit.ask(listPeople, {}),
    sinceField(visit),
  ]);
  const engagements = await visit.byName(listed, ({ vendor }) => vendor);
  const people = await visit.byName(listedPeople, ({ name }) => name);
  const scopes = visit.refused?.form.texts("scopes") ?? [];
  const vendors = engagements
    .filter(({ active }) => active)
    .map(({ id, vendor, title }) => [String(id), `${vendor}: ${title}`] as const);
  const names = people.filter(({ active }) => active).map(({ id, name }) => [String(id), name] as const);
  const checks = mintedScopes.map((scope) => checkBox("scopes", scope, scopeMeanings[scope], scopes.includes(scope)));
  const form = postForm(visit, {
    fields: [
      { name: "label", label: "Label", hint: "who or what uses it", required: true, maxlength: 200 },
      { name: "role", label: "Role", choices: [["", "a vendor, or what is chosen below"], ...roleChoices] },
      html`<fieldset class="row"><legend>It may <span class="under">if neither this nor a role is chosen: read and write, or what the vendor may do. An admin's key is made on the machine of the server</span></legend>${checks}</fieldset>`,
      { name: "engagement_id", label: "For", choices: [["", "the production"], ...vendors] },
      { name: "person_id", label: "Signs as", choices: [["", "nobody in particular"], ...names] },
      { name: "expires", label: "Expires", type: "date" },
      since,
    ],
    buttons: [
      { value: "invite", text: "Invite by a link" },
      { value: "mint", text: "Make the key", kind: "quiet" },
    ],
  });
  return html`<p class="hint">Invite people: the link signs a phone or a browser in, once. Keys are for programs.</p>${panel("Invite a person, or make a key", form)}${invitationsPanel(visit)}`;
}

export async function keysView(visit: Visit, made?: Markup): Promise<Markup> {
  const keys = (await visit.ask(listKeys, {})).toReversed();
  const { shown, pager } = windowOf(visit, [...keys.filter((key) => key.live), ...keys.filter((key) => !key.live)]);
  const [live, ended] = [shown.filter((key) => key.live), shown.filter((key) => !key.live)];
  const count = keys.filter((key) => key.live).length;
  const items = (of: readonly Key[]) => lines(of.map((key) => keyItem(visit, key)));
  return html`${made}
${count === 0 ? emptyState("There is no live key.") : live.length > 0 && panel("Live keys", items(live), count)}
${await mintForm(visit)}
${ended.length > 0 && html`<details><summary>${keys.length - count} ended or expired</summary>${items(ended)}</details>`}${pager}`;
}

/**
 * What a vendor's key needs for the grants of its engagement; for all that can be granted if nothing is granted yet.
 */
async function vendorScopes(visit: Visit, engagement_id: EngagementId): Promise<Scope[]> {
  const engagement = (await visit.ask(listEngagements, {})).find(({ id }) => id === engagement_id);
  return scopesFor((engagement?.grants ?? []).filter(({ live }) => live).map(({ verb }) => verb));
}

async function scopesOf(visit: Visit, form: SubmittedForm): Promise<Scope[]> {
  const chosen = mintedScopes.filter((scope) => form.texts("scopes").includes(scope));
  const engagement = form.text("engagement_id");
  if (chosen.length > 0) return chosen;
  const role = roles[form.text("role")];
  if (role !== undefined && engagement !== "")
    throw new FormRefusal(
      422,
      "Role is for people of the production: what a vendor may see says what its key may do.",
      ["role"],
    );
  return engagement === "" ? [...(role?.scopes ?? ["read", "write"])] : vendorScopes(visit, Number(engagement));
}

async function mint(visit: Visit, form: SubmittedForm): Promise<Markup> {
  const text = "a key with this label was just made and is in the list. To make another one";
  checkNotSent(visit, form, "key.minted", { label: form.text("label") }, text);
  const scopes = await scopesOf(visit, form);
  if (form.text("action") === "invite") return invite(visit, form, scopes);
  return keysView(visit, mintedPanel(visit, await visit.send(mintKey, form, { scopes })));
}

/** Invites a person: the same key, but instead of its token a link that signs a browser in. */
async function invite(visit: Visit, form: SubmittedForm, scopes: readonly Scope[]): Promise<Markup> {
  const [engagement_id, person_id] = ["engagement_id", "person_id"].map((name) => Number(form.text(name)) || undefined);
  const made = await writeAsMinter(visit.context, (admin) => {
    const { production_id } = admin;
    const [label, expires] = [form.text("label"), form.optional("expires")];
    return createInvitation(admin, { production_id, label, scopes, engagement_id, person_id, expires });
  });
  return keysView(visit, invitationPanel(visit, made));
}

/** What ends with a key. */
async function revokeView(visit: Visit, form: SubmittedForm, id: number): Promise<Markup> {
  const { app, caller, now } = visit.context;
  const key = (await visit.ask(listKeys, {})).find((one) => one.id === id);
  if (key === undefined) throw notFound();
  const browsers = listSessions(app.store, caller.production_id, now).filter(({ key_id }) => key_id === id).length;
  const what = html`<p>What uses it gets no answer any more, at once and for good: ${key.last_used_at === null ? "it was never used" : html`it was used last at ${timeOf(key.last_used_at)}`}${key.person !== null && html`, for ${key.person}`}${key.vendor !== null && html`, of ${key.vendor}`}.</p>
<p>${browsers === 0 ? "No browser is signed in with it." : `It signs out ${plural(browsers, "browser")}.`} Sign-ins of other programs with it end too.</p>`;
  const question = { title: `End the key “${key.label}”?`, what, button: "End it", back: "/settings/keys" };
  return confirmation(visit, form, question);
}

export async function submitKeys(visit: Visit, form: SubmittedForm): Promise<Markup | undefined> {
  if (form.text("action") !== "revoke") return mint(visit, form);
  const id = Number(form.text("key_id"));
  if (!isSure(form)) return revokeView(visit, form, id);
  await visit.ask(revokeKey, { id });
  return undefined;
}
