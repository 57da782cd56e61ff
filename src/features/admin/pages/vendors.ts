// /settings/vendors: engagements and their grants, and the production as a vendor sees it.
import { unprocessable } from "../../../core/errors.ts";
import { type Choosing, chooseRow, chooseWhole, chosenIn } from "../../pages/choosing.ts";
import { dateText } from "../../pages/dates.ts";
import { confirmation, type FormButton, hiddenFields, isSure, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { actionLine, chip, emptyState, fieldProblem, lines, plural } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { refusalOf } from "../../pages/refusals.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { endEngagement, listEngagements, listKeys } from "../access.ts";
import { grantRows, grantsIn, type Target, targetList, targetsOf, verbWords } from "./grant_rows.ts";
import { grantedRedirect, grantNow, revokeTogether, turnBack } from "./many_grants.ts";
import { invitationsPanel } from "./new_access.ts";
import { inviteForm, inviteTo, setupForm, submitSetup } from "./vendor_form.ts";

type Engagement = OutputOf<typeof listEngagements>[number];
type Grant = Engagement["grants"][number];

/** The live grants of an engagement, to choose those that are revoked together. */
const choosingOf = (visit: Visit, { id, grants }: Engagement): Choosing => ({
  form: `revoke-${id}`,
  name: "grant_id",
  noun: "thing",
  values: grants.filter(({ live }) => live).map((grant) => String(grant.id)),
  refused: refusalOf(visit, { engagement_id: id, action: "revoke" }),
});

function grantItem(visit: Visit, grant: Grant, choosing: Choosing): Markup {
  const { id, verb, target, target_name, expires_at } = grant;
  const may = `${verbWords[verb]} ${target_name}`;
  const revoke = { value: "revoke", text: "Take back", kind: "quiet", about: `Take back: ${may}` } as const;
  const text = html`<span>${verbWords[verb]} <strong>${target_name}</strong> <span class="count">${target !== "node" && target}${expires_at !== null && html` until ${dateText(expires_at)}`}</span></span>`;
  const shown = choosing.values.length > 1 ? chooseRow(choosing, String(id), text) : text;
  return actionLine(shown, postForm(visit, { hidden: { grant_id: id }, buttons: [revoke] }));
}

/** The live grants, and the form that revokes the chosen ones. */
function grantList(visit: Visit, engagement: Engagement): Markup {
  const { id, vendor, active, grants } = engagement;
  const live = grants.filter((grant) => grant.live);
  if (live.length === 0)
    return emptyState(active ? "This vendor sees nothing yet." : "What it could see ended with its work.");
  const choosing = choosingOf(visit, engagement);
  return html`${lines(live.map((grant) => grantItem(visit, grant, choosing)))}
${live.length > 1 && html`<form method="post" id="${choosing.form}" class="row">${visit.proof}${hiddenFields({ engagement_id: id, action: "revoke" })}${fieldProblem(`problem-${choosing.form}`, choosing.refused?.problem)}${chooseWhole(choosing, live.length)}<button class="quiet" aria-label="Take back the chosen of ${vendor}">Take back the chosen</button></form>`}`;
}

const grantForm = (visit: Visit, id: number, targets: readonly Target[]): Markup => {
  const hidden = { engagement_id: id };
  const refused = refusalOf(visit, { ...hidden, action: "grant" });
  const form = postForm(visit, {
    hidden,
    fields: [
      grantRows(targets, refused?.form, 2),
      { name: "expires", label: "Until", hint: "if it ends", type: "date" },
    ],
    buttons: [{ value: "grant", text: "Let them" }],
    of: String(id),
  });
  return html`<details${refused && html` open`}><summary>Let them see or send in more</summary>
${form}</details>`;
};

function engagementCard(visit: Visit, engagement: Engagement, targets: readonly Target[]): Markup {
  const { id, vendor, title, active, ended_at } = engagement;
  const button = (one: FormButton) => postForm(visit, { hidden: { engagement_id: id }, buttons: [one] });
  return html`<li class="panel" id="engagement-${id}">
<h2>${vendor} ${!active && chip("ended")}</h2>
<p class="under">${title}${ended_at !== null && html`, ended ${dateText(ended_at)}`}</p>
${grantList(visit, engagement)}
${
  active &&
  html`${grantForm(visit, id, targets)}${inviteForm(visit, id)}
<div class="row">${button({ value: "see", text: "See as this vendor", kind: "quiet" })}
${button({ value: "end", text: "End the work", kind: "danger", about: `End the work of ${vendor}` })}</div>`
}
</li>`;
}

export async function showVendors(visit: Visit): Promise<Markup> {
  const [engagements, targets] = await Promise.all([visit.ask(listEngagements, {}), targetsOf(visit)]);
  const named = await visit.byName(engagements, ({ vendor }) => vendor);
  const sorted = named.toSorted((a, b) => Number(b.active) - Number(a.active));
  const grantsOf = ({ grants }: Engagement) => 4 + grants.filter(({ live }) => live).length;
  const { shown, pager } = windowOf(visit, sorted, { weightOf: grantsOf });
  return html`${targetList(targets, visit.refused?.form)}
${engagements.length > 0 && html`<ul class="grid">${shown.map((engagement) => engagementCard(visit, engagement, targets))}</ul>`}${pager}
${setupForm(visit, targets)}${invitationsPanel(visit)}`;
}

/** What the form revokes: one grant by its own button, or the chosen ones of an engagement. */
async function revoked(visit: Visit, form: SubmittedForm): Promise<{ vendor: string; grants: Grant[] } | undefined> {
  const engagements = await visit.ask(listEngagements, {});
  const named = engagements.find(({ id }) => String(id) === form.text("engagement_id"));
  const ids = named === undefined ? form.texts("grant_id") : chosenIn(form, choosingOf(visit, named));
  const engagement = named ?? engagements.find(({ grants }) => grants.some(({ id }) => ids.includes(String(id))));
  return (
    engagement && {
      vendor: engagement.vendor,
      grants: engagement.grants.filter(({ id }) => ids.includes(String(id))),
    }
  );
}

/** Revokes what was chosen, once that is confirmed. */
async function revoke(visit: Visit, form: SubmittedForm): Promise<Markup | Redirect> {
  const { vendor, grants } = (await revoked(visit, form)) ?? {};
  const [only, ...others] = grants ?? [];
  if (grants === undefined || only === undefined) throw unprocessable("the vendor may not do this any more");
  const ids = grants.map(({ id }) => id);
  if (isSure(form)) return revokeTogether(visit, ids);
  const may = grants.map(({ verb, target_name }) => `${verbWords[verb]} ${target_name}`);
  const title =
    others.length === 0 ? `Take this back from ${vendor}?` : `Take ${ids.length} things back from ${vendor}?`;
  const what = html`<p>${vendor} can no longer ${may.join("; ")}, from the next request on. What came in stays.</p>`;
  return confirmation(visit, form, {
    title,
    what,
    button: others.length === 0 ? "Take it back" : "Take them back",
    back: "/settings/vendors",
  });
}

/** What ends with an engagement; undefined if there is no such one, or that is confirmed. */
async function endingView(visit: Visit, form: SubmittedForm): Promise<Markup | undefined> {
  const engagement = (await visit.ask(listEngagements, {})).find(({ id }) => String(id) === form.text("engagement_id"));
  if (engagement === undefined || isSure(form)) return undefined;
  const { id, vendor, title, grants } = engagement;
  const keys = (await visit.ask(listKeys, {})).filter((key) => key.live && key.engagement_id === id);
  return confirmation(visit, form, {
    title: `End the work of ${vendor} on this show?`,
    what: html`<p>${title}: what it may see (${grants.filter(({ live }) => live).length}) and ${plural(keys.length, "key")} end at once and for good${keys.length > 0 && `: ${keys.map(({ label }) => label).join(", ")}`}. What came in stays.</p>`,
    button: "End the work",
    back: "/settings/vendors",
  });
}

export async function submitVendors(visit: Visit, form: SubmittedForm): Promise<Markup | Redirect | undefined> {
  const engagement_id = Number(form.text("engagement_id"));
  switch (form.text("action")) {
    case "see": {
      const known = (await visit.ask(listEngagements, {})).some(({ id }) => id === engagement_id);
      if (!known) throw unprocessable("there is no such engagement");
      await visit.seeAs(engagement_id);
      return { location: "/turnovers" };
    }
    case "grant": {
      const at = await grantNow(visit, engagement_id, await grantsIn(visit, form));
      return at === undefined ? undefined : grantedRedirect("/settings/vendors", "granted", at);
    }
    case "invite":
      return inviteTo(visit, form, engagement_id);
    case "revoke":
      return revoke(visit, form);
    case "take_back":
    case "grant_again":
      return turnBack(visit, form);
    case "end":
      return (await endingView(visit, form)) ?? void (await visit.ask(endEngagement, { id: engagement_id }));
    default:
      return submitSetup(visit, form);
  }
}

/** Ends the admin's look through the reach of a vendor. */
export async function submitSeenAs(visit: Visit): Promise<Redirect> {
  await visit.seeAs(null);
  return { location: "/settings/vendors" };
}
