// The parts that pages are made of: dates, chips of a status, stills, panels and empty states.
import { html, type Markup } from "./html.ts";

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];
const two = (part: number): string => String(part).padStart(2, "0");
const short = (name: string | undefined): string => (name ?? "").slice(0, 3);

/** The year of a date that is not of this year, after its month. */
const yearOf = (year: number): string => (year === new Date().getFullYear() ? "" : ` ${year}`);

/**
 * A calendar date, such as "Mon 23 Nov", with the year if it is not this one. Text that is no date is shown as it is. Not by Intl,
 * which takes longer than a page.
 */
export function dateText(date: string, format: "short" | "long" = "short"): string {
  const time = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(time.getTime())) return date;
  const [weekday, month] = [weekdays[time.getUTCDay()], months[time.getUTCMonth()]];
  if (format === "short")
    return `${short(weekday)} ${time.getUTCDate()} ${short(month)}${yearOf(time.getUTCFullYear())}`;
  return `${weekday} ${time.getUTCDate()} ${month} ${time.getUTCFullYear()}`;
}

/** A timestamp in the time zone of the server, which is usually where the production is. */
export function timeText(timestamp: string): string {
  const time = new Date(timestamp);
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return `${time.getDate()} ${short(months[time.getMonth()])}${yearOf(time.getFullYear())}, ${clock}`;
}

export const timeOf = (timestamp: string): Markup => html`<time datetime="${timestamp}">${timeText(timestamp)}</time>`;

/** The calendar date of a moment in the time zone of the server. */
export function localDate(milliseconds: number): string {
  const moment = new Date(milliseconds);
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The moment in the time zone of the server, as "2026-11-22T06:12:00". */
export function localTime(milliseconds: number): string {
  const moment = new Date(milliseconds);
  return `${localDate(milliseconds)}T${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(":")}`;
}

const words: Readonly<Record<string, string>> = { changes_requested: "changes requested" };
/** A value of a closed set, as people read it. */
export const wordOf = (value: string): string => words[value] ?? value.replaceAll("_", " ");

/** A value of a status. The colour repeats what the text says. */
export const chip = (status: string): Markup =>
  html`<span class="chip ${classNameOf(status)}">${wordOf(status)}</span>`;

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Text of a document as the end of a class name: only letters and digits. */
export const classNameOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, "-");

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** A number of bytes. */
export const sizeText = (bytes: number): string => {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
};

/** Whether something due is late: a text that is no date never is. */
export const isLate = (due: string, today: string): boolean => /^\d{4}-\d\d-\d\d/.test(due) && due.slice(0, 10) < today;

/** A due date, marked if it has passed and somebody waits for what is due. `today` is a calendar date. */
export const dueText = (due: string | null | undefined, today: string, isAwaited = true): Markup =>
  due
    ? html`<span class="${isAwaited && isLate(due, today) ? "due late" : "due"}">due ${dateText(due)}</span>`
    : html``;

/** A box of fixed proportions with a still in it, so that nothing moves while it loads. Without a still it shows the kind. */
export const still = (source: string | undefined, kind: string): Markup =>
  html`<span class="still"><span class="kind" aria-hidden="true">${kind}</span>${
    source !== undefined && html`<img src="${source}" alt="" loading="lazy" decoding="async">`
  }</span>`;

/** Facts in one line, with dots between them. */
export const dotted = (facts: readonly Markup[]): Markup =>
  html`${facts.map((fact, at) => html`${at > 0 && " · "}${fact}`)}`;

/** A box with a heading. */
export const panel = (title: string, body: Markup, count?: number): Markup => html`
<section class="panel">
<h2>${title}${count !== undefined && html` <span class="count">${count}</span>`}</h2>
${body}
</section>`;

/** A link to the thing before, or after, the one that a page shows. */
interface Neighbour {
  href: string;
  text: string;
}

export const neighbourLinks = (
  label: string,
  before: Neighbour | undefined,
  after: Neighbour | undefined,
): Markup => html`
<nav class="days pills" aria-label="${label}">
${before && html`<a rel="prev" href="${before.href}">← ${before.text}</a>`}
${after && html`<a rel="next" href="${after.href}">${after.text} →</a>`}
</nav>`;

/** The options of a menu, each with its text. */
export const options = (values: Iterable<readonly [value: string, text: string]>, chosen = ""): Markup =>
  html`${[...values].map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`)}`;

/** The same for values whose text is the value. */
export const optionsNamed = (values: Iterable<string>): [string, string][] =>
  [...values].map((value) => [value, value]);

export const emptyState = (text: string): Markup => html`<p class="empty">${text}</p>`;

/** The heading of a page, with a line of facts below it. */
export const heading = (title: string, facts?: Markup): Markup => html`
<header class="heading">
<h1>${title}</h1>
${facts !== undefined && html`<p class="facts">${facts}</p>`}
</header>`;

/** The sentence beside a field that was refused. */
export const fieldProblem = (id: string, text: string | undefined): Markup | undefined =>
  text === undefined ? undefined : html`<p class="problem" id="${id}" role="alert">${text}</p>`;

/** A table that scrolls sideways on a narrow screen. `amounts` are the headers of columns with figures. */
export const dataTable = (
  label: string,
  headers: readonly string[],
  rows: readonly Markup[],
  amounts: readonly string[] = [],
): Markup => html`
<div class="table" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${headers.map((name) => (name === "" ? html`<td></td>` : html`<th scope="col"${amounts.includes(name) && html` class="amount"`}>${name}</th>`))}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
