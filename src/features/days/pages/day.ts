// / and /days/{shoot_day_id}: one shoot day, with what is missing for it. The same page prints as a sheet.
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
  revisionChip,
  sceneChip,
  still,
  toneOf,
} from "../../pages/html_parts.ts";
import { myWork } from "../../pages/my_work.ts";
import type { Redirect, View } from "../../pages/page.ts";
import { editButton, importLink } from "../../pages/page_places.ts";
import { sinceYesterday } from "../../pages/pages/activity.ts";
import { cameBackShort, deliveryItem } from "../../pages/pages/deliveries.ts";
import type { ShootDay } from "../../pages/pages/schedule.ts";
import { countedScenes, sceneFactsOf, sceneNumber } from "../../pages/scene_facts.ts";
import type { Visit } from "../../pages/visit.ts";
import { waitingWorkIn } from "../../pages/waiting_work.ts";
import { type DayBundle, getDayBundle } from "../day_bundle.ts";
import { attention, type DayAsset, type DayScene, readinessOf, scenesOf, thingOf, whereOf } from "./attention.ts";
import { castNames } from "./sheet_facts.ts";

/** What an asset of a scene lacks, with its colour; undefined for one that is ready. */
function lackOf(bundle: DayBundle, asset: DayAsset): { text: string; tone: string } | undefined {
  const { node_id, newest } = asset;
  if (bundle.approvals.some((one) => one.node_id === node_id))
    return { text: newest === null ? "to decide" : `v${newest.version} to decide`, tone: toneOf("pending") };
  const { state, text, status } = readinessOf(bundle, asset);
  return state === "ready" ? undefined : { text, tone: toneOf(status) };
}

/** An asset of a scene. Only what lacks something says so. */
function thingItem(asset: DayAsset, lack: ReturnType<typeof lackOf>): Markup {
  const { name, kind } = thingOf(asset);
  const source = asset.released_versions > 0 ? `/stills/${asset.node_id}` : undefined;
  return html`<li>${still(source, kind)}
<span><a href="/assets/${asset.node_id}" dir="auto">${name}</a>${lack && html` <span class="chip ${lack.tone}">${lack.text}</span>`}</span></li>`;
}

/** The assets of a scene: first what lacks something. Of characters, only those whose make-up does. */
function thingItems(bundle: DayBundle, { assets }: DayScene): Markup[] {
  const things = assets
    .map((asset) => ({ asset, lack: lackOf(bundle, asset) }))
    .filter(({ asset, lack }) => asset.kind !== "character" || (lack !== undefined && asset.newest !== null));
  const [lacking, ready] = [things.filter(({ lack }) => lack), things.filter(({ lack }) => !lack)];
  return [...lacking, ...ready].map(({ asset, lack }) => thingItem(asset, lack));
}

const noteLine = ({ department, summary }: DayBundle["department_notes"][number]): Markup =>
  html`<p class="note"><span class="under">${department}</span> ${summary}</p>`;

type Cast = ReadonlyMap<number, DayBundle["cast"][number]>;

function sceneItem(scene: DayScene, bundle: DayBundle, cast: Cast): Markup {
  const facts = sceneFactsOf(scene);
  const { place, set, time, eighths } = facts;
  const { node_id, status, revision_color, synopsis } = scene;
  const things = thingItems(bundle, scene);
  const names = castNames(scene, cast, facts);
  const isChanged = bundle.script_changes.some((one) => one.node_id === node_id);
  const notes = bundle.department_notes.filter((one) => one.node_id === node_id);
  return html`<li class="day-scene ${facts.colour}">
<div class="scene-head"><span class="number">${sceneNumber(scene)}</span>
<h2><a href="/scenes/${node_id}">${place} ${status === "omitted" ? html`<s>${set}</s>` : set}</a>${time !== "" && html` <span class="under">${time}</span>`}</h2>
<span class="row">${isChanged && html`<span class="chip warn">change to decide</span>`}${revision_color !== "white" && revisionChip(revision_color)}${status !== "active" && sceneChip(status)}</span>
<span class="amount">${eighths !== undefined && html`${formatEighths(eighths)} <span class="count">pg</span>`}</span></div>
<div class="scene-body">${synopsis !== undefined && html`<p class="lead" dir="auto">${synopsis}</p>`}
${names.length > 0 && html`<p class="cast"><span class="count">Cast</span> ${names}</p>`}
${notes.map(noteLine)}
${things.length > 0 && html`<ul class="things">${things}</ul>`}</div>
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
  const { now, zone } = visit;
  const today = runsAt(day, now, zone) ? day.date : dateOfDay(day, now, zone);
  const place = whereOf(bundle);
  const facts = html`${day.general_call !== null && html`<span>Call <b>${day.general_call}</b></span>`}${day.wrap !== undefined && html`<span>Wrap <b>${day.wrap}</b></span>`}
${place !== "" && html`<b>${place}</b>`}
${countedScenes(scenes)}${day.status !== "scheduled" && html`<span>${day.status}</span>`}<span>times of ${zoneName(zoneOfDay(day, zone))}</span>${same_date.length > 0 && html`<span>also on this date: ${same_date.map((other) => html`<a href="/days/${other.id}">${dayText(other)}</a> `)}</span>`}`;
  return heading(html`${dayTitle(day)} <span class="count">${ofDays(day, byDate(days))}</span>`, facts, {
    over: html`${dateText(day.date, "long")} · ${relation(day.date, today)}`,
    actions: html`${dayNavigation(days, day.id)}${editButton(visit, `/edit/schedule/${day.id}`, "Edit day")}<a class="button" href="/days/${day.id}/sheet">Call sheet</a>`,
  });
}

/** The view of a bundle. `days` is the whole schedule. */
async function dayView(visit: Visit, bundle: DayBundle, days: readonly ShootDay[]): Promise<View> {
  const { deliveries, day } = bundle;
  const scenes = scenesOf(bundle);
  const cast = new Map(bundle.cast.map((member) => [member.node_id, member]));
  const work = await waitingWorkIn(visit);
  const body = html`${dayHeading(visit, bundle, days)}
<div class="columns">
${attention(visit, bundle)}
<div class="scenes">${scenes.length === 0 ? emptyState("No scene is on this day.") : html`<ol class="${scenes.some(({ episode_code }) => episode_code) && "coded"}">${await visit.rows(scenes, (scene) => sceneItem(scene, bundle, cast))}</ol>`}</div>
<div class="rail">
${cameBackShort(work)}
${listPanel(
  "Deliveries open",
  deliveries.map((delivery) => deliveryItem(delivery, visit.today, work.counts)),
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
