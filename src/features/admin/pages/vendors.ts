// /settings/vendors: engagements and their grants, and the production as a vendor sees it.

import { unprocessable } from "../../../core/errors.ts";
import type { DeliveryId, NodeId } from "../../../core/ids.ts";
import { firstOf, sameName } from "../../../core/spelling.ts";
import { listAssets } from "../../../graph/assets.ts";
import { listDeliveries } from "../../../graph/deliveries.ts";
import { listDepartments } from "../../../graph/departments.ts";
import { listScenes } from "../../../graph/scenes.ts";
import type { grantVerbs } from "../../../graph/values.ts";
import { dateText } from "../../pages/dates.ts";
import { confirmation, type FormButton, isSure, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { chip, emptyState, lines, panel, plural } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal, refusalOf } from "../../pages/refusals.ts";
import { sceneNumber } from "../../pages/scene_facts.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { addEngagement, addGrant, endEngagement, listEngagements, listKeys, revokeGrant } from "../access.ts";

type Engagement = OutputOf<typeof listEngagements>[number];
type Grant = Engagement["grants"][number];

const verbWords = {
  read: "see",
  submit: "submit work on",
  "read:own_po": "see own orders of",
} as const satisfies Record<(typeof grantVerbs)[number], string>;

/** How many names a list offers at once. */
const maxTargets = 200;

type TargetId = { node_id: NodeId } | { department_id: number } | { delivery_id: DeliveryId };

/** What can be granted: the text that a list offers, whose end names it for the server, and the names that it has. */
interface Target {
  text: string;
  names: readonly string[];
}

async function targetsOf(visit: Visit): Promise<Target[]> {
  const [scenes, assets, departments, deliveries] = await Promise.all([
    visit.ask(listScenes, {}),
    visit.ask(listAssets, {}),
    visit.ask(listDepartments, {}),
    visit.ask(listDeliveries, {}),
  ]);
  return [
    ...deliveries.map(({ id, title }) => ({ text: `${title} (delivery ${id})`, names: [title] })),
    ...departments.map(({ id, name, slug }) => ({ text: `${name} (department ${id})`, names: [name, slug] })),
    ...scenes.map((scene) => {
      const { node_id, slugline } = scene;
      const number = sceneNumber(scene);
      const names = [number, `scene ${number}`, slugline, `${number} ${slugline}`];
      return { text: `${number} ${slugline} (node ${node_id})`, names };
    }),
    ...assets.map(({ node_id, label, kind }) => ({ text: `${label}, ${kind} (node ${node_id})`, names: [label] })),
  ];
}

const idIn = (text: string): TargetId | undefined => {
  const [, kind, digits] = /\((node|department|delivery) (\d{1,16})\)$/.exec(text) ?? [];
  const id = Number(digits);
  if (kind === "node") return { node_id: id };
  if (kind === "department") return { department_id: id };
  return kind === "delivery" ? { delivery_id: id } : undefined;
};

/** A name without what people write differently: case, spaces, and the form of accented letters. */
const written = (name: string): string => sameName(name.normalize("NFC").replace(/\s+/g, " "));

/** What a text names: by its end, or by the whole name that one thing has. Throws FormRefusal if nothing or several things have it. */
async function targetOf(visit: Visit, text: string): Promise<TargetId> {
  const refused = (problem: string) => new FormRefusal(422, problem, ["target"]);
  if (text.trim() === "")
    throw refused("What is missing: write the name of a scene, an asset, a department or a delivery.");
  const chosen = idIn(text);
  if (chosen !== undefined) return chosen;
  const wanted = written(text);
  const named = (await targetsOf(visit)).filter(({ names }) => names.some((name) => written(name) === wanted));
  const [only, ...others] = named.map((target) => idIn(target.text));
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined)
    throw refused("Choose what is granted from the list of names, which now has those with these words.");
  throw refused(`What is the name of several things: choose one of ${firstOf(named.map((target) => target.text))}.`);
}

