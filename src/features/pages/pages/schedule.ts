// /schedule: the whole schedule as a stripboard, one column of strips with a break before each day, and the forms that change it.
import type { NodeId } from "../../../core/ids.ts";
import { sameName } from "../../../core/wording.ts";
import { listAssets } from "../../../graph/assets.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { formatEighths } from "../../names/sluglines.ts";
import { dateText, localDate } from "../dates.ts";
import { html, type Markup } from "../html.ts";
import { chip, emptyState, heading, plural } from "../html_parts.ts";
import { addressWith, windowOf } from "../list_windows.ts";
import type { View } from "../page.ts";
import { editLink, importLink, linkTo, placeFiller } from "../page_places.ts";
import { eighthsOf, sceneFactsOf, sceneNumber } from "../scene_facts.ts";
import type { OutputOf, Visit } from "../visit.ts";
import type { Scene } from "./scenes.ts";

export type ShootDay = OutputOf<typeof getSchedule>[number];
type Strip = ShootDay["scenes"][number];

/** The handle of a strip: with the page's script it is dragged, without it the form opens for the scene. */
const gripOf = (node_id: NodeId, number: string, day: number): Markup =>
  html`<a class="grip" href="/schedule?scene_id=${node_id}&scene=${encodeURIComponent(number)}&day=${day}#move" data-move="${node_id}" data-scene="${number}" aria-label="Move scene ${number}"></a>`;

/** What the strips of a board show besides their own rows. */
interface Board {
  scenes: ReadonlyMap<number, Scene>;
  /** Who is in a scene, by cast number; by name who has none. */
  castOf(scene: Scene): string;
  mayEdit: boolean;
  today: string;
  /** The dates of several days. */
  shared: ReadonlySet<string>;
}

/** A function that says who is in a scene: the linked characters, and who else its script names. */
async function castNames(visit: Visit): Promise<Board["castOf"]> {
  const characters = await visit.ask(listAssets, { kind: "character" });
  const called = characters.map(({ node_id, label, cast_number }) => ({ node_id, label, text: cast_number ?? label }));
  const byId = new Map(called.map((one) => [one.node_id, one]));
  const byName = new Map(called.map((one) => [sameName(one.label), one]));
  const byNumber = new Intl.Collator("en", { numeric: true }).compare;
  return (scene) => {
    const linked = (scene.asset_ids ?? []).flatMap((id) => byId.get(id) ?? []);
    const isLinked = (name: string) =>
      byName.has(sameName(name)) || linked.some(({ label }) => sameName(label).includes(sameName(name)));
    const others = sceneFactsOf(scene).cast.flatMap(
      (name) => byName.get(sameName(name))?.text ?? (isLinked(name) ? [] : name),
    );
    return [...new Set([...linked.map(({ text }) => text), ...others])].sort(byNumber).join(", ");
  };
}

/** `day` is the id of its day, 0 if it has none. */
function stripItem({ node_id, number, slugline }: Strip, board: Board, day: number): Markup {
  const scene = board.scenes.get(node_id);
  const { colour, set, place, time, eighths } = sceneFactsOf(scene ?? { slugline, elements: {} });
  const shown = scene ? sceneNumber(scene) : number;
  const handles = html`<input type="checkbox" form="move-form" name="strips" value="${day}:${node_id}" aria-label="Choose scene ${shown}">${gripOf(node_id, shown, day)}`;
  return html`<li class="strip ${colour}"><a href="/scenes/${node_id}"><span class="number">${shown}</span>
<span><b>${scene?.status === "omitted" ? html`<s>${set}</s>` : set}</b> <span class="row">${[place, time].filter(Boolean).join(" ")}</span></span></a>
<span class="eighths">${eighths !== undefined && formatEighths(eighths)}</span><span class="cast">${scene && board.castOf(scene)}</span>${board.mayEdit && handles}</li>`;
}

