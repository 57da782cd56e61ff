// /progress: how the show stands. The verdict first, then a plot with its table, the days ahead, what is late, and the
// scenes without a day.

import { withCommas } from "../../../core/wording.ts";
import { followingDay } from "../../../graph/day_hours.ts";
import { listEpisodes } from "../../../graph/production.ts";
import { inParts } from "../../../graph/scene_parts.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { byDate, dayKey, dayText, dayTitle, spanTitle } from "../../../graph/units.ts";
import { formatEighths } from "../../names/page_lengths.ts";
import { dateText } from "../../pages/dates.ts";
import { episodeChoice } from "../../pages/episode_choice.ts";
import { episodeTotals } from "../../pages/episode_totals.ts";
import { html, type Markup } from "../../pages/html.ts";
import { dataTable, emptyState, heading, ofDays, panel, plural } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { View } from "../../pages/page.ts";
import { importLink } from "../../pages/page_places.ts";
import { sceneNumber, stripSum } from "../../pages/scene_facts.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { getProgress, type Standing } from "../progress.ts";
import { type PlotDay, plotOf } from "./plot.ts";

type Scene = OutputOf<typeof listScenes>[number];
type Day = Standing["days"][number];
type ShootDay = OutputOf<typeof getSchedule>[number];

/** How many of the days ahead are shown. */
const maxAhead = 10;
/** How many scenes without a day are shown. */
const maxChips = 60;

const pages = (eighths: number): string => `${formatEighths(eighths)} ${eighths === 8 ? "page" : "pages"}`;

/** "2 4/8 pages behind", "1 2/8 pages ahead" or "on schedule". */
const verdictOf = (behind: number): string =>
  behind === 0 ? "on schedule" : behind > 0 ? `${pages(behind)} behind` : `${pages(-behind)} ahead`;

/** The days of the plot: what is planned and shot up to each. */
function plotDays({ days, on, measured_to }: Standing): { plotted: PlotDay[]; over: number; measured: number } {
  const over = days.filter(({ date }) => date < on).length;
  const measured = days.findIndex(({ shoot_day_id }) => shoot_day_id === measured_to?.shoot_day_id) + 1;
  let [planned, shot, part_shot] = [0, 0, 0];
  const plotted = days.map((day, at) => {
    planned += day.planned.eighths;
    shot += day.shot.eighths;
    if (at >= measured) part_shot += day.part_shot.eighths;
    const { day_number, unit, date } = day;
    return { day_number, unit, date, planned, shot: at < Math.max(over, measured) ? shot : null, part_shot };
  });
  return { plotted, over: Math.max(over, measured), measured };
}

const fact = (name: string, value: Markup | string, below: Markup | string, tone = ""): Markup =>
  html`<div><dt>${name}</dt><dd class="big ${tone}">${value}</dd><dd class="facts">${below}</dd></div>`;

/** The average of a day, to the next eighth. */
const average = (eighths: number, days: number): number => Math.round(eighths / days);

/** What no day so far shows: a scene may be shot that is on none of them. */
const nothingShot = ({ scenes }: Standing["shot"]): string =>
  scenes === 0 ? "Nothing is marked as shot" : "Nothing of the days so far is marked as shot";

