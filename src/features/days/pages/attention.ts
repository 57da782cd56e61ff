// What stands in the way of a shoot day: assets that are not ready, pending script changes and approvals.
import { inParts } from "../../../graph/scene_parts.ts";
import { byDue } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, lines, listPanel, stateWord, wordOf } from "../../pages/html_parts.ts";
import { approvalLink } from "../../pages/pages/approval_card.ts";
import { sceneFactsOf, sceneNumber } from "../../pages/scene_facts.ts";
import type { Visit } from "../../pages/visit.ts";
import type { DayBundle } from "../day_bundle.ts";

export type DayScene = DayBundle["scenes"][number];

/** The scenes of a day as its pages show them, with the parts that are shot. */
export const scenesOf = ({ day, scenes }: Pick<DayBundle, "day" | "scenes">): DayScene[] => inParts(scenes, day.parts);
export type DayAsset = DayScene["assets"][number];

/** Where the day is: its location, otherwise the sets of its scenes. */
export function whereOf({ day, scenes }: DayBundle): string {
  if (day.location !== undefined) return day.location;
  const sets = scenes.filter(({ status }) => status !== "omitted").map((scene) => sceneFactsOf(scene));
  return [...new Set(sets.map(({ place, set }) => [place, set].filter(Boolean).join(" ")))].join(", ");
}

export interface Readiness {
  /**
   * lacking: a delivery or an approval waits for it. not-started: it has no version, and no delivery or approval is
   * about it.
   */
  state: "ready" | "lacking" | "not-started";
  text: string;
}

/** Whether a delivery or an approval of the day is about a node. */
const isAwaitedIn = ({ deliveries, approvals }: DayBundle, node: number): boolean =>
  deliveries.some(({ node_ids }) => node_ids.includes(node)) || approvals.some(({ node_id }) => node_id === node);

/** Whether an asset of the day is ready, and what it needs otherwise. */
export function readinessOf(bundle: DayBundle, asset: DayAsset): Readiness {
  const { node_id, ready, status, newest } = asset;
  if (status === "blocked") return { state: "lacking", text: "blocked" };
  if (ready) return { state: "ready", text: "ready" };
  if (newest !== null)
    return { state: "lacking", text: `v${newest.version} ${stateWord(newest.status)}, not released` };
  return isAwaitedIn(bundle, node_id)
    ? { state: "lacking", text: "no version yet" }
    : { state: "not-started", text: "not started" };
}

interface Missing {
  asset: DayAsset;
  scenes: string[];
}

/**
 * The assets in a state, each once, with the scenes that need it. A character that is not started needs a call and no
 * version.
 */
export function assetsIn(bundle: DayBundle, state: Readiness["state"]): Missing[] {
  const found = new Map<number, Missing>();
  for (const scene of bundle.scenes.filter(({ status }) => status !== "omitted"))
    for (const asset of scene.assets) {
      if (readinessOf(bundle, asset).state !== state) continue;
      if (state === "not-started" && asset.kind === "character") continue;
      const entry = found.get(asset.node_id) ?? { asset, scenes: [] };
      entry.scenes.push(sceneNumber(scene));
      found.set(asset.node_id, entry);
    }
  return [...found.values()];
}

const missingItem = (bundle: DayBundle, { asset, scenes }: Missing): Markup => {
  const { state, text } = readinessOf(bundle, asset);
  return html`<li><a href="/assets/${asset.node_id}">${asset.label}</a> <span class="under">${state === "lacking" && html`<span class="tone bad">${text}</span> · `}scene ${scenes.join(", ")}</span></li>`;
};

function missingPanel(bundle: DayBundle): Markup {
  const [lacking, idle] = [assetsIn(bundle, "lacking"), assetsIn(bundle, "not-started")];
  if (lacking.length + idle.length === 0)
    return html`<section class="panel"><h2>Everything is ready</h2><p>Each asset of the day that needs a released version has one. A character needs a call.</p></section>`;
  const list = (of: readonly Missing[]) => lines(of.map((each) => missingItem(bundle, each)));
  return html`<section class="panel ${lacking.length > 0 && "notice bad"}"><h2>Not ready <span class="count">${lacking.length}</span></h2>
${lacking.length > 0 ? list(lacking) : html`<p class="under">Nothing that somebody waits for.</p>`}
${idle.length > 0 && html`<details><summary>${idle.length} not started</summary>${list(idle)}</details>`}</section>`;
}

/** Calls, cast, scenes and the location that do not fit together. */
const clashesPanel = ({ clashes }: DayBundle): Markup | false =>
  clashes.length > 0 &&
  html`<section class="panel notice bad"><h2>Clashes <span class="count">${clashes.length}</span></h2>${lines(clashes.map((clash) => html`<li dir="ltr">${capitalized(clash)}</li>`))}</section>`;

function changesPanel({ scenes, script_changes }: DayBundle): Markup {
  const numbers = new Map(scenes.map((scene) => [scene.node_id, sceneNumber(scene)]));
  const items = script_changes.map(
    ({ node_id, kind, summary, revision_color }) =>
      html`<li>${node_id !== null && html`<a href="/scenes/${node_id}">Scene ${numbers.get(node_id)}</a> `}<span class="chip warn">${wordOf(kind)}</span> ${summary} <span class="under">${revision_color}, to decide</span></li>`,
  );
  return listPanel("Script changes", items);
}

/** How many things the day waits for: assets that are not ready, and approvals about anything else. */
function countWaiting(bundle: DayBundle): number {
  const unready = new Set(
    [...assetsIn(bundle, "lacking"), ...assetsIn(bundle, "not-started")].map(({ asset }) => asset.node_id),
  );
  return unready.size + bundle.approvals.filter(({ node_id }) => node_id === null || !unready.has(node_id)).length;
}

/** The approvals are first, because they are signed; the style shows them after the others. */
export function attention(visit: Visit, bundle: DayBundle): Markup {
  const waiting = bundle.approvals.toSorted(byDue);
  const items = waiting.map((approval) => html`<li>${approvalLink(visit, approval)}</li>`);
  const count = countWaiting(bundle);
  return html`<div class="flow">${count > 0 && html`<h2>Before the call <span class="count">${count}</span></h2>`}<div class="grid">
${waiting.length > 0 && html`<div class="last">${listPanel("Approvals to decide", items)}</div>`}
${clashesPanel(bundle)}
${missingPanel(bundle)}
${changesPanel(bundle)}
</div></div>`;
}
