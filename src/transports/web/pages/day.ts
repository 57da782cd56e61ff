// / and /days/{shoot_day_id}: one shoot day, with what is missing for it. The same page prints as a sheet.
import type * as v from "valibot";
import { listActivity } from "../../../operations/activity.ts";
import { getDayBundle } from "../../../operations/day_bundle.ts";
import { getSchedule } from "../../../operations/schedule.ts";
import { html, type Markup } from "../html.ts";
import type { Redirect, View, WebPage } from "../page.ts";
import { chip, classNameOf, dateText, emptyState, heading, localDate, panel, plural, still } from "../parts.ts";
import { pagesText, type SceneFacts, sceneFactsOf } from "../scene_facts.ts";
import type { Visit } from "../visit.ts";
import { activityItem } from "./activity.ts";
import { approvalLink } from "./approvals.ts";
import { deliveryItem } from "./deliveries.ts";
import { sceneNumber } from "./scenes.ts";
import type { ShootDay } from "./schedule.ts";

type DayBundle = v.InferOutput<(typeof getDayBundle)["output"]>;
type DayScene = DayBundle["scenes"][number];
type DayAsset = DayScene["assets"][number];

/** What the asset still needs; undefined if it is ready. */
function lackOf({ ready, status, newest }: DayAsset): string | undefined {
  if (status === "blocked") return "blocked";
  if (ready) return undefined;
  return newest === null ? "no version yet" : `v${newest.version} ${newest.status}, not released`;
}

const assetTile = (asset: DayAsset): Markup => {
  const { node_id, label, kind, released_versions } = asset;
  const lack = lackOf(asset);
  return html`<li class="${lack !== undefined && "lacking"}"><a class="tile" href="/assets/${node_id}">${still(released_versions > 0 ? `/stills/${node_id}` : undefined, kind)}
<span class="label">${label}</span>
<span class="under ${lack === undefined ? "ready" : "lack"}">${lack ?? "ready"}</span></a></li>`;
};

const changeLine = ({ kind, summary, revision_color }: DayBundle["script_changes"][number]): Markup =>
  html`<p class="change"><span class="chip pending">${kind}</span> ${summary} <span class="under">${revision_color}, pending</span></p>`;

const noteLine = ({ department, summary }: DayBundle["department_notes"][number]): Markup =>
  html`<p class="note"><span class="under">${department}</span> ${summary}</p>`;

const stripFacts = ({ place, time, eighths, cast }: SceneFacts): Markup => html`
<dl class="scene-facts">
${place !== "" && html`<div><dt>Where</dt><dd>${place}</dd></div>`}
${time !== "" && html`<div><dt>When</dt><dd>${time}</dd></div>`}
${eighths !== undefined && html`<div><dt>Pages</dt><dd>${pagesText(eighths)}</dd></div>`}
${cast.length > 0 && html`<div><dt>Cast</dt><dd>${cast.join(", ")}</dd></div>`}
</dl>`;

function sceneSection(scene: DayScene, bundle: DayBundle): Markup {
  const facts = sceneFactsOf(scene);
  const { node_id, assets, status, revision_color, synopsis } = scene;
  const about = <T extends { node_id: number | null }>(rows: readonly T[]) =>
    rows.filter((row) => row.node_id === node_id);
  const lacking = assets.filter((asset) => lackOf(asset) !== undefined).length;
  const sorted = assets.toSorted((a, b) => Number(lackOf(a) === undefined) - Number(lackOf(b) === undefined));
  return html`<li class="day-scene ${facts.colour}">
<div class="scene-head">
<h2><a href="/scenes/${node_id}"><span class="number">${sceneNumber(scene)}</span> ${status === "omitted" ? html`<s>${facts.set}</s>` : facts.set}</a>
${revision_color !== "white" && html`<span class="revision revision-${classNameOf(revision_color)}">${revision_color}</span>`}
${status !== "planned" && status !== "active" && chip(status)}</h2>
${stripFacts(facts)}
${synopsis !== undefined && html`<p class="synopsis">${synopsis}</p>`}
</div>
${about(bundle.script_changes).map(changeLine)}
${about(bundle.department_notes).map(noteLine)}
${
  assets.length > 0 &&
  html`<p class="assets-line">${plural(assets.length, "asset")}${lacking > 0 ? html`, <strong class="lack">${lacking} not ready</strong>` : ", all ready"}</p>
<ul class="wall small">${sorted.map(assetTile)}</ul>`
}
</li>`;
}