function standing(progress: Standing, scenes: readonly Scene[], measured: number): Markup {
  const { total, shot, part_shot, held, behind, measured_to, days, on } = progress;
  const left = days.filter(({ date }) => date >= on);
  const toShoot = total.eighths - shot.eighths;
  const soFar = measured > 0 ? average(shot.eighths, measured) : 0;
  const heldNumbers = scenes.filter(({ status }) => status === "blocked").map(sceneNumber);
  const planned = days.slice(0, measured).reduce((sum, day) => sum + day.planned.eighths, 0);
  const verdict =
    measured_to === null || behind === null
      ? fact("So far", nothingShot(shot), html`<a href="/schedule">To the board</a>`)
      : fact(
          `Up to ${dayText(measured_to)}, ${dateText(measured_to.date)}`,
          verdictOf(behind),
          html`<a href="/scenes">${pages(planned)} planned${heldNumbers.length > 0 && `; ${heldNumbers.length === 1 ? "scene" : "scenes"} ${heldNumbers.slice(0, 5).join(", ")}${heldNumbers.length > 5 ? ` and ${heldNumbers.length - 5} more` : ""} held`}</a>`,
          behind > 0 ? "tone bad" : "",
        );
  const needed =
    soFar > 0 && toShoot > 0
      ? `${plural(Math.ceil(toShoot / soFar), "day")} needed at ${formatEighths(soFar)} a day`
      : "";
  const last = left.at(-1);
  return html`<dl class="stands">
${verdict}
${fact("Pages shot", html`<b>${formatEighths(shot.eighths)}</b> of ${formatEighths(total.eighths)}`, `${formatEighths(toShoot)} to shoot`)}
${fact("Scenes shot", html`<b>${withCommas(shot.scenes)}</b> of ${withCommas(total.scenes)}`, [part_shot.scenes > 0 ? `${part_shot.scenes} part shot` : "", held.scenes > 0 ? `${held.scenes} held` : ""].filter(Boolean).join(", "))}
${fact("Days left", last === undefined ? "None" : html`<b>${left.length}</b> to ${dateText(last.date)}`, needed)}
${toShoot > 0 && left.length > 0 && fact("Pages a day", html`<b>${formatEighths(Math.ceil(toShoot / left.length))}</b> needed`, soFar > 0 ? `${formatEighths(soFar)} so far` : "")}
</dl>`;
}

const numbersOf = (days: readonly Day[]): string => `${spanTitle(days)} ${days.length === 1 ? "is" : "are"}`;

/** The days that are over and of which nothing is marked as shot. */
function unmarkedNotice(days: readonly Day[], on: string, measured: number, behind: number): Markup | false {
  const unmarked = days.slice(measured).filter(({ date }) => date < on);
  const [first] = unmarked;
  if (first === undefined) return false;
  const sum = (name: "planned" | "part_shot", field: "scenes" | "eighths") =>
    unmarked.reduce((all, day) => all + day[name][field], 0);
  const part = sum("part_shot", "scenes");
  const without = behind + sum("planned", "eighths");
  return html`<section class="panel notice warn"><p><b>${numbersOf(unmarked)} over, and nothing of ${unmarked.length === 1 ? "it" : "them"} is marked as shot.</b> ${part > 0 && `${plural(part, "scene")}, ${pages(sum("part_shot", "eighths"))}, ${part === 1 ? "is" : "are"} part shot. `}${without > 0 && `Without ${unmarked.length === 1 ? "it" : "them"} the show is ${pages(without)} behind.`}</p><p class="screen"><a href="/schedule?from=all#day-${first.shoot_day_id}">Mark what was shot</a></p></section>`;
}

function describe(
  plotted: readonly PlotDay[],
  { behind, measured_to, total, shot }: Standing,
  measured: number,
): string {
  const [at, last] = [plotted[measured - 1], plotted.at(-1)];
  const first =
    at === undefined || measured_to === null || behind === null
      ? `${nothingShot(shot)}.`
      : `By ${dayText(at)}, ${dateText(at.date)}, ${pages(at.planned)} were planned and ${formatEighths(at.shot ?? 0)} are shot: ${verdictOf(behind)}.`;
  return `${first} Planned are ${pages(last?.planned ?? 0)} by ${last && dayText(last)}, the last, of ${formatEighths(total.eighths)} in all. The table below has every day.`;
}

