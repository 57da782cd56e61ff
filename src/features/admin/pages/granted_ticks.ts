// What a vendor sees as ticks, with rows for more, and one Save: what was unticked is taken back and what was added is
// granted, in one transaction.
import { unprocessable } from "../../../core/errors.ts";
import { revokeGrant } from "../../../graph/grants.ts";
import { dateText } from "../../pages/dates.ts";
import { checkBox, confirmation, isSure, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { plural } from "../../pages/html_parts.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal, refusalOf } from "../../pages/refusals.ts";
import type { Visit } from "../../pages/visit.ts";
import { listEngagements } from "../access.ts";
import { grantAll, writeAsMinter } from "../vendor_setup.ts";
import { grantRows, grantsIn, type Target, verbWords } from "./grant_rows.ts";
import { changedRedirect } from "./many_grants.ts";
import type { Engagement } from "./vendors.ts";

type Grant = Engagement["grants"][number];

const rowsAtFirst = 3;

const textOf = ({ verb, target, target_name, expires_at }: Grant): string =>
  `${verbWords[verb]} ${target_name}${target === "node" ? "" : `, ${target}`}${expires_at === null ? "" : ` until ${dateText(expires_at)}`}`;

/** The page of ticks. What the page showed is sent too: what somebody else granted meanwhile is not taken back. */
export function changeView(visit: Visit, { id, vendor, grants }: Engagement, targets: readonly Target[]): Markup {
  const live = grants.filter((one) => one.live);
  const refused = refusalOf(visit, { action: "change" });
  const kept = refused?.form.texts("keep");
  const ticks = live.map(
    (one) =>
      html`<li><input type="hidden" name="had" value="${one.id}">${checkBox("keep", String(one.id), textOf(one), kept?.includes(String(one.id)) ?? true)}</li>`,
  );
  const form = postForm(visit, {
    hidden: { engagement_id: id },
    fields: [
      live.length > 0 &&
        html`<fieldset><legend>They may <span class="under">untick what they may no longer</span></legend><ul class="ticks">${ticks}</ul></fieldset>`,
      grantRows(targets, refused?.form, rowsAtFirst, live.length > 0 ? "And they may" : "They may"),
      { name: "expires", label: "Until", hint: "what is added; empty: until it is taken back", type: "date" },
    ].filter((field) => field !== false),
    buttons: [{ value: "change", text: "Save" }],
  });
  return html`<h2 class="big" dir="auto">What ${vendor} may see</h2>${form}<p><a href="/settings/vendors?show=${id}">Leave it as it is</a></p>`;
}

/** Takes back what was unticked, once that is confirmed, and grants what was added. */
export async function changeGrants(
  visit: Visit,
  form: SubmittedForm,
  engagement_id: number,
): Promise<Markup | Redirect> {
  const engagement = (await visit.ask(listEngagements, {})).find(({ id }) => id === engagement_id);
  if (engagement === undefined) throw unprocessable("there is no such engagement");
  const [had, kept] = [form.texts("had"), form.texts("keep")];
  const taken = engagement.grants.filter(
    ({ id, live }) => live && had.includes(String(id)) && !kept.includes(String(id)),
  );
  const wanted = await grantsIn(visit, form, false);
  if (taken.length === 0 && wanted.length === 0)
    throw new FormRefusal(
      422,
      "Nothing was changed: untick something, or write the name of a scene, an asset, a department or a delivery.",
      ["target"],
    );
  const { vendor } = engagement;
  if (taken.length > 0 && !isSure(form))
    return confirmation(visit, form, {
      title: taken.length === 1 ? `Take this back from ${vendor}?` : `Take ${taken.length} things back from ${vendor}?`,
      what: html`<p>${vendor} can no longer ${taken.map(({ verb, target_name }) => `${verbWords[verb]} ${target_name}`).join("; ")}, from the next request on. What came in stays.${wanted.length > 0 && ` ${plural(wanted.length, "thing")} more can be seen.`}</p>`,
      button: taken.length === 1 ? "Take it back" : "Take them back",
      back: `/settings/vendors?show=${engagement_id}`,
    });
  const done = await writeAsMinter(visit.context, (admin) => {
    for (const { id } of taken) revokeGrant(admin, { id });
    return { at: admin.now, added: grantAll(admin, engagement_id, wanted).length };
  });
  return changedRedirect(`/settings/vendors?show=${engagement_id}`, done.at, {
    granted: done.added > 0,
    revoked: taken.length > 0,
  });
}
