// / and /days/{shoot_day_id}: one shoot day, with what is missing for it. The same page prints as a sheet.
import type { NodeId } from "../../../core/ids.ts";
import { day } from "../../../core/times.ts";
import { zoneName } from "../../../core/zones.ts";
import { dateOfDay, runsAt, todaysDay, zoneOfDay } from "../../../graph/day_hours.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { byDate, dayText, dayTitle } from "../../../graph/units.ts";
import { formatEighths } from "../../names/page_lengths.ts";
import { dateText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import {
  emptyState,
  heading,
  listPanel,
  neighbourLinks,
  ofDays,
  plural,
  revisionChip,
  sceneChip,
  still,
} from "../../pages/html_parts.ts";
import { myWork } from "../../pages/my_work.ts";
import type { Redirect, View } from "../../pages/page.ts";
import { importLink } from "../../pages/page_places.ts";
import { sinceYesterday } from "../../pages/pages/activity.ts";
import { cameBack, deliveryItem } from "../../pages/pages/deliveries.ts";
import type { ShootDay } from "../../pages/pages/schedule.ts";
import { pagesIn, type SceneFacts, sceneFactsOf, sceneNumber } from "../../pages/scene_facts.ts";
import type { Visit } from "../../pages/visit.ts";
import { type DayBundle, getDayBundle } from "../day_bundle.ts";
import { attention, type DayAsset, type DayScene, readinessOf, scenesOf, whereOf } from "./attention.ts";

const toneOfState = { ready: "good", lacking: "bad", "not-started": "none" } as const;

const assetTile = (bundle: DayBundle, asset: DayAsset): Markup => {
  const { node_id, label, kind, released_versions } = asset;
  const { state, text } = readinessOf(bundle, asset);
  return html`<li${state !== "ready" && html` class="idle ${toneOfState[state]}"`}><a class="tile" href="/assets/${node_id}">${still(released_versions > 0 ? `/stills/${node_id}` : undefined, kind)}
<span class="label">${label}</span>
<span class="under${state !== "not-started" && ` tone ${toneOfState[state]}`}">${text}</span></a></li>`;
};

const changeLine = ({ kind, summary, revision_color }: DayBundle["script_changes"][number]): Markup =>
  html`<p><span class="chip warn">${kind}</span> ${summary} <span class="under">${revision_color}, to decide</span></p>`;

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
${status !== "planned" && status !== "active" && sceneChip(status)}</h2>
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

const neighbour = (day: ShootDay | undefined) => day && { href: `/days/${day.id}`, text: dayTitle(day) };

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

function dayHeading(visit: Visit, bundle: DayBundle, days: readonly ShootDay[]): Markup {
  const { day, same_date } = bundle;
  const scenes = scenesOf(bundle);
  const { now, zone, mayEdit } = visit;
  const today = runsAt(day, now, zone) ? day.date : dateOfDay(day, now, zone);
  const facts = scenes.filter(({ status }) => status !== "omitted").map((scene) => sceneFactsOf(scene));
  const pages = pagesIn(scenes);
  const cast = new Set(facts.flatMap((fact) => fact.cast)).size;
  const place = whereOf(bundle);
  return html`<header class="row heading day">
<div><p class="over">${dateText(day.date, "long")} <span class="chip ${day.date === today && "warn"}">${relation(day.date, today)}</span></p>
<h1>${dayTitle(day)} <span class="count">${ofDays(day, byDate(days))}</span></h1>
<p class="facts">${day.general_call !== null && html`<span>Call <b>${day.general_call}</b></span>`}
${place !== "" && html`<b>${place}</b>`}
<span>${plural(facts.length, "scene")}</span>${pages !== "" && html`<span>${pages}</span>`}${cast > 0 && html`<span>${cast} cast</span>`}${
    day.status !== "scheduled" && html`<span>${day.status}</span>`
  }<span>times of ${zoneName(zoneOfDay(day, zone))}</span><a href="/days/${day.id}/sheet">Call sheet</a>${mayEdit && html`<a href="/edit/schedule/${day.id}">Edit</a>`}</p>
${same_date.length > 0 && html`<p class="under">Also on this date: ${same_date.map((other) => html`<a href="/days/${other.id}">${dayText(other)}</a> `)}</p>`}</div>
${dayNavigation(days, day.id)}
</header>`;
}

/** The view of a bundle. `days` is the whole schedule. */
async function dayView(visit: Visit, bundle: DayBundle, days: readonly ShootDay[]): Promise<View> {
  const { deliveries, day } = bundle;
  const scenes = scenesOf(bundle);
  const body = html`${dayHeading(visit, bundle, days)}
<div class="columns">
${attention(visit, bundle)}
<div class="scenes">${scenes.length === 0 ? emptyState("No scene is on this day.") : html`<ol class="flow">${await visit.rows(scenes, (scene) => sceneSection(scene, bundle))}</ol>`}</div>
<div class="flow">
${await cameBack(visit)}
${listPanel(
  "Deliveries open",
  deliveries.map((delivery) => deliveryItem(delivery, visit.today)),
)}
${await sinceYesterday(visit)}
</div>
</div>`;
  return {
    title: dayTitle(day),
    sheet: `${dayTitle(day)} ${ofDays(day, byDate(days))}`,
    body,
  };
}

/**
 * The first page: what waits for the visitor, then the shoot day of today or the next one. A vendor's first page is the
 * turnovers.
 */
export async function showToday(visit: Visit): Promise<View | Redirect> {
  if (visit.isVendor) return { location: "/turnovers" };
  const days = await visit.ask(getSchedule, {});
  const day = todaysDay(days, visit.now, visit.zone);
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
