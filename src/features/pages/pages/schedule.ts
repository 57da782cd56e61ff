// /schedule: the whole schedule as a stripboard, one column of strips with a break before each day, and the forms that
// change it.

import type { NodeId } from "../../../core/ids.ts";
import { compareNames, sameName } from "../../../core/wording.ts";
import { shifted } from "../../../core/zones.ts";
import { listAssets } from "../../../graph/assets.ts";
import { followingDay } from "../../../graph/day_hours.ts";
import { inParts } from "../../../graph/scene_parts.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { byDate, dayText, dayTitle, spanTitle, unitKey, unitOf } from "../../../graph/units.ts";
import { formatEighths } from "../../names/page_lengths.ts";
import { csvLinks } from "../csv_file.ts";
import { dateText, spanText } from "../dates.ts";
import { episodeChoice } from "../episode_choice.ts";
import { html, type Markup } from "../html.ts";
import { chip, emptyState, heading, menu, ofDays, plural } from "../html_parts.ts";
import { addressWith, windowOf } from "../list_windows.ts";
import type { View } from "../page.ts";
import { editButton, editLink, importLink, linkTo, placeFiller } from "../page_places.ts";
import { countedScenes, sceneFactsOf, sceneNumber, stripSum } from "../scene_facts.ts";
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
  /** Whether a day is today's. */
  isToday(day: ShootDay): boolean;
  /** Today's day, or the next one. */
  following: ShootDay | undefined;
  /** The dates of several days. */
  shared: ReadonlySet<string>;
  /** The strips that a refused form has chosen. */
  chosen: ReadonlySet<string>;
}

/** A function that says who is in a scene: the linked characters, and who else its script names. */
export async function castOfScenes(visit: Visit): Promise<Board["castOf"]> {
  const characters = await visit.ask(listAssets, { kind: "character" });
  const called = characters.map(({ node_id, label, cast_number }) => ({ node_id, label, text: cast_number ?? label }));
  const byId = new Map(called.map((one) => [one.node_id, one]));
  const byName = new Map(called.map((one) => [sameName(one.label), one]));
  return (scene) => {
    const linked = (scene.asset_ids ?? []).flatMap((id) => byId.get(id) ?? []);
    const isLinked = (name: string) =>
      byName.has(sameName(name)) || linked.some(({ label }) => sameName(label).includes(sameName(name)));
    const others = sceneFactsOf(scene).cast.flatMap(
      (name) => byName.get(sameName(name))?.text ?? (isLinked(name) ? [] : name),
    );
    return [...new Set([...linked.map(({ text }) => text), ...others])].sort(compareNames).join(", ");
  };
}

/** `scene` is the strip's as its day has it; undefined where it is not stored. `on` is the id of the day, or 0. */
function stripItem({ node_id, number, slugline }: Strip, scene: Scene | undefined, board: Board, on: number): Markup {
  const { colour, set, place, time, eighths } = sceneFactsOf(scene ?? { slugline, elements: {} });
  const shown = scene ? sceneNumber(scene) : number;
  const whole = board.scenes.get(node_id);
  const handles = html`<label class="pick"><input type="checkbox" form="move-form" name="strips" value="${on}:${node_id}"${board.chosen.has(`${on}:${node_id}`) && html` checked`} aria-label="Choose scene ${shown}"></label>${gripOf(node_id, whole ? sceneNumber(whole) : number, on)}`;
  return html`<li class="strip ${colour}"><a href="/scenes/${node_id}"><span class="number">${shown}</span>
<span><b>${scene?.status === "omitted" ? html`<s>${set}</s>` : set}</b></span></a><span>${place}</span><span class="time">${time}</span>
<span class="eighths">${eighths !== undefined && formatEighths(eighths)}</span><span class="cast">${scene && board.castOf(scene)}</span>${board.mayEdit && handles}</li>`;
}

