// /schedule: the whole schedule as a stripboard, with the forms that change it.

import type { NodeId } from "../../../core/ids.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { formatEighths } from "../../names/sluglines.ts";
import { dateText, localDate } from "../dates.ts";
import { html, type Markup } from "../html.ts";
import { chip, emptyState, heading, plural } from "../html_parts.ts";
import { addressWith, windowOf } from "../list_windows.ts";
import type { View } from "../page.ts";
import { editLink, linkTo, placeFiller } from "../page_places.ts";
import { eighthsOf, factsLine, sceneFactsOf, sceneNumber } from "../scene_facts.ts";
import type { OutputOf, Visit } from "../visit.ts";
import type { Scene } from "./scenes.ts";

export type ShootDay = OutputOf<typeof getSchedule>[number];
type Strip = ShootDay["scenes"][number];

/** The handle of a strip: with the page's script it is dragged, without it the form opens for the scene. */
const gripOf = (node_id: NodeId, number: string, day: number): Markup =>
  html`<a class="grip" href="/schedule?scene_id=${node_id}&scene=${encodeURIComponent(number)}&day=${day}#move" data-move="${node_id}" data-scene="${number}" aria-label="Move scene ${number}"></a>`;

/** `day` is the id of its day, 0 if it has none; undefined if the visitor may not move it. */
const stripItem = ({ node_id, number, slugline }: Strip, scene: Scene | undefined, day: number | undefined): Markup => {
  const facts = sceneFactsOf(scene ?? { slugline, elements: {} });
  const omitted = scene?.status === "omitted";
  return html`<li class="strip ${facts.colour}"><a href="/scenes/${node_id}"><span class="number">${scene ? sceneNumber(scene) : number}</span>
<span><b>${omitted ? html`<s>${facts.set}</s>` : facts.set}</b>${factsLine(facts)}</span></a>${day !== undefined && gripOf(node_id, scene ? sceneNumber(scene) : number, day)}</li>`;
};

function dayRow(
  { id, day_number, date, general_call, status, scenes }: ShootDay,
  bySceneId: ReadonlyMap<number, Scene>,
  today: string,
  { mayEdit, shared }: { mayEdit: boolean; shared: ReadonlySet<string> },
): Markup {
  const live = scenes.filter(({ node_id }) => bySceneId.get(node_id)?.status !== "omitted");
  const eighths = live.reduce((sum, { node_id }) => sum + (eighthsOf(bySceneId.get(node_id)?.elements.pages) ?? 0), 0);
  return html`<li class="board-day${date === today && " today"}" id="day-${id}">
<h2>${linkTo(`/days/${id}`, `Day ${day_number}`)} <span class="count">${dateText(date)}</span>${date === today && html` <span class="chip warn">today</span>`}${shared.has(date) && html` <span class="chip warn">another day has this date</span>`}</h2>
<p class="under">${general_call !== null && html`call ${general_call} · `}${plural(live.length, "scene")}${eighths > 0 && html` · ${formatEighths(eighths)} pg`} ${status !== "scheduled" && chip(status)}</p>
<ol class="strips" data-day="${id}" data-name="day ${day_number}">${scenes.map((strip) => stripItem(strip, bySceneId.get(strip.node_id), mayEdit ? id : undefined))}</ol>
</li>`;
}

export async function showSchedule(visit: Visit): Promise<View> {
  const [days, scenes] = await Promise.all([visit.ask(getSchedule, {}), visit.ask(listScenes, {})]);
  const today = localDate(visit.ctx.app.clock());
  const bySceneId = new Map(scenes.map((scene) => [scene.node_id, scene]));
  const scheduled = new Set(days.flatMap((day) => day.scenes.map(({ node_id }) => node_id)));
  const waiting = scenes.filter(({ node_id, status }) => status !== "omitted" && !scheduled.has(node_id));
  const boardForms = visit.mayEdit ? await placeFiller("board_forms") : undefined;
  const mayEdit = boardForms !== undefined;
  const firstOn = new Map(days.toReversed().map((day) => [day.date, day]));
  const shared = new Set(days.filter((day) => firstOn.get(day.date) !== day).map(({ date }) => date));
  const done = days.filter(({ date }) => date < today).length;
  const next = days.findIndex(({ date }) => date >= today);
  const [following] = days.slice(next, next + 1);
  const part = windowOf(visit, days, { size: 45, weightOf: (day) => day.scenes.length + 1, start: Math.max(0, next) });
  const rest = windowOf(visit, waiting, { name: "waiting" });
  const toNext =
    following &&
    (part.shown.includes(following)
      ? `#day-${following.id}`
      : `${addressWith(visit, "from", String(next + 1))}#day-${following.id}`);
  const facts = html`<span>${plural(days.length, "day")}</span><span>${done} behind us</span>${following && html`<a href="${toNext}">go to day ${following.day_number}</a>`}${editLink(visit, "/edit/schedule", "Add a day")}`;
  const body = html`${heading("Board", facts)}
<ul class="row legend" aria-label="Colours of the strips"><li class="strip int-day">INT day</li><li class="strip ext-day">EXT day</li><li class="strip int-night">INT night</li><li class="strip ext-night">EXT night</li></ul>
${days.length > 0 && (await boardForms?.(visit, days))}
${days.length === 0 ? emptyState("There is no schedule yet. Import one with `tallylight import FILE.csv --as schedule`.") : html`${part.pager}<ol class="grid large">${visit.rows(part.shown.map((day) => dayRow(day, bySceneId, today, { mayEdit, shared })))}</ol>${part.pager}`}
${(waiting.length > 0 || (mayEdit && days.length > 0)) && html`<section class="flow"><h2>Not scheduled <span class="count">${waiting.length}</span></h2><ol class="strips" data-day="0" data-name="not scheduled">${visit.rows(rest.shown.map((scene) => stripItem(scene, scene, mayEdit ? 0 : undefined)))}</ol>${rest.pager}</section>`}`;
  return { title: "Board", body, status: visit.refused?.status ?? 200 };
}
