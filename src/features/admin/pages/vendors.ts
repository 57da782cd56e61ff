// /settings/vendors: engagements and their grants, and the production as a vendor sees it.

import { unprocessable } from "../../../core/errors.ts";
import { dateText } from "../../pages/dates.ts";
import { confirmation, type FormButton, isSure, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { chip, emptyState, lines, plural } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { refusalOf } from "../../pages/refusals.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { endEngagement, listEngagements, listKeys, revokeGrant } from "../access.ts";
import { grantAll, writeAsMinter } from "../vendor_setup.ts";
import { grantRows, grantsIn, type Target, targetList, targetsOf, verbWords } from "./grant_rows.ts";
import { invitationsPanel } from "./new_access.ts";
import { inviteForm, inviteTo, setupForm, submitSetup } from "./vendor_form.ts";

type Engagement = OutputOf<typeof listEngagements>[number];
type Grant = Engagement["grants"][number];

const grantItem = (
  visit: Visit,
  { id, verb, target, target_name, expires_at, live }: Grant,
): Markup => html`<li class="row between">
<span>${verbWords[verb]} <strong>${target_name}</strong> <span class="count">${target !== "node" && target}${expires_at !== null && html` until ${dateText(expires_at)}`}</span></span>
${live && postForm(visit, { hidden: { grant_id: id }, buttons: [{ value: "revoke", text: "Revoke", kind: "quiet", about: `Revoke ${verbWords[verb]} ${target_name}` }] })}
</li>`;

const grantForm = (visit: Visit, id: number, targets: readonly Target[]): Markup => {
  const hidden = { engagement_id: id };
  const refused = refusalOf(visit, { ...hidden, action: "grant" });
  const form = postForm(visit, {
    hidden,
    fields: [
      grantRows(targets, refused?.form, 2),
      { name: "expires", label: "Until", hint: "if it ends", type: "date" },
    ],
    buttons: [{ value: "grant", text: "Grant" }],
    of: String(id),
  });
  return html`<details${refused && html` open`}><summary>Grant something</summary>
${form}</details>`;
};

function engagementCard(visit: Visit, engagement: Engagement, targets: readonly Target[]): Markup {
  const { id, vendor, title, active, ended_at, grants } = engagement;
  const live = grants.filter((grant) => grant.live);
  const button = (one: FormButton) => postForm(visit, { hidden: { engagement_id: id }, buttons: [one] });
  return html`<li class="panel" id="engagement-${id}">
<h2>${vendor} ${chip(active ? "active" : "ended")}</h2>
<p class="under">${title}${ended_at !== null && html`, ended ${dateText(ended_at)}`}</p>
${live.length === 0 ? emptyState(active ? "Nothing is granted yet, so this vendor sees nothing." : "Its grants ended with it.") : lines(live.map((grant) => grantItem(visit, grant)))}
${
  active &&
  html`${grantForm(visit, id, targets)}${inviteForm(visit, id)}
<div class="row">${button({ value: "see", text: "See as this vendor", kind: "quiet" })}
${button({ value: "end", text: "End the engagement", kind: "danger", about: `End the engagement of ${vendor}` })}</div>`
}
</li>`;
}

export async function showVendors(visit: Visit): Promise<Markup> {
  const [engagements, targets] = await Promise.all([visit.ask(listEngagements, {}), targetsOf(visit)]);
  const sorted = engagements.toSorted((a, b) => Number(b.active) - Number(a.active));
  const grantsOf = ({ grants }: Engagement) => 4 + grants.filter(({ live }) => live).length;
  const { shown, pager } = windowOf(visit, sorted, { weightOf: grantsOf });
  return html`${targetList(targets, visit.refused?.form)}
${engagements.length > 0 && html`<ul class="grid">${shown.map((engagement) => engagementCard(visit, engagement, targets))}</ul>`}${pager}
${setupForm(visit, targets)}${invitationsPanel(visit)}`;
}

/** What ends with an engagement or a grant; undefined if the form ends nothing. */
async function endingView(visit: Visit, form: SubmittedForm): Promise<Markup | undefined> {
  const action = form.text("action");
  if ((action !== "end" && action !== "revoke") || isSure(form)) return undefined;
  const engagements = await visit.ask(listEngagements, {});
  const [engagement_id, grant_id] = [Number(form.text("engagement_id")), Number(form.text("grant_id"))];
  const ask = (title: string, what: Markup, button: string) =>
    confirmation(visit, form, { title, what, button, back: "/settings/vendors" });
  if (action === "revoke") {
    const [vendor, grant] =
      engagements
        .flatMap((one) => one.grants.map((grant) => [one.vendor, grant] as const))
        .find(([, { id }]) => id === grant_id) ?? [];
    if (grant === undefined) return undefined;
    const may = `${verbWords[grant.verb]} ${grant.target_name}`;
    return ask(
      `Revoke a grant of ${vendor}?`,
      html`<p>${vendor} can no longer ${may}, from the next request on. What was submitted stays.</p>`,
      "Revoke it",
    );
  }
  const engagement = engagements.find(({ id }) => id === engagement_id);
  if (engagement === undefined) return undefined;
  const { vendor, title, grants } = engagement;
  const keys = (await visit.ask(listKeys, {})).filter((key) => key.live && key.engagement_id === engagement_id);
  return ask(
    `End the engagement of ${vendor}?`,
    html`<p>${title}: ${plural(grants.filter(({ live }) => live).length, "grant")} and ${plural(keys.length, "key")} stop at once and for good${keys.length > 0 && `: ${keys.map(({ label }) => label).join(", ")}`}. What was submitted stays.</p>`,
    "End the engagement",
  );
}

export async function submitVendors(visit: Visit, form: SubmittedForm): Promise<Markup | Redirect | undefined> {
  const engagement_id = Number(form.text("engagement_id"));
  const question = await endingView(visit, form);
  if (question !== undefined) return question;
  switch (form.text("action")) {
    case "see": {
      const known = (await visit.ask(listEngagements, {})).some(({ id }) => id === engagement_id);
      if (!known) throw unprocessable("there is no such engagement");
      await visit.seeAs(engagement_id);
      return { location: "/turnovers" };
    }
    case "grant": {
      const grants = await grantsIn(visit, form);
      visit.checkPresent();
      return void (await writeAsMinter(visit.context, (admin) => grantAll(admin, engagement_id, grants)));
    }
    case "invite":
      return inviteTo(visit, form, engagement_id);
    case "revoke":
      return void (await visit.ask(revokeGrant, { id: Number(form.text("grant_id")) }));
    case "end":
      return void (await visit.ask(endEngagement, { id: engagement_id }));
    default:
      return submitSetup(visit, form);
  }
}

/** Ends the admin's look through the reach of a vendor. */
export async function submitSeenAs(visit: Visit): Promise<Redirect> {
  await visit.seeAs(null);
  return { location: "/settings/vendors" };
}
