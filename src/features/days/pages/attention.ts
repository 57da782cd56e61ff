// What stands in the way of a shoot day: approvals, assets that are not ready and script changes; and who is called.
import { inParts } from "../../../graph/scene_parts.ts";
import { byDue, dateText, lateText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import {
  actionLine,
  capitalized,
  chip,
  lines,
  listPanel,
  revisionChip,
  sceneWord,
  stateWord,
  toneOf,
  wordOf,
} from "../../pages/html_parts.ts";
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
  /** The status that gives it its colour. */
  status: string;
}

/** Whether a delivery or an approval of the day is about a node. */
const isAwaitedIn = ({ deliveries, approvals }: DayBundle, node: number): boolean =>
  deliveries.some(({ node_ids }) => node_ids.includes(node)) || approvals.some(({ node_id }) => node_id === node);

/** Whether an asset of the day is ready, and what it needs otherwise. */
export function readinessOf(bundle: DayBundle, asset: DayAsset): Readiness {
  const { node_id, ready, status, newest } = asset;
  if (status === "blocked") return { state: "lacking", text: sceneWord(status), status };
  if (ready) return { state: "ready", text: "ready", status: "released" };
  if (newest?.status === "approved") return { state: "lacking", text: "approved, not released", status: "ready" };
  if (newest !== null) return { state: "lacking", text: stateWord(newest.status), status: newest.status };
  return isAwaitedIn(bundle, node_id)
    ? { state: "lacking", text: "no version yet", status: "planned" }
    : { state: "not-started", text: "not started", status: "planned" };
}

/** What is made for a day: of a character, its make-up. */
export const thingOf = ({ kind, label, newest }: DayAsset): { name: string; kind: string } =>
  kind === "character" && newest !== null
    ? { name: `${label}: ${newest.variant}`, kind: "make-up" }
    : { name: label, kind };

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

const scenesText = (scenes: readonly string[]): string =>
  `${scenes.length === 1 ? "scene" : "scenes"} ${scenes.join(", ")}`;

const missingItem = (bundle: DayBundle, { asset, scenes }: Missing): Markup => {
  const { text, status } = readinessOf(bundle, asset);
  const { name, kind } = thingOf(asset);
  return actionLine(
    html`<a href="/assets/${asset.node_id}" dir="auto">${name}</a><span class="under">${kind}, ${scenesText(scenes)}</span>`,
    html`<span class="chip ${toneOf(status)}">${text}</span>`,
  );
};

type Awaited = DayBundle["approvals"][number];

/** The approvals of one thing, or one of anything else: who decides, and how late they are. */
function decisionItem(approvals: readonly Awaited[], missing: Missing | undefined, today: string): Markup {
  const about = missing && html`<bdi>${missing.asset.label}</bdi>, ${scenesText(missing.scenes)}; `;
  const lines = approvals.map(({ id, title, due, awaiting }) => {
    const late = lateText(due, today);
    return html`<a href="/approvals/${id}" dir="auto">${title}</a><span class="under" dir="ltr">${about}<bdi>${awaiting.map(({ person }) => person).join(" and ")}</bdi> decides${late === undefined ? due && html`, due ${dateText(due)}` : html`, <span class="tone bad">${late}</span>`}</span>`;
  });
  return actionLine(html`${lines}`, chip("pending"));
}

/**
 * What the day waits for, or waited for if it is over, each thing once: first what somebody must decide, then what is
 * not ready.
 */
function beforeTheCall(visit: Visit, bundle: DayBundle): Markup {
  const missing = [...assetsIn(bundle, "lacking"), ...assetsIn(bundle, "not-started")];
  const unready = new Map(missing.map((one) => [one.asset.node_id, one]));
  const asked = Map.groupBy(bundle.approvals.toSorted(byDue), ({ id, node_id }) =>
    node_id !== null && unready.has(node_id) ? node_id : -id,
  );
  const items = [
    ...[...asked].map(([node, of]) => decisionItem(of, unready.get(node), visit.today)),
    ...missing.filter(({ asset }) => !asked.has(asset.node_id)).map((one) => missingItem(bundle, one)),
  ];
  const title = bundle.day.date < visit.today ? "Not ready" : "Before the call";
  return items.length > 0
    ? html`<section class="panel asks"><h2>${title} <span class="count">${items.length}</span></h2>${lines(items)}</section>`
    : html`<p class="under">Everything is ready: each asset of the day that needs a released version has one.</p>`;
}

/** Calls, cast, scenes and the location that do not fit together. */
const clashesPanel = ({ clashes }: DayBundle): Markup | false =>
  clashes.length > 0 &&
  html`<section class="panel notice bad"><h2>Clashes <span class="count">${clashes.length}</span></h2>${lines(clashes.map((clash) => html`<li dir="ltr">${capitalized(clash)}</li>`))}</section>`;

function changesPanel({ scenes, script_changes }: DayBundle): Markup {
  const numbers = new Map(scenes.map((scene) => [scene.node_id, sceneNumber(scene)]));
  const items = script_changes.map(({ node_id, kind, summary, revision_color }) =>
    actionLine(
      html`${node_id !== null && html`<a href="/scenes/${node_id}">Scene ${numbers.get(node_id)}</a> `}${wordOf(kind)}: <bdi>${summary}</bdi>`,
      revisionChip(revision_color),
    ),
  );
  return listPanel("Script changes to decide", items);
}

/** Who is called, and when: at the crew call without a call of their own. */
const castPanel = ({ cast, day }: DayBundle): Markup =>
  listPanel(
    "Cast",
    cast.map(
      ({ node_id, label, cast_number, performer, call }) =>
        html`<li><b class="number">${cast_number}</b><span><a href="/assets/${node_id}" dir="auto">${label}</a>${performer && html`<span class="under"><bdi>${performer}</bdi></span>`}</span><b>${call ?? day.general_call}</b></li>`,
    ),
    undefined,
    "calls",
  );

/** What the day waits for, and who is called. */
export const attention = (visit: Visit, bundle: DayBundle): Markup => html`<div class="rail">
${beforeTheCall(visit, bundle)}
${clashesPanel(bundle)}
${changesPanel(bundle)}
${castPanel(bundle)}
</div>`;
