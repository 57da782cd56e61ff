// The head of a call sheet: the show, the call, the day, and the lines that have their place there.

import { sameName } from "../../../core/wording.ts";
import type { listPeople } from "../../../graph/people.ts";
import { dayTitle } from "../../../graph/units.ts";
import { dateText, shownZoneName } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { ofDays } from "../../pages/html_parts.ts";
import type { ShootDay } from "../../pages/pages/schedule.ts";
import type { OutputOf } from "../../pages/visit.ts";
import type { DayBundle } from "../day_bundle.ts";
import { whereOf } from "./attention.ts";
import { lineKeys, type SheetChanges } from "./sheet_changes.ts";
import { callOf } from "./sheet_facts.ts";

export type Person = OutputOf<typeof listPeople>[number];

/** The word that stands beside what is new or differs since the sheet was issued. */
export const changedMark = ({ isChanged }: SheetChanges, ...keys: readonly string[]): Markup | false =>
  keys.some(isChanged) && html` <mark>changed</mark>`;

/** The roles that a sheet names, in their order. */
const namedRoles = ["Director", "Producer", "1st AD", "1st Assistant Director", "First Assistant Director"];

/** The labels of the lines with a place in the head, by that place; every other line stands with the places. */
const placedLabels = { warning: ["Warning"], middle: ["First shot", "Lunch"], right: ["Sunrise", "Sunset", "Weather"] };

/** The lines of the labels of a place. */
function linesOf(bundle: DayBundle, place: keyof typeof placedLabels | "places") {
  const at = (label: string, labels: readonly string[]) => labels.map(sameName).includes(sameName(label));
  const everyLabel = Object.values(placedLabels).flat();
  return lineKeys(bundle).filter(([, { label }]) =>
    place === "places" ? !at(label, everyLabel) : at(label, placedLabels[place]),
  );
}

/** Facts, each with its name before it. */
const namedFacts = (facts: readonly (Markup | false)[]): Markup =>
  html`${facts.filter((fact) => fact !== false).map((fact) => html`<p dir="auto">${fact}</p>`)}`;

export function sheetHead(
  bundle: DayBundle,
  days: readonly ShootDay[],
  { title, people, changes }: { title: string; people: readonly Person[]; changes: SheetChanges },
): Markup {
  const { day } = bundle;
  const { wrap, notes, status } = day;
  const mark = (...keys: readonly string[]) => changedMark(changes, ...keys);
  const line = ([key, { label, text }]: ReturnType<typeof lineKeys>[number]) =>
    html`${label} <b>${text}</b>${mark(key)}`;
  const named = namedRoles.flatMap((role) =>
    people.filter((one) => one.active && sameName(one.role) === sameName(role)).map(({ name }) => [role, name]),
  );
  const place = (key: string, name: string, value: string) =>
    html`<div><dt dir="auto">${name}</dt><dd class="text" dir="auto">${value}${mark(key)}</dd></div>`;
  return html`<header class="sheet-head">
<div><p dir="auto"><b>${title}</b></p>${namedFacts(named.map(([role, name]) => html`${role} <b>${name}</b>`))}</div>
<div><p>Crew call</p><p class="call"><b>${callOf(bundle)}</b>${mark("general_call")}</p>${namedFacts([...linesOf(bundle, "middle").map(line), wrap !== undefined && html`Wrap <b>${wrap}</b>${mark("wrap")}`])}</div>
<div><p><b>${dateText(day.date, "long")}</b>${mark("date")}, times of ${shownZoneName()}</p><h1>${dayTitle(day)} <span class="count">${ofDays(day, days)}</span></h1>${namedFacts(linesOf(bundle, "right").map(line))}${status !== "scheduled" && html`<p>Status <b>${status}</b>${mark("status")}</p>`}</div>
</header>
${linesOf(bundle, "warning").map(([key, { label, text }]) => html`<p class="warning text" dir="auto"><b>${label}:</b> ${text}${mark(key)}</p>`)}
<dl class="places">${place("location", "Location", whereOf(bundle) || "not set yet")}${linesOf(bundle, "places").map(([key, { label, text }]) => place(key, label, text))}</dl>
${notes !== undefined && html`<p class="text" dir="auto">${notes}${mark("notes")}</p>`}`;
}
