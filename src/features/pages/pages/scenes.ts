// /scenes and /scenes/{node_id}: the script as strips with its filter, and one scene with what belongs to it.

import { compareNames, sameName } from "../../../core/wording.ts";
import { getSceneBundle } from "../../../graph/bundles.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { listScriptChanges } from "../../../graph/script_changes.ts";
import { dayTitle } from "../../../graph/units.ts";
import { formatEighths } from "../../names/page_lengths.ts";
import { dateText, timeOf } from "../dates.ts";
import { type EpisodeChoice, episodeChoice } from "../episode_choice.ts";
import { type FormField, narrowing } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import {
  capitalized,
  chip,
  emptyState,
  heading,
  lines,
  listPanel,
  menu,
  neighbourLinks,
  optionsNamed,
  panel,
  plural,
  revisionChip,
  sceneChip,
  still,
} from "../html_parts.ts";
import { addressWith, windowOf } from "../list_windows.ts";
import type { View } from "../page.ts";
import { editButton, hasPage, importLink, linkTo, placeFiller } from "../page_places.ts";
import { countedScenes, factsLine, furtherElements, sceneFactsOf, sceneNumber } from "../scene_facts.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { approvalLink } from "./approval_card.ts";
import { versionTile } from "./assets.ts";

export type Scene = OutputOf<typeof listScenes>[number];
type ScriptChange = OutputOf<typeof listScriptChanges>[number];
type Bundle = OutputOf<typeof getSceneBundle>;

/** The changes of the script that wait to be decided. */
const pendingChanges = (visit: Visit): Promise<ScriptChange[]> =>
  visit.ask(listScriptChanges, { status: "pending", all_episodes: true });

const revision = ({ revision_color }: Pick<Scene, "revision_color">): Markup =>
  html`${revision_color !== "white" && revisionChip(revision_color)}`;

/** A scene in a line. Only what is no normal state has a word. */
function sceneRow(scene: Scene, changed: ReadonlySet<number>): Markup {
  const { place, set, time, eighths, cast } = sceneFactsOf(scene);
  const { node_id, status } = scene;
  const state = changed.has(node_id) ? html`<span class="chip warn">to decide</span>` : sceneChip(status);
  return html`<li${status === "omitted" && html` class="gone"`}><span class="number">${sceneNumber(scene)}</span><span>${place}</span>
<a class="name" href="/scenes/${node_id}">${status === "omitted" ? html`<s>${set}</s>` : set}</a><span>${time}</span>
<span class="eighths">${eighths !== undefined && formatEighths(eighths)}</span><span class="cast" dir="auto">${cast.join(", ")}</span><span>${revision(scene)}</span><span class="state">${state}</span></li>`;
}

/** Groups scenes under the headings of their episodes; one group without a heading on a single production. */
const byEpisode = (scenes: readonly Scene[]): [episode: string, scenes: Scene[]][] => [
  ...Map.groupBy(scenes, ({ episode_code }) => episode_code ?? ""),
];

/** The states of scenes that have a tab. */
const states = {
  open: { text: "To shoot", has: (status: string) => status !== "done" && status !== "omitted" },
  shot: { text: "Shot", has: (status: string) => status === "done" },
  omitted: { text: "Omitted", has: (status: string) => status === "omitted" },
} as const;

const isState = (name: string): name is keyof typeof states => Object.hasOwn(states, name);

/** The state that the address asks for; formerly it said "omitted=only". */
const stateIn = ({ query }: Visit): string =>
  query.get("omitted") === "only" ? "omitted" : (query.get("state") ?? "");

/** The scenes that the address asks for, whatever their state. */
function foundIn({ query }: Visit, scenes: readonly Scene[], changed: ReadonlySet<number>): Scene[] {
  const asked = (name: string): string => sameName(query.get(name) ?? "");
  const [revision, cast, set] = [asked("revision"), asked("cast"), asked("set")];
  return scenes.filter((scene) => {
    if (revision !== "" && sameName(scene.revision_color) !== revision) return false;
    if (asked("omitted") === "without" && scene.status === "omitted") return false;
    if (asked("changed") === "1" && !changed.has(scene.node_id)) return false;
    if (cast === "" && set === "") return true;
    const facts = sceneFactsOf(scene);
    const isCast = cast === "" || facts.cast.some((name) => sameName(name).includes(cast));
    return isCast && sameName(facts.set).includes(set);
  });
}

/** The states as tabs, each with its count, and the other filters in a fold. */
function scriptFilter(
  visit: Visit,
  scenes: readonly Scene[],
  found: readonly Scene[],
  fields: EpisodeChoice["fields"],
): Markup {
  const state = stateIn(visit);
  const colours = [...new Set(scenes.map(({ revision_color }) => revision_color))].sort();
  const tab = (name: string, text: string, has: (status: string) => boolean) => ({
    href: addressWith(visit, "state", name || undefined, ["omitted", "from"]),
    text,
    count: found.filter(({ status }) => has(status)).length,
    isCurrent: (isState(state) ? state : "") === name,
  });
  const all = [
    tab("", "All", (status) => status !== "omitted"),
    ...Object.entries(states).map(([name, { text, has }]) => tab(name, text, has)),
  ];
  const further: FormField[] = [
    { name: "revision", label: "Pages", choices: optionsNamed(colours) },
    { name: "cast", label: "Cast", maxlength: 200 },
    { name: "set", label: "Set", maxlength: 200 },
  ];
  return narrowing(visit, all, "Filter", [...fields, ...further], ["changed", "changes to decide"], { state });
}

