// /cast: the day out of days, a grid of the cast and the shoot days. /cast.csv is the same as CSV.

import { getSchedule } from "../../../graph/schedule.ts";
import { dayKey, dayTitle, spanTitle } from "../../../graph/units.ts";
import { type CastDays, listCastDays } from "../../cast/cast_days.ts";
import {
  castOrder,
  codesOf,
  dayOutOfDaysRows,
  isWork,
  type ShootDate,
  shootDatesIn,
  sumsOf,
  totalKeys,
  totalNames,
} from "../../cast/day_out_of_days.ts";
import { csvLinks, sendCsv } from "../../pages/csv_file.ts";
import { dateText } from "../../pages/dates.ts";
import { episodeChoice } from "../../pages/episode_choice.ts";
import { html, type Markup } from "../../pages/html.ts";
import { emptyState, heading, lines, plural } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { View } from "../../pages/page.ts";
import { importLink } from "../../pages/page_places.ts";
import type { ShootDay } from "../../pages/pages/schedule.ts";
import type { Visit } from "../../pages/visit.ts";

/** How many dates one grid has: so many fit on a sheet of paper. The further ones are in grids below. */
const gridDays = 35;

const legend = html`<dl class="row">
<div><dt>SW</dt><dd>starts</dd></div><div><dt>W</dt><dd>works</dd></div><div><dt>H</dt><dd>holds</dd></div><div><dt>WF</dt><dd>finishes</dd></div><div><dt>SWF</dt><dd>works on this date only</dd></div>
</dl>`;

const dayHead = ({ date, days }: ShootDate<ShootDay>): Markup =>
  html`<th scope="col">${days.map((day, at) => html`${at > 0 && ", "}<a href="/days/${day.id}" aria-label="${dayTitle(day)}, ${dateText(date)}">${dayKey(day)}</a>`)}<span class="under">${dateText(date)}</span></th>`;

const codeCell = (code: string | undefined): Markup =>
  code === undefined ? html`<td></td>` : html`<td class="${isWork(code) ? "work" : "hold"}">${code}</td>`;

function castRow(row: CastDays, dates: readonly ShootDate<ShootDay>[], isLast: boolean): Markup {
  const { node_id, label, cast_number, performer, totals } = row;
  const codes = codesOf(row);
  return html`<tr><th scope="row"><span>${cast_number}</span> <a href="/assets/${node_id}" dir="auto">${label}</a>${performer !== null && html`<span class="under" dir="auto">${performer}</span>`}</th>
${dates.map(({ date }) => codeCell(codes.get(date)))}${isLast && totalKeys.map((key) => html`<td class="amount">${totals[key]}</td>`)}</tr>
`;
}

const idleItem = ({ node_id, label, cast_number, performer }: CastDays): Markup =>
  html`<li>${cast_number} <a href="/assets/${node_id}" dir="auto">${label}</a>${performer !== null && html` <span class="under" dir="auto">${performer}</span>`}</li>`;

/** One grid with the rows that are shown. The last one has the sums of the rows. */
async function grid(
  visit: Visit,
  { working, totals }: ReturnType<typeof sumsOf>,
  shown: readonly CastDays[],
  { dates, isLast }: { dates: readonly ShootDate<ShootDay>[]; isLast: boolean },
): Promise<Markup> {
  const name = spanTitle(dates.flatMap(({ days }) => days));
  return html`<p class="hint" data-scrolls>The grid is wider than this window: scroll it sideways.</p>
<div class="table chart" tabindex="0" role="region" aria-label="${name}"><table>
<thead><tr><th scope="col">Character</th>${dates.map(dayHead)}${isLast && Object.values(totalNames).map((total) => html`<th scope="col" class="amount">${total}</th>`)}</tr></thead>
<tbody>${await visit.each(shown, (row) => castRow(row, dates, isLast))}</tbody>
<tfoot><tr><th scope="row">Working</th>${dates.map(({ date }) => html`<td>${working(date)}</td>`)}${isLast && totals.map((total) => html`<td class="amount">${total}</td>`)}</tr></tfoot>
</table></div>`;
}

export async function showCast(visit: Visit): Promise<View> {
  const episodes = await episodeChoice(visit);
  const [all, schedule] = await Promise.all([visit.ask(listCastDays, episodes.given), visit.ask(getSchedule, {})]);
  const [cast, dates] = [all.toSorted(castOrder), shootDatesIn(schedule)];
  const { working = [], idle = [] } = Object.groupBy(cast, ({ totals }) => (totals.work > 0 ? "working" : "idle"));
  const others = windowOf(visit, idle, { name: "others" });
  const rows = windowOf(visit, working, { weightOf: () => 4 });
  const parts = Array.from({ length: Math.ceil(dates.length / gridDays) }, (_, at) =>
    dates.slice(at * gridDays, (at + 1) * gridDays),
  );
  const weightOf = (part: readonly ShootDate<ShootDay>[]) => (part.length * rows.shown.length) / 10;
  const shown = windowOf(visit, parts, { weightOf, name: "days" });
  const sums = sumsOf(working);
  const grids: Markup[] = [];
  for (const dates of shown.shown)
    grids.push(await grid(visit, sums, rows.shown, { dates, isLast: dates === parts.at(-1) }));
  const facts = html`<span>${plural(cast.length, "character")}</span><span>${plural(schedule.length, "shoot day")}</span>${episodes.links}${cast.length > 0 && csvLinks("/cast.csv", episodes.query)}`;
  const body = html`<div class="cast-days flow">${heading("Day out of days", facts)}
${
  working.length === 0
    ? emptyState(
        "No character is in a scene of a shoot day yet. A breakdown links the characters to scenes, and a schedule puts the scenes on days.",
        importLink(visit, "breakdown", "Import a breakdown"),
      )
    : html`${legend}${rows.pager}${grids}${shown.pager}`
}
${idle.length > 0 && html`<h2>Not on a shoot day <span class="count">${idle.length}</span></h2>${lines(others.shown.map(idleItem))}${others.pager}`}</div>`;
  return { title: "Day out of days", body };
}

/** Sends the day out of days as CSV. */
export async function sendCast(visit: Visit): Promise<void> {
  const { given } = await episodeChoice(visit);
  const [cast, days] = await Promise.all([visit.ask(listCastDays, given), visit.ask(getSchedule, {})]);
  await sendCsv(visit, "day-out-of-days.csv", dayOutOfDaysRows(cast, days));
}