/** A day: its bar, and its strips. */
function dayRow(visit: Visit, day: ShootDay, board: Board): Markup {
  const { id, date, general_call, status, location, scenes } = day;
  const stored = inParts(
    scenes.flatMap(({ node_id }) => board.scenes.get(node_id) ?? []),
    day.parts,
  );
  const byId = new Map(stored.map((scene) => [scene.node_id, scene]));
  const call =
    general_call === null
      ? editLink(visit, `/edit/schedule/${id}#general_call`, "set the call", `Set the call of ${dayText(day)}`)
      : `call ${general_call}`;
  return html`<li class="board-day" id="day-${id}">
<div class="daybar"><h2>${linkTo(`/days/${id}`, dayTitle(day))} <span class="count">${dateText(date)}</span></h2>
<span>${board.isToday(day) && html`<span class="chip warn screen">today</span> `}<bdi>${location}</bdi>${board.shared.has(`${date} ${day.unit ?? ""}`) && html` <span class="chip warn">another day has this date</span>`}${status !== "scheduled" && html` ${chip(status)}`}</span>
<span>${call}</span><span class="amount">${stripSum(stored)}</span></div>
<ol class="strips" data-day="${id}" data-name="${dayText(day)}">${scenes.map((strip) => stripItem(strip, byId.get(strip.node_id), board, id))}</ol>
</li>`;
}

/** How many of the days are folded: those a week behind us, while there are days to come. */
const foldedIn = (days: readonly ShootDay[], { following }: Board, today: string): number =>
  following === undefined ? 0 : days.filter(({ date }) => date <= shifted(today, -7)).length;

/** What is folded: "Days 1 to 25, 31 Aug to 23 Nov, shot". */
function foldTitle(days: readonly ShootDay[], { scenes }: Board): string {
  const [first, last] = [days[0], days.at(-1)];
  const isShot = days.every((day) =>
    day.scenes.every(({ node_id }) => /^(?:done|omitted)$/.test(scenes.get(node_id)?.status ?? "")),
  );
  return `${spanTitle(days)}, ${spanText(first?.date ?? "", last?.date ?? "")}${isShot ? ", shot" : ""}`;
}

/** The days in their order. Where the board is opened as it is, the days that are long over are folded. */
async function dayList(visit: Visit, days: readonly ShootDay[], board: Board): Promise<Markup> {
  const list = async (of: readonly ShootDay[]) =>
    html`<ol class="board">${await visit.rows(of, (day) => dayRow(visit, day, board))}</ol>`;
  const folded = visit.query.has("from") ? 0 : foldedIn(days, board, visit.today);
  if (folded === 0) return list(days);
  const isOpen = visit.query.has("saved") || visit.refused !== undefined;
  const earlier = days.slice(0, folded);
  return html`<details class="fold earlier"${isOpen && html` open`}><summary>${foldTitle(earlier, board)}</summary>${await list(earlier)}</details>${await list(days.slice(folded))}`;
}

/** The units of the days, the main unit first. */
const unitsOf = (days: readonly ShootDay[]): string[] => [...new Set(days.map(({ unit }) => unit ?? ""))].sort();

/** The unit whose days are shown; undefined for all. */
function unitIn(visit: Visit): string | undefined {
  const name = visit.query.get("unit") ?? "";
  return name === "" ? undefined : unitOf(name);
}

/** Links to the days of each unit, where there are several. */
function unitLinks(visit: Visit, units: readonly string[]): Markup | false {
  if (units.length < 2) return false;
  const shown = unitIn(visit);
  const link = (unit: string | undefined, text: string, address: string) =>
    shown === unit ? html`<b>${text}</b> ` : html`<a href="${address}">${text}</a> `;
  const links = units.map((unit) =>
    link(unit, unit === "" ? "Main unit" : unit, addressWith(visit, "unit", unit === "" ? "Main" : unit)),
  );
  return html`<span>${link(undefined, "All units", "/schedule")}${links}</span>`;
}