const grantItem = (
  visit: Visit,
  { id, verb, target, target_name, expires_at, live }: Grant,
): Markup => html`<li class="row between">
<span>${verbWords[verb]} <strong>${target_name}</strong> <span class="count">${target !== "node" && target}${expires_at !== null && html` until ${dateText(expires_at)}`}</span></span>
${live && postForm(visit, { hidden: { grant_id: id }, buttons: [{ value: "revoke", text: "Revoke", kind: "quiet", about: `Revoke ${verbWords[verb]} ${target_name}` }] })}
</li>`;

const grantForm = (visit: Visit, id: number): Markup => {
  const hidden = { engagement_id: id };
  const form = postForm(visit, {
    hidden,
    fields: [
      { name: "verb", label: "They may", choices: Object.entries(verbWords) },
      { name: "target", label: "What", hint: "type a part of its name", list: "targets", required: true },
      { name: "expires", label: "Until, if it ends", type: "date" },
    ],
    buttons: [{ value: "grant", text: "Grant" }],
    of: String(id),
  });
  return html`<details${refusalOf(visit, hidden) && html` open`}><summary>Grant something</summary>
${form}</details>`;
};

function engagementCard(visit: Visit, engagement: Engagement): Markup {
  const { id, vendor, title, active, ended_at, grants } = engagement;
  const live = grants.filter((grant) => grant.live);
  const button = (one: FormButton) => postForm(visit, { hidden: { engagement_id: id }, buttons: [one] });
  return html`<li class="panel" id="engagement-${id}">
<h2>${vendor} ${chip(active ? "active" : "ended")}</h2>
<p class="under">${title}${ended_at !== null && html`, ended ${dateText(ended_at)}`}</p>
${live.length === 0 ? emptyState(active ? "Nothing is granted yet, so this vendor sees nothing." : "Its grants ended with it.") : lines(live.map((grant) => grantItem(visit, grant)))}
${
  active &&
  html`${grantForm(visit, id)}
<div class="row">${button({ value: "see", text: "See as this vendor", kind: "quiet" })}
${button({ value: "end", text: "End the engagement", kind: "danger", about: `End the engagement of ${vendor}` })}</div>`
}
</li>`;
}

const addForm = (visit: Visit): Markup =>
  panel(
    "Add a vendor's engagement",
    postForm(visit, {
      fields: [
        { name: "vendor", label: "Vendor", required: true, maxlength: 300 },
        { name: "title", label: "What they do", maxlength: 300 },
      ],
      buttons: [{ value: "add", text: "Add" }],
    }),
  );

export async function showVendors(visit: Visit): Promise<Markup> {
  const [engagements, targets] = await Promise.all([visit.ask(listEngagements, {}), targetsOf(visit)]);
  const sorted = engagements.toSorted((a, b) => Number(b.active) - Number(a.active));
  const grantsOf = ({ grants }: Engagement) => 4 + grants.filter(({ live }) => live).length;
  const { shown, pager } = windowOf(visit, sorted, { weightOf: grantsOf });
  const wanted = sameName(visit.refused?.form.text("target") ?? "");
  const fitting = targets.filter(({ text }) => sameName(text).includes(wanted)); // a long list is found by a part of a name
  return html`<datalist id="targets">${(fitting.length > 0 ? fitting : targets)
    .slice(0, maxTargets)
    .map(({ text }) => html`<option value="${text}"></option>`)}</datalist>
${engagements.length > 0 && html`<ul class="grid">${shown.map((engagement) => engagementCard(visit, engagement))}</ul>`}${pager}
${addForm(visit)}`;
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
    case "grant":
      return void (await visit.send(addGrant, form, await targetOf(visit, form.text("target"))));
    case "revoke":
      return void (await visit.ask(revokeGrant, { id: Number(form.text("grant_id")) }));
    case "end":
      return void (await visit.ask(endEngagement, { id: engagement_id }));
    default:
      return void (await visit.send(addEngagement, form));
  }
}

/** Ends the admin's look through the reach of a vendor. */
export async function submitSeenAs(visit: Visit): Promise<Redirect> {
  await visit.seeAs(null);
  return { location: "/settings/vendors" };
}
