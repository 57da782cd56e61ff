// Where an asset is used, on its page.

import type { NodeId } from "../../../core/ids.ts";
import { dayTitle } from "../../../graph/units.ts";
import { dateText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { chip, emptyState, listPanel } from "../../pages/html_parts.ts";
import { linkTo } from "../../pages/page_places.ts";
import { approvalLink } from "../../pages/pages/approval_card.ts";
import { sceneItem } from "../../pages/pages/asset.ts";
import type { Visit } from "../../pages/visit.ts";
import { getAssetUsage } from "../usage.ts";

/** The panels on the page of an asset. */
export async function usagePanels(visit: Visit, node_id: NodeId): Promise<Markup> {
  const { scenes, shoot_days, approvals, deliveries } = await visit.ask(getAssetUsage, { node_id });
  return html`${listPanel("Scenes", scenes.map(sceneItem))}${listPanel(
    "Shoot days",
    shoot_days.map((day) => html`<li>${linkTo(`/days/${day.id}`, html`${dayTitle(day)}, ${dateText(day.date)}`)}</li>`),
  )}${listPanel(
    "Approvals",
    approvals.map((approval) => html`<li>${approvalLink(visit, approval)}</li>`),
  )}${listPanel(
    "Deliveries",
    deliveries.map(({ id, title, status }) => html`<li><a href="/deliveries/${id}">${title}</a> ${chip(status)}</li>`),
  )}${scenes.length + approvals.length + deliveries.length === 0 && emptyState("Nothing uses it yet.")}`;
}
