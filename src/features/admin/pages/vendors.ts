// /settings/vendors: who works on this show, and of one of them what they see, their people, and what ends their work;
// with `change`, the ticks that say what they see; and the production as a vendor sees it.
import { unprocessable } from "../../../core/errors.ts";
import { dateText } from "../../pages/dates.ts";
import { confirmation, isSure, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, emptyState, plural, rows } from "../../pages/html_parts.ts";
import { addressWith, windowOf } from "../../pages/list_windows.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { linkTo } from "../../pages/page_places.ts";
import { refusalOf } from "../../pages/refusals.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { endEngagement, listEngagements, listKeys } from "../access.ts";
import { listVendors } from "../vendor_list.ts";
import { targetList, targetsOf } from "./grant_rows.ts";
import { changeGrants, changeView } from "./granted_ticks.ts";
import { everyEntry, insideRow, isInside, isInvited } from "./inside.ts";
import { turnBack } from "./many_grants.ts";
import { setupForm, submitSetup } from "./vendor_form.ts";

export type Engagement = OutputOf<typeof listEngagements>[number];
type Access = NonNullable<OutputOf<typeof listVendors>[number]["engagements"][number]["access"]>[number];

/** The address of one of them. */
const addressOf = (id: number, more = ""): string => `/settings/vendors?show=${id}${more}`;

const liveOf = ({ grants }: Engagement): number => grants.filter(({ live }) => live).length;

function picker(visit: Visit, engagement: Engagement, isShown: boolean, all: readonly Engagement[]): Markup {
  const { id, vendor, title, active, ended_at } = engagement;
  const isNamed = all.some((other) => other.active && other.id !== id && other.vendor === vendor);
  const name = active
    ? html`<b dir="auto">${vendor}</b>${isNamed && html`<span class="under" dir="auto">${title}</span>`}`
    : html`<span class="count" dir="auto">${vendor}<span class="under"><span dir="auto">${title}</span>, ended ${ended_at !== null && dateText(ended_at)}</span></span>`;
  const count = liveOf(engagement);
  const sees =
    count === 0 ? html`<span class="chip warn">sees nothing</span>` : html`<span class="under">sees ${count}</span>`;
  return html`<li><a href="${addressWith(visit, "show", String(id), ["new", "change"])}"${isShown && html` aria-current="true"`}><span>${name}</span>${active && sees}</a></li>`;
}

const headings = {
  read: "They may see",
  submit: "They may send in work on",
  "read:own_po": "They may see their own orders of",
} as const satisfies Record<Access["verb"], string>;

/** What of one kind may be seen: the numbers of scenes, the names of anything else. */
function thingsOf({ kind, ids, labels, verb }: Access, { grants }: Engagement): Markup {
  const names = labels.map((label, at) => {
    if (kind === "scene")
      return html`<li><a href="/scenes/${ids[at]}" title="${label}">${label.split(" ", 1)[0]}</a></li>`;
    if (kind === "department") {
      const name =
        grants.find(({ target, target_id }) => target === kind && target_id === ids[at])?.target_name ?? label;
      return html`<li>${linkTo(`/assets?department=${label}`, name)}${verb === "read" && ", all of it"}</li>`;
    }
    return html`<li><a href="/${kind === "delivery" ? "deliveries" : "assets"}/${ids[at]}" dir="auto">${label}</a></li>`;
  });
  return html`<ul class="${kind === "scene" ? "chips" : "row"}">${names}</ul>`;
}

const kindWords: Readonly<Record<string, string>> = { scene: "scenes", character: "cast" };

/** Scenes are the first, then what is seen by itself, at last what stands for much. */
const placeOf = ({ kind }: Access): number =>
  ["scene", "character", "", "department", "delivery"].indexOf(kind) + 1 || 3;

function seesPart(access: readonly Access[], engagement: Engagement): Markup {
  const byVerb = Map.groupBy(access, ({ verb }) => verb);
  return html`${[...byVerb].map(
    ([verb, of]) =>
      html`<h3>${headings[verb]}</h3><dl class="sees">${of.toSorted((a, b) => placeOf(a) - placeOf(b)).map((one) => html`<dt>${capitalized(kindWords[one.kind] ?? one.kind)}</dt><dd>${thingsOf(one, engagement)}${one.expires_at !== null && html` <span class="under">until ${dateText(one.expires_at)}</span>`}</dd>`)}</dl>`,
  )}`;
}

