// The parts that pages are made of: chips of a status, stills, panels and empty states.
import { plural, wordOf } from "../../core/wording.ts";
import { timeText } from "./dates.ts";
import { html, type Markup } from "./html.ts";
import { type KnownMedium, typeWords } from "./media_words.ts";

export { plural, wordOf };

const statusesOfTones: Readonly<Record<string, readonly string[]>> = {
  good: ["done", "approved", "accepted", "delivered", "released"],
  warn: ["pending", "waiting", "paused", "review", "submitted"],
  bad: ["blocked", "dead", "failed", "revoked", "rejected", "changes", "changes_requested", "returned"],
  now: ["active", "wip", "sent", "ready"],
  none: ["planned", "draft"],
  off: ["omitted", "archived", "closed"],
};

/** The class that gives a status its colour; empty if it has none. */
export const toneOf = (status: string): string =>
  Object.keys(statusesOfTones).find((tone) => statusesOfTones[tone]?.includes(status)) ?? "";

/** A value of a status. The colour repeats what the text says. */
export const chip = (status: string): Markup => html`<span class="chip ${toneOf(status)}">${stateWord(status)}</span>`;

/** How far a version got, in one word. */
export const versionChip = (version: { status: string; released: boolean; archived?: boolean | undefined }): Markup =>
  chip(version.archived ? "archived" : version.released ? "released" : version.status);

/** The status of a scene as a crew says it: nothing of one that is only planned, and a tick for one that is shot. */
export const sceneChip = (status: string): Markup =>
  html`${status !== "planned" && html`<span class="chip ${status === "done" ? "shot" : toneOf(status)}"><span>${sceneWord(status)}</span></span>`}`;

export const sceneWord = (status: string): string => sceneWords[status] ?? wordOf(status);

/** What a status is called on pages. */
export const stateWord = (status: string): string => stateWords[status] ?? wordOf(status);

const sceneWords: Readonly<Record<string, string>> = { done: "shot", active: "part shot", blocked: "held" };

/** What a status is called on pages, if not by its own word. */
const stateWords: Readonly<Record<string, string>> = {
  pending: "to decide",
  review: "to decide",
  changes: "changes asked",
  changes_requested: "changes asked",
  wip: "in work",
  active: "in work",
  submitted: "to look at",
};

/** The colours of the paper of revisions. */
const papers = new Map(
  Object.entries({
    blue: "#4b8fe2",
    pink: "#ee7fb0",
    yellow: "#e8c522",
    green: "#43a75f",
    goldenrod: "#c98f12",
    buff: "#d6b98a",
    salmon: "#f08a70",
    cherry: "#c32148",
    tan: "#b08d63",
  }),
);