/** The assets that are not ready, each once, with the scenes that need it. */
function missingOf({ scenes }: DayBundle): { asset: DayAsset; scenes: string[] }[] {
  const found = new Map<number, { asset: DayAsset; scenes: string[] }>();
  for (const scene of scenes.filter(({ status }) => status !== "omitted"))
    for (const asset of scene.assets) {
      if (lackOf(asset) === undefined) continue;
      const entry = found.get(asset.node_id) ?? { asset, scenes: [] };
      entry.scenes.push(sceneNumber(scene));
      found.set(asset.node_id, entry);
    }
  return [...found.values()];
}

const missingPanel = (bundle: DayBundle): Markup => {
  const missing = missingOf(bundle);
  if (missing.length === 0)
    return panel("Everything is ready", html`<p>Each asset of the day has a released version.</p>`);
  const items = missing.map(
    ({ asset, scenes }) =>
      html`<li><a href="/assets/${asset.node_id}">${asset.label}</a> <span class="under"><span class="lack">${lackOf(asset)}</span> · scene ${scenes.join(", ")}</span></li>`,
  );
  return html`<section class="panel missing"><h2>Not ready <span class="count">${missing.length}</span></h2><ul class="lines">${items}</ul></section>`;
};

/** The days before and after. */
interface Neighbours {
  before: ShootDay | undefined;
  after: ShootDay | undefined;
}

const neighboursOf = (days: readonly ShootDay[], id: number): Neighbours => {
  const at = days.findIndex((day) => day.id === id);
  return { before: days[at - 1], after: at < 0 ? undefined : days[at + 1] };
};

const dayMilliseconds = 86_400_000;
const shifted = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMilliseconds).toISOString().slice(0, 10);

/** How many days of the schedule are read on each side of a date. The whole schedule is read only if they do not suffice. */
const windowDays = 10;

const daysAround = (visit: Visit, date: string): Promise<ShootDay[]> =>
  visit.ask(getSchedule, { from: shifted(date, -windowDays), to: shifted(date, windowDays) });

const dayNavigation = ({ before, after }: Neighbours): Markup => html`
<nav class="days" aria-label="Shoot days">
${before && html`<a rel="prev" href="/days/${before.id}">← Day ${before.day_number}</a>`}
${after && html`<a rel="next" href="/days/${after.id}">Day ${after.day_number} →</a>`}
</nav>`;

/** How far a date is from today. */
function relation(date: string, today: string): string {
  const days = Math.round((Date.parse(date) - Date.parse(today)) / dayMilliseconds);
  if (days === 0) return "today";
  return days > 0 ? (days === 1 ? "tomorrow" : `in ${days} days`) : days === -1 ? "yesterday" : `${-days} days ago`;
}

function dayHeading(
  { day, scenes, same_date }: DayBundle,
  neighbours: Neighbours,
  today: string,
  mayEdit: boolean,
): Markup {
  const facts = scenes.filter(({ status }) => status !== "omitted").map((scene) => sceneFactsOf(scene));
  const eighths = facts.reduce((sum, fact) => sum + (fact.eighths ?? 0), 0);
  const cast = new Set(facts.flatMap((fact) => fact.cast)).size;
  return html`<header class="heading day">
${dayNavigation(neighbours)}
<p class="over">${dateText(day.date, "long")} <span class="chip ${day.date === today && "waiting"}">${relation(day.date, today)}</span></p>
<h1>Day ${day.day_number}</h1>
<p class="facts">${day.general_call !== null && html`<span class="call">General call <strong>${day.general_call}</strong></span>`}
<span>${plural(facts.length, "scene")}</span>${eighths > 0 && html`<span>${pagesText(eighths)} pages</span>`}${cast > 0 && html`<span>${cast} cast</span>`}${
    day.status !== "scheduled" && html`<span>${day.status}</span>`
  }${mayEdit && html`<a href="/edit/schedule/${day.id}">Edit</a>`}</p>
${same_date.length > 0 && html`<p class="under">Also on this date: ${same_date.map(({ id, day_number }) => html`<a href="/days/${id}">day ${day_number}</a> `)}</p>`}
</header>`;
}