/** The same as the plot as a table, folded until one of its parts is asked for. */
function plotTable(visit: Visit, plotted: readonly PlotDay[], measured: number): Markup {
  const { shown, pager } = windowOf(visit, plotted, { name: "days" });
  const over = new Set(plotted.slice(0, measured));
  const rows = shown.map((day) => {
    const { day_number, unit, date, planned, shot } = day;
    const isMeasured = over.has(day);
    const late = planned - (shot ?? 0);
    return html`<tr><th scope="row">${dayKey({ unit, day_number })}</th><td>${dateText(date)}</td><td class="amount">${formatEighths(planned)}</td><td class="amount">${isMeasured ? formatEighths(shot ?? 0) : shot === null ? "–" : "not marked"}</td><td class="amount">${!isMeasured || late === 0 ? "–" : late > 0 ? formatEighths(late) : `−${formatEighths(-late)}`}</td></tr>`;
  });
  const headers = ["Day", "Date", "Planned", "Shot", "Behind"];
  return html`<details class="earlier"${visit.query.has("days") && html` open`}><summary>The same as a table</summary>${dataTable("Pages planned and shot up to each shoot day", headers, rows, headers.slice(2))}${pager}</details>`;
}

/**
 * The days to come, each with the scenes that are shot on it, as the board has them: a scene of several days is on each
 * of them here, and counts on the last in the plot.
 */
function aheadPart(
  days: readonly Day[],
  schedule: ReadonlyMap<number, ShootDay>,
  scenes: ReadonlyMap<number, Scene>,
  on: string,
): Markup {
  const left = days.filter(({ date }) => date >= on);
  if (left.length === 0) return html``;
  const items = left.slice(0, maxAhead).map(({ shoot_day_id, day_number, unit, date, not_ready }) => {
    const day = schedule.get(shoot_day_id);
    const place = day?.location;
    const shown = inParts(day?.scenes.flatMap(({ node_id }) => scenes.get(node_id) ?? []) ?? [], day?.parts);
    return html`<li><span>${date === on ? "Today" : dateText(date)}</span><a href="/days/${shoot_day_id}"><b>${dayTitle({ unit, day_number })}</b>${place !== undefined && html` <span class="under">${place}</span>`}</a><span>${(not_ready ?? 0) > 0 && html`<span class="tone warn">${not_ready} not ready</span>`}</span><span class="under">${stripSum(shown)}</span></li>`;
  });
  const count = left.length > maxAhead ? `${maxAhead} of ${left.length}` : `${left.length}`;
  return html`<section><h2>Ahead <span class="count">${count}</span></h2><ol class="lines ahead">${items}</ol>${left.length > maxAhead && html`<p><a href="/schedule">All days</a></p>`}</section>`;
}

const lateItem = ({ kind, id, title, due, days, awaiting }: Standing["late"][number]): Markup => {
  const whom = awaiting.map(({ person }) => person).join(", ");
  const href = kind === "approval" ? `/approvals/${id}` : `/deliveries/${id}`;
  return html`<li><span><a href="${href}">${title}</a><span class="under">${kind}${whom !== "" && `, waits for ${whom}`}</span></span><span class="tone bad" title="due ${dateText(due)}">${plural(days, "day")}</span></li>`;
};

function rail({ late, without_day, without_length, shot_without_day }: Standing, waiting: readonly Scene[]): Markup {
  const chips = waiting
    .slice(0, maxChips)
    .map((scene) => html`<li><a href="/scenes/${scene.node_id}">${sceneNumber(scene)}</a></li>`);
  return html`<aside class="flow" aria-label="What is late or without a day">
${panel("Late", late.length === 0 ? emptyState("Nothing is late.") : html`<ul class="lines overdue">${late.map(lateItem)}</ul>`, late.length)}
${without_day.scenes > 0 && html`<section><h2>Without a day <span class="count">${plural(without_day.scenes, "scene")}, ${pages(without_day.eighths)}</span></h2><p class="facts"><a href="/schedule">Give them a day</a></p><ul class="chips">${chips}</ul>${waiting.length > maxChips && html`<p class="under">and ${waiting.length - maxChips} more</p>`}</section>`}
${shot_without_day.scenes > 0 && html`<p class="under">${plural(shot_without_day.scenes, "scene")}, ${pages(shot_without_day.eighths)}, ${shot_without_day.scenes === 1 ? "is" : "are"} shot and on no day that is over: no day counts ${shot_without_day.scenes === 1 ? "it" : "them"}.</p>`}
${without_length > 0 && html`<p class="under">${plural(without_length, "scene")} without a length ${without_length === 1 ? "counts" : "count"} as 0 pages.</p>`}
</aside>`;
}

