// /settings/keys: three doors, for a person, a vendor and a program, each of which makes a link or a key and shows it
// once; and who can get in, with the button that ends it once that is confirmed.
import { scopes as allScopes, type Scope, scopeMeanings } from "../../../core/access/callers.ts";
import { notFound } from "../../../core/errors.ts";
import type { EngagementId } from "../../../core/ids.ts";
import { listPeople } from "../../../graph/people.ts";
import { timeOf } from "../../pages/dates.ts";
import { checkBox, confirmation, isSure, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, emptyState, plural, rows } from "../../pages/html_parts.ts";
import { createInvitation } from "../../pages/invitations.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { SubmittedForm } from "../../pages/page.ts";
import { FormRefusal, refusalOf } from "../../pages/refusals.ts";
import { checkNotSent, sinceField } from "../../pages/repeated_submissions.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { listEngagements, listKeys, mintKey, revokeKey } from "../access.ts";
import { scopesFor, writeAsMinter } from "../vendor_setup.ts";
import { type Named, namedPeople, peopleCalled, whichOf } from "./crew_names.ts";
import { everyEntry, type Inside, insideRow, isInside, isInvited, sessionsOf } from "./inside.ts";
import { invitationPanel, mintedPanel } from "./new_access.ts";
import { roleChoice, roles } from "./roles.ts";

/** The scopes that an admin key may give to a key that it mints. */
const mintedScopes: readonly Scope[] = allScopes.filter((scope) => scope !== "admin");

type Engagement = OutputOf<typeof listEngagements>[number];

/** How many names of people a field offers. */
const maxOffered = 500;

const until = { name: "expires", label: "Until", hint: "empty: until you end it", type: "date" } as const;

interface Door {
  name: string;
  about: string;
  isOpen: boolean;
  form: Markup;
}

const door = ({ name, about, isOpen, form }: Door): Markup =>
  html`<details name="door" class="door"${isOpen && html` open`}><summary><b>${name}</b><span class="under">${about}</span></summary>${form}</details>`;

function personForm(visit: Visit, people: readonly Named[]): Markup {
  const given = refusalOf(visit, { action: "invite" })?.form.text("role");
  return html`${postForm(visit, {
    fields: [
      {
        name: "label",
        label: "Who",
        placeholder: "Name from the crew list, or a new one",
        required: true,
        maxlength: 200,
        list: "crew",
      },
      roleChoice(given),
      until,
      sinceField(visit),
    ],
    buttons: [{ value: "invite", text: "Make the link" }],
    of: "person",
  })}<datalist id="crew">${people.slice(0, maxOffered).map(({ text }) => html`<option value="${text}">`)}</datalist>
<p class="hint">It works once, within a day. Scan it or send it.</p>`;
}

function vendorForm(visit: Visit, engagements: readonly Engagement[]): Markup {
  const choices = engagements
    .filter(({ active }) => active)
    .map(({ id, vendor, title, grants }) => {
      const count = grants.filter(({ live }) => live).length;
      return [
        String(id),
        `${vendor}${title === vendor ? "" : `: ${title}`}, sees ${count === 0 ? "nothing yet" : plural(count, "thing")}`,
      ] as const;
    });
  const add = html`<a href="/settings/vendors?new=1">A new vendor</a>`;
  if (choices.length === 0) return emptyState("No vendor works on this show.", add);
  return html`${postForm(visit, {
    hidden: { door: "vendor" },
    fields: [
      { name: "engagement_id", label: "Company", choices, value: visit.query.get("vendor") ?? "" },
      { name: "label", label: "Their person or program", required: true, maxlength: 200 },
      until,
      sinceField(visit),
    ],
    buttons: [
      { value: "invite_vendor", text: "Make the link" },
      { value: "mint_vendor", text: "Make a key for their program", kind: "quiet" },
    ],
    of: "vendor",
  })}<p class="hint"><a href="/settings/vendors">What they see</a> · ${add}</p>`;
}

