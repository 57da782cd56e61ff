// / and /days/{shoot_day_id}: one shoot day, with what is missing for it. The same page prints as a sheet.
import type { NodeId } from "../../../core/ids.ts";
import { day } from "../../../core/times.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { byDate } from "../../cast/day_out_of_days.ts";
import { formatEighths } from "../../names/sluglines.ts";
import { dateText, localDate } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import {
  chip,
  emptyState,
  heading,
  listPanel,
  neighbourLinks,
  ofDays,
  plural,
  revisionChip,
  still,
} from "../../pages/html_parts.ts";
import { myWork } from "../../pages/my_work.ts";
import type { Redirect, View } from "../../pages/page.ts";
import { importLink } from "../../pages/page_places.ts";
import { sinceYesterday } from "../../pages/pages/activity.ts";
import { deliveryItem } from "../../pages/pages/deliveries.ts";
import type { ShootDay } from "../../pages/pages/schedule.ts";
import { pagesIn, type SceneFacts, sceneFactsOf, sceneNumber } from "../../pages/scene_facts.ts";
import type { Visit } from "../../pages/visit.ts";
import { getDayBundle } from "../day_bundle.ts";
import { attention, type DayAsset, type DayBundle, type DayScene, readinessOf, whereOf } from "./attention.ts";

const toneOfState = { ready: "good", lacking: "bad", "not-started": "none" } as const;

const assetTile = (bundle: DayBundle, asset: DayAsset): Markup => {
  const { node_id, label, kind, released_versions } = asset;
  const { state, text } = readinessOf(bundle, asset);
  return html`<li${state !== "ready" && html` class="idle ${toneOfState[state]}"`}><a class="tile" href="/assets/${node_id}">${still(released_versions > 0 ? `/stills/${node_id}` : undefined, kind)}
<span class="label">${label}</span>
<span class="under${state !== "not-started" && ` tone ${toneOfState[state]}`}">${text}</span></a></li>`;
};

const changeLine = ({ kind, summary, revision_color }: DayBundle["script_changes"][number]): Markup =>
  html`<p><span class="chip warn">${kind}</span> ${summary} <span class="under">${revision_color}, pending</span></p>`;

const noteLine = ({ department, summary }: DayBundle["department_notes"][number]): Markup =>
  html`<p class="note"><span class="under">${department}</span> ${summary}</p>`;

const stripFacts = ({ place, time, eighths, cast }: SceneFacts): Markup => html`
<dl class="row">
${place !== "" && html`<div><dt>Where</dt><dd>${place}</dd></div>`}
${time !== "" && html`<div><dt>When</dt><dd>${time}</dd></div>`}
${eighths !== undefined && html`<div><dt>Pages</dt><dd>${formatEighths(eighths)}</dd></div>`}
${cast.length > 0 && html`<div><dt>Cast</dt><dd>${cast.join(", ")}</dd></div>`}
</dl>`;

function sceneSection(scene: DayScene, bundle: DayBundle): Markup {
  const facts = sceneFactsOf(scene);
  const { node_id, assets, status, revision_color, synopsis } = scene;
  const about = <T extends { node_id: NodeId | null }>(rows: readonly T[]) =>
    rows.filter((row) => row.node_id === node_id);
  const by = Map.groupBy(assets, (asset) => readinessOf(bundle, asset).state);
  const [lacking = [], idle = [], ready = []] = [by.get("lacking"), by.get("not-started"), by.get("ready")];
  const tiles = (of: readonly DayAsset[]) =>
    html`<ul class="grid small">${of.map((asset) => assetTile(bundle, asset))}</ul>`;
  return html`<li class="panel notice day-scene ${facts.colour}">
<h2><a href="/scenes/${node_id}"><span class="number">${sceneNumber(scene)}</span> ${status === "omitted" ? html`<s>${facts.set}</s>` : facts.set}</a>
${revision_color !== "white" && revisionChip(revision_color)}
${status !== "planned" && status !== "active" && chip(status)}</h2>
${stripFacts(facts)}
${synopsis !== undefined && html`<p class="lead">${synopsis}</p>`}
${about(bundle.script_changes).map(changeLine)}
${about(bundle.department_notes).map(noteLine)}
${
  assets.length > 0 &&
  html`<p class="count">${plural(assets.length, "asset")}${lacking.length > 0 && html`, <strong class="tone bad">${lacking.length} not ready</strong>`}${
    idle.length > 0 && `, ${idle.length} not started`
  }${lacking.length + idle.length === 0 && ", all ready"}</p>
${lacking.length + idle.length > 0 && tiles([...lacking, ...idle])}
${ready.length > 0 && html`<details class="ready-assets"><summary>${ready.length} ready</summary>${tiles(ready)}</details>`}`
}
</li>`;
}