/** How many scenes with a change the notice names. */
const namedScenes = 12;

/** What waits to be decided, above the list. */
function changesNotice(visit: Visit, changes: readonly ScriptChange[]): Markup | false {
  if (changes.length === 0) return false;
  const numbers = [
    ...new Set(
      changes.map((one) => sceneNumber({ number: one.scene_number, episode_code: one.episode_code ?? undefined })),
    ),
  ].sort(compareNames);
  const colours = [...new Set(changes.map(({ revision_color }) => revision_color))];
  const [first] = colours;
  const pages =
    colours.length === 1 ? `${capitalized(first ?? "")} pages change` : "Pages that wait to be decided change";
  const more = numbers.length - namedScenes;
  const decide = editButton(visit, "/settings/script-changes", "Look and decide", "");
  return html`<section class="panel notice warn row between"><p><b>${pages} ${plural(numbers.length, "scene")}:</b> <bdi>${numbers.slice(0, namedScenes).join(", ")}</bdi>${more > 0 && ` and ${more} more`}</p>${decide || html`<a href="/scenes?changed=1">Show them</a>`}</section>`;
}

const columns = ["Scene", "", "Set", "Time", "Pages", "Cast", "Colour", "State"];

/** The form that shows what a next draft would change. */
const draftForm = (visit: Visit): Markup =>
  menu(
    "Bring in a draft",
    html`<form method="post" action="/settings/import" enctype="multipart/form-data" class="stack">${visit.proof}
<label for="files">The script as a file</label><input id="files" name="files" type="file" required>
<button name="action" value="preview">Show the changes</button></form>${importLink(visit, "fountain", "Say how it is read")}`,
  );

export async function showScenes(visit: Visit): Promise<View> {
  const episodes = await episodeChoice(visit);
  const [scenes, changes] = await Promise.all([visit.ask(listScenes, episodes.given), pendingChanges(visit)]);
  const changed = new Set(changes.flatMap(({ node_id }) => node_id ?? []));
  const shot = scenes.filter(({ status }) => status === "done");
  const facts = html`${countedScenes(scenes)}${shot.length > 0 && countedScenes(shot, " shot")}`;
  const found = foundIn(visit, scenes, changed);
  const state = stateIn(visit);
  const asked = isState(state) ? found.filter(({ status }) => states[state].has(status)) : found;
  const part = windowOf(visit, asked);
  const lists: Markup[] = [];
  for (const [episode, of] of byEpisode(part.shown)) {
    const rows = await visit.rows(of, (scene) => sceneRow(scene, changed));
    lists.push(html`${episode !== "" && html`<h2>Episode ${episode}</h2>`}
<ol class="rows numbered${episode !== "" && " coded"}"><li class="cols" aria-hidden="true">${columns.map((name) => html`<span>${name}</span>`)}</li>${rows}</ol>`);
  }
  const body =
    scenes.length === 0 && episodes.given.episode_id === undefined
      ? emptyState("There is no script yet.", importLink(visit, "fountain", "Import a script"))
      : html`${changesNotice(visit, changes)}${scriptFilter(visit, scenes, found, episodes.fields)}
${asked.length === 0 ? emptyState("No scene matches. Change the filter above.") : html`${part.pager}${lists}${part.pager}`}`;
  const actions = html`${visit.mayEdit && hasPage("/settings/import") && draftForm(visit)}`;
  return { title: "Script", body: html`${heading("Script", facts, { actions })}${body}` };
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
${panel("Shoots on", shoot_days.length === 0 ? emptyState("Without a day.") : lines(shoot_days.map((day) => dayLine(visit, day))))}
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
  const changes = visit.isVendor
    ? []
    : (await pendingChanges(visit)).filter(({ node_id }) => node_id === bundle.scene.node_id);
  const script = visit.isVendor ? [] : await visit.ask(listScenes, {});
  const at = script.findIndex(({ node_id }) => node_id === bundle.scene.node_id);
  const { scene, assets } = bundle;
  const facts = sceneFactsOf(scene);
  const number = sceneNumber(scene);
  const text = visit.isVendor ? undefined : await (await placeFiller("scene_script"))?.(visit, scene.node_id);
  const body = html`
${heading(
  html`<span class="number">${number}</span> ${facts.place} ${scene.status === "omitted" ? html`<s>${facts.set}</s>` : facts.set}`,
  html`${factsLine(facts)}${revision(scene)}${sceneChip(scene.status)}`,
  {
    actions: html`${script.length > 1 && neighbourLinks("Scenes", neighbour(script[at - 1]), neighbour(script[at + 1]))}${editButton(visit, `/edit/scenes/${scene.node_id}`, "Edit")}`,
  },
)}
${scene.synopsis !== undefined && html`<p class="lead" dir="auto">${scene.synopsis}</p>`}
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