function programForm(visit: Visit, people: readonly Named[]): Markup {
  const refused = refusalOf(visit, { action: "mint" });
  const chosen = refused?.form.texts("scopes") ?? ["read"];
  const checks = mintedScopes.map((scope) =>
    checkBox("scopes", scope, capitalized(scopeMeanings[scope]), chosen.includes(scope)),
  );
  const names = people.map(({ person, text }) => [String(person.id), text] as const);
  return html`${postForm(visit, {
    fields: [
      {
        name: "label",
        label: "Program",
        placeholder: "Nightly mirror, dailies cart",
        required: true,
        maxlength: 200,
      },
      html`<fieldset><legend>It may <span class="under">an admin's key is made on the machine of the server</span></legend>${checks}</fieldset>`,
      { name: "person_id", label: "Signs as", choices: [["", "the program"], ...names] },
      until,
      sinceField(visit),
    ],
    buttons: [{ value: "mint", text: "Make the key" }],
    of: "program",
  })}<p class="hint">Shown once.</p>`;
}

async function doors(visit: Visit, isDone: boolean): Promise<Markup> {
  const [listed, people] = await Promise.all([visit.ask(listEngagements, {}), visit.ask(listPeople, {})]);
  const engagements = await visit.byName(listed, ({ vendor }) => vendor);
  const active = await visit.byName(
    people.filter((one) => one.active),
    ({ name }) => name,
  );
  const named = await namedPeople(visit, active);
  const isVendor = refusalOf(visit, { door: "vendor" }) !== undefined || visit.query.has("vendor");
  const isProgram = refusalOf(visit, { action: "mint" }) !== undefined;
  return html`<div class="doors panel">${[
    {
      name: "Invite a person",
      about: "Crew, with a link for a phone or a computer",
      isOpen: !isDone && !isVendor && !isProgram,
      form: personForm(visit, named),
    },
    {
      name: "Invite a vendor",
      about: "Sees only what you let them see",
      isOpen: !isDone && isVendor && !isProgram,
      form: vendorForm(visit, engagements),
    },
    {
      name: "Key for a program",
      about: "Pipeline script, tracker, storage agent",
      isOpen: !isDone && isProgram,
      form: programForm(visit, named),
    },
  ].map(door)}</div>`;
}

export async function keysView(visit: Visit, made?: Markup): Promise<Markup> {
  const all = await everyEntry(visit);
  const {
    invited = [],
    inside = [],
    over = [],
  } = Object.groupBy(all, (one) => (isInvited(one) ? "invited" : isInside(one) ? "inside" : "over"));
  const { shown, pager } = windowOf(visit, [...invited, ...inside, ...over]);
  const isShown = new Set(shown);
  /** The rows of a group that the window has; undefined without any. */
  const list = async (of: readonly Inside[]): Promise<Markup | undefined> => {
    const items = await visit.each(
      of.filter((one) => isShown.has(one)),
      (one) => insideRow(visit, one),
    );
    return items.length > 0 ? rows("inside", items) : undefined;
  };
  const section = async (title: string, of: readonly Inside[]) => {
    const listed = await list(of);
    return listed && html`<section><h2>${title} <span class="count">${of.length}</span></h2>${listed}</section>`;
  };
  const ended = await list(over);
  return html`${made}${await doors(visit, made !== undefined)}
${await section("Invited, not here yet", invited)}${await section("Inside now", inside)}
${ended && html`<details class="fold"><summary>${over.length} ended or expired</summary>${ended}</details>`}${pager}`;
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

/** The person of the crew whom a form names, by id or by name; undefined for another name. */
async function personOf(visit: Visit, form: SubmittedForm): Promise<{ person_id?: number; label: string }> {
  const label = form.text("label");
  const given = Number(form.text("person_id")) || undefined;
  if (given !== undefined || form.text("engagement_id") !== "") return { ...(given && { person_id: given }), label };
  const people = (await visit.ask(listPeople, {})).filter(({ active }) => active);
  const called = peopleCalled(await namedPeople(visit, people), label);
  const [only, ...others] = called;
  if (others.length > 0) throw new FormRefusal(422, `${capitalized(whichOf(called))}.`, ["label"]);
  return only === undefined ? { label } : { person_id: only.person.id, label: only.person.name };
}

async function mint(visit: Visit, form: SubmittedForm): Promise<Markup> {
  const isInvitation = form.text("action").startsWith("invite");
  const named = isInvitation ? await personOf(visit, form) : { label: form.text("label") };
  const text = isInvitation
    ? "this person was just invited. To invite again"
    : "a key with this label was just made and is in the list. To make another one";
  const action = isInvitation ? "invitation.created" : "key.minted";
  checkNotSent(visit, form, action, { label: named.label }, text);
  const scopes = await scopesOf(visit, form);
  if (!isInvitation) return keysView(visit, mintedPanel(visit, await visit.send(mintKey, form, { scopes })));
  if (named.label === "") throw new FormRefusal(422, "Who is missing: write a name.", ["label"]);
  const engagement_id = Number(form.text("engagement_id")) || undefined;
  const made = await writeAsMinter(visit.context, (admin) => {
    const { production_id } = admin;
    return createInvitation(admin, {
      ...named,
      production_id,
      scopes,
      engagement_id,
      expires: form.optional("expires"),
    });
  });
  return keysView(visit, invitationPanel(visit, made));
}

/** What ends with a key. */
async function revokeView(visit: Visit, form: SubmittedForm, id: number): Promise<Markup> {
  const key = (await visit.ask(listKeys, {})).find((one) => one.id === id);
  if (key === undefined) throw notFound();
  const browsers = sessionsOf(visit).filter(({ key_id }) => key_id === id).length;
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
