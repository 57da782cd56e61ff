// /days/{shoot_day_id}/sheet: the call sheet of a shoot day, to be issued, and printed on A4 or Letter.
import { isDeepStrictEqual } from "node:util";
import { zoneOfDay } from "../../../graph/day_hours.ts";
import { listDepartments } from "../../../graph/departments.ts";
import { listPeople } from "../../../graph/people.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { byDate, dayText, dayTitle } from "../../../graph/units.ts";
import { formatEighths } from "../../names/page_lengths.ts";
import { dateText, inZone } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, dataTable, dotted, ofDays, plural } from "../../pages/html_parts.ts";
import type { View } from "../../pages/page.ts";
import { pagesIn, sceneFactsOf, sceneNumber } from "../../pages/scene_facts.ts";
import type { Visit } from "../../pages/visit.ts";
import { type DayBundle, getDayBundle } from "../day_bundle.ts";
import { assetsIn, type DayScene, readinessOf, scenesOf } from "./attention.ts";
import { type Issue, issueText, lastIssue, sheetActions } from "./issuing.ts";
import { castTable, crewCalls, ownCall } from "./sheet_calls.ts";
import { bannerKeys, changesSince, type SheetChanges } from "./sheet_changes.ts";
import { type CastMember, castText, isShot, needsOf } from "./sheet_facts.ts";
import { changedMark, sheetHead } from "./sheet_head.ts";

interface SceneTable {
  changes: SheetChanges;
  /** Whether scenes have their synopses. */
  isWhole: boolean;
}

function sceneRow(scene: DayScene, cast: ReadonlyMap<number, CastMember>, { changes, isWhole }: SceneTable): Markup {
  const facts = sceneFactsOf(scene);
  const { place, set, time, eighths } = facts;
  const { script_day } = scene.elements;
  const day = typeof script_day === "string" || typeof script_day === "number" ? String(script_day) : "";
  const title = html`${place !== "" && `${place}. `}${set}`;
  return html`<tr class="${facts.colour}"><th scope="row"><a href="/scenes/${scene.node_id}">${sceneNumber(scene)}</a></th>
<td dir="auto">${isShot(scene) ? html`<strong>${title}</strong>` : html`<s>${title}</s> omitted`}${changedMark(changes, `scene ${scene.node_id}`)}${scene.synopsis !== undefined && isWhole && isShot(scene) && html`<span class="under">${scene.synopsis}</span>`}</td>
<td>${time}${day !== "" && html`<span class="under">${day}</span>`}</td><td>${eighths !== undefined && formatEighths(eighths)}</td><td dir="auto">${castText(scene, cast, facts)}</td></tr>
`;
}

const bannerRow = (text: string, mark: Markup | false): Markup =>
  html`<tr class="banner"><td></td><td colspan="4" dir="auto">${text}${mark}</td></tr>
`;

/** The sum below the scenes. */
function sumRow(scenes: readonly DayScene[]): Markup {
  const shot = scenes.filter(isShot);
  return html`<tr><td></td><td>${plural(shot.length, "scene")}</td><td></td><td>${pagesIn(scenes)}</td><td></td></tr>
`;
}