/** The totals of each episode of a series that has several. */
async function byEpisode(visit: Visit): Promise<Markup | false> {
  const episodes = await visit.ask(listEpisodes, {});
  if (episodes.length < 2) return false;
  const totals = episodeTotals(visit.context.app.store, visit.context.caller.production_id);
  const none = { scenes: 0, eighths: 0 };
  const rows = episodes.map(({ id, code, title }) => {
    const { scenes, eighths, shot } = totals.get(id) ?? { ...none, shot: none };
    return html`<tr><th scope="row"><a href="/progress?episode_id=${id}">${code}</a> <span class="under" dir="auto">${title !== code && title}</span></th><td class="amount">${scenes}</td><td class="amount">${formatEighths(eighths)}</td><td class="amount">${shot.scenes}</td><td class="amount">${formatEighths(shot.eighths)}</td></tr>`;
  });
  const amounts = ["Scenes", "Pages", "Shot", "Pages shot"];
  return html`<section><h2>By episode</h2>${dataTable("By episode", ["Episode", ...amounts], rows, amounts)}</section>`;
}

export async function showProgress(visit: Visit): Promise<View> {
  const episodes = await episodeChoice(visit);
  const [progress, scenes, schedule] = await Promise.all([
    visit.ask(getProgress, episodes.given),
    visit.ask(listScenes, episodes.given),
    visit.ask(getSchedule, {}),
  ]);
  const { days, on, total, behind } = progress;
  const title = "How the show stands";
  if (total.scenes === 0 && episodes.given.episode_id === undefined)
    return {
      title,
      body: html`${heading(title)}${emptyState("There is no script yet.", importLink(visit, "fountain", "Import a script"))}`,
    };
  const { plotted, over, measured } = plotDays(progress);
  const years = new Set(plotted.map(({ date }) => date.slice(0, 4)));
  const scheduled = new Set(schedule.flatMap((day) => day.scenes.map(({ node_id }) => node_id)));
  const waiting = scenes.filter(({ node_id, status }) => status !== "omitted" && !scheduled.has(node_id));
  const stands = followingDay(schedule, visit.now, visit.zone);
  const facts = html`<span>${dateText(on, "long")}</span>${stands && html`<span><a href="/days/${stands.day.id}">${stands.isToday ? "" : "next is "}${dayText(stands.day)}</a> ${ofDays(stands.day, byDate(schedule))}</span>`}${episodes.links}`;
  const plot =
    days.length === 0
      ? emptyState("There is no schedule yet.", importLink(visit, "schedule", "Import a schedule"))
      : html`<section><h2>Pages by shoot day</h2>${plotOf({
          days: plotted,
          total: total.eighths,
          over,
          measured,
          behind: behind ?? 0,
          dateOf: (date) => dateText(date).replace(years.size === 1 ? /^\w+ | \d{4}$/g : /^\w+ /, ""),
          describe: describe(plotted, progress, measured),
        })}${plotTable(visit, plotted, measured)}</section>`;
  const body = html`${heading(title, facts)}
${standing(progress, scenes, measured)}
${unmarkedNotice(days, on, measured, behind ?? 0)}
<div class="columns"><div class="flow">${plot}
${days.length > 0 && aheadPart(days, new Map(schedule.map((day) => [day.id, day])), new Map(scenes.map((scene) => [scene.node_id, scene])), on)}
${days.length > 0 && !days.some(({ date }) => date >= on) && html`<p>No day is left, ${pages(total.eighths - progress.shot.eighths)} are to shoot.</p>`}</div>
${rail(progress, waiting)}</div>
${await byEpisode(visit)}`;
  return { title, body };
}
