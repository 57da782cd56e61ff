// /days/{shoot_day_id}/sheet: the call sheet of a shoot day, to be printed on A4 or Letter.
import { listDepartments } from "../../../graph/departments.ts";
import { listPeople } from "../../../graph/people.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { byDate, castOrder } from "../../cast/day_out_of_days.ts";
import { formatEighths } from "../../names/sluglines.ts";
import { dateText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, dataTable, dotted, ofDays } from "../../pages/html_parts.ts";
import type { View } from "../../pages/page.ts";
import type { ShootDay } from "../../pages/pages/schedule.ts";
import { pagesIn, sceneFactsOf, sceneNumber } from "../../pages/scene_facts.ts";
import type { Visit } from "../../pages/visit.ts";
import { getDayBundle } from "../day_bundle.ts";
import { assetsIn, type DayBundle, type DayScene, readinessOf, whereOf } from "./attention.ts";
import { printing } from "./printing.ts";
import { type CastMember, callOf, castText, isShot, needsOf } from "./sheet_facts.ts";

/** How many of the next shoot days a sheet announces. */
const announcedDays = 2;

function sceneRow(scene: DayScene, cast: ReadonlyMap<number, CastMember>, isWhole: boolean): Markup {
  const facts = sceneFactsOf(scene);
  const { place, set, time, eighths } = facts;
  const { script_day } = scene.elements;
  const day = typeof script_day === "string" || typeof script_day === "number" ? String(script_day) : "";
  const title = html`${place !== "" && `${place}. `}${set}`;
  return html`<tr><th scope="row"><a href="/scenes/${scene.node_id}">${sceneNumber(scene)}</a></th>
<td dir="auto">${isShot(scene) ? html`<strong>${title}</strong>` : html`<s>${title}</s> omitted`}${scene.synopsis !== undefined && isWhole && isShot(scene) && html`<span class="under">${scene.synopsis}</span>`}</td>
<td>${time}${day !== "" && html`<span class="under">${day}</span>`}</td><td>${eighths !== undefined && formatEighths(eighths)}</td><td dir="auto">${castText(scene, cast, facts)}</td></tr>
`;
}

const bannerRow = (text: string): Markup =>
  html`<tr class="banner"><td></td><td colspan="4" dir="auto">${text}</td></tr>
`;

/** The scenes of a day in its order, with the banners before them. Banners of no scene of the day come last. A whole table has synopses. */
function scenesTable({ day, scenes, cast }: DayBundle, name: string, isWhole = true): Markup {
  const members = new Map(cast.map((member) => [member.node_id, member]));
  const byScene = Map.groupBy(day.banners ?? [], ({ node_id }) => node_id);
  const rows = scenes.flatMap((scene) => {
    const banners = byScene.get(scene.node_id) ?? [];
    byScene.delete(scene.node_id);
    return [...banners.map(({ text }) => bannerRow(text)), sceneRow(scene, members, isWhole)];
  });
  const last = [...byScene.values()].flat().map(({ text }) => bannerRow(text));
  const table = dataTable(name, ["Scene", "Set and description", "D/N", "Pages", "Cast"], [...rows, ...last]);
  return table;
}

function castTable({ day, cast, scenes }: DayBundle): Markup {
  const numbers = new Map(scenes.map((scene) => [scene.node_id, sceneNumber(scene)]));
  const calls = Map.groupBy(day.calls ?? [], ({ node_id }) => node_id);
  const rows = cast.toSorted(castOrder).map((member) => {
    const { node_id, label, cast_number, performer, work } = member;
    const own = calls.get(node_id) ?? [{ time: day.general_call, note: undefined }];
    const inScenes = member.scenes.map((scene) => numbers.get(scene.node_id)).join(", ");
    return html`<tr><th scope="row">${cast_number}</th><td dir="auto"><a href="/assets/${node_id}">${label}</a></td><td dir="auto">${performer}</td><td>${work}</td><td>${own.map(({ time, note }) => html`${time}<span class="under" dir="auto">${note}</span>`)}</td><td>${inScenes}</td></tr>
`;
  });
  return dataTable("Cast", ["No.", "Character", "Performer", "Status", "Call", "Scenes"], rows);
}

/** The calls of everybody who is not in the cast of the day. */
function furtherCalls({ day, cast }: DayBundle, departments: ReadonlyMap<string, string>): Markup | undefined {
  const inCast = new Set<number | undefined>(cast.map(({ node_id }) => node_id));
  const calls = (day.calls ?? []).filter(({ node_id }) => !inCast.has(node_id));
  if (calls.length === 0) return undefined;
  const rows = calls.map(
    ({ who, department_id, time, note }) =>
      html`<tr><th scope="row" dir="auto">${department_id === undefined ? who : departments.get(who)}</th><td>${time}</td><td dir="auto">${note}</td></tr>
`,
  );
  return html`<h2>Calls</h2>${dataTable("Calls", ["Who", "Call", "Note"], rows)}`;
}

const needsList = (needs: ReturnType<typeof needsOf>): Markup =>
  html`<dl>${[...needs].map(
    ([
      category,
      things,
    ]) => html`<dt>${capitalized(category)}</dt><dd>${dotted([...things].map(([thing, scenes]) => html`<bdi>${thing}</bdi> <span class="under">${scenes.join(", ")}</span>`))}</dd>