export async function showSchedule(visit: Visit): Promise<View> {
  const episodes = await episodeChoice(visit);
  const { episode_id } = episodes.given;
  const [every, scenes, castOf] = await Promise.all([
    visit.ask(getSchedule, {}),
    visit.ask(listScenes, { include: "assets" }),
    castOfScenes(visit),
  ]);
  const own = scenes.filter((scene) => episode_id === undefined || episode_id.includes(scene.episode_id ?? 0));
  const shown = episode_id === undefined ? undefined : new Set(own.map(({ node_id }) => node_id));
  const scheduled = new Set(every.flatMap((day) => day.scenes.map(({ node_id }) => node_id)));
  const isShown = ({ node_id }: { node_id: number }) => shown === undefined || shown.has(node_id);
  const all = shown === undefined ? every : every.filter((day) => day.scenes.some(isShown));
  const units = unitsOf(all);
  const unit = unitIn(visit);
  const ofUnit = unit === undefined ? all : all.filter((day) => unitKey(day.unit) === unitKey(unit));
  const days = units.length > 1 ? byDate(ofUnit) : ofUnit;
  const waiting = own.filter(({ node_id, status }) => status !== "omitted" && !scheduled.has(node_id));
  const forms = visit.mayEdit && days.length > 0 ? await (await placeFiller("board_forms"))?.(visit, days) : undefined;
  const placeOf = ({ unit, date }: ShootDay) => `${date} ${unit ?? ""}`;
  const firstOn = new Map(days.toReversed().map((day) => [placeOf(day), day]));
  const shared = new Set(days.filter((day) => firstOn.get(placeOf(day)) !== day).map(placeOf));
  const stands = followingDay(days, visit.now, visit.zone);
  const following = stands?.day;
  const next = following === undefined ? -1 : days.indexOf(following);
  const isToday = (day: ShootDay) => day === following && stands?.isToday === true;
  const board: Board = {
    scenes: new Map(scenes.map((scene) => [scene.node_id, scene])),
    castOf,
    mayEdit: forms !== undefined,
    isToday,
    following,
    shared,
    chosen: new Set(visit.refused?.form.texts("strips")),
  };
  const start = foldedIn(days, board, visit.today);
  const part = windowOf(visit, days, { size: 45, weightOf: (day) => day.scenes.length + 1, start });
  const rest = windowOf(visit, waiting, { name: "waiting" });
  const toNext =
    following &&
    (part.shown.includes(following)
      ? `#day-${following.id}`
      : `${addressWith(visit, "from", String(next + 1))}#day-${following.id}`);
  const facts = html`${
    following
      ? html`<span class="screen"><a href="${toNext}">${dayTitle(following)}</a> ${ofDays(following, byDate(every))} is ${isToday(following) ? "today" : "next"}</span>`
      : days.length > 0 && html`<span>${plural(days.length, "day")}, all over</span>`
  }${waiting.length > 0 && countedScenes(waiting, " without a day")}${episodes.links}${unitLinks(visit, units)}${days.length > 0 && csvLinks("/schedule.csv", episodes.query)}`;
  const print =
    part.shown.length === days.length
      ? days.length > 0 && html`<button type="button" class="plain" data-print>Print</button>`
      : html`<a class="button plain" href="${addressWith(visit, "from", "all")}">All days, to print</a>`;
  const actions = html`${print}${forms && menu("Days", forms.links)}${editButton(visit, "/edit/schedule", "Add a day", "")}`;
  const hasFree = waiting.length > 0 || board.mayEdit;
  const body = html`${heading("Board", facts, { actions })}
${forms?.opened}
<div class="${hasFree && "twin"}${every.some(({ scenes }) => scenes.some(({ episode_code }) => episode_code)) && " coded"}">
<div class="flow">${days.length === 0 ? emptyState("There is no schedule yet.", importLink(visit, "schedule", "Import a schedule")) : html`${part.pager}${await dayList(visit, part.shown, board)}${part.pager}`}</div>
${hasFree && html`<section class="free board"><h2>Without a day <span class="count">${waiting.length}</span></h2><ol class="strips" data-day="0" data-name="not scheduled">${await visit.rows(rest.shown, (scene) => stripItem(scene, scene, board, 0))}</ol>${rest.pager}</section>`}
</div>
${forms?.move}`;
  return { title: "Board", body, status: visit.refused?.status ?? 200 };
}
