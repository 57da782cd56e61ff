// /scenes and /scenes/{node_id}: the script as strips with its filter, and one scene with what belongs to it.

import type { NodeId } from "../../../core/ids.ts";
import { sameName } from "../../../core/wording.ts";
import { getSceneBundle } from "../../../graph/bundles.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { listScriptChanges } from "../../../graph/script_changes.ts";
import { dayTitle } from "../../../graph/units.ts";
import { dateText, timeOf } from "../dates.ts";
import { type EpisodeChoice, episodeChoice } from "../episode_choice.ts";
import { filterForm } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import {
  chip,
  emptyState,
  heading,
  lines,
  listPanel,
  neighbourLinks,
  optionsNamed,
  panel,
  plural,
  revisionChip,
  sceneChip,
  still,
} from "../html_parts.ts";
import { windowOf } from "../list_windows.ts";
import type { View } from "../page.ts";
import { editLink, importLink, linkTo, placeFiller } from "../page_places.ts";
import { factsLine, furtherElements, pagesIn, sceneFactsOf, sceneNumber } from "../scene_facts.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { approvalLink } from "./approval_card.ts";
import { versionTile } from "./assets.ts";

export type Scene = OutputOf<typeof listScenes>[number];
type ScriptChange = OutputOf<typeof listScriptChanges>[number];
type Bundle = OutputOf<typeof getSceneBundle>;

/** The pending changes of the script, by scene. */
async function changesByScene(visit: Visit): Promise<Map<number, ScriptChange[]>> {
  const changes = await visit.ask(listScriptChanges, { status: "pending", all_episodes: true });
  return Map.groupBy(
    changes.filter(({ node_id }) => node_id !== null),
    ({ node_id }) => node_id as number, // safe: filtered above
  );
}

const sceneChips = ({ revision_color, status }: Pick<Scene, "revision_color" | "status">): Markup =>
  html`${revision_color !== "white" && revisionChip(revision_color)}${status !== "planned" && sceneChip(status)}`;

const sceneRow = (scene: Scene, changes: readonly ScriptChange[]): Markup => {
  const facts = sceneFactsOf(scene);
  const omitted = scene.status === "omitted";
  return html`<li class="strip ${facts.colour}">
<a href="/scenes/${scene.node_id}"><span class="number">${sceneNumber(scene)}</span>
<span><b>${omitted ? html`<s>${facts.set}</s>` : facts.set}</b>${factsLine(facts)}</span></a>
<span class="row">${changes.length > 0 && html`<span class="chip warn">${plural(changes.length, "change")} to decide</span>`}${sceneChips(scene)}</span>
</li>`;
};

/** Groups scenes under the headings of their episodes; one group without a heading on a single production. */
const byEpisode = (scenes: readonly Scene[]): [episode: string, scenes: Scene[]][] => [
  ...Map.groupBy(scenes, ({ episode_code }) => episode_code ?? ""),
];

const omittedWords = { without: "not shown", only: "only these" };

/** The scenes that the address asks for. `changes` are the pending ones by scene. */
function foundIn({ query }: Visit, scenes: readonly Scene[], changes: { has(node_id: NodeId): boolean }): Scene[] {
  const asked = (name: string): string => sameName(query.get(name) ?? "");
  const [revision, omitted, cast, set] = [asked("revision"), asked("omitted"), asked("cast"), asked("set")];
  return scenes.filter((scene) => {
    if (revision !== "" && sameName(scene.revision_color) !== revision) return false;
    if (Object.hasOwn(omittedWords, omitted) && (scene.status === "omitted") !== (omitted === "only")) return false;
    if (asked("changed") === "1" && !changes.has(scene.node_id)) return false;
    if (cast === "" && set === "") return true;
    const facts = sceneFactsOf(scene);
    const isCast = cast === "" || facts.cast.some((name) => sameName(name).includes(cast));
    return isCast && sameName(facts.set).includes(set);
  });
}

function scriptFilter(visit: Visit, scenes: readonly Scene[], fields: EpisodeChoice["fields"]): Markup {
  const colours = [...new Set(scenes.map(({ revision_color }) => revision_color))].sort();
  return filterForm(
    visit,
    [
      ...fields,
      { name: "revision", label: "Revision", choices: optionsNamed(colours) },
      { name: "omitted", label: "Omitted", choices: Object.entries(omittedWords) },
      { name: "cast", label: "Cast", maxlength: 200 },
      { name: "set", label: "Set", maxlength: 200 },
    ],
    ["changed", "changes to decide"],
  );
}

export async function showScenes(visit: Visit): Promise<View> {
  const episodes = await episodeChoice(visit);
  const [scenes, changes] = await Promise.all([visit.ask(listScenes, episodes.given), changesByScene(visit)]);
  const live = scenes.filter(({ status }) => status !== "omitted");
  const facts = html`<span>${plural(live.length, "scene")}</span><span>${pagesIn(live) || "0 pages"}</span>${
    live.length < scenes.length && html`<a href="/scenes?omitted=only">${scenes.length - live.length} omitted</a>`
  }${changes.size > 0 && html`<a href="/scenes?changed=1">${plural(changes.size, "scene")} with changes to decide</a>`}`;
  const found = foundIn(visit, scenes, changes);
  const part = windowOf(visit, found);
  const lists: Markup[] = [];
  for (const [episode, of] of byEpisode(part.shown)) {
    const rows = await visit.rows(of, (scene) => sceneRow(scene, changes.get(scene.node_id) ?? []));
    lists.push(html`${episode !== "" && html`<h2>Episode ${episode}</h2>`}
<ol class="strips">${rows}</ol>`);
  }
  const body =
    scenes.length === 0 && episodes.given.episode_id === undefined
      ? emptyState("There is no script yet.", importLink(visit, "fountain", "Import a script"))
      : html`${scriptFilter(visit, scenes, episodes.fields)}
${found.length === 0 ? emptyState("No scene matches. Change the filter above.") : html`${found.length < scenes.length && html`<p class="under">${found.length} of ${plural(scenes.length, "scene")}</p>`}${part.pager}${lists}${part.pager}`}`;
  return { title: "Script", body: html`${heading("Script", facts)}${body}` };
}