async function detail(visit: Visit, engagement: Engagement): Promise<Markup> {
  const { id, vendor, title, active, created_at, ended_at } = engagement;
  const isBlind = liveOf(engagement) === 0;
  const found = (await visit.ask(listVendors, { include: "access" })).flatMap(({ engagements }) => engagements);
  const access = found.find((one) => one.id === id)?.access ?? [];
  const people = (await everyEntry(visit)).filter(
    (one) => one.key?.engagement_id === id && (isInside(one) || isInvited(one)),
  );
  const change = html`<a class="button${!isBlind && " quiet"}" href="${addressOf(id, "&change=1")}">${isBlind ? "Choose what they see" : "Change what they see"}</a>`;
  const see = { value: "see", text: "View as them", kind: "plain" } as const;
  const end = { value: "end", text: `End the work of ${vendor}`, kind: "danger" } as const;
  const form = (button: typeof see | typeof end) =>
    postForm(visit, { hidden: { engagement_id: id }, buttons: [button] });
  return html`<header class="row between"><div><h2 class="big" dir="auto">${vendor}</h2><p class="facts"><span dir="auto">${title}</span><span>${ended_at === null ? html`since ${dateText(created_at)}` : html`${active ? "ends" : "ended"} ${dateText(ended_at)}`}</span></p></div>${active && html`<div class="row">${form(see)}<a class="button${isBlind && " quiet"}" href="/settings/keys?vendor=${id}">Invite someone</a></div>`}</header>
${access.length > 0 ? seesPart(access, engagement) : emptyState(active ? `${vendor} sees nothing yet.` : "What they could see ended with their work.", active ? change : undefined)}
${active && access.length > 0 && html`<p>${change}</p>`}
${
  people.length > 0 &&
  html`<h3>Their people <span class="count">${people.length}</span></h3>${rows(
    "inside",
    people.map((one) => insideRow(visit, one, true)),
  )}`
}
${active && html`<details class="fold"><summary>End their work on this show</summary><div class="flow"><p class="under">They are signed out at once and see nothing any more. What they sent stays. This cannot be undone.</p>${form(end)}</div></details>`}`;
}

export async function showVendors(visit: Visit): Promise<Markup> {
  const named = await visit.byName(await visit.ask(listEngagements, {}), ({ vendor }) => vendor);
  const sorted = named.toSorted((a, b) => Number(b.active) - Number(a.active));
  const { shown, pager } = windowOf(visit, sorted, { weightOf: () => 2 });
  const isNew = visit.query.has("new") || refusalOf(visit, { action: "setup" }) !== undefined || sorted.length === 0;
  const asked = visit.refused?.form.text("engagement_id") || visit.query.get("show");
  const one: Engagement | undefined = isNew ? undefined : (sorted.find(({ id }) => String(id) === asked) ?? shown[0]);
  const isChanging = one?.active && (visit.query.has("change") || refusalOf(visit, { action: "change" }));
  const targets = isNew || isChanging ? await targetsOf(visit) : [];
  const body =
    isNew || one === undefined
      ? setupForm(visit, targets)
      : isChanging
        ? changeView(visit, one, targets)
        : await detail(visit, one);
  return html`${targets.length > 0 && targetList(targets, visit.refused?.form)}
${sorted.length === 0 && emptyState("No vendor works on this show yet.")}
<div class="vendor"><div><ul class="pickers" aria-label="Vendors">${shown.map((each) => picker(visit, each, each === one, sorted))}</ul>${pager}${!isNew && html`<p><a class="button quiet" href="/settings/vendors?new=1">Add a vendor</a></p>`}</div><article class="flow">${body}</article></div>`;
}

/** What ends with an engagement; undefined if there is no such one, or that is confirmed. */
async function endingView(visit: Visit, form: SubmittedForm): Promise<Markup | undefined> {
  const engagement = (await visit.ask(listEngagements, {})).find(({ id }) => String(id) === form.text("engagement_id"));
  if (engagement === undefined || isSure(form)) return undefined;
  const { id, vendor, title } = engagement;
  const keys = (await visit.ask(listKeys, {})).filter((key) => key.live && key.engagement_id === id);
  return confirmation(visit, form, {
    title: `End the work of ${vendor} on this show?`,
    what: html`<p>${title}: what it may see (${liveOf(engagement)}) and ${plural(keys.length, "key")} end at once and for good${keys.length > 0 && `: ${keys.map(({ label }) => label).join(", ")}`}. What came in stays.</p>`,
    button: "End the work",
    back: addressOf(id),
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
    case "change":
      return changeGrants(visit, form, engagement_id);
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
