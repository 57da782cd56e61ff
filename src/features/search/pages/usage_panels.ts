// Where an asset is used, on its page.

import type { NodeId } from "../../../core/ids.ts";
import { dayText, dayTitle } from "../../../graph/units.ts";
import { dateText, spanText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { chip, emptyState, lines, listPanel, panel, plural } from "../../pages/html_parts.ts";
import { linkTo } from "../../pages/page_places.ts";
import { approvalLink } from "../../pages/pages/approval_card.ts";
import { sceneItem } from "../../pages/pages/asset.ts";
import { sceneNumber } from "../../pages/scene_facts.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { listAllSubmissions } from "../../review/answers.ts";
import { listAt } from "../../sequences/sequences.ts";
import { getAssetUsage } from "../usage.ts";

type Usage = OutputOf<typeof getAssetUsage>;
type Scene = Usage["scenes"][number];
type Day = Usage["shoot_days"][number];

const isOpen = ({ status }: Scene): boolean => status !== "done" && status !== "omitted";

/** The scenes that use it, as their numbers; those that are shot next are framed. */
function scenesPanel(scenes: readonly Scene[], next: Day | undefined): Markup {
  if (scenes.length === 0) return html``;
  const isNext = (scene: Scene) => next !== undefined && isOpen(scene) && scene.shoot_day_ids.includes(next.id);
  const chips = scenes.map(
    (scene) =>
      html`<li><a href="/scenes/${scene.node_id}" title="${scene.slugline}"${isNext(scene) && html` class="next"`}>${sceneNumber(scene)}</a></li>`,
  );
  const body = html`<ul class="chips">${chips}</ul><details class="fold"><summary>With their sets</summary>${lines(scenes.map(sceneItem))}</details>`;
  return panel("Scenes", body, scenes.length);
}

/** The next day on which a scene of it is shot. */
function nextDay(scenes: readonly Scene[], days: readonly Day[], today: string): Day | undefined {
  const open = new Set(scenes.filter(isOpen).flatMap(({ shoot_day_ids }) => shoot_day_ids));
  return days.find(({ id, date }) => date >= today && open.has(id));
}

/** How many scenes the facts name. */
const namedScenes = 8;

/** What waits for an asset, as facts: its scenes that are left, and when it is shot next. */
export async function usageFacts(visit: Visit, node_id: NodeId): Promise<Markup> {
  const { scenes, shoot_days } = await visit.ask(getAssetUsage, { node_id });
  const left = scenes.filter(isOpen);
  const next = nextDay(scenes, shoot_days, visit.today);
  const numbers = left.slice(0, namedScenes).map(sceneNumber).join(", ");
  const more = left.length > namedScenes && ` and ${left.length - namedScenes} more`;
  return html`${left.length > 0 && html`<span>${left.length === 1 ? "Scene" : "Scenes"} <b>${numbers}</b>${more}</span>`}${next && html`<span>Next shoots <b>${next.date === visit.today ? "today" : dateText(next.date)}, ${dayText(next)}</b></span>`}`;
}

/** How many days to come are named. */
const namedDays = 6;

/** The days to come by name, and those that are over in a line each: shot, or not marked so. */
function daysPanel(scenes: readonly Scene[], days: readonly Day[], today: string): Markup {
  const byDay = new Map<number, Scene[]>();
  for (const scene of scenes)
    if (scene.status !== "omitted") for (const id of scene.shoot_day_ids) listAt(byDay, id).push(scene);
  const of = ({ id }: Day) => byDay.get(id) ?? [];
  const coming = days.filter(({ date }) => date >= today);
  const over = Object.groupBy(
    days.filter(({ date }) => date < today),
    (day) => (of(day).some(isOpen) ? "left" : "shot"),
  );
  const span = (text: string, [first, ...others]: readonly Day[] = []): Markup[] =>
    first === undefined
      ? []
      : [
          html`<li class="row between"><span class="count">${text} ${plural(others.length + 1, "day")}</span><span class="count">${spanText(first.date, others.at(-1)?.date ?? first.date)}</span></li>`,
        ];
  const named = coming.slice(0, namedDays).map((day) => {
    const numbers = of(day).map(sceneNumber);
    return html`<li class="row between"><b>${linkTo(`/days/${day.id}`, html`${dayTitle(day)}, ${dateText(day.date)}`)}</b><span>${numbers.length === 1 ? "scene" : "scenes"} ${numbers.join(", ")}</span></li>`;
  });
  const items = [
    ...named,
    ...span("and", coming.slice(namedDays)),
    ...span("Shot on", over.shot),
    ...span("Over, not all marked as shot:", over.left),
  ];
  return html`${items.length > 0 && panel("Shoots", lines(items))}`;
}

/** The deliveries about it, with how much came back to look at. */
async function deliveriesPanel(visit: Visit, deliveries: Usage["deliveries"]): Promise<Markup> {
  if (deliveries.length === 0) return html``;
  const waiting = await visit.ask(listAllSubmissions, {
    delivery_id: deliveries.map(({ id }) => id),
    status: "submitted",
  });
  const byDelivery = Map.groupBy(waiting, ({ delivery_id }) => delivery_id);
  const items = deliveries.map(({ id, title, status }) => {
    const back = byDelivery.get(id)?.length ?? 0;
    return html`<li class="row between"><a href="/deliveries/${id}" dir="auto">${title}</a>${back > 0 ? html`<span class="chip warn">${back} to look at</span>` : chip(status)}</li>`;
  });
  return listPanel("Deliveries", items);
}

/** The panels on the page of an asset. */
export async function usagePanels(visit: Visit, node_id: NodeId): Promise<Markup> {
  const { scenes, shoot_days, approvals, deliveries } = await visit.ask(getAssetUsage, { node_id });
  const { today } = visit;
  const others = approvals.filter((one) => one.status !== "pending" || one.node_id !== node_id); // those stand above
  return html`${scenesPanel(scenes, nextDay(scenes, shoot_days, today))}${daysPanel(scenes, shoot_days, today)}${await deliveriesPanel(visit, deliveries)}${listPanel(
    "Approvals",
    others.map((approval) => html`<li>${approvalLink(visit, approval)}</li>`),
  )}${scenes.length + approvals.length + deliveries.length === 0 && emptyState("Nothing uses it yet.")}`;
}