/** A day: its break, and its strips. */
function dayRow(day: ShootDay, board: Board): Markup {
  const { id, day_number, date, general_call, status, scenes } = day;
  const stored = scenes.flatMap(({ node_id }) => board.scenes.get(node_id) ?? []);
  const live = stored.filter((scene) => scene.status !== "omitted");
  const eighths = live.reduce((sum, { elements }) => sum + (eighthsOf(elements.pages) ?? 0), 0);
  return html`<li class="board-day${date === board.today && " today"}" id="day-${id}">
<div class="row break"><h2>${linkTo(`/days/${id}`, `Day ${day_number}`)} <span class="count">${dateText(date)}</span>${date === board.today && html` <span class="chip warn">today</span>`}${board.shared.has(date) && html` <span class="chip warn">another day has this date</span>`}</h2>
<p class="under">${general_call !== null && html`call ${general_call} · `}${plural(live.length, "scene")}${eighths > 0 && html` · ${formatEighths(eighths)} pg`} ${status !== "scheduled" && chip(status)}</p></div>
<ol class="strips" data-day="${id}" data-name="day ${day_number}">${scenes.map((strip) => stripItem(strip, board, id))}</ol>
</li>`;
}

/** The days in their order. Where the board is opened at the next one, the days before it are folded. */
function dayList(visit: Visit, days: readonly ShootDay[], board: Board): Markup {
  const list = (of: readonly ShootDay[]) =>
    html`<ol class="board">${visit.rows(of.map((day) => dayRow(day, board)))}</ol>`;
  const next = visit.query.has("from") ? 0 : days.findIndex(({ date }) => date >= board.today);
  if (next <= 0) return list(days);
  const isOpen = visit.query.has("saved") || visit.refused !== undefined;
  return html`<details class="earlier"${isOpen && html` open`}><summary>${plural(next, "earlier day")}</summary>${list(days.slice(0, next))}</details>${list(days.slice(next))}`;
}

export async function showSchedule(visit: Visit): Promise<View> {
  const [days, scenes, castOf] = await Promise.all([
    visit.ask(getSchedule, {}),
    visit.ask(listScenes, { include: "assets" }),
    castNames(visit),
  ]);
  const today = localDate(visit.ctx.app.clock());
  const scheduled = new Set(days.flatMap((day) => day.scenes.map(({ node_id }) => node_id)));
  const waiting = scenes.filter(({ node_id, status }) => status !== "omitted" && !scheduled.has(node_id));
  const forms = visit.mayEdit && days.length > 0 ? await (await placeFiller("board_forms"))?.(visit, days) : undefined;
  const firstOn = new Map(days.toReversed().map((day) => [day.date, day]));
  const shared = new Set(days.filter((day) => firstOn.get(day.date) !== day).map(({ date }) => date));
  const board = {
    scenes: new Map(scenes.map((scene) => [scene.node_id, scene])),
    castOf,
    mayEdit: forms !== undefined,
    today,
    shared,
  };
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
  const facts = html`<span>${plural(days.length, "day")}</span><span>${done} behind us</span>${following && html`<a href="${toNext}">go to day ${following.day_number}</a>`}${editLink(visit, "/edit/schedule", "Add a day")}${forms?.links}`;
  const body = html`${heading("Board", facts)}
${forms?.opened}
${days.length === 0 ? emptyState("There is no schedule yet.", importLink(visit, "schedule", "Import a schedule")) : html`${part.pager}${dayList(visit, part.shown, board)}${part.pager}`}
${(waiting.length > 0 || board.mayEdit) && html`<section class="flow board"><h2>Not scheduled <span class="count">${waiting.length}</span></h2><ol class="strips" data-day="0" data-name="not scheduled">${visit.rows(rest.shown.map((scene) => stripItem(scene, board, 0)))}</ol>${rest.pager}</section>`}
${forms?.move}`;
  return { title: "Board", body, status: visit.refused?.status ?? 200 };
}
