// /cast: the day out of days, a grid of the cast and the shoot days. /cast.csv is the same as CSV.
import { disposition, sendBody } from "../../../core/http/send.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { type CastDays, listCastDays } from "../../cast/cast_days.ts";
import {
  byDate,
  castOrder,
  codesOf,
  dayOutOfDaysText,
  isWork,
  sumsOf,
  totalKeys,
  totalNames,
} from "../../cast/day_out_of_days.ts";
import { dateText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { emptyState, heading, lines, plural } from "../../pages/html_parts.ts";
import { windowOf } from "../../pages/list_windows.ts";
import type { View } from "../../pages/page.ts";
import { importLink } from "../../pages/page_places.ts";
import type { ShootDay } from "../../pages/pages/schedule.ts";
import type { Visit } from "../../pages/visit.ts";

/** How many days one grid has: so many fit on a sheet of paper. The further days are in grids below. */
const gridDays = 35;

const legend = html`<dl class="row">
<div><dt>SW</dt><dd>starts</dd></div><div><dt>W</dt><dd>works</dd></div><div><dt>H</dt><dd>holds</dd></div><div><dt>WF</dt><dd>finishes</dd></div><div><dt>SWF</dt><dd>works on this day only</dd></div>
</dl>`;

const dayHead = ({ id, day_number, date }: ShootDay): Markup =>
  html`<th scope="col"><a href="/days/${id}" aria-label="Day ${day_number}, ${dateText(date)}">${day_number}</a><span class="under">${dateText(date)}</span></th>`;

const codeCell = (code: string | undefined): Markup =>
  code === undefined ? html`<td></td>` : html`<td class="${isWork(code) ? "work" : "hold"}">${code}</td>`;

function castRow(row: CastDays, days: readonly ShootDay[], isLast: boolean): Markup {
  const { node_id, label, cast_number, performer, totals } = row;
  const codes = codesOf(row);
  return html`<tr><th scope="row"><span>${cast_number}</span> <a href="/assets/${node_id}" dir="auto">${label}</a>${performer !== null && html`<span class="under" dir="auto">${performer}</span>`}</th>
${days.map(({ id }) => codeCell(codes.get(id)))}${isLast && totalKeys.map((key) => html`<td class="amount">${totals[key]}</td>`)}</tr>
`;
}

const idleItem = ({ node_id, label, cast_number, performer }: CastDays): Markup =>
  html`<li>${cast_number} <a href="/assets/${node_id}" dir="auto">${label}</a>${performer !== null && html` <span class="under" dir="auto">${performer}</span>`}</li>`;

/** One grid with the rows that are shown. The last one has the sums of the rows. */
async function grid(
  visit: Visit,
  { working, totals }: ReturnType<typeof sumsOf>,
  shown: readonly CastDays[],
  { days, isLast }: { days: readonly ShootDay[]; isLast: boolean },
): Promise<Markup> {
  const name = `Days ${days[0]?.day_number} to ${days.at(-1)?.day_number}`;
  return html`<p class="under" data-scrolls>The grid is wider than this window: scroll it sideways.</p>
<div class="table chart" tabindex="0" role="region" aria-label="${name}"><table>
<thead><tr><th scope="col">Character</th>${days.map(dayHead)}${isLast && Object.values(totalNames).map((total) => html`<th scope="col" class="amount">${total}</th>`)}</tr></thead>
<tbody>${await visit.each(shown, (row) => castRow(row, days, isLast))}</tbody>
<tfoot><tr><th scope="row">Working</th>${days.map(({ id }) => html`<td>${working(id)}</td>`)}${isLast && totals.map((total) => html`<td class="amount">${total}</td>`)}</tr></tfoot>
</table></div>`;
}

export async function showCast(visit: Visit): Promise<View> {
  const [all, schedule] = await Promise.all([visit.ask(listCastDays, {}), visit.ask(getSchedule, {})]);
  const [cast, days] = [all.toSorted(castOrder), byDate(schedule)];
  const { working = [], idle = [] } = Object.groupBy(cast, ({ totals }) => (totals.work > 0 ? "working" : "idle"));
  const others = windowOf(visit, idle, { name: "others" });
  const rows = windowOf(visit, working, { weightOf: () => 4 });
  const parts = Array.from({ length: Math.ceil(days.length / gridDays) }, (_, at) =>
    days.slice(at * gridDays, (at + 1) * gridDays),
  );
  const weightOf = (part: readonly ShootDay[]) => (part.length * rows.shown.length) / 10;
  const shown = windowOf(visit, parts, { weightOf, name: "days" });
  const sums = sumsOf(working);
  const grids: Markup[] = [];
  for (const days of shown.shown)
    grids.push(await grid(visit, sums, rows.shown, { days, isLast: days === parts.at(-1) }));
  const facts = html`<span>${plural(cast.length, "character")}</span><span>${plural(days.length, "shoot day")}</span><a href="/cast.csv">CSV</a>`;
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
  const [cast, days] = await Promise.all([visit.ask(listCastDays, {}), visit.ask(getSchedule, {})]);
  sendBody(visit.ctx, 200, Buffer.from(dayOutOfDaysText(cast, days)), {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": disposition("attachment", "day-out-of-days.csv"),
    "cache-control": "no-store",
  });
}
