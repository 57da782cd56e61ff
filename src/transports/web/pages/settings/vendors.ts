// /settings/vendors: engagements and their grants, and the production as a vendor sees it.
import type * as v from "valibot";
import { addEngagement, endEngagement, listEngagements } from "../../../../admin/operations/engagements.ts";
import { addGrant, revokeGrant } from "../../../../admin/operations/grants.ts";
import { listKeys } from "../../../../admin/operations/keys.ts";
import { unprocessable } from "../../../../errors.ts";
import { grantVerbs } from "../../../../inputs.ts";
import { listAssets } from "../../../../operations/assets.ts";
import { listDeliveries } from "../../../../operations/deliveries.ts";
import { listDepartments } from "../../../../operations/departments.ts";
import { listScenes } from "../../../../operations/scenes.ts";
import { attempt } from "../../attempt.ts";
import { confirmation, isSure } from "../../confirm.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import type { Redirect, View, WebPage } from "../../page.ts";
import { chip, dateText, emptyState, fieldProblem, options, panel, plural } from "../../parts.ts";
import type { Visit } from "../../visit.ts";
import { windowOf } from "../../windows.ts";
import { sceneNumber } from "../scenes.ts";
import { settingsPage, settingsView } from "./frame.ts";

type Engagement = v.InferOutput<(typeof listEngagements)["output"]>[number];
type Grant = Engagement["grants"][number];

const verbWords = {
  read: "see",
  submit: "submit work on",
  "read:own_po": "see own orders of",
} as const satisfies Record<(typeof grantVerbs)[number], string>;

/** How many names a list offers at once. */
const maxTargets = 200;

/** What can be granted, by name. The end of each text names the target for the server. */
async function targetNames(visit: Visit): Promise<string[]> {
  const [scenes, assets, departments, deliveries] = await Promise.all([
    visit.ask(listScenes, {}),
    visit.ask(listAssets, {}),
    visit.ask(listDepartments, {}),
    visit.ask(listDeliveries, {}),
  ]);
  return [
    ...deliveries.map(({ id, title }) => `${title} (delivery ${id})`),
    ...departments.map(({ id, name }) => `${name} (department ${id})`),
    ...scenes.map((scene) => `${sceneNumber(scene)} ${scene.slugline} (node ${scene.node_id})`),
    ...assets.map(({ node_id, label, kind }) => `${label}, ${kind} (node ${node_id})`),
  ];
}

function targetOf(text: string): { node_id: number } | { department_id: number } | { delivery_id: number } {
  const [, kind, digits] = /\((node|department|delivery) (\d{1,16})\)$/.exec(text) ?? [];
  const id = Number(digits);
  if (kind === "node") return { node_id: id };
  if (kind === "department") return { department_id: id };
  if (kind === "delivery") return { delivery_id: id };
  throw unprocessable("choose what is granted from the list of names, which now has those with these words");
}

interface Tried {
  /** 0 if the form is the one that adds an engagement. */
  engagement_id: number;
  form: SubmittedForm;
  problem: string;
}

const grantItem = (
  visit: Visit,
  { id, verb, target, target_name, expires_at, live }: Grant,
): Markup => html`<li class="row">
<span>${verbWords[verb]} <strong>${target_name}</strong> <span class="under inline">${target !== "node" && target}${expires_at !== null && html` until ${dateText(expires_at)}`}</span></span>
${live && html`<form method="post">${visit.proof}<input type="hidden" name="grant_id" value="${id}"><button name="action" value="revoke" class="plain" aria-label="Revoke ${verbWords[verb]} ${target_name}">Revoke</button></form>`}
</li>`;

const grantForm = (visit: Visit, id: number, tried: Tried | undefined): Markup => {
  const mine = tried?.engagement_id === id ? tried : undefined;
  return html`<details${mine && html` open`}><summary>Grant something</summary>
<form method="post" class="stack">${visit.proof}<input type="hidden" name="engagement_id" value="${id}">
<label for="verb-${id}">They may</label>
<select id="verb-${id}" name="verb">${options(Object.entries(verbWords), mine?.form.text("verb"))}</select>
<label for="target-${id}">What <span class="under">type a part of its name</span></label>
<input id="target-${id}" name="target" list="targets" required autocomplete="off" value="${mine?.form.text("target")}"${mine && html` aria-invalid="true" aria-describedby="problem-${id}"`}>
${fieldProblem(`problem-${id}`, mine?.problem)}
<label for="expires-${id}">Until, if it ends</label>
<input id="expires-${id}" name="expires" type="date" value="${mine?.form.text("expires")}">
<button name="action" value="grant">Grant</button></form></details>`;
};