/** The colour of a revision, by its name and a dot. */
export function revisionChip(color: string): Markup {
  const paper = papers.get(color.toLowerCase());
  return html`<span class="chip revision"><svg viewBox="0 0 2 2" aria-hidden="true">${paper !== undefined && html`<circle cx="1" cy="1" r="1" fill="${paper}"/>`}</svg>${color}</span>`;
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface NumberedDay {
  id: number;
  day_number: number;
  unit?: string | undefined;
}

/**
 * Says which of all days of its unit a shoot day is: "Day 3 of 30" if its number is its place among them, otherwise
 * "Day 25 (3 of 30)". `days` are in their order.
 */
export function ofDays({ id, day_number, unit }: NumberedDay, days: readonly NumberedDay[]): string {
  const own = days.filter((day) => day.unit === unit);
  const place = own.findIndex((day) => day.id === id) + 1;
  return place === day_number ? `of ${own.length}` : `(${place} of ${own.length})`;
}

/** A number of bytes. */
export const sizeText = (bytes: number): string => {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
};

/**
 * A box of fixed proportions with a still in it, so that nothing moves while it loads. Without a still it shows the
 * kind.
 */
export const still = (source: string | undefined, kind: string): Markup =>
  html`<span class="still"><span aria-hidden="true">${kind}</span>${
    source !== undefined && html`<img src="${source}" alt="" loading="lazy" decoding="async">`
  }</span>`;

/** Facts in one line, with dots between them. */
export const dotted = (facts: readonly Markup[]): Markup =>
  html`${facts.map((fact, at) => html`${at > 0 && " · "}${fact}`)}`;

/** A box with a heading. */
export const panel = (title: string | Markup, body: Markup, count?: number): Markup => html`
<section class="panel">
<h2>${title}${count !== undefined && html` <span class="count">${count}</span>`}</h2>
${body}
</section>`;

/** What was just done. */
export const doneNotice = (title: string, body: Markup): Markup =>
  html`<section class="panel notice good" role="status"><h2>${title}</h2>${body}</section>`;

/** After a decision, what waits next; `none` if nothing does. */
export const nextNotice = (href: string | undefined, title: string | undefined, left: string, none: string): Markup =>
  html`<section class="panel notice good" role="status"><p>Recorded. ${href === undefined ? none : html`Next: <a class="button" href="${href}">${title}</a> <span class="under">${left}</span>`}</p></section>`;

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
<nav aria-label="${label}">
${before && html`<a class="button plain" rel="prev" href="${before.href}"><span aria-hidden="true">←</span> ${before.text}</a>`}
${after && html`<a class="button plain" rel="next" href="${after.href}">${after.text} <span aria-hidden="true">→</span></a>`}
</nav>`;

/** The options of a menu, each with its text. */
export const options = (values: Iterable<readonly [value: string, text: string]>, chosen = ""): Markup =>
  html`${[...values].map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`)}`;

/** The same for values whose text is what pages call them. */
export const optionsNamed = (values: Iterable<string>): [string, string][] =>
  [...values].map((value) => [value, stateWords[value] ?? value]);

/** Links to files, with their types in words, and their sizes if they are given. */
export const fileList = (media: readonly (KnownMedium & { id: number; label: string; size?: number })[]): Markup =>
  html`<ul class="row">${media.map((one) => html`<li><a href="/files/${one.id}">${one.label}</a> <span class="under">${typeWords(one)}${one.size !== undefined && `, ${sizeText(one.size)}`}</span></li>`)}</ul>`;

/** A list of lines, each an item. `kind` is a class of the list. */
export const lines = (items: readonly Markup[], kind = ""): Markup =>
  html`<ul class="lines${kind && ` ${kind}`}">${items}</ul>`;

/** A list of rows, each an item whose parts stand in the columns of that class. */
export const rows = (columns: string, items: readonly Markup[]): Markup =>
  html`<ul class="rows ${columns}">${items}</ul>`;

/** A line with what can be done about it at its end. */
export const actionLine = (text: Markup, action: Markup | false | undefined): Markup =>
  html`<li class="row between"><span>${text}</span>${action}</li>`;

/**
 * A panel with a list and how many items it has; nothing without items, or the text that says so. `kind` is a class of
 * the list.
 */
export const listPanel = (title: string, items: readonly Markup[], empty?: string, kind?: string): Markup =>
  items.length > 0
    ? panel(title, lines(items, kind), items.length)
    : html`${empty !== undefined && panel(title, emptyState(empty), 0)}`;

/** What is empty, and where it is filled. */
export const emptyState = (text: string, link?: Markup): Markup =>
  html`<p class="empty">${text}${link !== undefined && html` ${link}`}</p>`;

/** The heading of a page, with a line of facts below it, a line above it, and what can be done with the page. */
export const heading = (
  title: string | Markup,
  facts?: Markup,
  { over, actions }: { over?: Markup; actions?: Markup } = {},
): Markup => html`
<header class="head">
<div>${over && html`<p class="over">${over}</p>`}
<h1>${title}</h1>
${facts !== undefined && html`<p class="facts">${facts}</p>`}</div>
${actions && html`<div class="row actions">${actions}</div>`}
</header>`;

/** A button below which something opens: further actions, or a form. */
export const menu = (name: string, body: Markup, isOpen = false): Markup =>
  html`<details class="menu"${isOpen && html` open`}><summary class="button quiet">${name}</summary><div class="panel">${body}</div></details>`;

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

const maxLength = 300;

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === "";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

function wordsIn(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return timeText(value);
  if (!isObject(value)) return String(value);
  if (Array.isArray(value)) return value.map(wordsIn).join(value.some(isObject) ? " · " : ", ");
  const fields = Object.entries(value ?? {}).filter(
    ([, one]) => !isEmpty(one) && !(Array.isArray(one) && one.length === 0),
  );
  return fields.map(([name, one]) => `${wordOf(name)}: ${wordsIn(one)}`).join("; ");
}

/** A value as people read it. A long text is cut. */
export function valueText(value: unknown): string {
  const text = isEmpty(value) ? "" : wordsIn(value);
  if (text === "") return "—";
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
