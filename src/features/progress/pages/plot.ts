// The plot of the pages that are planned and shot up to each shoot day. Only the paths stretch with the page; the words
// stay as they are.
import { dayKey, dayText } from "../../../graph/units.ts";
import { formatEighths } from "../../names/page_lengths.ts";
import { html, type Markup } from "../../pages/html.ts";

/** What is planned and shot up to a shoot day, in eighths. `shot` is null from the first day that is not over. */
export interface PlotDay {
  day_number: number;
  unit?: string | undefined;
  date: string;
  planned: number;
  shot: number | null;
  part_shot: number;
}

interface Plot {
  days: readonly PlotDay[];
  /** The eighths of all scenes. */
  total: number;
  /** How many of the days are over. */
  over: number;
  /** The number of days up to which `behind` is measured. */
  measured: number;
  behind: number;
  /** How a date is shown. */
  dateOf(date: string): string;
  describe: string;
}

/** The height of the plot in its own units; the greatest value is below it. */
const height = 120;

/** What is shown at the foot: the first and the last day, and a few between them. */
function marksOf(count: number): number[] {
  const step = Math.max(1, Math.ceil(count / 4 / 5) * 5);
  const between = Array.from({ length: Math.floor((count - 1) / step) }, (_, n) => (n + 1) * step - 1);
  return [...new Set([0, ...between.filter((at) => at > 0 && at < count - step / 2), count - 1])];
}

/** A round number of pages between two lines, so that there are at most five of them. */
function stepOf(pages: number): number {
  const steps = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
  return steps.find((step) => pages / step <= 5) ?? Math.ceil(pages / 5);
}

export function plotOf({ days, total, over, measured, behind, dateOf, describe }: Plot): Markup {
  const most = Math.max(total, days.at(-1)?.planned ?? 0, 8);
  const levelOf = (eighths: number): string => String(Number((height - (eighths / most) * height * 0.93).toFixed(3)));
  /** A line of steps: each day is as wide as every other. */
  const stepsOf = (values: readonly number[], begin: number): string =>
    values.map((value, at) => `V${levelOf(value)}H${begin + at + 1}`).join("");
  const back = (values: readonly number[], begin: number): string =>
    values.map((_, at) => `H${begin + values.length - at}V${levelOf(values[values.length - 1 - at] ?? 0)}`).join("");
  const done = days.slice(0, over);
  const shot = done.map((day) => day.shot ?? 0);
  const part = done.slice(measured);
  const partLevels = part.map((day) => (day.shot ?? 0) + day.part_shot);
  const planned = days.map((day) => day.planned);
  const bottom = `M0 ${height}`;
  const late = `${bottom}${stepsOf(planned.slice(0, measured), 0)}${back(shot.slice(0, measured), 0)}H0Z`;
  const grid = stepOf(most / 8);
  const levels = Array.from({ length: Math.floor(most / 8 / grid) }, (_, n) => (n + 1) * grid);
  /** The place of a level for words, in percent of the whole picture: the paths have its middle 80 %. */
  const percentOf = (eighths: number): string => `${(7 + (Number(levelOf(eighths)) / height) * 80).toFixed(2)}%`;
  const across = (at: number): string => `${((at / days.length) * 100).toFixed(2)}%`;
  const anchorOf = (at: number): string => (at === 0 ? "start" : at === days.length - 1 ? "end" : "middle");
  const placeOf = (at: number): string => across(at === 0 ? 0 : at === days.length - 1 ? days.length : at + 0.5);
  const lastPlanned = days.at(-1)?.planned ?? 0;
  const lastShot = shot.at(-1) ?? 0;
  const isLeft = over > days.length * 0.8;
  const side = isLeft ? html` text-anchor="end" dx="-0.4em"` : html` dx="0.4em"`;
  return html`<svg class="plot" role="img" aria-labelledby="plot-title plot-words">
<title id="plot-title">Pages planned and shot, by shoot day</title>
<desc id="plot-words">${describe}</desc>
<svg y="7%" width="100%" height="80%" viewBox="0 0 ${days.length} ${height}" preserveAspectRatio="none">
<defs><pattern id="stripes" width="0.5" height="${height}" patternUnits="userSpaceOnUse"><rect class="busy" width="0.14" height="${height}"/></pattern></defs>
${levels.map((level) => html`<path class="grid" d="M0 ${levelOf(level * 8)}H${days.length}"/>`)}<path class="grid" d="M0 ${height}H${days.length}"/>
${over > 0 && html`<path class="good area" d="${bottom}${stepsOf(shot, 0)}V${height}Z"/>`}
${measured > 0 && behind !== 0 && html`<path class="${behind > 0 ? "bad" : "good"} whole" d="${late}"/>`}
${part.length > 0 && html`<path class="stripes" fill="url(#stripes)" d="M${measured} ${levelOf(lastShot)}${stepsOf(partLevels, measured)}V${levelOf(lastShot)}Z"/>`}
<path class="line dotted" d="M0 ${levelOf(total)}H${days.length}"/>
${over > 0 && html`<path class="line good" d="${bottom}${stepsOf(shot, 0)}"/>`}
<path class="line ink" d="${bottom}${stepsOf(planned, 0)}"/>
${over < days.length && html`<path class="ink" d="M${over} 0V${height}"/>`}
</svg>
${levels.filter((level) => (total - level * 8) / most > 0.05).map((level) => html`<text y="${percentOf(level * 8)}" dy="-0.35em">${level}</text>`)}<text y="${percentOf(total)}" dy="-0.35em">${formatEighths(total)} pages in all</text>
${marksOf(days.length).map((at) => {
  const { day_number = 0, unit, date = "" } = days[at] ?? {};
  return html`<text x="${placeOf(at)}" y="92.5%" text-anchor="${anchorOf(at)}">${(at === 0 ? dayText : dayKey)({ unit, day_number })}</text><text x="${placeOf(at)}" y="97.5%" text-anchor="${anchorOf(at)}">${dateOf(date)}</text>`;
})}
${over < days.length && html`<text class="ink" x="${across(over)}" y="4%"${side}>today</text>`}
<text class="ink" x="100%" y="${percentOf(lastPlanned)}" dy="-1.7em" text-anchor="end">planned</text><text x="100%" y="${percentOf(lastPlanned)}" dy="-0.5em" text-anchor="end">${formatEighths(lastPlanned)}</text>
${over > 0 && html`<text class="good" x="${across(over)}" y="${percentOf(lastShot)}" dy="1.5em"${side}>shot</text><text x="${across(over)}" y="${percentOf(lastShot)}" dy="2.8em"${side}>${formatEighths(lastShot)}</text>`}
</svg>`;
}