const neighbour = (day: ShootDay | undefined) => day && { href: `/days/${day.id}`, text: `Day ${day.day_number}` };

/** The links to the days before and after. */
function dayNavigation(days: readonly ShootDay[], id: number): Markup {
  const at = days.findIndex((day) => day.id === id);
  return neighbourLinks("Shoot days", neighbour(days[at - 1]), neighbour(at < 0 ? undefined : days[at + 1]));
}

/** How far a date is from today. */
function relation(date: string, today: string): string {
  const days = Math.round((Date.parse(date) - Date.parse(today)) / day);
  if (days === 0) return "today";
  return days > 0 ? (days === 1 ? "tomorrow" : `in ${days} days`) : days === -1 ? "yesterday" : `${-days} days ago`;
}

function dayHeading(bundle: DayBundle, days: readonly ShootDay[], today: string, mayEdit: boolean): Markup {
  const { day, scenes, same_date } = bundle;
  const facts = scenes.filter(({ status }) => status !== "omitted").map((scene) => sceneFactsOf(scene));
  const pages = pagesIn(scenes);
  const cast = new Set(facts.flatMap((fact) => fact.cast)).size;
  const place = whereOf(bundle);
  return html`<header class="row heading day">
<div><p class="over">${dateText(day.date, "long")} <span class="chip ${day.date === today && "warn"}">${relation(day.date, today)}</span></p>
<h1>Day ${day.day_number} <span class="count">${ofDays(day, byDate(days))}</span></h1>
<p class="facts">${day.general_call !== null && html`<span>General call <b>${day.general_call}</b></span>`}
${place !== "" && html`<b>${place}</b>`}
<span>${plural(facts.length, "scene")}</span>${pages !== "" && html`<span>${pages}</span>`}${cast > 0 && html`<span>${cast} cast</span>`}${
    day.status !== "scheduled" && html`<span>${day.status}</span>`
  }<a href="/days/${day.id}/sheet">Call sheet</a>${mayEdit && html`<a href="/edit/schedule/${day.id}">Edit</a>`}</p>
${same_date.length > 0 && html`<p class="under">Also on this date: ${same_date.map(({ id, day_number }) => html`<a href="/days/${id}">day ${day_number}</a> `)}</p>`}</div>
${dayNavigation(days, day.id)}
</header>`;
}

/** The view of a bundle. `days` is the whole schedule. */
async function dayView(visit: Visit, bundle: DayBundle, days: readonly ShootDay[]): Promise<View> {
  const today = localDate(visit.ctx.app.clock());
  const { scenes, deliveries, day } = bundle;
  const body = html`${dayHeading(bundle, days, today, visit.mayEdit)}
<div class="columns">
${attention(visit, bundle)}
<div class="scenes">${scenes.length === 0 ? emptyState("No scene is on this day.") : html`<ol class="flow">${visit.rows(scenes.map((scene) => sceneSection(scene, bundle)))}</ol>`}</div>
<div class="flow">
${listPanel(
  "Deliveries open",
  deliveries.map((delivery) => deliveryItem(delivery, today)),
)}
${await sinceYesterday(visit)}
</div>
</div>`;
  return {
    title: `Day ${day.day_number}`,
    sheet: `Day ${day.day_number} ${ofDays(day, byDate(days))}`,
    body,
  };
}

/** The shoot day of a date or the next one; the last one if there is none after it. */
const dayFrom = (days: readonly ShootDay[], date: string): ShootDay | undefined => {
  const sorted = byDate(days);
  return sorted.find((day) => day.date >= date) ?? sorted.at(-1);
};

/** The first page: what waits for the visitor, then the shoot day of today or the next one. A vendor's first page is the turnovers. */
export async function showToday(visit: Visit): Promise<View | Redirect> {
  if (visit.isVendor) return { location: "/turnovers" };
  const today = localDate(visit.ctx.app.clock());
  const days = await visit.ask(getSchedule, {});
  const day = dayFrom(days, today);
  const waiting = await myWork(visit);
  if (day !== undefined) {
    const view = await dayView(visit, await visit.ask(getDayBundle, { shoot_day_id: day.id }), days);
    return { ...view, body: html`${waiting}${view.body}` };
  }
  const body = html`${heading("Today")}${waiting}${emptyState("There is no schedule yet. With one, the next shoot day opens here.", importLink(visit, "schedule", "Import a schedule"))}
${await sinceYesterday(visit)}`;
  return { title: "Today", body };
}

export async function showDay(visit: Visit): Promise<View> {
  const bundle = await visit.ask(getDayBundle, { shoot_day_id: visit.id("shoot_day_id") });
  return dayView(visit, bundle, await visit.ask(getSchedule, {}));
}