`,
  )}</dl>`;

const listOf = (title: string, items: readonly Markup[]): Markup | undefined =>
  items.length === 0 ? undefined : html`<section class="flow"><h2>${title}</h2><ul>${items}</ul></section>`;

/** What is not ready: what clashes, assets by what they lack, approvals and script changes. */
function notReady(bundle: DayBundle): Markup | undefined {
  const { approvals, script_changes, clashes } = bundle;
  const idle = assetsIn(bundle, "not-started").filter(({ asset }) => asset.kind !== "character");
  const missing = [...assetsIn(bundle, "lacking"), ...idle];
  const lacks = [...Map.groupBy(missing, ({ asset }) => readinessOf(bundle, asset).text)];
  const kinds: [title: string, texts: string[]][] = [
    ...lacks.map(([text, of]): [string, string[]] => [
      text,
      of.map(({ asset, scenes }) => `${asset.label} (${scenes.join(", ")})`),
    ]),
    ["approval pending", approvals.map(({ title }) => title)],
    ["script change pending", script_changes.map(({ summary }) => summary)],
  ];
  return listOf("Not ready", [
    ...clashes.map((clash) => html`<li><b>${capitalized(clash)}</b></li>`),
    ...kinds.flatMap(([title, texts]) =>
      texts.length === 0
        ? []
        : html`<li><b>${capitalized(title)}:</b> ${texts.map((text, at) => html`${at > 0 && ", "}<bdi>${text}</bdi>`)}</li>`,
    ),
  ]);
}

async function headsOf(visit: Visit, departments: ReadonlyMap<string, string>): Promise<Markup | undefined> {
  const people = await visit.ask(listPeople, {});
  return listOf(
    "Heads of department",
    people
      .filter(({ is_hod, active }) => is_hod && active)
      .map(
        ({ name, role, department }) =>
          html`<li dir="auto">${department !== null && html`<b>${departments.get(department)}:</b> `}${name}, ${role}</li>`,
      ),
  );
}

/** One of the next days; the first has the heading, which is printed on one page with it. */
const advance = (bundle: DayBundle, at: number): Markup => html`<section class="advance flow">
${at === 0 && html`<h2>In advance</h2>`}
<h3>Day ${bundle.day.day_number}, ${dateText(bundle.day.date)}${bundle.day.general_call !== null && `, call ${bundle.day.general_call}`}${bundle.day.location !== undefined && `, ${bundle.day.location}`}</h3>
${bundle.scenes.length === 0 ? html`<p>No scenes</p>` : scenesTable(bundle, `Scenes of day ${bundle.day.day_number}`, false)}
</section>`;

const sheetName = (day: DayBundle["day"], days: readonly ShootDay[]): string =>
  `Call sheet, day ${day.day_number} ${ofDays(day, days)}`;

function sheetHead(bundle: DayBundle, days: readonly ShootDay[], title: string): Markup {
  const { day, scenes } = bundle;
  const pages = pagesIn(scenes);
  const { wrap, notes, status } = day;
  const fact = (name: string, value: string) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`;
  return html`<header>
<p class="over" dir="auto">${title}</p>
<h1>${sheetName(day, days)}</h1>
<p class="over">${dateText(day.date, "long")} <a class="back" href="/days/${day.id}">Day ${day.day_number}</a></p>
<dl class="row">${fact("General call", callOf(bundle))}${fact("Location", whereOf(bundle) || "not set yet")}${wrap !== undefined && fact("Wrap", wrap)}
${fact("Scenes", `${scenes.filter(isShot).length}${pages === "" ? "" : `, ${pages}`}`)}${status !== "scheduled" && fact("Status", status)}</dl>
${notes !== undefined && html`<p class="text lead" dir="auto">${notes}</p>`}
</header>`;
}

export async function showSheet(visit: Visit): Promise<View> {
  const bundle = await visit.ask(getDayBundle, { shoot_day_id: visit.id("shoot_day_id") });
  const { day, scenes, cast } = bundle;
  const [schedule, departments, production] = await Promise.all([
    visit.ask(getSchedule, {}),
    visit.ask(listDepartments, {}),
    visit.heading(),
  ]);
  const names = new Map(departments.map(({ slug, name }) => [slug, name]));
  const days = byDate(schedule);
  const later = days.filter(({ date }) => date > day.date);
  const next = await Promise.all(
    later.slice(0, announcedDays).map(({ id }) => visit.ask(getDayBundle, { shoot_day_id: id })),
  );
  const needs = needsOf(scenes);
  const body = html`<div class="sheet flow">
${sheetHead(bundle, days, production.title)}
${printing(visit, bundle)}
<h2>Scenes</h2>
${scenes.length === 0 ? html`<p>No scene is on this day.</p>` : scenesTable(bundle, "Scenes")}
${cast.length > 0 && html`<h2>Cast</h2>${castTable(bundle)}`}
${furtherCalls(bundle, names)}
${needs.size > 0 && html`<h2>Needed</h2>${needsList(needs)}`}
<div class="grid half">
${notReady(bundle)}
${await headsOf(visit, names)}
</div>
${next.map(advance)}
</div>`;
  return { title: `Call sheet, day ${day.day_number}`, sheet: sheetName(day, days), body };
}