const assetCard = ({ node_id, label, kind, status, released_versions }: Bundle["assets"][number]): Markup => {
  const shown = released_versions.findLast(({ archived, media_id }) => !archived && media_id !== null);
  const source = shown?.media_id ? `/thumbnails/${shown.media_id}` : undefined;
  return html`<li><a class="tile" href="/assets/${node_id}">${still(source, kind)}<span class="label">${label}</span>
<span class="under">${kind} ${chip(status)}</span></a>
${
  released_versions.length > 1 &&
  html`<details><summary>${plural(released_versions.length, "released version")}</summary>
<ul class="grid small">${released_versions.map((version) => versionTile(version, kind))}</ul></details>`
}</li>`;
};

const changeItem = ({ kind, summary, revision_color, detected_at }: ScriptChange): Markup =>
  html`<li><span class="chip warn">${kind}</span> ${summary} <span class="under">${revision_color}, ${timeOf(detected_at)}</span></li>`;

const elementsOf = ({ elements }: Bundle["scene"]): Markup => {
  const further = furtherElements(elements);
  if (further.length === 0) return html``;
  return panel("Breakdown", html`<dl>${further.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`);
};

const dayLine = (
  visit: Visit,
  { id, day_number, unit, date, general_call, status }: Bundle["shoot_days"][number],
): Markup => {
  const text = html`${dayTitle({ unit, day_number })}, ${dateText(date)}`;
  return html`<li>${visit.isVendor ? text : linkTo(`/days/${id}`, text)}${
    general_call !== null && html` <span class="under">call ${general_call}</span>`
  } ${status !== "scheduled" && chip(status)}</li>`;
};

/** The departments of the notes on a scene, by the note's id: the bundle of its day names them. */
async function departmentsOfNotes(
  visit: Visit,
  { shoot_days, department_notes }: Bundle,
): Promise<ReadonlyMap<number, string>> {
  const [day] = shoot_days;
  if (day === undefined || department_notes.length === 0 || visit.isVendor) return new Map();
  return (await (await placeFiller("note_departments"))?.(visit, day.id)) ?? new Map();
}

async function aside(visit: Visit, bundle: Bundle, changes: readonly ScriptChange[]): Promise<Markup> {
  const departments = await departmentsOfNotes(visit, bundle);
  const { shoot_days, approvals, department_notes } = bundle;
  return html`<div class="flow">
${panel("Shoots on", shoot_days.length === 0 ? emptyState("Not on the schedule.") : lines(shoot_days.map((day) => dayLine(visit, day))))}
${listPanel("Script changes to decide", changes.map(changeItem))}
${approvals.length > 0 && panel("Approvals", lines(approvals.map((approval) => html`<li>${approvalLink(visit, approval)}</li>`)))}
${department_notes.length > 0 && panel("Notes of departments", lines(department_notes.map(({ id, summary, created_at }) => html`<li>${departments.has(id) && html`<strong>${departments.get(id)}</strong> `}${summary} ${created_at !== null && html`<span class="under">${timeOf(created_at)}</span>`}</li>`)))}
${elementsOf(bundle.scene)}
</div>`;
}

const neighbour = (scene: Scene | undefined) =>
  scene && { href: `/scenes/${scene.node_id}`, text: `Scene ${sceneNumber(scene)}` };

export async function showScene(visit: Visit): Promise<View> {
  const bundle = await visit.ask(getSceneBundle, { node_id: visit.id("node_id") });
  const changes = visit.isVendor ? [] : ((await changesByScene(visit)).get(bundle.scene.node_id) ?? []);
  const script = visit.isVendor ? [] : await visit.ask(listScenes, {});
  const at = script.findIndex(({ node_id }) => node_id === bundle.scene.node_id);
  const { scene, assets } = bundle;
  const facts = sceneFactsOf(scene);
  const number = sceneNumber(scene);
  const text = visit.isVendor ? undefined : await (await placeFiller("scene_script"))?.(visit, scene.node_id);
  const body = html`
<header class="row heading">
<div><h1><span class="number">${number}</span> ${facts.place} ${scene.status === "omitted" ? html`<s>${facts.set}</s>` : facts.set}</h1>
<p class="facts">${factsLine(facts)}${sceneChips(scene)}${editLink(visit, `/edit/scenes/${scene.node_id}`, "Edit")}</p>
${scene.synopsis !== undefined && html`<p class="lead">${scene.synopsis}</p>`}</div>
${script.length > 1 && neighbourLinks("Scenes", neighbour(script[at - 1]), neighbour(script[at + 1]))}
</header>
<div class="columns">
<div class="flow">
<h2>Assets <span class="count">${assets.length}</span></h2>
${assets.length === 0 ? emptyState("No assets are linked to this scene.") : html`<ul class="grid stills">${assets.map(assetCard)}</ul>`}
${text}
</div>
${await aside(visit, bundle, changes)}
</div>`;
  return { title: `Scene ${number}`, body };
}