/** What happened since midnight in the time zone of the server. */
async function sinceMorning(visit: Visit, today: string): Promise<Markup> {
  const entries = await visit.ask(listActivity, { limit: 12 });
  const fresh = entries.filter(({ created_at }) => localDate(Date.parse(created_at)) === today);
  return panel(
    "Since this morning",
    fresh.length === 0 ? emptyState("Nothing yet today.") : html`<ul class="lines">${fresh.map(activityItem)}</ul>`,
  );
}

/** The view of a bundle. `around` are the days of the schedule near it. */
async function dayView(visit: Visit, bundle: DayBundle, around: readonly ShootDay[]): Promise<View> {
  const today = localDate(visit.ctx.app.clock());
  const { scenes, approvals, deliveries, day } = bundle;
  let neighbours = neighboursOf(around, day.id);
  if (neighbours.before === undefined || neighbours.after === undefined)
    neighbours = neighboursOf(await visit.ask(getSchedule, {}), day.id);
  const waiting = approvals.toSorted((a, b) => (a.due ?? "9999").localeCompare(b.due ?? "9999"));
  const body = html`${dayHeading(bundle, neighbours, today, visit.mayEdit)}
<div class="columns">
<div>${scenes.length === 0 ? emptyState("No scene is on this day.") : html`<ol class="day-scenes">${scenes.map((scene) => sceneSection(scene, bundle))}</ol>`}</div>
<div class="aside">
${missingPanel(bundle)}
${waiting.length > 0 && panel("Approvals pending", html`<ul class="lines">${waiting.map((approval) => html`<li>${approvalLink(visit, approval)}</li>`)}</ul>`, waiting.length)}
${deliveries.length > 0 && panel("Deliveries open", html`<ul class="lines">${deliveries.map((delivery) => deliveryItem(delivery, today))}</ul>`, deliveries.length)}
${await sinceMorning(visit, today)}
</div>
</div>`;
  return { title: `Day ${day.day_number}`, body };
}

const byDate = (a: ShootDay, b: ShootDay): number => a.date.localeCompare(b.date) || a.day_number - b.day_number;

/** The shoot day of a date or the next one; the last one if there is none after it. */
const dayFrom = (days: readonly ShootDay[], date: string): ShootDay | undefined => {
  const sorted = days.toSorted(byDate);
  return sorted.find((day) => day.date >= date) ?? sorted.at(-1);
};

/** The first page: the shoot day of today or the next one. A vendor's first page is the turnovers. */
async function showToday(visit: Visit): Promise<View | Redirect> {
  if (visit.isVendor) return { location: "/turnovers" };
  const today = localDate(visit.ctx.app.clock());
  let days = await daysAround(visit, today);
  if (!days.some(({ date }) => date >= today)) days = await visit.ask(getSchedule, {});
  const day = dayFrom(days, today);
  if (day !== undefined) return dayView(visit, await visit.ask(getDayBundle, { shoot_day_id: day.id }), days);
  const body = html`${heading("Today")}${emptyState("There is no schedule yet. Import one with `tallylight import FILE.csv --as schedule`; the next shoot day then opens here.")}
${await sinceMorning(visit, today)}`;
  return { title: "Today", body };
}

export const todayPage: WebPage = { path: "/", reach: "engagement", section: "/", show: showToday };

async function showDay(visit: Visit): Promise<View> {
  const bundle = await visit.ask(getDayBundle, { shoot_day_id: visit.id("shoot_day_id") });
  return dayView(visit, bundle, await daysAround(visit, bundle.day.date));
}

export const dayPage: WebPage = { path: "/days/:shoot_day_id", reach: "production", section: "/", show: showDay };