/** The scenes of a day in its order, with the banners before them. Banners of no scene of the day come last. */
function scenesTable(bundle: DayBundle, name: string, table: SceneTable): Markup {
  const { cast } = bundle;
  const scenes = scenesOf(bundle);
  const members = new Map(cast.map((member) => [member.node_id, member]));
  const banners = bannerKeys(bundle).map(([key, { node_id, text }]) => ({ node_id, text, key }));
  const byScene = Map.groupBy(banners, ({ node_id }) => node_id);
  const row = ({ text, key }: (typeof banners)[number]) => bannerRow(text, changedMark(table.changes, key));
  const rows = scenes.flatMap((scene) => {
    const before = byScene.get(scene.node_id) ?? [];
    byScene.delete(scene.node_id);
    return [...before.map(row), sceneRow(scene, members, table)];
  });
  const last = [...byScene.values()].flat().map(row);
  const heads = ["Scene", "Set and description", "D/N", "Pages", "Cast"];
  return html`<div class="called acts">${dataTable(name, heads, [...rows, ...last, sumRow(scenes)])}</div>`;
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
  items.length === 0 ? undefined : html`<section class="flow screen"><h2>${title}</h2><ul>${items}</ul></section>`;

/** What is not ready: what clashes, assets by what they lack, approvals and script changes. */
function notReady(bundle: DayBundle): Markup | undefined {
  const { approvals, script_changes, clashes } = bundle;
  const missing = [...assetsIn(bundle, "lacking"), ...assetsIn(bundle, "not-started")];
  const lacks = [...Map.groupBy(missing, ({ asset }) => readinessOf(bundle, asset).text)];
  const kinds: [title: string, texts: Markup[]][] = [
    ...lacks.map(([text, of]): [string, Markup[]] => [
      text,
      of.map(({ asset, scenes }) => html`<bdi>${asset.label}</bdi> (${scenes.join(", ")})`),
    ]),
    ["approval to decide", approvals.map(({ title }) => html`<bdi>${title}</bdi>`)],
    ["script change to decide", script_changes.map(({ summary }) => html`<bdi>${summary}</bdi>`)],
  ];
  return listOf("Not ready", [
    ...clashes.map((clash) => html`<li><b dir="ltr">${capitalized(clash)}</b></li>`),
    ...kinds.flatMap(([title, texts]) =>
      texts.length === 0
        ? []
        : html`<li><b>${capitalized(title)}:</b> ${texts.map((text, at) => html`${at > 0 && ", "}${text}`)}</li>`,
    ),
  ]);
}

/** The strips of the next day. */
const advance = (bundle: DayBundle): Markup => html`<section class="advance">
<h2>Next: ${dayText(bundle.day)}, ${dateText(bundle.day.date)}${bundle.day.location !== undefined && html`, <bdi>${bundle.day.location}</bdi>`}${bundle.day.general_call !== null && `, call ${bundle.day.general_call}`}</h2>
${bundle.scenes.length === 0 ? html`<p>No scenes</p>` : scenesTable(bundle, `Scenes of ${dayText(bundle.day)}`, { changes: changesSince(undefined, bundle), isWhole: false })}
</section>`;

/** Whether a bundle says something else than the one that was issued. */
const differs = (issue: Issue | undefined, bundle: DayBundle): boolean =>
  issue !== undefined && !isDeepStrictEqual({ ...issue.bundle, etag: "" }, { ...bundle, etag: "" });

export async function showSheet(visit: Visit): Promise<View> {
  const shoot_day_id = visit.id("shoot_day_id");
  const bundle = await visit.ask(getDayBundle, { shoot_day_id });
  return inZone(zoneOfDay(bundle.day, visit.zone), () => sheetView(visit, bundle));
}

async function sheetView(visit: Visit, bundle: DayBundle): Promise<View> {
  const shoot_day_id = bundle.day.id;
  const [schedule, departments, people, production, issue] = await Promise.all([
    visit.ask(getSchedule, {}),
    visit.ask(listDepartments, {}),
    visit.ask(listPeople, {}),
    visit.heading(),
    lastIssue(visit, shoot_day_id),
  ]);
  const { day, scenes, cast } = bundle;
  const days = byDate(schedule);
  const next = days.find(({ date }) => date > day.date);
  const after = next && (await visit.ask(getDayBundle, { shoot_day_id: next.id }));
  const changes = changesSince(issue?.bundle, bundle);
  const own = ownCall(
    bundle,
    people.find(({ id }) => id === visit.context.caller.person_id),
    departments,
  );
  const needs = needsOf(scenes);
  const name = `Call sheet, ${dayText(day)} ${ofDays(day, days)}`;
  const body = html`<div class="sheet flow">
<p class="over screen"><a href="/days/${day.id}">${dayTitle(day)}</a></p>
${sheetActions(visit, issue, changes, differs(issue, bundle))}
${own !== undefined && html`<p class="screen">Your call <b class="big">${own.time}</b> ${own.department}</p>`}
${sheetHead(bundle, days, { title: production.title, people, changes })}
<section><h2>Scenes${changedMark(changes, "order")}</h2>${scenes.length === 0 ? html`<p>No scene is on this day.</p>` : scenesTable(bundle, "Scenes of the day", { changes, isWhole: true })}</section>
${cast.length > 0 && html`<section><h2>Cast</h2>${castTable(bundle, changes)}</section>`}
${needs.size > 0 && html`<h2>Needed</h2>${needsList(needs)}`}
${crewCalls(bundle, { people, departments, changes })}
${after && advance(after)}
${notReady(bundle)}
</div>`;
  const issued = issue === undefined ? "" : ` · ${issueText(issue)}`;
  return { title: name, sheet: `${name}, ${dateText(day.date)}${issued}`, body };
}