function engagementCard(visit: Visit, engagement: Engagement, tried: Tried | undefined): Markup {
  const { id, vendor, title, active, ended_at, grants } = engagement;
  const live = grants.filter((grant) => grant.live);
  const field = html`${visit.proof}<input type="hidden" name="engagement_id" value="${id}">`;
  return html`<li class="panel" id="engagement-${id}">
<h2>${vendor} ${chip(active ? "active" : "ended")}</h2>
<p class="under">${title}${ended_at !== null && html`, ended ${dateText(ended_at)}`}</p>
${live.length === 0 ? emptyState(active ? "Nothing is granted yet, so this vendor sees nothing." : "Its grants ended with it.") : html`<ul class="lines">${live.map((grant) => grantItem(visit, grant))}</ul>`}
${
  active &&
  html`${grantForm(visit, id, tried)}
<div class="row"><form method="post">${field}<button name="action" value="see" class="quiet">See as this vendor</button></form>
<form method="post">${field}<button name="action" value="end" class="danger" aria-label="End the engagement of ${vendor}">End the engagement</button></form></div>`
}
</li>`;
}

const addForm = (visit: Visit, tried: Tried | undefined): Markup => {
  const mine = tried?.engagement_id === 0 ? tried : undefined;
  return panel(
    "Add a vendor's engagement",
    html`<form method="post" class="stack">${visit.proof}
<label for="vendor">Vendor</label><input id="vendor" name="vendor" required maxlength="300" value="${mine?.form.text("vendor")}"${mine && html` aria-invalid="true" aria-describedby="problem-0"`}>
${fieldProblem("problem-0", mine?.problem)}
<label for="title">What they do</label><input id="title" name="title" maxlength="300" value="${mine?.form.text("title")}">
<button name="action" value="add">Add</button></form>`,
  );
};

async function vendorsView(visit: Visit, tried?: Tried): Promise<View> {
  const [engagements, targets] = await Promise.all([visit.ask(listEngagements, {}), targetNames(visit)]);
  const sorted = engagements.toSorted((a, b) => Number(b.active) - Number(a.active));
  const grantsOf = ({ grants }: Engagement) => 4 + grants.filter(({ live }) => live).length;
  const { shown, pager } = windowOf(visit, sorted, { weightOf: grantsOf });
  const wanted = (tried?.form.text("target") ?? "").toLowerCase();
  const fitting = targets.filter((text) => text.toLowerCase().includes(wanted)); // a long list is found by a part of a name
  const body = html`<datalist id="targets">${(fitting.length > 0 ? fitting : targets).slice(0, maxTargets).map((text) => html`<option value="${text}"></option>`)}</datalist>
${engagements.length > 0 && html`<ul class="cards">${shown.map((engagement) => engagementCard(visit, engagement, tried))}</ul>`}${pager}
${addForm(visit, tried)}`;
  return settingsView("vendors", body, tried === undefined ? 200 : 422);
}

function grant(visit: Visit, form: SubmittedForm): Promise<unknown> {
  const verb = grantVerbs.find((known) => known === form.text("verb")) ?? "read";
  const expires = form.optional("expires");
  const engagement_id = Number(form.text("engagement_id"));
  return visit.ask(addGrant, { engagement_id, verb, ...targetOf(form.text("target")), ...(expires && { expires }) });
}

function act(visit: Visit, form: SubmittedForm): Promise<unknown> {
  const engagement_id = Number(form.text("engagement_id"));
  const title = form.optional("title");
  switch (form.text("action")) {
    case "grant":
      return grant(visit, form);
    case "revoke":
      return visit.ask(revokeGrant, { id: Number(form.text("grant_id")) });
    case "end":
      return visit.ask(endEngagement, { id: engagement_id });
    default:
      return visit.ask(addEngagement, { vendor: form.text("vendor"), ...(title && { title }) });
  }
}

/** What ends with an engagement or a grant; undefined if the form ends nothing. */
async function endingView(visit: Visit, form: SubmittedForm): Promise<View | undefined> {
  const action = form.text("action");
  if ((action !== "end" && action !== "revoke") || isSure(form)) return undefined;
  const engagements = await visit.ask(listEngagements, {});
  const [engagement_id, grant_id] = [Number(form.text("engagement_id")), Number(form.text("grant_id"))];
  const ask = (title: string, what: Markup, button: string) =>
    settingsView("vendors", confirmation(visit, form, { title, what, button, back: "/settings/vendors" }));
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

async function submitVendors(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const engagement_id = Number(form.text("engagement_id"));
  if (form.text("action") === "see") {
    const known = (await visit.ask(listEngagements, {})).some(({ id }) => id === engagement_id);
    if (!known) throw unprocessable("there is no such engagement");
    await visit.seeAs(engagement_id);
    return { location: "/turnovers" };
  }
  const question = await endingView(visit, form);
  if (question !== undefined) return question;
  const problem = await attempt((async () => act(visit, form))());
  return problem === undefined
    ? { location: "/settings/vendors" }
    : vendorsView(visit, { engagement_id, form, problem });
}

export const vendorsPage: WebPage = {
  ...settingsPage("vendors"),
  show: (visit) => vendorsView(visit),
  submit: submitVendors,
};
